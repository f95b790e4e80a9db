"""Checks the transcripts of a release with the protocols that it declares.

Other rules report unreadable files and unknown versions. A file to which a protocol does not apply
says nothing about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Diagnostic
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocol_versions import PROTOCOLS, STUB, ProtocolConformance
from psreg.formats.release import DeclaredProtocol, TestRun
from psreg.formats.tree import Submission
from psreg.lint.entries.tested_runs import judged_runs
from psreg.lint.transcript import TranscriptReport, check_transcript, file_report


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTranscript:
    """One transcript checked with one protocol; `runs` are the `[[tested]]` rows that cite it."""

    declared: DeclaredProtocol
    path: PurePosixPath
    conversation: Conversation
    report: TranscriptReport
    runs: tuple[TestRun, ...]

    @property
    def admitted(self) -> bool:
        """Whether the release itself says that the run did not pass."""
        return bool(self.runs) and all(run.result in ("partial", "fail") for run in self.runs)


def _checked_transcripts(submission: Submission) -> Iterator[CheckedTranscript]:
    """Yield each transcript once for each declared protocol that applies to it."""
    declared = [each for each in submission.release.protocols if each.name in PROTOCOLS]
    for path in _transcripts(submission) if declared else ():
        conversation = read_conversation(submission.files[path], path.name)
        for each in declared:
            found = check_transcript(
                conversation, each.name, version=each.version, imf=each.imf, path=str(path)
            )
            if found.messages:
                yield CheckedTranscript(
                    declared=each,
                    path=path,
                    conversation=conversation,
                    report=found,
                    runs=tuple(_citing(submission, path)),
                )


def judge_evidence(submission: Submission) -> Iterator[Diagnostic]:
    """Yield the findings about the transcripts of a release.

    If the release admits that a run failed, its errors become warnings; otherwise a release could
    only be published by hiding the run.
    """
    for transcript in _checked_transcripts(submission):
        of_file = set(map(id, transcript.report.file_diagnostics))
        report = file_report(transcript.report, transcript.conversation)
        found = (d for d in report.diagnostics if id(d) not in of_file)
        for diagnostic in found:
            if transcript.admitted and diagnostic.severity is ERROR:
                yield replace(diagnostic, severity=WARNING)
            else:
                yield diagnostic


def conformance(submission: Submission) -> tuple[ProtocolConformance, ...]:
    """Return what the record of a release says about the protocols that it declares.

    A platform counts if a run on it counts and its transcript was checked; so does psreg's stub,
    which readers are told about.
    """
    platforms: dict[PurePosixPath, set[str]] = {}
    for judged in judged_runs(submission):
        if judged.counts or judged.platform == STUB:
            platforms.setdefault(judged.path, set()).add(judged.platform)
    transcripts = list(_checked_transcripts(submission))
    return tuple(
        _conformance(each, [t for t in transcripts if t.declared == each], platforms)
        for each in submission.release.protocols
    )


def _conformance(
    declared: DeclaredProtocol,
    transcripts: list[CheckedTranscript],
    platforms: Mapping[PurePosixPath, Collection[str]],
) -> ProtocolConformance:
    answers = [answer for transcript in transcripts for answer in transcript.report.answers]
    places = {place for each in transcripts for place in platforms.get(each.path, ())}
    return ProtocolConformance(
        name=declared.name,
        version=declared.version,
        imf=declared.imf,
        judged_by=transcripts[0].report.version if transcripts else "",
        transcripts=tuple(str(transcript.path) for transcript in transcripts),
        answers=len(answers),
        sound=sum(answer.sound for answer in answers),
        platforms=tuple(sorted(places)),
    )


def _transcripts(submission: Submission) -> list[PurePosixPath]:
    """Return the evidence files that are conversations: JSON Lines, and cited text."""
    cited = {submission.folder / run.evidence for run in submission.release.tested}
    return [
        path
        for path in submission.evidence
        if path.suffix == ".jsonl" or (path.suffix == ".txt" and path in cited)
    ]


def _citing(submission: Submission, path: PurePosixPath) -> Iterator[TestRun]:
    for run in submission.release.tested:
        if run.evidence and submission.folder / run.evidence == path:
            yield run
