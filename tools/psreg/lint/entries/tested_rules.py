"""The rules about `[[tested]]`: what was run, where, and what proves it. `path` is set."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.spelling import nearest
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocols import STUB
from psreg.formats.release import TestRun
from psreg.formats.toml.toml_file import MOST
from psreg.formats.tree import Submission

ENOUGH = 2
"""Platforms on which a release must have been run (READINGS PBE-19)."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _path(submission: Submission) -> str:
    return str(submission.release_path)


@rule("REG011", spec="pbe-1.0/PBE-19", severity=ERROR)
def untested_release(submission: Submission) -> Iterator[Finding]:
    """The release was not run on two different platforms.

    ## Why
    A prompt that works with one assistant often fails with the next. The specification asks for
    runs on at least two platforms, with results. Only runs of this very artifact count, which is
    what the digest in a row proves: a run of an earlier draft says nothing about these bytes.

    ## Fix
    Run the artifact on two platforms, keep the transcripts, and add a row for each run. A run
    that failed counts as well, if its notes say how. A run on psreg's own stub, platform `stub`, is
    welcome as an example of a protocol and does not count: no model took part.

    ```toml
    [[tested]]
    platform = "claude"
    model = "the model's own name"
    date = 2026-11-01
    sha256 = "the output of: sha256sum quiz_master.pbe.txt"
    result = "pass"
    evidence = "evidence/claude.jsonl"
    ```

    The keepers of a registry may waive this rule in registry/policy.toml.
    """
    artifact = submission.artifact
    if artifact is None or not submission.release.tree.parsed:
        return
    digest = hashlib.sha256(artifact).hexdigest()
    runs = {run.platform for run in submission.release.tested if run.sha256 == digest}
    platforms = runs - {"", STUB}
    if len(platforms) < ENOUGH:
        yield Finding(
            message=f"run on {len(platforms)} platform(s), {ENOUGH} are needed",
            at="/tested",
            path=_path(submission),
            hint=f"Rows of [[tested]] count if their sha256 is {digest}.",
        )


@rule("REG018", spec="pbe-1.0/PBE-19", severity=ERROR)
def evidence_missing(submission: Submission) -> Iterator[Finding]:
    """The evidence that a test row names is not there.

    ## Why
    A row without its transcript is a claim that nobody can check, now or later. The evidence is
    part of the release, so that it is signed and stays.

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
                message=f"there is no file {run.evidence}",
                at=f"{run.pointer}/evidence",
                path=_path(submission),
                hint=_similar(submission, run.evidence),
            )


def _similar(submission: Submission, evidence: str) -> str:
    near = nearest(evidence, [str(p.relative_to(submission.folder)) for p in submission.paths])
    return f"Did you mean {near}?" if near else "The path is relative to the version folder."


@rule("REG021", spec="pbe-1.0/PBE-19", severity=ERROR)
def bad_test_row(submission: Submission) -> Iterator[Finding]:
    """A row of `[[tested]]` says something impossible, or too little.

    ## Why
    Rows are compared by programs: the digest ties a run to these bytes, the platform's
    identifier makes runs countable, the date says how old the result is. A run that did not
    simply pass helps only if the row says what went wrong.

    ## Fix
    Write the digest as 64 lower-case hexadecimal digits, the date as YYYY-MM-DD, the platform
    by its identifier, and notes for `partial` and `fail`.

    ```toml
    result = "partial"
    notes = "Forgot the score after the third question."
    ```
    """
    digest = hashlib.sha256(submission.artifact or b"").hexdigest()
    for run in submission.release.tested[:MOST]:
        for fault in (*_identity(run, digest, submission), *_result(run)):
            yield replace(fault, path=_path(submission))


def _identity(run: TestRun, digest: str, submission: Submission) -> Iterator[Finding]:
    """Yield what is wrong with the platform and the digest of a run."""
    if run.platform and run.platform not in {*PLATFORMS, STUB}:
        near = nearest(run.platform, PLATFORMS)
        yield Finding(
            message=f"psreg knows no platform `{run.platform}`",
            at=f"{run.pointer}/platform",
            hint=f"Did you mean `{near}`?" if near else f"Known are {', '.join(PLATFORMS)}.",
            severity=WARNING,
        )
    if run.sha256 and not _SHA256.fullmatch(run.sha256):
        yield Finding(
            message="this is no SHA-256 digest in lower-case hexadecimal",
            at=f"{run.pointer}/sha256",
            hint=f"The artifact's is {digest}.",
        )
    elif run.sha256 and run.sha256 != digest:
        earlier = _release_with(run.sha256, submission)
        yield Finding(
            message=f"tested with {earlier}: this run does not count for these bytes"
            if earlier
            else "the digest is of another file than the artifact: this run does not count",
            at=f"{run.pointer}/sha256",
            hint=f"The artifact's is {digest}.",
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
    if run.date and not _is_date(run.date):
        message = f"`{run.date}` is no day"
        hint = "Write YYYY-MM-DD, without quotes."
        yield Finding(message=message, at=f"{run.pointer}/date", hint=hint)
    if run.result in ("partial", "fail") and not run.notes.strip():
        yield Finding(
            message=f"a result of `{run.result}` needs notes",
            at=f"{run.pointer}/result",
            hint="Add `notes` and say in a sentence what happened.",
        )


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return _DATE.fullmatch(text) is not None
