"""Build a site from a published registry, or change one that was built before.

A site is the same whether it was built whole or changed: a change writes what depends on records
that differ, and on the list of all entries. `site_manifest` remembers what a site was built from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.catalogue.fingerprint import fingerprint
from psreg.catalogue.mkdocs_frame import Frame, build_frame, frame_source
from psreg.catalogue.pages import markdown_pages
from psreg.catalogue.pages.draft_page import draft_list, draft_pages
from psreg.catalogue.pages.entry_page import entry_pages
from psreg.catalogue.pages.frame import Shells, Site, Template, shells_of
from psreg.catalogue.pages.json_api import (
    advisory_files,
    draft_segment,
    index_document,
    sitemap_paths,
    sitemaps,
)
from psreg.catalogue.pages.listing import Row, class_part, home_parts
from psreg.catalogue.previewed_registry import DRAFTS, PreviewedRegistry
from psreg.catalogue.served_registry import ServedRegistry
from psreg.catalogue.site_folder import (
    MARKER,
    SiteChange,
    SiteDir,
    changed_site,
    locked_site,
    new_site,
    read_marker,
    write_marker,
)
from psreg.catalogue.site_manifest import (
    Difference,
    Entries,
    Manifest,
    entries_of,
    flat,
    read_manifest,
    rows_of,
)
from psreg.core.classes import CLASSES
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import PBES
from psreg.core.rule import RuleTable
from psreg.formats import policy
from psreg.registry.checkout import find_checkout, read_tree
from psreg.registry.deploy.headers import DRAFTS_FILE
from psreg.registry.journal import Seen
from psreg.registry.published import Entry, SignedRecord, check_drift, entries, signed_record
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import Read, RegistryState, open_registry, read_target
from psreg.registry.trust.roles import TIMESTAMP_PATH, Target, package_target, target_path
from psreg.system.files import read_file
from psreg.system.processes import in_parallel, shares_of

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Draft, DraftCheck, Drafts

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
    """The source of a site: a registry's checkout, and the folder with its metadata.

    `claims` are the verified claims of names.
    """

    checkout: Path
    registry: Path
    claims: Mapping[str, bytes] = field(default_factory=dict)

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

    def folders(self, *, draft: bool = False) -> tuple[Path, ...]:
        """Return the folders on which the site depends, with drafts or without."""
        drafts = (self.checkout / PBES,) if draft else ()
        return (self.registry, frame_source(self.checkout), *drafts)

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

    `changed` is how many files were written or removed; None if the whole site was built. `drafts`
    counts names with drafts, whether they are shown as entries or cannot be.
    """

    site: Site
    entries: int
    files: int
    drafts: int = 0
    changed: int | None = None

    @property
    def entry_count(self) -> str:
        """The number of entries in words, and that of the drafts if there are any."""
        entries = "1 entry" if self.entries == 1 else f"{self.entries} entries"
        drafts = "1 draft" if self.drafts == 1 else f"{self.drafts} drafts"
        return f"{entries}, {drafts}" if self.drafts else entries


def build_site(
    source: SiteSource,
    out: Path,
    base_url: str,
    fixed: FixedParts,
    *,
    executor: Executor | None = None,
    full: bool = False,
    draft_check: DraftCheck | None = None,
) -> BuiltSite:
    """Make `out` the site of the registry in `source`; `executor` makes pages.

    Where `out` is a site of the same psreg, theme and settings, only files that differ are
    written, unless the build is to be `full`. With a `draft_check`, it also shows drafts.

    Raises:
        PsregError: nothing is published, the checkout differs from what is signed, a signature
            is wrong, the frame cannot be built, or `out` cannot be written.
    """
    with locked_site(out):
        read = RegistryFolder(source.registry).read
        state, policy = open_registry(read), source.policy()
        site = Site(
            name=policy.site_name or "psreg",
            registry_id=state.registry_id if state else "",
            mode=state.mode if state else "",
            root_sha256=state.root_sha256 if state else "",
            base_url=base_url,
        )
        claims = state.owners if state else {}
        settings = (*astuple(site), policy.site_repository, *map(bytes.decode, claims.values()))
        current = fingerprint(frame_source(source.checkout), settings)
        before = None if full else read_manifest(read_marker(out))
        seen = before.seen if before and before.fingerprint == current else None
        build = _Build(
            source=replace(source, claims=claims),
            out=out,
            site=site,
            repository=policy.site_repository,
            registry=_registry(source, state, read, draft_check, seen),
            fingerprint=current,
        )
        return (before and build.change(before)) or build.whole(fixed, executor)


