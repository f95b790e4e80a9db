"""Judge the transcripts of a release by the protocols that it declares.

What keeps a file from being read, and a version that nobody knows, other rules say already. A
file in which nothing of a protocol occurs is no proof for or against it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Diagnostic
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.reader import read
from psreg.formats.declared_protocols import Spoken
from psreg.formats.layout import EVIDENCE
from psreg.formats.protocols import PROTOCOLS
from psreg.formats.release import DeclaredProtocol, TestRun
from psreg.formats.tree import Submission
from psreg.lint.transcript import TranscriptReport, in_file, judge

MOST = 100
"""Findings about one transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """One transcript, judged by one protocol; `runs` are the rows of `[[tested]]` that cite it."""

    declared: DeclaredProtocol
    path: PurePosixPath
    conversation: Conversation
    found: TranscriptReport
    runs: tuple[TestRun, ...]

    @property
    def admitted(self) -> bool:
        """Whether the release itself says that this run did not simply pass."""
        return bool(self.runs) and all(run.result in ("partial", "fail") for run in self.runs)


def hearings(submission: Submission) -> Iterator[Hearing]:
    """Yield each transcript in which something of a declared protocol could be judged."""
    declared = [each for each in submission.release.protocols if each.name in PROTOCOLS]
    for path in _transcripts(submission) if declared else ():
        conversation = read(submission.files[path], path.name)
        for each in declared:
            found = judge(
                conversation, each.name, version=each.version, imf=each.imf, path=str(path)
            )
            if found.messages:
                yield Hearing(
                    declared=each,
                    path=path,
                    conversation=conversation,
                    found=found,
                    runs=tuple(_citing(submission, path)),
                )


def judge_evidence(submission: Submission) -> Iterator[Diagnostic]:
    """Yield what the rules of its protocols say of the transcripts of a release.

    Where the release admits that a run failed, what the run shows is a warning: otherwise only
    those who hide it could publish.
    """
    for hearing in hearings(submission):
        about = set(map(id, hearing.found.about))
        report = in_file(hearing.found, hearing.conversation)
        found = (d for d in report.diagnostics if id(d) not in about)
        for diagnostic in islice(found, MOST):
            if hearing.admitted and diagnostic.severity is ERROR:
                yield replace(diagnostic, severity=WARNING)
            else:
                yield diagnostic


def conformance(submission: Submission) -> tuple[Spoken, ...]:
    """Return what the record of a release says of the protocols that it declares.

    Of the platforms those count on which this very artifact was run, and the transcript judged.
    """
    digest = hashlib.sha256(submission.artifact or b"").hexdigest()
    heard = list(hearings(submission))
    return tuple(
        _spoken(each, [hearing for hearing in heard if hearing.declared == each], digest)
        for each in submission.release.protocols
    )


def _spoken(declared: DeclaredProtocol, heard: list[Hearing], digest: str) -> Spoken:
    answers = [answer for hearing in heard for answer in hearing.found.answers]
    runs = [run for hearing in heard for run in hearing.runs if run.sha256 == digest]
    return Spoken(
        name=declared.name,
        version=declared.version,
        imf=declared.imf,
        judged_by=heard[0].found.version if heard else "",
        transcripts=tuple(str(hearing.path) for hearing in heard),
        answers=len(answers),
        sound=sum(answer.sound for answer in answers),
        platforms=tuple(sorted({run.platform for run in runs} - {""})),
    )


def _transcripts(submission: Submission) -> list[PurePosixPath]:
    """Return the files of evidence that are conversations: JSON Lines, and text that is cited."""
    folder = submission.folder / EVIDENCE
    cited = {submission.folder / run.evidence for run in submission.release.tested}
    return [
        path
        for path in submission.paths
        if path.is_relative_to(folder)
        and (path.suffix == ".jsonl" or (path.suffix == ".txt" and path in cited))
    ]


def _citing(submission: Submission, path: PurePosixPath) -> Iterator[TestRun]:
    for run in submission.release.tested:
        if run.evidence and submission.folder / run.evidence == path:
            yield run
