"""The code blocks of a review's comment: suggestions, missing files, differences.

Text from a pull request appears only in fenced blocks. A block that people apply or copy is exact,
or it is left out; a block that people only read may be cropped.
"""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import PurePosixPath
from shlex import quote
from typing import TYPE_CHECKING

from psreg.core.excerpt import common_start
from psreg.core.terminal import plain
from psreg.lint.reports.markdown import code, neutral
from psreg.lint.reports.unified_diff import unified
from psreg.review.suggestions import Suggestion
from psreg.review.verdict import Review, ReviewedRelease

if TYPE_CHECKING:
    from psreg.registry.owners.to_sign import Signable

REMARK = "<!-- psreg suggestion "
"""Start of the first line of a remark, by which a bot recognizes its own remarks."""

MOST_REMARKS = 20
"""The most remarks in a review; each one notifies everyone who watches."""

_FINGERPRINT = 32
"""Hexadecimal digits; only our own comments count."""

_LONGEST_SUGGESTION = 4_000
_LONGEST_FILE = 8_000
_LONGEST_MESSAGE = 8_000

MESSAGES = "messages"
"""The artifact of a job in which are what owners can sign and what is too long for the comment."""

_DIFF_ROOM = 24_000
"""Characters reserved for the differences of all releases together."""

_DIFF_LINES, _DIFF_BYTES = 2_000, 256 * 1024
"""The most lines and bytes of an artifact that is compared as text; the time is quadratic."""


LONGEST_LINE = 1_000
"""Characters shown of one line; a whole PBE may be on a single line."""

_AROUND = 100
"""Characters shown of a long line before the first one that differs."""

_HUNK = re.compile(r"@@ -([0-9]+)(?:,[0-9]+)? \+([0-9]+)")

_COMMENT = "<!--"

_COMMAND = re.compile(r"^[ \t]*/[a-z]", re.MULTILINE | re.IGNORECASE)

_BREAK = re.compile(r"\r\n?|\n")


def suggestion_blocks(found: Iterable[Suggestion]) -> tuple[str, ...]:
    """Return a block for each suggestion; those that no forge can apply come last, as lines."""
    blocks: list[str] = []
    lines: list[str] = []
    for one in found:
        block = f"\n{_location(one)}: {_title(one)}\n\n{fenced(one.after, 'suggestion')}"
        if _is_applicable(one, block):
            blocks.append(block)
        else:
            lines.append(f"\n{_location(one)}: {_title(one)}. `psreg check --fix` applies it.\n")
    return (*blocks, *lines)


def remarks(found: Iterable[Suggestion], forge: str) -> tuple[tuple[Suggestion, str], ...]:
    """Return the suggestions that can be applied at their lines, each with its remark.

    The first line of a remark is hidden; it starts with `REMARK` and identifies the suggestion.
    """
    texts = ((one, _remark(one, forge)) for one in found if is_exact(one.path))
    return tuple((one, text) for one, text in texts if _is_applicable(one, text))


def _remark(one: Suggestion, forge: str) -> str:
    # A GitLab suggestion says how many lines above its own it replaces.
    info = f"suggestion:-{one.last - one.first}+0" if forge == "gitlab" else "suggestion"
    text = f"{_title(one)}\n\n{fenced(one.after, info)}"
    about = "\0".join((one.path, str(one.first), str(one.last), one.before, text))
    known = sha256(about.encode()).hexdigest()[:_FINGERPRINT]
    return f"{REMARK}{known} -->\n{text}"


def _is_applicable(one: Suggestion, text: str) -> bool:
    return one.in_lines and is_exact(one.after) and len(text) <= _LONGEST_SUGGESTION


def _title(one: Suggestion) -> str:
    return neutral(f"{', '.join(one.titles)} [{', '.join(one.codes)}]")


def _location(one: Suggestion) -> str:
    lines = f"line {one.first}" if one.first == one.last else f"lines {one.first} to {one.last}"
    return f"{code(one.path)}, {lines}"


def missing_file_blocks(review: Review) -> tuple[str, ...]:
    """Return a folded block for each missing file."""
    return tuple(
        _folded(f"{code(str(path))} is missing: copy this and fill it in", _file(path, text))
        for release in review.releases
        for path, text in sorted(release.missing.items())
        if is_exact(text) and len(text) <= _LONGEST_FILE
    )