def _registry(
    source: SiteSource,
    state: RegistryState | None,
    read: Read,
    check: DraftCheck | None,
    seen: Seen | None,
) -> ServedRegistry | PreviewedRegistry:
    """Return what the site shows and serves; `seen` need not be compared again."""
    signed = ServedRegistry(state, read) if state else None
    if check:
        from psreg.catalogue.drafts import find_drafts  # noqa: PLC0415 - it needs all rules

        tree = partial(read_tree, source.checkout, None, None)
        return PreviewedRegistry(signed, find_drafts(tree, state, read, check, seen))
    if signed is None:
        message = f"nothing is published in {source.registry}"
        raise UnavailableError("NOT_PUBLISHED", message, "run psreg publish")
    return signed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """One build: from what, to where, and the fingerprint of everything but the entries."""

    source: SiteSource
    out: Path
    site: Site
    repository: str
    registry: ServedRegistry | PreviewedRegistry
    fingerprint: str

    @property
    def drafts(self) -> Drafts | None:
        """The drafts; None if the site is not a preview."""
        return self.registry.drafts if isinstance(self.registry, PreviewedRegistry) else None

    @property
    def _seen(self) -> Seen | None:
        return self.drafts.seen if self.drafts else None

    def whole(self, fixed: FixedParts, executor: Executor | None) -> BuiltSite:
        """Build the whole site aside, and swap it in."""
        from psreg.catalogue import fixed_files  # noqa: PLC0415 - a change does not need it

        # NOTE: mkdocs takes longer than all the rest that entries need.
        (listed, rules, scripts), (frame,) = in_parallel(
            lambda: (self._listed(), fixed.rules(), fixed.scripts()), [self._frame()]
        )
        before = Manifest(
            fingerprint=self.fingerprint,
            frames=fixed_files.entry_frames(frame),
            pages=fixed_files.fixed_pages(frame, rules),
        )
        with new_site(self.out) as target:
            write = partial(fixed_files.write, target, frame, rules, scripts, self.site)
            shells = Shells(shells_of(before.frames), self.site)
            drafts = _named(self.drafts, listed.get(DRAFTS, ()))
            records = {n: record for n, record in flat(listed).items() if n not in drafts}
            if executor:
                rows = _write_shared(target, shells, self.source, records, write, executor=executor)
            else:
                rows = _write_all(target, shells, self.source, records, write)
            rows |= _write_drafts(target, shells, drafts.values())
            for path, data in self.registry.files({}):
                target.write(f"registry/{path}", data)
            entries = entries_of(listed, {}, rows)
            self._write_lists(target, before, entries)
            after = self._manifest(before, entries, target.count + 1)
            target.write(MARKER, after.to_bytes())
        return self._built(after)

    def change(self, before: Manifest) -> BuiltSite | None:
        """Change the files that differ from a former site; None if all of them may."""
        if before.fingerprint != self.fingerprint:
            return None
        if before.roles == self.registry.roles:
            if self._seen != before.seen:
                write_marker(self.out, replace(before, seen=self._seen).to_bytes())
            return self._built(before, 0)
        difference = Difference.since(before, self.registry)
        return self._apply(before, difference) if len(difference.changed) <= _FEW else None

    def _apply(self, before: Manifest, difference: Difference) -> BuiltSite:
        with changed_site(self.out) as target:
            shells = Shells(shells_of(before.frames), self.site)
            drafts = _named(self.drafts, difference.changed)
            rows = _write_changed(target, shells, self.source, difference, drafts)
            files = dict(self.registry.files(before.roles, before.registry))
            timestamp = files.pop(TIMESTAMP_PATH, None)
            for path, data in files.items():
                target.write(f"registry/{path}", data)
            entries = {**difference.kept, **entries_of(difference.listed, difference.was, rows)}
            self._write_lists(target, before, entries)
            for path in sitemap_paths(len(before.pages) + len(rows_of(before.entries))):
                target.remove(path)
            if self.drafts is None:
                target.remove(DRAFTS_FILE)
            if timestamp is not None:  # last, because it makes the others current
                target.write(f"registry/{TIMESTAMP_PATH}", timestamp)
            for path in before.registry - self.registry.paths:
                target.remove(f"registry/{path}")
            after = self._manifest(before, entries, before.files + target.growth())
            changed = target.finish(after.to_bytes())
        return self._built(after, changed)

    def _built(self, after: Manifest, changed: int | None = None) -> BuiltSite:
        return BuiltSite(
            site=self.site,
            entries=len(rows_of(after.entries)),
            drafts=len(self.drafts.by_name) if self.drafts else 0,
            files=after.files,
            changed=changed,
        )

    def _listed(self) -> dict[str, Mapping[str, Target]]:
        return {role: self.registry.records(role) for role in self.registry.bins}

    def _frame(self) -> Callable[[], Frame]:
        return partial(
            build_frame,
            frame_source(self.source.checkout),
            markdown_pages.all_sources(),
            site_name=self.site.name,
            base_url=self.site.base_url,
            repository=self.repository,
        )

    def _manifest(self, before: Manifest, entries: Entries, files: int) -> Manifest:
        return replace(
            before,
            files=files,
            roles=self.registry.roles,
            entries=entries,
            registry=self.registry.paths,
            seen=self._seen,
        )

    def _write_lists(self, target: SiteDir, before: Manifest, entries: Entries) -> None:
        """Write what depends on the list of all entries."""
        rows = rows_of(entries)
        number = sum(len(each) for role, each in entries.items() if role != DRAFTS)
        home, segment = home_parts(rows, self.site), None
        if self.drafts:
            home["drafts"] = draft_list(self.drafts.by_name.values(), self.drafts.others)
            number += sum(draft.signed is not None for draft in self.drafts.by_name.values())
            segment = draft_segment(self.drafts.by_name)
            target.write(DRAFTS_FILE, segment)
        index = index_document(self.site, self.registry.head, number, segment)
        target.write("api/v1/index.json", index)
        for path, data in advisory_files(self.registry.effects):
            target.write(path, data)
        lists = {"index.html": home}
        lists |= {f"{slug}/index.html": {"entries": class_part(slug, rows)} for slug in CLASSES}
        for path, parts in lists.items():
            template = Template(before.frames[path])
            target.page(path, template.fill({"policy": template.policy, **parts}))
        if self.site.base_url:  # a sitemap needs complete addresses
            pages = [
                *((page, "") for page in before.pages),
                *((row.path, row.date) for row in rows),
            ]
            for path, page in sitemaps(self.site, pages).items():
                target.page(path, page)


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
    target: SiteChange,
    shells: Shells,
    source: SiteSource,
    difference: Difference,
    drafts: Mapping[str, Draft],
) -> dict[str, Row]:
    """Write the files of the entries that changed, and remove those they had; return the rows."""
    signed = {name: each for name, each in difference.changed.items() if name not in drafts}
    written = _write_slice(target, shells, source, signed)
    check_drift(written.drift)
    rows = {row.name: row for row in written.rows}
    rows |= _write_drafts(target, shells, drafts.values())
    gone = difference.was.keys() - flat(difference.listed).keys()
    stale = set()
    for name in {*difference.changed, *gone}:
        was = difference.was.get(name)
        stale |= {row.path for row in (was and was.row, rows.get(name)) if row}
        if was:
            target.remove(_record_path(name, was.sha256))
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
        yield signed_record(name, raw, source.claims)


