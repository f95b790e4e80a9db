"""The test runs of a release, and which of them count.

A run counts if its transcript is a run of exactly this artifact: the run header agrees with what
cites it, and the prompt and an answer are in it. One transcript counts for one platform. All this
is what the author reports: a header can be forged, so that no run is ever called verified.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, partial
from pathlib import PurePosixPath

from psreg.core.diagnostics import WARNING, Severity
from psreg.formats import dotprompt
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.conversation.run_header import RunHeader, is_stub_answer, run_header
from psreg.formats.layout import later_evidence
from psreg.formats.platforms import OTHER_WORDS, PLATFORMS
from psreg.formats.protocol_versions import STUB
from psreg.formats.release import TestRun
from psreg.formats.tree import Submission
from psreg.lint.content.clarity_rules import is_sign, says_nothing

EARLIEST = date(2022, 1, 1)
"""No assistant that people could use is older."""

RESULTS = ("pass", "partial", "fail")
"""How a run can go."""

_TELLING = 200
"""Characters of answers that two runs do not have in common by chance."""

_BLANK = re.compile(r"\s+")

AGREES = "reported by the author, agrees with its transcript"
"""What is said of a run that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a run does not count. `member` is the one of its row that is in doubt, or ""."""

    message: str
    member: str = ""
    severity: Severity | None = None


_HEADLESS = Doubt(message="its transcript has no run header", member="evidence", severity=WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """A run and the doubts about it.

    `platform` is the id under which it is counted, and `known` whether psreg or the policy has it.
    `row` is the pointer to its row in release.toml, "" if the run header of an added transcript is
    the row.
    """

    run: TestRun
    path: PurePosixPath
    platform: str
    known: bool
    row: str
    doubts: tuple[Doubt, ...]

    @property
    def counts(self) -> bool:
        """Whether the run counts."""
        return not self.doubts

    @property
    def passed(self) -> bool:
        """Whether it counts, and the prompt passed."""
        return self.counts and self.run.result == "pass"

    @property
    def standing(self) -> str:
        """What to tell readers about it."""
        if not self.counts:
            return f"does not count: {self.doubts[0].message}"
        return AGREES if self.known else f"{AGREES}; the platform is unknown"


def judged_runs(submission: Submission) -> tuple[JudgedRun, ...]:
    """Return the runs of a release: the rows of `[[tested]]`, then the transcripts added later."""
    digest = hashlib.sha256(submission.artifact or b"").hexdigest()
    judge = partial(_judged, submission, digest)
    rows = [
        judge(run, submission.folder / run.evidence, run.pointer)
        for run in submission.release.tested
    ]
    cited = {run.path for run in rows}
    later = [
        judge(_run_of(submission, path), path, "")
        for path in submission.paths
        if path not in cited and later_evidence(path)
    ]
    return _each_conversation_once(submission, [*rows, *later])


def counted_platforms(runs: Iterable[JudgedRun]) -> int:
    """Return on how many platforms there are runs that count.

    Anyone can invent a name: platforms that neither psreg nor the policy knows count as one
    together, and only beside a known one.
    """
    counted = [run for run in runs if run.counts]
    known = {run.platform for run in counted if run.known}
    return len(known) + any(not run.known for run in counted) if known else 0


def _day_of(text: str) -> date | None:
    """Return the day that `text` is as YYYY-MM-DD, or None."""
    try:
        return date.fromisoformat(text) if re.fullmatch(r"[0-9-]{10}", text) else None
    except ValueError:
        return None


def folded_platform(text: str, extra: Sequence[str] = ()) -> str:
    """Return the id that `text` means: case, blanks, punctuation and look-alikes do not matter.

    `extra` are the ids that a policy adds to those that psreg knows.

    An unknown id that contains a name of a platform or of its maker means that platform, so that
    `anthropic`, `claude-3`, `claudecode` and `googlegemini` do not count beside `claude` and
    `gemini`.
    """
    whole = _folded(text)
    if added := next((name for name in extra if _folded(name) == whole), ""):
        return added
    for written in dict.fromkeys((text, text.translate(_DIGITS))):
        words = (_folded(written), *re.findall("[a-z]+", _plain(written)))
        if known := next(filter(None, map(_meant, words)), ""):
            return known
    return whole


def _meant(word: str) -> str:
    """Return the platform that `word` names, alone or among words such as `code`, or ""."""
    if word in _known():
        return _known()[word]
    parts = _part().findall(word)
    if "".join(parts) != word:
        return ""
    return next((_known()[part] for part in parts if part in _known()), "")


_DIGITS = str.maketrans("01345", "oleas")
"""The letters that digits stand for, as in `Cl4ude`."""

_PRODUCT = (
    "ai|api|app|assistant|base|chat|cli|code|desktop|flash|free|instruct|large|latest|lite|local"
    "|max|mini|model|my|nano|plus|preview|pro|small|team|the|thinking|turbo|ultra|web"
)
"""What is written together with the name of a platform, as in `claudecode`."""


@cache
def _part() -> re.Pattern[str]:
    """Return what matches one part of a name that is written together; longer parts come first."""
    names = sorted(_known(), key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, names), _PRODUCT]))


@cache
def _known() -> Mapping[str, str]:
    names = {name: key for key, name in PLATFORMS.items()} | {key: key for key in PLATFORMS}
    return {_folded(name): key for name, key in {**names, **OTHER_WORDS}.items()}


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, _plain(text)))


def _plain(text: str) -> str:
    from psreg.lint.content.text_folding import folded  # noqa: PLC0415 - most releases have no rows

    return unicodedata.normalize("NFKC", folded(text)).casefold()


def _run_of(submission: Submission, path: PurePosixPath) -> TestRun:
    """Return the run that the header of an added transcript states."""
    header = run_header(submission.documents[path].text) or RunHeader()
    return TestRun(
        index=-1,
        platform=header.platform,
        model=header.model,
        date=header.date,
        sha256=header.sha256,
        result=header.result,
        evidence=str(path.relative_to(submission.folder)),
        notes=header.notes,
        settings={},
    )


def _judged(
    submission: Submission, digest: str, run: TestRun, path: PurePosixPath, row: str
) -> JudgedRun:
    doubts = [*_doubts(submission, digest, run, path)]
    if not row:
        headless = run_header(submission.documents[path].text) is None
        doubts = [_HEADLESS] if headless else [*_of_added(submission, run, path), *doubts]
    platform = folded_platform(run.platform, extra := submission.policy.extra_platforms)
    return JudgedRun(
        run=run,
        path=path,
        platform=platform,
        known=platform in {*PLATFORMS, *extra},
        row=row,
        doubts=tuple(doubts),
    )


def _of_added(submission: Submission, run: TestRun, path: PurePosixPath) -> Iterator[Doubt]:
    """Yield the doubts about the header of an added transcript, which has no row."""
    platform, day = later_evidence(path) or ("", "")
    if run.platform and _differ(submission, platform, run.platform):
        message = f"the run header states the platform `{run.platform[:80]}`, the file name another"
        yield Doubt(message=message, member="platform")
    if run.date and run.date != day:
        message = f"the run header states the date `{run.date[:80]}`, the file name another"
        yield Doubt(message=message, member="date")
    if run.result not in RESULTS:
        message = (
            f"the `result` in the run header must be {', '.join(RESULTS[:-1])} or {RESULTS[-1]}"
        )
        yield Doubt(message=message, member="result")
    elif run.result != "pass" and says_nothing(run.notes):
        message = f"a result of `{run.result}` needs `notes` in the run header"
        yield Doubt(message=message, member="result")


def _doubts(
    submission: Submission, digest: str, run: TestRun, path: PurePosixPath
) -> Iterator[Doubt]:
    if folded_platform(run.platform) in (STUB, ""):
        yield Doubt(message="psreg's stub is not a model" if run.platform else "no platform")
    if run.sha256 != digest:
        yield Doubt(message="it is a run of other bytes")
        return
    yield from _of_day(run.date, submission.tree.today)
    if path not in submission.tree.files:
        yield Doubt(message="it has no transcript")
        return
    text = submission.documents[path].text
    header = run_header(text)
    if header is None:
        yield _HEADLESS
    else:
        yield from _disagreements(submission, run, header)
    yield from _of_conversation(submission, path)


def _of_day(text: str, today: date | None) -> Iterator[Doubt]:
    day = _day_of(text)
    if day is None:
        yield Doubt(message="it has no date")
    elif day < EARLIEST:
        yield Doubt(message=f"{text} is before {EARLIEST}", member="date")
    elif today and day > today + timedelta(days=1):  # it may be tomorrow already where it was run
        yield Doubt(message=f"{text} is in the future", member="date")


def _differ(submission: Submission, *platforms: str) -> bool:
    extra = submission.policy.extra_platforms
    return len({folded_platform(platform, extra) for platform in platforms}) > 1


def _disagreements(submission: Submission, run: TestRun, header: RunHeader) -> Iterator[Doubt]:
    pairs = {
        "platform": (run.platform, header.platform),
        "model": (run.model.strip(), header.model),
        "date": (run.date, header.date),
        "sha256": (run.sha256, header.sha256),
    }
    for member, (said, recorded) in pairs.items():
        stated = getattr(header, member)
        if not stated:
            message = f"the run header of its transcript states no `{member}`"
            yield Doubt(message=message, member=member, severity=WARNING)
        elif _differ(submission, said, recorded) if member == "platform" else said != recorded:
            message = f"its transcript was recorded with the {_NOUNS[member]} `{stated[:80]}`"
            yield Doubt(message=message, member=member)
    if header.result not in ("", run.result):  # the row may state what was judged later
        message = f"its transcript was recorded with the result `{header.result[:80]}`"
        yield Doubt(message=message, member="result")


_NOUNS = {"platform": "platform", "model": "model", "date": "date", "sha256": "digest"}


def _of_conversation(submission: Submission, path: PurePosixPath) -> Iterator[Doubt]:
    conversation = read_conversation(submission.tree.files[path], path.name)
    pairs = list(_exchanges(conversation))
    since = _from_prompt(submission, pairs)
    if conversation.issues:
        yield Doubt(message="its transcript cannot be read", member="evidence", severity=WARNING)
    elif not any(_answers(said, answer) for said, answer in pairs):
        message = "its transcript has no answer"
        yield Doubt(message=message, member="evidence", severity=WARNING)
    elif not since:
        message = "its transcript does not contain the prompt"
        yield Doubt(message=message, member="evidence", severity=WARNING)
    elif not any(_answers(said, answer) for said, answer in since):
        message = "its transcript has no answer after the prompt"
        yield Doubt(message=message, member="evidence", severity=WARNING)
    elif any(is_stub_answer(answer, said.rpartition("\0")[2]) for said, answer in pairs):
        message = "its transcript has answers of psreg's stub, which is not a model"
        yield Doubt(message=message, member="evidence")


def _answers(said: str, answer: str) -> bool:
    """Tell whether an answer has more than punctuation and what nobody sees, and is not an echo."""
    from psreg.lint.content.text_folding import folded  # noqa: PLC0415 - most releases have no rows

    if _BLANK.sub("", answer) == _BLANK.sub("", said.rpartition("\0")[2]):
        return False
    return not all(map(is_sign, folded(answer)))


def _exchanges(conversation: Conversation) -> Iterator[tuple[str, str]]:
    """Yield each answer with what was said before it, messages separated by NUL."""
    said: list[str] = []
    for turn in conversation.turns:
        if turn.role == "assistant":
            yield "\0".join(said), turn.content
            said = []
        else:
            said.append(turn.content)
    for cycle in conversation.cycles:
        yield cycle.instr or "", cycle.next
    for exchange in conversation.exchanges:
        yield str(exchange.message or ""), str(exchange.text or "")


def _from_prompt(
    submission: Submission, pairs: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    """Return the exchanges from the first that says the text of the artifact, () without one.

    Neither the values of variables nor blanks matter.
    """
    prompt = submission.prompt
    pieces = [(submission.artifact or b"").decode(errors="replace").removeprefix("\ufeff")]
    if prompt is not None:
        if not prompt.readable:
            return ()
        blanks = {variable.name: "\0" for variable in prompt.variables}
        pieces = dotprompt.render(prompt, blanks).text.split("\0")
    wanted = [squeezed for piece in pieces if (squeezed := _BLANK.sub("", piece))]
    for at, (said, _) in enumerate(pairs):
        if _in_order(wanted, _BLANK.sub("", said)):
            return pairs[at:]
    return ()


def _in_order(pieces: Iterable[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _each_conversation_once(
    submission: Submission, runs: Sequence[JudgedRun]
) -> tuple[JudgedRun, ...]:
    """Return the runs; of those with the same conversation, only the first platform's count."""
    first: dict[bytes, JudgedRun] = {}
    found = []
    for judged in runs:
        if judged.counts:
            known = first.setdefault(_conversation_digest(submission, judged.path), judged)
            if known.platform != judged.platform:
                message = f"its transcript is the one that counts for {known.platform}"
                judged = replace(judged, doubts=(Doubt(message=message, member="evidence"),))  # noqa: PLW2901
        found.append(judged)
    return tuple(found)


def _conversation_digest(submission: Submission, path: PurePosixPath) -> bytes:
    """Return a digest of what was answered; of the whole file if that is very short.

    Blanks do not matter, nor characters that nobody sees or tells from others.
    """
    from psreg.lint.content.text_folding import folded  # noqa: PLC0415 - most releases have no rows

    data = submission.tree.files[path]
    answers = [answer for _, answer in _exchanges(read_conversation(data, path.name))]
    if sum(map(len, answers)) >= _TELLING:
        squeezed = _BLANK.sub("", folded("\0".join(answers)))
        data = squeezed.encode(errors="surrogatepass")
    return hashlib.sha256(data).digest()
