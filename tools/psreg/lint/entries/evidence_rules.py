"""The rules about evidence: transcripts, declared protocols, golden cases, test runs.

Findings name their file in `path`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from psreg.core.classes import RESERVED_CLASSES
from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.excerpt import cropped_pair
from psreg.core.rule import Rule, rule
from psreg.core.spelling import did_you_mean, nearest
from psreg.formats import golden_case
from psreg.formats.conversation import json_lines
from psreg.formats.golden_case import GoldenCase
from psreg.formats.json.pointer import join
from psreg.formats.markdown import examples, recorded, sections
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import DIALECT, PROTOCOLS, STUB, latest_version
from psreg.formats.release import TestRun
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Submission
from psreg.lint.content.clarity_rules import says_nothing
from psreg.lint.entries.release_rules import SHA256, is_date

if TYPE_CHECKING:
    from psreg.lint.entries.tested_runs import JudgedRun

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9})?")


@rule("REG026", spec="pbe-1.0/PBE-20", severity=ERROR)
def recorded_without_transcript(submission: Submission) -> Iterator[Finding]:
    """README.md calls its example recorded, but there is no transcript.

    ## Why
    "Recorded" is a promise: an assistant really gave this answer. Readers who doubt it must be able
    to check. A transcript is part of the release, so it is signed and never changes.

    ## Fix
    Put the transcript in `evidence/`, or mark the example as *illustrative*.

    ```text
    pbes/prompt/email_reply/1.0.0/evidence/claude.jsonl
    {"role": "user", "content": "…"}
    {"role": "assistant", "content": "…"}
    ```
    """
    path = submission.readme_path
    if path not in submission.paths or _transcripts(submission):
        return
    for section in filter(recorded, examples(sections(submission.documents[path].text))):
        yield Finding(
            message="the example is called recorded, but evidence/ has no transcript",
            at=section.span,
            path=str(path),
            hint="Add the transcript as JSON Lines, or write `Illustrative` instead.",
        )


def _transcripts(submission: Submission) -> list[PurePosixPath]:
    return [path for path in submission.evidence if path.suffix == ".jsonl"]


@rule("REG027", spec="pbe-1.0/PBE-19 registry/EVIDENCE", severity=ERROR)
def unreadable_evidence(submission: Submission) -> Iterator[Finding]:
    """A file of evidence is not a transcript, a PLSP trace or a PB2S exchange.

    ## Why
    The site shows transcripts, and psreg uses them to check the protocols that a release declares.
    A file that only its author's tool can read proves nothing to anyone else.

    ## Fix
    Write JSON Lines to the `.jsonl` files in `evidence/`: one object per line. The keys of the
    first line decide which of three kinds the file is, and all lines must be of that kind.

    ```text
    a transcript       {"role": "user", "content": "…"}       roles: user, assistant, system
    a PLSP trace       {"instr": "…", "previous": "…", "next": "…"}       `next` alone is enough
    a PB2S exchange    {"message": "…", "text": "…", "pb2s_proof": {…}}
    ```
    """
    for path in _transcripts(submission):
        found = json_lines.issues(submission.documents[path].text)
        for issue in islice(found, json_lines.MAX_ISSUES):
            yield Finding(message=issue.message, at=issue.span, path=str(path), hint=issue.hint)


@rule("REG028", spec="registry/PROTOCOLS", severity=ERROR)
def unknown_protocol(submission: Submission) -> Iterator[Finding]:
    """`[protocols]` declares an unknown protocol, version or dialect.

    ## Why
    psreg checks a declared protocol with the release's transcripts, and people filter by it. An
    unknown protocol is never checked, so the declaration is worthless. psreg accepts a later minor
    version of a known protocol with a warning, and checks it by the rules of the known version. It
    also warns about an unknown dialect (`imf`) of PLSP instructions: it then checks the blocks, but
    not the steps between them.

    ## Fix
    Declare `vpp = "1.4"`, `plsp = "0.5"` or `pb2s = "0.2"`, or remove the line. The only known
    dialect is `imf = "psreg-1"`; leave `imf` out for any other.

    ```toml
    [protocols]
    vpp = "1.4"
    ```
    """
    path = str(submission.release_path)
    for name, declared in islice(submission.release.table("protocols").items(), MOST):
        version = declared.get("version") if isinstance(declared, dict) else declared
        pointer = join(("protocols", name))
        if name not in PROTOCOLS:
            message, hint = f"unknown protocol `{name}`", did_you_mean(name, PROTOCOLS)
            yield Finding(message=message, at=pointer, key=True, path=path, hint=hint)
        elif isinstance(version, str) and version.strip() and version not in PROTOCOLS[name]:
            known = latest_version(name)
            match = _VERSION.fullmatch(version)
            newer = match is not None and match[1] == known.partition(".")[0]
            yield Finding(
                message=f"psreg supports {name} {known}, not {version}",
                at=pointer,
                path=path,
                hint=f'Write {name} = "{known}" if the prompt follows it.',
                severity=WARNING if newer else ERROR,
            )
        yield from _unknown_dialect(name, declared, path)


def _unknown_dialect(name: str, declared: Any, path: str) -> Iterator[Finding]:
    """Yield a finding if a declared PLSP has an `imf` by which no step is judged."""
    imf = declared.get("imf") if name == "plsp" and isinstance(declared, dict) else None
    if isinstance(imf, str) and imf not in ("", DIALECT):
        yield Finding(
            message=f"psreg supports the dialect {DIALECT}, not {imf[:40]}",
            at=join(("protocols", name, "imf")),
            path=path,
            hint=f'Write imf = "{DIALECT}" if the instructions follow it, or leave it out.',
            severity=WARNING,
        )


def _cases(submission: Submission) -> Iterator[tuple[PurePosixPath, GoldenCase]]:
    paths = (path for path in submission.evidence if path.name.endswith(golden_case.SUFFIX))
    for path, _ in zip(paths, range(MOST), strict=False):
        yield path, GoldenCase(submission.documents.toml(path))


@rule("REG030", spec="registry/GOLDEN", severity=ERROR)
def unreadable_golden_case(submission: Submission) -> Iterator[Finding]:
    """A golden case is not readable, or sets variables that the prompt does not have.

    ## Why
    A golden case is a promise: with these values, the prompt renders to exactly this text. psreg
    runs it for every release, and it holds until a major version. A case that cannot be read, or
    that sets variables which the prompt does not have, promises nothing.

    ## Fix
    Write the text, and below it the values by the names of the variables, all of them as strings.
    End the text right after its last word: put the closing quotes there and not on a line of their
    own. Only a `.prompt` can have golden cases.

    ```toml
    text = '''
    Dear Ana,
    your parcel is on its way.'''

    [values]
    name = "Ana"
    ```
    """
    for path, case in _cases(submission):
        place = str(path)
        for issue in case.tree.issues:
            yield Finding(message=issue.message, at=issue.span, path=place, hint=issue.hint)
        for flaw in case.violations[:MOST]:
            yield Finding(
                message=flaw.message, at=flaw.pointer, key=flaw.key, path=place, hint=flaw.hint
            )
        if submission.prompt is None:
            message = "only a .prompt can have golden cases; a PBE has no variables"
            yield Finding(message=message, path=place, hint="Delete the file.")
        elif submission.prompt.readable:
            yield from _unknown_values(submission, case, place)


def _unknown_values(submission: Submission, case: GoldenCase, path: str) -> Iterator[Finding]:
    prompt = submission.prompt
    known = {v.name for v in prompt.variables} | {*prompt.defaults} if prompt else set()
    for name in list(case.values)[:MOST]:
        if name not in known:
            yield Finding(
                message=f"the prompt has no variable `{name}`",
                at=join(("values", name)),
                key=True,
                path=path,
                hint=did_you_mean(name, sorted(known)) if known else "Remove the values.",
                severity=WARNING,
            )


@rule("REG031", spec="registry/GOLDEN", severity=ERROR)
def golden_case_differs(submission: Submission) -> Iterator[Finding]:
    """The prompt does not render to the text of its golden case.

    ## Why
    Programs that compare or split the final text rely on a golden case. If the prompt in the same
    folder renders to something else, either the prompt or the case is wrong, and it is not clear
    which.

    ## Fix
    Correct the one that is wrong. This command prints exactly what the prompt renders to now:

    ```sh
    psreg render pbes/prompt/parcel_note/1.0.0/parcel_note.prompt --set name=Ana
    ```

    If a golden case of the previous version renders differently in a later version, that is a major
    change.
    """
    prompt = submission.prompt
    if prompt is None or not prompt.readable:
        return
    for path, case in _cases(submission):
        if case.sound and (got := case.rendered(prompt)) != case.expected:
            message, hint = _difference(case.expected, got)
            yield Finding(message=message, at="/text", path=str(path), hint=hint)


def _difference(expected: str, got: str | None) -> tuple[str, str]:
    """Return the message and hint for the first difference of two texts."""
    if got is None:
        return "the text is much longer than the case says", "Use shorter values."
    if expected == f"{got}\n":
        hint = "Put the closing quotes right after the last word."
        return "the case ends with a line break, but the text does not", hint
    old, new = expected.split("\n"), got.split("\n")
    pairs = enumerate(zip(old, new, strict=False))
    number = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    wanted, found = cropped_pair(*("".join(lines[number : number + 1]) for lines in (old, new)))
    message = f"line {number + 1} of the text: expected “{wanted}”, got “{found}”"
    if number == len(old):
        message = f"the text has {len(new)} lines, but the case expects {number}"
    elif number == len(new):
        message = f"the text has {number} lines, but the case expects {len(old)}"
    return message, "Correct the prompt or the case; `psreg render` prints the whole text."


GOLDEN_RULES: tuple[Rule[Submission], ...] = (unreadable_golden_case, golden_case_differs)
"""The rules about golden cases, judged once per release."""


def _path(submission: Submission) -> str:
    return str(submission.release_path)


@rule("REG011", spec="pbe-1.0/PBE-19", severity=ERROR)
def untested_release(submission: Submission) -> Iterator[Finding]:
    """The release was not run on two different platforms.

    ## Why
    A prompt that works with one assistant often fails with the next. The specification asks for
    runs on at least two platforms, with results. Only runs of this exact artifact count, which the
    digest in a row proves: a run of an earlier draft says nothing about these bytes. A row must
    agree with its transcript (REG035), and one transcript counts for one platform. Anyone can
    forge a transcript, so psreg shows every run as reported by its author, never as verified.
    Platforms that psreg does not know count as one together, and only beside a known one; the
    maintainers of a registry can add platforms with `extra_platforms` in registry/policy.toml.

    ## Fix
    Run the artifact on two platforms, keep the transcripts, and add a row for each run;
    `psreg try NAME --platform ID --record FILE` writes both. A failed run also counts, if its notes
    describe the failure. A run on psreg's own stub (platform `stub`) is useful as an example of a
    protocol but does not count, because no model took part. Runs can also be added after the
    release, as `evidence/<platform>-<date>.jsonl`.

    ```toml
    [[tested]]
    platform = "claude"
    model = "the model's own name"
    date = 2026-11-01
    sha256 = "the output of: sha256sum quiz_master.pbe.txt"
    result = "pass"
    evidence = "evidence/claude.jsonl"
    ```

    The maintainers of a registry set the number in registry/policy.toml, for all entries, and can
    waive the rule for some of them there. It does not apply to
    the reserved class `persistent_service`, which no assistant can run yet.
    """
    artifact = submission.artifact
    if artifact is None or not submission.release.tree.parsed:
        return
    if submission.id.entry_class in RESERVED_CLASSES:
        return  # nothing can run it yet
    digest = hashlib.sha256(artifact).hexdigest()
    platforms = _counted_platforms(submission)
    enough = submission.policy.platforms
    if platforms < enough:
        rows = {run.platform for run in submission.release.tested if run.sha256 == digest}
        # Rows were enough before transcripts were read.
        uncounted = len(rows - {"", STUB}) >= enough
        yield Finding(
            message=f"run on {platforms} platform(s); the minimum is {enough}",
            at="/tested",
            path=_path(submission),
            hint=f"Add rows to [[tested]] with the sha256 {digest}. The registry's minimum is "
            "`platforms` under `[review]` in registry/policy.toml.",
            since="0.2.0" if uncounted else "",
        )


def _counted_platforms(submission: Submission) -> int:
    if not (runs := _judged_runs(submission)):
        return 0
    from psreg.lint.entries.tested_runs import counted_platforms  # noqa: PLC0415

    return counted_platforms(runs)


def _judged_runs(submission: Submission) -> tuple[JudgedRun, ...]:
    """Return the judged runs of a release; few have any."""
    if not submission.release.tested and not _transcripts(submission):
        return ()
    from psreg.lint.entries.tested_runs import judged_runs  # noqa: PLC0415

    return judged_runs(submission)


@rule("REG035", spec="pbe-1.0/PBE-19 pbe-1.0/PBE-A13d", severity=ERROR, since="0.2.0")
def run_does_not_count(submission: Submission) -> Iterator[Finding]:
    """A test run does not agree with its transcript, or its transcript proves nothing.

    ## Why
    A row of `[[tested]]` is a claim, and its transcript is all that readers have to judge it by. If
    the two name different platforms, models, dates or digests, one of them is wrong. A transcript
    without the prompt or without an answer to it is not a run, nor is one that answers with
    punctuation or the prompt. The answers of psreg's stub are not those of a model, whatever
    platform the row names. The same conversation counts for one platform only. Runs before 2022 or
    in the future did not take place.

    ## Fix
    Write the row as the run was. The first line of a transcript must have the run header, which
    `psreg try --record` writes; a run without one does not count, but is only a warning. The header
    of a transcript that has no row, `evidence/<platform>-<date>.jsonl`, takes the place of the row:
    it must be complete, with the `result`, and `notes` for `partial` and `fail`.

    ```text
    {"run": {"platform": "claude", "model": "…", "date": "2026-11-01", "sha256": "…"}}
    {"role": "user", "content": "…"}
    {"role": "assistant", "content": "…"}
    ```
    """
    for judged in _judged_runs(submission):
        for doubt in judged.doubts if judged.row and judged.platform != STUB else ():
            if doubt.member:  # other rules report the others
                yield Finding(
                    message=f"this run does not count: {doubt.message}",
                    at=f"{judged.row}/{doubt.member}",
                    path=_path(submission),
                    severity=doubt.severity,
                )
        if not judged.row and judged.doubts:
            message = f"this run does not count: {judged.doubts[0].message}"
            yield Finding(message=message, path=str(judged.path))


@rule("REG018", spec="pbe-1.0/PBE-19", severity=ERROR)
def evidence_missing(submission: Submission) -> Iterator[Finding]:
    """The evidence that a test row names does not exist.

    ## Why
    Without its transcript, a row is a claim that cannot be checked, now or later. The evidence is
    part of the release, so it is signed and never changes.

    ## Fix
    Add the file, or correct its path, which is relative to the version folder.

    ```text
    evidence = "evidence/claude.jsonl"
    pbes/prompt/email_reply/1.0.0/evidence/claude.jsonl
    ```
    """
    for run in submission.release.tested[:MOST]:
        if run.evidence and submission.folder / run.evidence not in submission.tree.files:
            yield Finding(
                message=f"{run.evidence} does not exist",
                at=f"{run.pointer}/evidence",
                path=_path(submission),
                hint=_similar(submission, run.evidence),
            )


def _similar(submission: Submission, evidence: str) -> str:
    near = nearest(evidence, [str(p.relative_to(submission.folder)) for p in submission.paths])
    return f"Did you mean {near}?" if near else "Write the path relative to the version folder."


@rule("REG021", spec="pbe-1.0/PBE-19", severity=ERROR)
def bad_test_row(submission: Submission) -> Iterator[Finding]:
    """A row of `[[tested]]` is incomplete or has an invalid value.

    ## Why
    Programs compare these rows: the digest ties a run to these bytes, the platform identifier makes
    runs countable, and the date says how old the result is. Anyone can make up a platform, so those
    that psreg does not know add up to one at most (REG011). A run that did not simply pass helps
    only if the row says what went wrong.

    ## Fix
    Write the digest as 64 lower-case hexadecimal digits, the date as YYYY-MM-DD, the platform as
    its identifier, and notes for `partial` and `fail`.

    ```toml
    result = "partial"
    notes = "Forgot the score after the third question."
    ```
    """
    digest = hashlib.sha256(submission.artifact or b"").hexdigest()
    for run in submission.release.tested[:MOST]:
        for fault in (*_identity(run, digest, submission), *_result(run)):
            yield replace(fault, path=_path(submission))
    for judged in _judged_runs(submission):
        if not judged.row:
            for fault in _unknown_platform(judged.run.platform, submission):
                yield replace(fault, path=str(judged.path))


def _unknown_platform(platform: str, submission: Submission) -> Iterator[Finding]:
    known = (*PLATFORMS, *submission.policy.extra_platforms)
    if platform and platform not in {*known, STUB}:
        near = nearest(platform, known)
        yield Finding(
            message=f"unknown platform `{platform[:80]}`",
            hint=f"Did you mean `{near}`?"
            if near
            else f"Unknown platforms count as one, beside a known one: {', '.join(known)}. "
            "Maintainers can add others to `extra_platforms` in registry/policy.toml.",
            severity=WARNING,
        )


def _identity(run: TestRun, digest: str, submission: Submission) -> Iterator[Finding]:
    """Yield what is wrong with the platform and the digest of a run."""
    for fault in _unknown_platform(run.platform, submission):
        yield replace(fault, at=f"{run.pointer}/platform")
    if run.sha256 and not SHA256.fullmatch(run.sha256):
        yield Finding(
            message="expected 64 lower-case hexadecimal digits",
            at=f"{run.pointer}/sha256",
            hint=f"The artifact has the digest {digest}.",
        )
    elif run.sha256 and run.sha256 != digest:
        earlier = _release_with(run.sha256, submission)
        yield Finding(
            message=f"tested with {earlier}; this run does not count for these bytes"
            if earlier
            else "the digest is not that of the artifact; this run does not count",
            at=f"{run.pointer}/sha256",
            hint=f"The artifact has the digest {digest}.",
            severity=WARNING,
        )


def _release_with(digest: str, submission: Submission) -> str:
    """Return the other version of the entry whose artifact has this digest, or ""."""
    for version in submission.siblings:
        path = replace(submission.id, version=version).artifact
        data = submission.tree.files.get(path) if version != submission.id.version else None
        if data is not None and hashlib.sha256(data).hexdigest() == digest:
            return version
    return ""


def _result(run: TestRun) -> Iterator[Finding]:
    """Yield what is wrong with the date and the outcome of a run."""
    if run.date and not is_date(run.date):
        message = f"`{run.date}` is not a date"
        hint = "Write YYYY-MM-DD, without quotes."
        yield Finding(message=message, at=f"{run.pointer}/date", hint=hint)
    if run.result in ("partial", "fail") and says_nothing(run.notes):
        yield Finding(
            message=f"a result of `{run.result}` needs notes",
            at=f"{run.pointer}/result",
            hint="Add `notes` that say in a sentence what happened.",
            since="0.2.0" if run.notes.strip() else "",
        )