def _write_entry(target: SiteDir, shells: Shells, entry: Entry) -> None:
    for path, html in _pages(shells, [entry]):
        target.write(path, html)
    _write_files(target, entry)


def _write_files(target: SiteDir, entry: Entry) -> None:
    for release in entry.releases:
        for path, data in release.files.items():
            target.write(path, data)
    if entry.raw:
        target.write(_api_path(entry.record.name), entry.raw)


def _named(drafts: Drafts | None, names: Iterable[str]) -> dict[str, Draft]:
    """Return those of the names that are drafts."""
    found = drafts.by_name if drafts else {}
    return {name: found[name] for name in sorted(names) if name in found}


def _write_drafts(target: SiteDir, shells: Shells, drafts: Iterable[Draft]) -> dict[str, Row]:
    """Write the files of drafts; return their rows."""
    rows = {}
    for draft in drafts:
        for page in draft_pages(draft, shells.site):
            target.page(page.file, shells.fill(page))
        if draft.entry:
            _write_files(target, draft.entry)
        rows[draft.id.name] = Row.of(draft.entry) if draft.entry else Row.unfinished(draft.id)
    return rows


def _record_path(name: str, sha256: str) -> str:
    return f"registry/{target_path(package_target(name), sha256)}"


def _api_path(name: str) -> str:
    return f"api/v1/packages/{name}.json"
