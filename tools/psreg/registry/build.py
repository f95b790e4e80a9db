"""The package records of a tree: a pure function of the tree, the previous records and the time.

A published row is never computed again: its date, digests and score are copied, and its waivers,
sketch and words, unless the policy or the schema changed. A file of its folder that was changed,
removed or added is reported, and the row stays as it is. Only what entry.toml says may change, and
transcripts of later runs may be added; then the serial increases. The same input gives the same
records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from psreg import __version__
from psreg.core.classes import CLASSES
from psreg.core.diagnostics import Report
from psreg.core.identity import ReleaseId
from psreg.formats.layout import files_by_entry, folder_digest, later_evidence
from psreg.formats.protocol_versions import ProtocolConformance
from psreg.formats.tree import Entry, Submission, Tree
from psreg.formats.waivers import waiver_for
from psreg.lint.likeness import prompt_text, sketch
from psreg.lint.score import score
from psreg.registry.records import (
    AddedFile,
    FileRecord,
    PackageRecord,
    ReleaseRecord,
    Row,
    RunRecord,
    WaivedFinding,
    in_order,
)

if TYPE_CHECKING:
    from psreg.lint.entries.tested_runs import JudgedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of a published version that differs from what was published.

    `was` and `now` are SHA-256 digests; None is a file that did not exist, or no longer does.
    `purged`: the version was removed for good.
    """

    path: PurePosixPath
    was: str | None
    now: str | None
    purged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """The records by name after publishing, the new releases, and changes that are not allowed."""

    records: Mapping[str, PackageRecord]
    released: tuple[ReleaseId, ...]
    changed: tuple[ChangedFile, ...]

    @property
    def requiring(self) -> tuple[ReleaseId, ...]:
        """The new releases with `[requires]`."""
        return tuple(each for each in self.released if self._row(each).release.get("requires"))

    def _row(self, release: ReleaseId) -> ReleaseRecord:
        rows = self.records[release.name].releases
        return next(row for row in rows if row.version == release.version)


Conformance = Callable[[Submission], Sequence[ProtocolConformance]]
"""Returns what the record of a release says about each protocol that it declares."""


Signed = Callable[
    [PackageRecord | None, PackageRecord, Mapping[PurePosixPath, bytes]], PackageRecord
]
"""Returns a record with what is signed in the files of its entry, without what has to wait.

It gets the record before, None if there is none, the one that is asked for, and the files.
"""


class Withdrawals(Protocol):
    """What maintainers did about releases after the fact."""

    def purges(self, name: str, version: str, /) -> bool:
        """Tell whether a version is purged."""

    def __call__(self, record: PackageRecord, /) -> PackageRecord:
        """Return a record that says what was done about its releases."""


class _NoWithdrawals:
    def purges(self, _name: str, _version: str, /) -> bool:
        return False

    def __call__(self, record: PackageRecord, /) -> PackageRecord:
        return record


NO_WITHDRAWALS = _NoWithdrawals()


def _nothing_declared(_submission: Submission) -> Sequence[ProtocolConformance]:
    return ()


def declared_conformance(submission: Submission) -> Sequence[ProtocolConformance]:
    """Return what is found about the protocols that a release declares."""
    if not submission.release.protocols:
        return ()  # few releases declare one, and the rules of all protocols take long to import
    from psreg.lint.release_transcripts import conformance  # noqa: PLC0415

    return conformance(submission)


def waived_codes(report: Report) -> Mapping[ReleaseId, Collection[str]]:
    """Return the codes of the waived findings about each release."""
    waived: dict[ReleaseId, set[str]] = {}
    for diagnostic in report.diagnostics:
        release = ReleaseId.of(PurePosixPath(diagnostic.path))
        if release is not None and diagnostic.waived is not None:
            waived.setdefault(release, set()).add(diagnostic.code)
    return waived


_NOTHING_WAIVED: Mapping[ReleaseId, Collection[str]] = MappingProxyType({})


