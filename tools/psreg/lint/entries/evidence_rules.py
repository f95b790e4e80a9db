"""The rules about proof: recorded examples, transcripts, declared protocols. `path` is set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.spelling import did_you_mean
from psreg.formats.conversation import json_lines
from psreg.formats.json.pointer import join
from psreg.formats.layout import EVIDENCE
from psreg.formats.markdown import sections
from psreg.formats.protocols import DIALECT, PROTOCOLS
from psreg.formats.readme import examples, recorded
from psreg.formats.toml.toml_file import MOST
from psreg.formats.tree import Submission

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9})?")


@rule("REG026", spec="pbe-1.0/PBE-20", severity=ERROR)
def recorded_without_transcript(submission: Submission) -> Iterator[Finding]:
    """README.md calls its example recorded, and there is no transcript.

    ## Why
    "Recorded" is a promise: this is what an assistant really answered. Whoever doubts it must be
    able to look. A transcript is part of the release, so that it is signed and stays.

    ## Fix
    Put the transcript under `evidence/`, or mark the example as *illustrative*.

    ```text
    pbes/prompt/email_reply/1.0.0/evidence/claude.jsonl
    {"role": "user", "content": "…"}
    {"role": "assistant", "content": "…"}
    ```
    """
    path = submission.folder / "README.md"
    if path not in submission.paths or _transcripts(submission):
        return
    for section in filter(recorded, examples(sections(submission.documents[path].text))):
        yield Finding(
            message="the example is called recorded, and no transcript is in evidence/",
            at=section.span,
            path=str(path),
            hint="Add the transcript as JSON Lines, or write 'Illustrative' instead.",
        )


def _transcripts(submission: Submission) -> list[PurePosixPath]:
    folder = submission.folder / EVIDENCE
    return [p for p in submission.paths if p.suffix == ".jsonl" and p.is_relative_to(folder)]


@rule("REG027", spec="pbe-1.0/PBE-19 registry/EVIDENCE", severity=ERROR)
def unreadable_evidence(submission: Submission) -> Iterator[Finding]:
    """A file of evidence is no transcript, PLSP trace or PB2S exchange.

    ## Why
    Transcripts are shown on the site, and the protocols that a release declares are checked with
    them. A file that only its author's tool can read proves nothing to anybody else.

    ## Fix
    Write JSON Lines into the `.jsonl` files under `evidence/`: one object a line. The keys of the
    first line say which of three kinds the file is, and all lines are of that kind.

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
    """`[protocols]` declares a protocol, a version or a dialect of one that psreg does not know.

    ## Why
    A declared protocol is checked with the release's transcripts, and people filter by it. What
    no program knows is never checked, so that the declaration is worth nothing. A later minor
    version of a known protocol is accepted with a warning: it is checked by the rules of the
    version that is known. So is a dialect (`imf`) of PLSP instructions: blocks are checked, and no
    step from one to the next.

    ## Fix
    Declare `vpp = "1.4"`, `plsp = "0.5"` or `pb2s = "0.2"`, or remove the line. The dialect that
    psreg knows is `imf = "psreg-1"`; leave it out for any other.

    ```toml
    [protocols]
    vpp = "1.4"
    ```
    """
    path = str(submission.release_path)
    for name, declared in islice(submission.release.table("protocols").items(), MOST):
        version = declared.get("version") if isinstance(declared, dict) else declared
        pointer = join(("protocols", name))
        known = PROTOCOLS.get(name)
        if known is None:
            message, hint = f"there is no protocol `{name}`", did_you_mean(name, PROTOCOLS)
            yield Finding(message=message, at=pointer, key=True, path=path, hint=hint)
        elif isinstance(version, str) and version.strip() and version != known:
            match = _VERSION.fullmatch(version)
            newer = match is not None and match[1] == known.partition(".")[0]
            yield Finding(
                message=f"psreg knows {name} {known}, and not {version}",
                at=pointer,
                path=path,
                hint=f'Write {name} = "{known}" if that is what the prompt follows.',
                severity=WARNING if newer else ERROR,
            )
        yield from _unknown_dialect(name, declared, path)


def _unknown_dialect(name: str, declared: Any, path: str) -> Iterator[Finding]:
    """Yield a finding if a declared PLSP has an `imf` by which no step is judged."""
    imf = declared.get("imf") if name == "plsp" and isinstance(declared, dict) else None
    if isinstance(imf, str) and imf not in ("", DIALECT):
        yield Finding(
            message=f"psreg knows the dialect {DIALECT}, and not {imf[:40]}",
            at=join(("protocols", name, "imf")),
            path=path,
            hint=f'Write imf = "{DIALECT}" if the instructions follow it, or leave it out.',
            severity=WARNING,
        )
