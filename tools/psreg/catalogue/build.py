"""Build a site from a published registry, or change one that was built before.

A site is the same whether it was built whole or changed: a change writes what depends on records
that differ, and on the list of all entries. `site_manifest` remembers what a site was built from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path

from psreg.catalogue.fingerprint import fingerprint
from psreg.catalogue.mkdocs_frame import Frame, build_frame, frame_source
from psreg.catalogue.pages import markdown_pages
from psreg.catalogue.pages.entry_page import entry_pages
from psreg.catalogue.pages.frame import Shells, Site, Template, shells_of
from psreg.catalogue.pages.json_api import index_document, sitemap
from psreg.catalogue.pages.listing import Row, class_part, home_parts
from psreg.catalogue.served_registry import ServedRegistry
from psreg.catalogue.site_folder import (
    MARKER,
    SiteChange,
    SiteDir,
    changed_site,
    locked_site,
    new_site,
    read_marker,
)
from psreg.catalogue.site_manifest import Entries, Manifest, Shown, read_manifest, rows_of
from psreg.core.classes import CLASSES
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import PBES
from psreg.core.rule import RuleTable
from psreg.formats import policy
from psreg.registry.checkout import find_checkout
from psreg.registry.published import Entry, SignedRecord, check_drift, entries
from psreg.registry.records import read_record
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import open_registry, read_target
from psreg.registry.trust.roles import TIMESTAMP_PATH, Target, package_target, target_path
from psreg.system.files import read_file
from psreg.system.processes import in_parallel, shares_of

_SLICE = 100
"""Minimum number of entries for a separate process."""

_MOST = 8
"""Maximum number of processes that write at once; with more, the disk is the bottleneck."""

_FIXED = 100
"""How many entries take as long as the files that do not depend on entries."""

_FEW = 200
"""Maximum number of entries that are changed one by one; more are built by all processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSource:
    """The source of a site: a registry's checkout, and the folder with its metadata."""

    checkout: Path
    registry: Path

    @classmethod
    def find(cls, registry_dir: str | None) -> SiteSource:
        """Return the source in the checkout around the current folder.

        Raises:
            UsageError: NO_CHECKOUT.
        """
        checkout = find_checkout(Path.cwd())
        if checkout is None:
            raise UsageError(
                "NO_CHECKOUT", "there is no pbes/ here or above", "change into a registry"
            )
        registry = Path(registry_dir).absolute() if registry_dir else checkout / "registry"
        return cls(checkout=checkout, registry=registry)

    def policy(self) -> policy.Policy:
        """Return the registry's policy; without a file, the defaults."""
        return policy.read(self.read("registry/policy.toml") or b"")

    def folders(self) -> tuple[Path, ...]:
        """Return the folders on which the site depends."""
        return (self.registry, frame_source(self.checkout))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a plain file in the checkout, None if there is no such file."""
        try:
            return read_file(self.checkout / path)
        except UnavailableError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedParts:
    """What a whole build needs besides the registry.

    `rules` returns all rules, `scripts` the programs for download by name below `scripts/`.
    """

    rules: Callable[[], RuleTable]
    scripts: Callable[[], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSite:
    """The result of a build: the site's identity, and the number of entries and files.

    `changed` is how many files were written or removed; None if the whole site was built.
    """

    site: Site
    entries: int
    files: int
    changed: int | None = None

    @property
    def entry_count(self) -> str:
        """The number of entries in words."""
        return "1 entry" if self.entries == 1 else f"{self.entries} entries"


def build_site(
    source: SiteSource,
    out: Path,
    base_url: str,
    fixed: FixedParts,
    *,
    executor: Executor | None = None,
    full: bool = False,
) -> BuiltSite:
    """Make `out` the site of the registry in `source`; `executor` makes pages.

    Where `out` is a site of the same psreg, theme and settings, only files that differ are
    written, unless the build is to be `full`.

    Raises:
        PsregError: nothing is published, the checkout differs from what is signed, a signature
            is wrong, the frame cannot be built, or `out` cannot be written.
    """
    with locked_site(out):
        read = RegistryFolder(source.registry).read
        state, policy = open_registry(read), source.policy()
        if state is None:
            message = f"nothing is published in {source.registry}"
            raise UnavailableError("NOT_PUBLISHED", message, "run psreg publish")
        site = Site(
            name=policy.site_name or "psreg",
            registry_id=state.registry_id,
            mode=state.mode,
            root_sha256=state.root_sha256,
            base_url=base_url,
        )
        settings = (*astuple(site), policy.site_repository)
        build = _Build(
            source=source,
            out=out,
            site=site,
            repository=policy.site_repository,
            registry=ServedRegistry(state, read),
            fingerprint=fingerprint(frame_source(source.checkout), settings),
        )
        before = None if full else read_manifest(read_marker(out))
        changed = build.change(before) if before else None
        return changed or build.whole(fixed, executor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    """What differs from a former site.

    `changed` are the records that do, by name, `was` the entries that the changed bins had, and
    `listed` the records that they have; `kept` are the entries of the other bins.
    """

    changed: Mapping[str, Target]
    was: Mapping[str, Shown]
    listed: Mapping[str, Mapping[str, Target]]
    kept: Entries

    @classmethod
    def since(cls, before: Manifest, registry: ServedRegistry) -> _Difference:
        """Compare a registry with a former site; bins that are the same are not verified again."""
        roles = registry.roles
        kept = {
            role: entries
            for role, entries in before.entries.items()
            if before.roles.get(role) == roles.get(role)
        }
        listed = {role: registry.records(role) for role in registry.bins if role not in kept}
        others = (entries for role, entries in before.entries.items() if role not in kept)
        was = {name: shown for entries in others for name, shown in entries.items()}
        return cls(
            changed={
                name: record
                for name, record in _flat(listed).items()
                if name not in was or was[name].sha256 != record.sha256
            },
            was=was,
            listed=listed,
            kept=kept,
        )


def _flat(listed: Mapping[str, Mapping[str, Target]]) -> dict[str, Target]:
    return {name: record for records in listed.values() for name, record in records.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """One build: from what, to where, and the fingerprint of everything but the entries."""

    source: SiteSource
    out: Path
    site: Site
    repository: str
    registry: ServedRegistry
    fingerprint: str

    def whole(self, fixed: FixedParts, executor: Executor | None) -> BuiltSite:
        """Build the whole site aside, and swap it in."""
        from psreg.catalogue import fixed_files  # noqa: PLC0415 - a change does not need it

        listed, (frame,) = in_parallel(self._listed, [self._frame])
        rules = fixed.rules()
        before = Manifest(
            fingerprint=self.fingerprint,
            frames=fixed_files.entry_frames(frame),
            pages=fixed_files.fixed_pages(frame, rules),
        )
        with new_site(self.out) as target:
            write = partial(fixed_files.write, target, frame, rules, fixed.scripts(), self.site)
            shells = Shells(shells_of(before.frames), self.site)
            records = _flat(listed)
            if executor:
                rows = _write_shared(target, shells, self.source, records, write, executor=executor)
            else:
                rows = _write_all(target, shells, self.source, records, write)
            for path, data in self.registry.files({}):
                target.write(f"registry/{path}", data)
            entries = _entries(listed, {}, rows)
            self._write_lists(target, before, entries)
            after = self._manifest(before, entries, target.count + 1)
            target.write(MARKER, after.to_bytes())
        return BuiltSite(site=self.site, entries=len(rows_of(entries)), files=after.files)

    def change(self, before: Manifest) -> BuiltSite | None:
        """Change the files that differ from a former site; None if all of them may."""
        if before.fingerprint != self.fingerprint:
            return None
        if before.roles == self.registry.roles:
            count = len(rows_of(before.entries))
            return BuiltSite(site=self.site, entries=count, files=before.files, changed=0)
        difference = _Difference.since(before, self.registry)
        return self._apply(before, difference) if len(difference.changed) <= _FEW else None

    def _apply(self, before: Manifest, difference: _Difference) -> BuiltSite:
        with changed_site(self.out) as target:
            shells = Shells(shells_of(before.frames), self.site)
            rows = _write_changed(target, shells, self.source, difference)
            files = dict(self.registry.files(before.roles))
            timestamp = files.pop(TIMESTAMP_PATH, None)
            for path, data in files.items():
                target.write(f"registry/{path}", data)
            entries = {**difference.kept, **_entries(difference.listed, difference.was, rows)}
            self._write_lists(target, before, entries)
            if timestamp is not None:  # last, because it makes the others current
                target.write(f"registry/{TIMESTAMP_PATH}", timestamp)
            for path in before.registry - self.registry.paths:
                target.remove(f"registry/{path}")
            after = self._manifest(before, entries, before.files + target.growth())
            changed = target.finish(after.to_bytes())
        count = len(rows_of(entries))
        return BuiltSite(site=self.site, entries=count, files=after.files, changed=changed)

    def _listed(self) -> dict[str, Mapping[str, Target]]:
        return {role: self.registry.records(role) for role in self.registry.bins}

    def _frame(self) -> Frame:
        return build_frame(
            frame_source(self.source.checkout),
            markdown_pages.all_sources(),
            site_name=self.site.name,
            base_url=self.site.base_url,
            repository=self.repository,
        )

    def _manifest(self, before: Manifest, entries: Entries, files: int) -> Manifest:
        registry = self.registry
        return replace(
            before, files=files, roles=registry.roles, entries=entries, registry=registry.paths
        )

    def _write_lists(self, target: SiteDir, before: Manifest, entries: Entries) -> None:
        """Write what depends on the list of all entries."""
        rows = rows_of(entries)
        number = sum(map(len, entries.values()))
        target.write("api/v1/index.json", index_document(self.site, self.registry.head, number))
        lists = {"index.html": home_parts(rows, self.site)}
        lists |= {f"{slug}/index.html": {"entries": class_part(slug, rows)} for slug in CLASSES}
        for path, parts in lists.items():
            template = Template(before.frames[path])
            target.page(path, template.fill({"policy": template.policy, **parts}))
        if self.site.base_url:  # a sitemap needs complete addresses
            pages = [
                *((page, "") for page in before.pages),
                *((row.path, row.date) for row in rows),
            ]
            target.page("sitemap.xml", sitemap(self.site, pages))


def _entries(
    listed: Mapping[str, Mapping[str, Target]], was: Mapping[str, Shown], rows: Mapping[str, Row]
) -> dict[str, dict[str, Shown]]:
    """Return the entries of bins; `rows` are those of the records that are not as they `were`."""
    return {
        role: {
            name: Shown(
                sha256=record.sha256,
                row=was[name].row
                if name in was and was[name].sha256 == record.sha256
                else rows.get(name),
            )
            for name, record in records.items()
        }
        for role, records in listed.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The result of one process: the rows of its entries, the drift, and the number of files."""

    rows: list[Row]
    drift: list[str]
    files: int