def build(
    tree: Mapping[PurePosixPath, bytes],
    previous: Mapping[str, PackageRecord],
    now: datetime,
    waived: Mapping[ReleaseId, Collection[str]] = _NOTHING_WAIVED,
    *,
    conformance: Conformance = _nothing_declared,
    psreg: str = __version__,
    again: bool = False,
    signed: Signed = lambda _before, record, _: record,
    withdrawals: Withdrawals = NO_WITHDRAWALS,
) -> BuildResult:
    """Return the records of `tree` after `previous`; new releases get the date `now`.

    The tree must have passed its checks; it and `previous` may be about some names only. `waived`
    lists, for the record of each new release, the rules whose findings were waived, and of each
    release if all are to be computed again (`again`); `conformance` returns what was found
    about the protocols that it declares; `psreg` is the version that checked them; `signed` adds
    the signatures of owners, and `withdrawals` what maintainers did afterwards. Names and versions
    that were removed from the tree keep their record.

    Raises:
        ValueError: `now` has no time zone.
    """
    if now.utcoffset() is None:
        raise ValueError("the time of publishing has no time zone")
    entries = _by_name(Tree(tree, today=now.astimezone(UTC).date()), previous)
    folders = files_by_entry(tree)
    date = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    records: dict[str, PackageRecord] = {}
    released: list[ReleaseId] = []
    changed: list[ChangedFile] = []
    for name in sorted({*entries, *previous}):
        entry, before = entries.get(name), previous.get(name)
        rows: list[Row] = list(before.rows) if before else []
        known = {row.version for row in rows}
        submissions = {s.id.version: s for s in entry.submissions()} if entry else {}
        changed += _all_changes(before, submissions, withdrawals)
        rows = [_with_later_runs(row, submissions.get(row.version), date, psreg) for row in rows]
        if again:
            rows = [_computed_again(row, submissions.get(row.version), waived) for row in rows]
        for version, submission in submissions.items():
            if version not in known and submission.artifact is not None:
                row = _release(submission, date, waived.get(submission.id, ()), conformance)
                rows.append(replace(row, psreg=psreg))
                released.append(submission.id)
        folder = {path: tree[path] for path in folders[entry.id.folder]} if entry else {}
        if record := _record(name, entry, before, rows, folder, signed, withdrawals, date):
            records[name] = record
    released = [each for each in released if records[each.name].release(each.version)]
    return BuildResult(records=records, released=tuple(released), changed=tuple(changed))


def _by_name(tree: Tree, previous: Mapping[str, PackageRecord]) -> dict[str, Entry]:
    """Return the entry of each name; if it is in two classes, the published or first one."""
    found: dict[str, Entry] = {}
    for entry in sorted(tree.entries, key=lambda e: CLASSES.index(e.entry_class)):
        before = previous.get(entry.name)
        if before is None or before.entry_class == entry.entry_class:
            found.setdefault(entry.name, entry)
    return found


def _record(  # noqa: PLR0917 - an entry, before and now
    name: str,
    entry: Entry | None,
    before: PackageRecord | None,
    rows: list[Row],
    folder: Mapping[PurePosixPath, bytes],
    signed: Signed,
    withdrawals: Withdrawals,
    date: str,
) -> PackageRecord | None:
    """Return the record of `name`: the previous one, or a changed one with the next serial."""
    if not rows:
        return before
    start = before or PackageRecord(
        name=name, entry_class=entry.entry_class if entry else "", serial=0, rows=()
    )
    record = replace(start, rows=in_order(rows))
    # A file that cannot be parsed changes nothing; above all it must not undo a yank.
    if entry and entry.file.tree.parsed:
        record = replace(
            record,
            rows=tuple(_yanked(row, entry.file.yanked, date) for row in record.rows),
            owners=entry.file.owners,
            threshold=entry.file.threshold,
            aliases=entry.file.aliases,
            deprecated=entry.file.deprecated,
            deprecated_at=_since(
                start.deprecated, entry.file.deprecated, start.deprecated_at, date
            ),
            folder=folder_digest(folder.items()),
        )
    record = withdrawals(signed(before, record, folder) if entry else record)
    return before if record == before else replace(record, serial=record.serial + 1)


def _computed_again(
    row: Row, submission: Submission | None, waived: Mapping[ReleaseId, Collection[str]]
) -> Row:
    """Return `row` with the waivers of today, and with its sketch and words."""
    if submission is None or not isinstance(row, ReleaseRecord):
        return row
    waivers = _waived(submission, waived.get(submission.id, ()))
    return _with_text(replace(row, waived=waivers), submission)


def _with_text(row: ReleaseRecord, submission: Submission) -> ReleaseRecord:
    """Return `row` with what is computed from its text: its sketch, and the words of its own."""
    from psreg.registry.search.own_words import own_words  # noqa: PLC0415 - not for a review

    text = prompt_text(submission)
    readme = submission.tree.files.get(submission.readme_path, b"").decode(errors="replace")
    shown = (submission.id.name, row.text("summary"), row.text("use_case"), *row.texts("tags"))
    return replace(row, sketch=sketch(text), words=own_words(shown, text, readme))


