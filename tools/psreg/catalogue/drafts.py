"""Drafts: what of a checkout is not published, as it would be if it was published now.

Records come from the code that `psreg publish` runs, so that the page of a draft is the page that
its release will have. Nothing is signed, and one draft with errors does not hide the others.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from psreg.core.classes import CLASSES
from psreg.core.diagnostics import ERROR, INFO, Diagnostic, Report, described
from psreg.core.identity import PBES, EntryId, ReleaseId
from psreg.core.rule import RuleTable
from psreg.formats.layout import ENTRY_DEPTH, SUFFIXES, files_by_entry
from psreg.registry.baseline import Baseline
from psreg.registry.build import BuildResult, build, declared_conformance, waived_codes
from psreg.registry.catalog_head import head_of
from psreg.registry.check.difference import check_difference
from psreg.registry.check.newer_rules import with_newer_rules_as_warnings
from psreg.registry.checkout import FileTree
from psreg.registry.difference import (
    Difference,
    Hint,
    SignedNames,
    WorkTree,
    compare,
    hint_of,
    names_in,
    parts_of,
)
from psreg.registry.journal import Seen
from psreg.registry.owners.claim import claim_of
from psreg.registry.published import Entry, SignedRecord, entries
from psreg.registry.records import PackageRecord
from psreg.registry.requirements.installable import unmet
from psreg.registry.trust.reading import Read, RegistryState
from psreg.registry.trust.roles import HEAD, Target, catalog_target, package_target
from psreg.system.files import MAX_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A name that is not as it was published.

    `entry` is what its pages will show, None if there is nothing to show. `changed` is whether that
    differs about what is released: a yank, an owner, a transcript. `findings` are the errors and
    warnings about it, `refusals` what else keeps `psreg publish` from publishing it. `signed` is
    its record in force, None if there is none.
    """

    id: EntryId
    entry: Entry | None
    changed: bool
    findings: tuple[Diagnostic, ...]
    refusals: tuple[str, ...]
    signed: Target | None

    def count_errors(self) -> int:
        """Return the number of errors and refusals."""
        errors = (1 + d.more for d in self.findings if d.severity is ERROR)
        return sum(errors) + len(self.refusals)

    @property
    def digest(self) -> str:
        """A digest of all that its pages depend on."""
        shown = self.entry.record.to_json() if self.entry else None
        told = [*map(_told, self.findings), *self.refusals]
        signed = self.signed.sha256 if self.signed else ""
        return _digest([str(self.id.folder), signed, shown, told])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _told(d: Diagnostic) -> str:
    return f"{d.severity} {described(d)} {d.hint}"


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts of a checkout by name, and the findings that are about none of them.

    `seen` is what need not be compared the next time; None if Git does not know.
    """

    by_name: Mapping[str, Draft]
    others: tuple[Diagnostic, ...] = ()
    seen: Seen | None = None

    @property
    def digest(self) -> str:
        """A digest of all drafts and findings."""
        return _digest([*(each.digest for each in self.by_name.values()), *map(_told, self.others)])


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCheck:
    """What drafts are checked with: a function that loads the rules, the time, and Git."""

    rules: Callable[[], RuleTable]
    now: datetime
    work_tree: WorkTree


def find_drafts(
    read_tree: Callable[[Collection[PurePosixPath] | None], FileTree],
    state: RegistryState | None,
    read: Read,
    check: DraftCheck,
    seen: Seen | None = None,
) -> Drafts:
    """Return the drafts in a checkout.

    `read_tree` returns all of its files, or those at some places; `read` reads the registry with
    `state`; `seen` is what need not be compared again.

    Raises:
        TrustError, UnavailableError: the registry is not as it was signed; files are unreadable.
    """
    head = head_of(state) if state else None
    baseline = Baseline(
        root=state.root if state else None,
        root_sha256=state.root_sha256 if state else "",
        state=state,
        intent=None,
        head=head,
    )
    signed = SignedNames(baseline, read)
    # Changed inputs, such as the policy, change no release: they only judge what is new.
    inputs = (head.inputs if head else None) or {}
    digest = state.targets[catalog_target(HEAD)].sha256 if state and head else ""
    hint = hint_of(check.work_tree, seen, digest)
    places = None if signed.changed_inputs(inputs) else hint.places
    folder = read_tree(None if places is None else parts_of(places))
    names, irregular = None if places is None else names_in(places), folder.irregular()
    found = compare(folder, signed, inputs, names, irregular)
    told = check_difference(found, signed, check.rules, irregular=irregular, today=check.now.date())
    report = Report.of(len(found.tree), with_newer_rules_as_warnings(told, found.tree, read))
    preview = _Preview(
        tree=found.tree,
        names=found.names,
        signed=signed,
        report=report,
        state=state,
        now=check.now,
    )
    return replace(preview.drafts(), seen=_next_seen(hint, found, signed, digest))


def _next_seen(hint: Hint, found: Difference, signed: SignedNames, head: str) -> Seen | None:
    """Return what need not be compared the next time: all but what differs, and is in no entry."""
    if not (hint.tree and head):
        return None
    records = ((name, signed.record(name)) for name in found.names)
    differing = {EntryId(record.entry_class, name).folder for name, record in records if record}
    inside = {path for path in found.tree if path.parts[0] == PBES}
    places = {*hint.dirty, *differing, *(PurePosixPath(*p.parts[:ENTRY_DEPTH]) for p in inside)}
    paths = tuple(sorted(map(str, places)))
    # A path that is not text cannot be written down.
    return Seen(head=head, tree=hint.tree, places=paths) if "".join(paths).isprintable() else None


class _Preview:
    """What a publish would make of the names that differ."""

    def __init__(
        self,
        *,
        tree: Mapping[PurePosixPath, bytes],
        names: Collection[str],
        signed: SignedNames,
        report: Report,
        state: RegistryState | None,
        now: datetime,
    ) -> None:
        self._tree = tree
        self._names = names
        self._signed = signed
        self._report = report
        self._state = state
        # The day, so that two builds on one day are the same.
        self._today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

    def drafts(self) -> Drafts:
        """Return the drafts."""
        findings: dict[str, list[Diagnostic]] = defaultdict(list)
        others = []
        for d in self._report.standing():
            entry = EntryId.of(PurePosixPath(d.path))
            if d.severity is not INFO and entry and entry.is_valid and entry.name in self._ids:
                findings[entry.name].append(d)
            elif d.severity is not INFO:
                others.append(d)
        built = self._built()
        refusals = self._refusals(built)
        drafts = (
            self._draft(id_, built.records.get(name), findings[name], refusals[name])
            for name, id_ in sorted(self._ids.items())
        )
        return Drafts({draft.id.name: draft for draft in drafts if draft}, tuple(others))

    @cached_property
    def _ids(self) -> Mapping[str, EntryId]:
        """Class and name of everything that differs; a signed class goes before others."""
        folders = (EntryId.of(folder) for folder in files_by_entry(self._tree))
        there = [each for each in folders if each and each.is_valid and each.name in self._names]
        there.sort(key=lambda each: CLASSES.index(each.entry_class), reverse=True)
        signed = (EntryId(each.entry_class, name) for name, each in self._before.items())
        return {each.name: each for each in (*there, *signed)}

    @cached_property
    def _before(self) -> Mapping[str, PackageRecord]:
        """The signed records of what differs."""
        records = ((name, self._signed.record(name)) for name in self._names)
        return {name: record for name, record in records if record}

    def _built(self) -> BuildResult:
        """Return the records as far as they can be made: errors keep nothing else from it."""
        tree = {path: data for path, data in self._tree.items() if self._is_kept(path, data)}
        waived = waived_codes(self._report)
        said = declared_conformance
        return build(tree, self._before, self._today, waived, conformance=said)

    def _is_kept(self, path: PurePosixPath, data: bytes) -> bool:
        """Return whether a file is released, or would do no harm on a site.

        Rules refuse other suffixes, such as that of a page with scripts; a draft is not refused.
        """
        release = ReleaseId.of(path)
        before = self._before.get(release.name) if release else None
        if release and before and release.version in {row.version for row in before.rows}:
            return True
        return len(data) < MAX_FILE and str(path).isprintable() and path.suffix in SUFFIXES

    def _refusals(self, built: BuildResult) -> Mapping[str, list[str]]:
        """Return by name why `psreg publish` refuses it, besides errors."""
        refusals: dict[str, list[str]] = defaultdict(list)
        for file in built.changed:
            how = "is gone" if file.now is None else "changed" if file.was else "was added"
            why = f"{file.path} {how}; a released version never changes"
            refusals[_name_in(file.path)].append(why)
        for release, why in unmet(built.requiring, lambda name: self._record(built, name)):
            refusals[release.name].append(
                f"{release.version} requires what cannot be installed with it: {why}"
            )
        for path, data in self._tree.items():
            if len(data) >= MAX_FILE:
                refusals[_name_in(path)].append(f"{path}: {MAX_FILE:,} bytes or more")
        return refusals

    def _record(self, built: BuildResult, name: str) -> PackageRecord | None:
        return built.records.get(name) or self._signed.record(name)

    def _draft(
        self,
        id_: EntryId,
        record: PackageRecord | None,
        findings: Sequence[Diagnostic],
        refusals: Sequence[str],
    ) -> Draft | None:
        before = self._before.get(id_.name)
        old, new = before and _shown(before), record and _shown(record)
        if old == new and not (findings or refusals):
            return None
        targets = self._state.targets if self._state else {}
        return Draft(
            id=id_,
            entry=self._entry(record, before) if record else None,
            changed=bool(old and new and old != _of_versions(new, old)),
            findings=tuple(sorted(findings, key=lambda d: d.severity.rank)),
            refusals=tuple(refusals),
            signed=targets.get(package_target(id_.name)),
        )

    def _entry(self, after: PackageRecord, before: PackageRecord | None) -> Entry | None:
        """Return what pages show of a record; None if its latest release is not in the tree."""
        packages = self._state.packages if self._state else {}
        raw = packages.get(after.name, b"")

        def read(path: str) -> bytes | None:
            return self._tree.get(PurePosixPath(path))

        claim = claim_of(after.name, self._state.owners if self._state else {})
        for entry in entries([SignedRecord(record=after, raw=raw, claim=claim)], read, []):
            known = {row.version for row in before.rows} if before else set()
            releases = [
                replace(each, draft=each.record.version not in known) for each in entry.releases
            ]
            latest = releases[entry.releases.index(entry.latest)]
            return replace(entry, latest=latest, releases=tuple(releases))
        return None


def _name_in(path: PurePosixPath) -> str:
    entry = EntryId.of(path)
    return entry.name if entry else ""


def _of_versions(record: PackageRecord, other: PackageRecord) -> PackageRecord:
    """Return `record` with the versions of the `other` only."""
    versions = {row.version for row in other.rows}
    return replace(record, rows=tuple(row for row in record.rows if row.version in versions))


def _shown(record: PackageRecord) -> PackageRecord:
    """Return what pages show of a record."""
    return replace(record, serial=0, folder="")