def _write_all(
    target: SiteDir,
    shells: Shells,
    source: SiteSource,
    records: Mapping[str, Target],
    write_fixed: Callable[[], None],
) -> dict[str, Row]:
    """Write the files of all entries, and those that do not depend on entries; return the rows."""
    names = sorted(records)
    shares = min(shares_of(len(names), _SLICE), _MOST)
    size = max(1, -(-(len(names) + _FIXED) // shares))
    ends = [0, *range(max(size - _FIXED, 1), len(names), size), len(names)]
    jobs = [
        partial(_write_slice, target, shells, source, {name: records[name] for name in names[a:b]})
        for a, b in pairwise(ends)
    ]

    def here() -> _Written:
        before = target.count
        write_fixed()
        return replace(jobs[0](), files=target.count - before)

    before = target.count
    first, rest = in_parallel(here, jobs[1:])
    done = (first, *rest)
    check_drift([line for each in done for line in each.drift])
    target.count = before + sum(each.files for each in done)
    return {row.name: row for each in done for row in each.rows}


def _write_shared(
    target: SiteDir,
    shells: Shells,
    source: SiteSource,
    records: Mapping[str, Target],
    write_fixed: Callable[[], None],
    *,
    executor: Executor,
) -> dict[str, Row]:
    """Write the same as `_write_all`; `executor` makes the pages, of bytes that are read here."""
    drift: list[str] = []
    found = list(entries(_read_records(target, source, records), source.read, drift))
    check_drift(drift)
    slices = [found[at : at + _SLICE] for at in range(0, len(found), _SLICE)]

    def here() -> None:
        write_fixed()
        for entry in found:
            _write_files(target, entry)

    _, made = in_parallel(here, [partial(_pages, shells, each) for each in slices], executor)
    for path, html in chain.from_iterable(made):
        target.write(path, html)
    return {entry.record.name: Row.of(entry) for entry in found}


def _pages(shells: Shells, some: Sequence[Entry]) -> list[tuple[str, bytes]]:
    """Return the pages of some entries, by path below the root of the site."""
    pages = (page for entry in some for page in entry_pages(entry, shells.site))
    return [(page.file, shells.fill(page).encode()) for page in pages]


def _write_changed(
    target: SiteChange, shells: Shells, source: SiteSource, difference: _Difference
) -> dict[str, Row]:
    """Write the files of the entries that changed, and remove those they had; return the rows."""
    written = _write_slice(target, shells, source, difference.changed)
    check_drift(written.drift)
    rows = {row.name: row for row in written.rows}
    gone = difference.was.keys() - _flat(difference.listed).keys()
    stale = set()
    for name in {*difference.changed, *gone}:
        was = difference.was.get(name)
        stale |= {row.path for row in (was and was.row, rows.get(name)) if row}
        if was:
            target.remove(_record_path(name, was.sha256))
        if name not in rows:
            target.remove(_api_path(name))
    for path in stale:
        target.remove_others(path)
        target.remove_others(f"{PBES}/{path}")
    return rows


def _write_slice(
    target: SiteDir, shells: Shells, source: SiteSource, records: Mapping[str, Target]
) -> _Written:
    """Write the files of some entries."""
    before = target.count
    rows: list[Row] = []
    drift: list[str] = []
    for entry in entries(_read_records(target, source, records), source.read, drift):
        rows.append(Row.of(entry))
        _write_entry(target, shells, entry)
    return _Written(rows=rows, drift=drift, files=target.count - before)


def _read_records(
    target: SiteDir, source: SiteSource, records: Mapping[str, Target]
) -> Iterator[SignedRecord]:
    """Yield the records, each of which is written as it is signed."""
    read = RegistryFolder(source.registry).read
    for name, record in records.items():
        raw = read_target(package_target(name), record, read).data
        target.write(_record_path(name, record.sha256), raw)
        yield SignedRecord(record=read_record(raw, name), raw=raw)


def _write_entry(target: SiteDir, shells: Shells, entry: Entry) -> None:
    for path, html in _pages(shells, [entry]):
        target.write(path, html)
    _write_files(target, entry)


def _write_files(target: SiteDir, entry: Entry) -> None:
    for release in entry.releases:
        for path, data in release.files.items():
            target.write(path, data)
    target.write(_api_path(entry.record.name), entry.raw)


def _record_path(name: str, sha256: str) -> str:
    return f"registry/{target_path(package_target(name), sha256)}"


def _api_path(name: str) -> str:
    return f"api/v1/packages/{name}.json"