def _file(path: PurePosixPath, text: str) -> str:
    return fenced(text, {".toml": "toml", ".md": "markdown"}.get(path.suffix, "text"))


def signature_blocks(review: Review, kept: str = "") -> tuple[str, ...]:
    """Return a block for whatever owners can sign, with how they do so.

    `kept` is a link, with a period, to the job that keeps `long_messages` as an artifact, "" if
    none does.
    """
    return tuple(_signatures(signable, kept) for signable in _signables(review))


def long_messages(review: Review) -> Mapping[str, bytes]:
    """Return what owners can sign that is too long for the comment, by the name of its file."""
    long = (each for each in _signables(review) if not _printed(each.statement.message))
    return {_file_name(signable): signable.statement.message for signable in long}


def _signables(review: Review) -> tuple[Signable, ...]:
    releases = (release.signable for release in review.releases if release.signable)
    return (*review.objections, *review.owner_changes, *review.yanks, *releases)


def _file_name(signable: Signable) -> str:
    digest = sha256(signable.statement.message).hexdigest()[:_FINGERPRINT]
    return f"{signable.name}-{digest}.txt"


def _signatures(signable: Signable, kept: str) -> str:
    by, missing = sorted(signable.signed_by), signable.threshold - len(signable.signed_by)
    what, effect, key = _named(signable)
    if missing > 0 and signable.recovery:
        told = _recovered(signable.name, signable.recovery.told)
    elif missing > 0:
        who = f"{missing} more {'owner signs' if missing == 1 else 'owners sign'}"
        told = f"{what} {effect} when {who} it{key}."
    elif by:
        return f"{what} is signed by {neutral(', '.join(by))}.\n"
    else:
        told = f"{what} can be signed by its owners."
    command, where = signable.command, ""
    if printed := _printed(signable.statement.message):
        command += _without_psreg(signable, printed)
    elif kept:
        command += _without_psreg(signable, f"cat {quote(_file_name(signable))}")
        where = _artifact(signable, kept)
    then = "In a checkout of the branch, then commit the file in `signatures/` and push it:"
    return f"{told} {then}\n\n{fenced(command, 'sh')}{where}"


def _without_psreg(signable: Signable, message: str) -> str:
    """Return the lines of a shell that sign it with OpenSSH alone; `message` prints what."""
    folder, place = quote(str(signable.place.parent)), quote(str(signable.place))
    return (
        f"\n# or without psreg:\nmkdir -p {folder} && {message} |"
        f" ssh-keygen -Y sign -n {signable.statement.namespace} -f ~/.ssh/id_ed25519 > {place}"
    )


def _artifact(signable: Signable, kept: str) -> str:
    """Return where a message is that is too long for the command."""
    digest = sha256(signable.statement.message).hexdigest()
    where = f"{code(_file_name(signable))} is in the artifact `{MESSAGES}` of {kept}"
    return f"\n{where} Its SHA-256 is `{digest}`.\n"


def _printed(message: bytes) -> str:
    """Return a shell command that prints a message, "" if it is too long for a line."""
    whole, packed = (
        b64encode(each).decode() for each in (message, gzip.compress(message, mtime=0))
    )
    if len(whole) <= _LONGEST_MESSAGE:
        return f"printf %s '{whole}' | base64 --decode"
    if len(packed) <= _LONGEST_MESSAGE:
        return f"printf %s '{packed}' | base64 --decode | gunzip"
    return ""


def _recovered(name: str, told: Mapping[str, str]) -> str:
    """Return when a name gets other owners, and why."""
    when, why = neutral(told["not_before"][:10]), neutral(told["reason"])
    lost = f"because its owners are said to have lost their keys: {why}"
    return f"{code(name)} gets other owners on {when} {lost}. An owner who has one can object."


def _named(signable: Signable) -> tuple[str, str, str]:
    """Return what is signed, what happens once enough owners have, and with which key they do."""
    if signable.recovery:
        return f"An objection to the recovery of {code(signable.name)}", "", ""
    if signable.version is None:
        name = code(signable.name)
        return f"The change of the owners of {name}", "takes effect", " with a key from before"
    release = code(f"{signable.name} {signable.version}")
    if signable.yank:
        return f"The change of whether {release} is yanked", "takes effect", ""
    return release, "is released", ""