def _waived(submission: Submission, codes: Collection[str]) -> tuple[WaivedFinding, ...]:
    waivers = ((code, waiver_for(code, submission)) for code in sorted(set(codes)))
    return tuple(
        WaivedFinding(code=code, reason=waiver.reason, by=waiver.by)
        for code, waiver in waivers
        if waiver
    )


def _yanked(row: Row, reasons: Mapping[str, str], date: str) -> Row:
    if not isinstance(row, ReleaseRecord):
        return row
    reason = reasons.get(row.version)
    return replace(row, yanked=reason, yanked_at=_since(row.yanked, reason, row.yanked_at, date))


def _since(was: object, now: object, known: str, date: str) -> str:
    """Return since when something is so: `date` if it was not, else what is known of it."""
    if now is None:
        return ""
    return date if was is None else known


def _release(
    submission: Submission, date: str, codes: Collection[str], conformance: Conformance
) -> ReleaseRecord:
    """Return the row of a release that is published for the first time."""
    from psreg.lint.entries.tested_runs import judged_runs  # noqa: PLC0415 - not for a review

    artifact = submission.files[submission.artifact_path]
    row = ReleaseRecord(
        version=submission.id.version,
        path=str(submission.artifact_path),
        media_type=submission.id.format.media_type,
        sha256=_sha256(artifact),
        size=len(artifact),
        date=date,
        files=tuple(
            FileRecord(path=str(path), sha256=_sha256(data), size=len(data))
            for path, data in submission.files.items()
        ),
        release=submission.release.value,
        waived=_waived(submission, codes),
        score=score(submission).to_json(),
        runs=tuple(_run(judged) for judged in judged_runs(submission)),
        protocols=[each.to_json() for each in conformance(submission)] or None,
    )
    return _with_text(row, submission)


def _run(judged: JudgedRun, added: str | None = None) -> RunRecord:
    return RunRecord(
        platform=judged.platform,
        model=judged.run.model,
        date=judged.run.date,
        result=judged.run.result,
        evidence=judged.run.evidence,
        counts=judged.counts,
        standing=judged.standing,
        notes=judged.run.notes,
        added=added,
    )


def _with_later_runs(row: Row, submission: Submission | None, date: str, psreg: str) -> Row:
    """Return `row` with the transcripts that its version folder gained."""
    if submission is None or not isinstance(row, ReleaseRecord):
        return row
    known = {PurePosixPath(file.path) for file in row.all_files}
    new = {path for path in submission.paths if path not in known and later_evidence(path)}
    if not new:
        return row
    from psreg.lint.entries.tested_runs import judged_runs  # noqa: PLC0415 - few releases gain one

    judged = judged_runs(submission)
    runs = tuple(_run(each) for each in judged if each.path not in new)
    return replace(
        row,
        runs=(runs if row.runs is None else row.runs)
        + tuple(_run(each, date) for each in judged if each.path in new),
        added=(
            *row.added,
            *(
                AddedFile(
                    path=str(path),
                    sha256=_sha256(submission.files[path]),
                    size=len(submission.files[path]),
                    date=date,
                    psreg=psreg,
                )
                for path in sorted(new)
            ),
        ),
    )


def is_as_released(row: ReleaseRecord, submission: Submission) -> bool:
    """Return whether the version folder has exactly the files that `row` lists."""
    return {PurePosixPath(file.path): file.sha256 for file in row.all_files} == _digests(submission)


def _all_changes(
    before: PackageRecord | None, submissions: Mapping[str, Submission], withdrawals: Withdrawals
) -> Iterator[ChangedFile]:
    """Yield the files that differ from what was published; those of a purged version may go."""
    if before is None:
        return
    for row in before.releases:
        purged = withdrawals.purges(before.name, row.version)
        if row.version in submissions or not purged:
            yield from _changes(row, submissions.get(row.version), purged=purged)


def _changes(
    row: ReleaseRecord, submission: Submission | None, *, purged: bool
) -> list[ChangedFile]:
    """Return the files of a published folder that differ from what was published, by path."""
    was = {PurePosixPath(file.path): file.sha256 for file in row.all_files}
    now = _digests(submission) if submission else {}
    return [
        ChangedFile(path=path, was=was.get(path), now=now.get(path), purged=purged)
        for path in sorted({*was, *now})
        if was.get(path) != now.get(path) and (path in was or later_evidence(path) is None)
    ]


def _digests(submission: Submission) -> dict[PurePosixPath, str]:
    """Return the digests of the files that a record lists."""
    return {path: _sha256(data) for path, data in submission.files.items()}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
