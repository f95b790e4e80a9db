"""The files of entries in a site: pages, artifacts and records; of all, or of what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from psreg.catalogue.feed_files import entry_feed_files
from psreg.catalogue.pages.draft_page import draft_pages
from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.entry.withdrawn_view import gone_pages
from psreg.catalogue.pages.frame import Shells, Site
from psreg.catalogue.pages.listing import Row
from psreg.catalogue.site_folder import (
    SiteChange,
    SiteDir,
)
from psreg.catalogue.site_manifest import (
    Difference,
    flat,
)
from psreg.catalogue.site_source import SiteSource
from psreg.catalogue.texts.embeds import embed_files
from psreg.catalogue.texts.entry_markdown import entry_texts, gone_texts
from psreg.core.identity import PBES, EntryId
from psreg.formats.json.canonical import canonical
from psreg.registry.owners.claim import Claim
from psreg.registry.published import Entry, SignedRecord, check_drift, entries, signed_record
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import read_target
from psreg.registry.trust.roles import Target, package_target, target_path
from psreg.system.processes import in_parallel, shares_of

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Draft


_SLICE = 100
"""Minimum number of entries for a separate process."""


_MOST = 8
"""Maximum number of processes that write at once; with more, the disk is the bottleneck."""


_FIXED = 100
"""How many entries take as long as the files that do not depend on entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The result of one process: the rows of its entries, the drift, and the number of files."""

    rows: list[Row]
    drift: list[str]
    files: int


def write_all(
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


def write_shared(
    target: SiteDir,
    shells: Shells,
    source: SiteSource,
    records: Mapping[str, Target],
    write_fixed: Callable[[], None],
    *,
    executor: Executor,
) -> dict[str, Row]:
    """Write the same as `write_all`; `executor` makes the pages, of bytes that are read here."""
    drift: list[str] = []
    gone: list[SignedRecord] = []
    signed = _with_releases(_read_records(target, source, records), gone)
    found = list(entries(signed, source.read, drift))
    check_drift(drift)
    slices = [found[at : at + _SLICE] for at in range(0, len(found), _SLICE)]

    def here() -> None:
        write_fixed()
        for entry in found:
            _write_files(target, entry)

    _, made = in_parallel(here, [partial(_pages, shells, each) for each in slices], executor)
    for path, data in chain.from_iterable(made):
        target.write(path, data)
    rows = [Row.of(entry) for entry in found] + [_write_gone(target, shells, each) for each in gone]
    return {row.name: row for row in rows}


def _pages(shells: Shells, some: Sequence[Entry]) -> list[tuple[str, bytes]]:
    """Return the pages of some entries and what is beside them, by path below the site's root."""
    pages = (page for entry in some for page in entry_pages(entry, shells.site))
    filled = ((page.file, shells.fill(page).encode()) for page in pages)
    return [*filled, *(each for entry in some for each in _beside(entry, shells.site))]


def _beside(entry: Entry, site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the other views of an entry: its Markdown, its badge and oEmbed, and its feed."""
    yield from entry_texts(entry, site)
    yield from embed_files(entry, site)
    if site.base_url:
        yield from entry_feed_files(entry, site)


def write_changed(
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
    rows |= write_drafts(target, shells, drafts.values())
    gone = difference.was.keys() - flat(difference.listed).keys()
    stale = set()
    for name in {*difference.changed, *gone}:
        was = difference.was.get(name)
        stale |= {row.path for row in (was and was.row, rows.get(name)) if row}
        if was:
            target.remove(_record_path(name, was.sha256))
        target.remove(_api_path("packages", name))
        target.remove(_api_path("owners", name))
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
    gone: list[SignedRecord] = []
    signed = _with_releases(_read_records(target, source, records), gone)
    for entry in entries(signed, source.read, drift):
        rows.append(Row.of(entry))
        _write_entry(target, shells, entry)
    rows += [_write_gone(target, shells, each) for each in gone]
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


def _with_releases(
    records: Iterable[SignedRecord], gone: list[SignedRecord]
) -> Iterator[SignedRecord]:
    """Yield the records of which something is left, and add the others to `gone`."""
    for signed in records:
        if signed.record.is_purged:
            gone.append(signed)
        else:
            yield signed


def _write_gone(target: SiteDir, shells: Shells, signed: SignedRecord) -> Row:
    """Write what is said about a name of which everything was purged; return its row."""
    record = signed.record
    for page in gone_pages(record):
        target.page(page.file, shells.fill(page))
    for path, data in gone_texts(record):
        target.write(path, data)
    _write_record(target, record.name, signed.raw, signed.claim)
    return Row.unlisted(EntryId(record.entry_class, record.name))


def _write_entry(target: SiteDir, shells: Shells, entry: Entry) -> None:
    for path, data in _pages(shells, [entry]):
        target.write(path, data)
    _write_files(target, entry)


def _write_files(target: SiteDir, entry: Entry) -> None:
    for release in entry.releases:
        for path, data in release.files.items():
            target.write(path, data)
    if entry.raw:
        _write_record(target, entry.record.name, entry.raw, entry.claim)


def _write_record(target: SiteDir, name: str, raw: bytes, claim: Claim | None) -> None:
    """Write what the API has about a name."""
    target.write(_api_path("packages", name), raw)
    if claim:
        target.write(_api_path("owners", name), canonical(claim.to_json()))


def write_drafts(target: SiteDir, shells: Shells, drafts: Iterable[Draft]) -> dict[str, Row]:
    """Write the files of drafts; return their rows."""
    rows = {}
    for draft in drafts:
        for page in draft_pages(draft, shells.site):
            target.page(page.file, shells.fill(page))
        if draft.entry:
            for path, data in _beside(draft.entry, shells.site):
                target.write(path, data)
            _write_files(target, draft.entry)
        rows[draft.id.name] = Row.of(draft.entry) if draft.entry else Row.unlisted(draft.id)
    return rows


def _record_path(name: str, sha256: str) -> str:
    return f"registry/{target_path(package_target(name), sha256)}"


def _api_path(kind: str, name: str) -> str:
    return f"api/v1/{kind}/{name}.json"