def diff_blocks(review: Review) -> tuple[str, ...]:
    """Return a folded text diff for each release that follows another one."""
    compared = [r for r in review.releases if r.before is not None and r.after is not None]
    return tuple(
        _folded(f"Text diff of {code(release.title)} and {neutral(release.previous or '')}", text)
        for release in compared
        if (text := _difference(release, _DIFF_ROOM // len(compared)))
    )


def _difference(release: ReviewedRelease, room: int) -> str:
    texts = [
        data.decode(errors="replace") for data in (release.before or b"", release.after or b"")
    ]
    if any(len(text) > _DIFF_BYTES or text.count("\n") > _DIFF_LINES for text in texts):
        return "Too long to compare here.\n"
    lines = unified(release.id.filename, *texts).split("\n")[2:-1]
    return fenced("\n".join(_fitting(lines, room)), "diff") if lines else ""


def _fitting(lines: list[str], room: int) -> Iterator[str]:
    for at, text in enumerate(_readable(lines)):
        room -= len(text) + 1
        if room < 0:
            yield f"…and {len(lines) - at} more lines"
            return
        yield text


def _readable(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a difference; long ones from a little before where their pair differs."""
    pairs = _pairs(lines)
    numbers = {"-": 0, "+": 0}
    for at, line in enumerate(lines):
        sign = line[:1]
        if hunk := _HUNK.match(line):
            numbers = {"-": int(hunk[1]), "+": int(hunk[2])}
            yield cropped(line)
            continue
        where = f" in line {numbers['-' if sign == '-' else '+']:,}"
        other = _visible(lines[pairs[at]])[1:] if at in pairs else ""
        same = common_start(_visible(line)[1:], other)
        yield sign + cropped(line[1:], max(0, same - _AROUND), where)
        for side in numbers:
            numbers[side] += sign in (side, " ")


def _pairs(lines: list[str]) -> Mapping[int, int]:
    """Return, for each line that replaces another or is replaced, the place of the other one."""
    signed = [(line[:1], at) for at, line in enumerate(lines) if line[:1] != "\\"]
    groups = [(sign, [at for _, at in group]) for sign, group in groupby(signed, itemgetter(0))]
    found: dict[int, int] = {}
    for (sign, old), (then, new) in pairwise(groups):
        if (sign, then) == ("-", "+"):
            for one, other in zip(old, new, strict=False):
                found |= {one: other, other: one}
    return found


def _folded(summary: str, text: str) -> str:
    return f"\n<details><summary>{summary}</summary>\n\n{text}\n</details>\n"


def fenced(text: str, info: str = "") -> str:
    """Return a fenced code block of exactly `text`, and a line break at the end if it has none.

    A forge sees no mention and no HTML in a code block, and `text` cannot end it. Two things have
    an effect even there: the hidden first line by which a bot recognizes its own comment, and
    lines that start with a slash and a word, which GitLab and many bots treat as commands. So
    check `is_exact` first, or use `cropped`.
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{fence}{info}\n{text}{end}{fence}\n"


def is_exact(text: str) -> bool:
    """Tell whether a code block shows `text` as it is.

    It does not if a character is invisible, if a lone carriage return would look like a line
    break, or if the text would act as a command or a hidden comment.
    """
    lines = text.replace("\r\n", "\n")
    return plain(lines) == lines and _COMMENT not in text and not _COMMAND.search(text)


def cropped(text: str, start: int = 0, where: str = "") -> str:
    """Return one line for reading: without invisible characters, and cropped.

    What is left out is counted. `start` is where the shown part of a long line starts, and `where`
    is said of what follows it.
    """
    line = _visible(text)
    if len(line) <= LONGEST_LINE:
        return line
    start = min(start, len(line) - LONGEST_LINE)
    before = f"({start:,} characters)…" if start else ""
    left = len(line) - LONGEST_LINE - start
    after = f"…({left:,} more characters{where})" if left else ""
    return f"{before}{line[start : start + LONGEST_LINE]}{after}"


def _visible(text: str) -> str:
    return plain(_BREAK.sub(" ", text)).replace(_COMMENT, "<\u200b!--")
