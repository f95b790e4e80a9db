"""Build a site from a published registry, or change one that was built before.

A site is the same whether it was built whole or changed: a change writes what depends on records
that differ, and on the list of all entries. `site_manifest` remembers what a site was built from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.catalogue.entry_files import write_all, write_changed, write_drafts, write_shared
from psreg.catalogue.feed_files import (
    SignedRecords,
    changed_tags,
    dropped_tags,
    feed_files,
    tag_folder,
)
from psreg.catalogue.fingerprint import fingerprint
from psreg.catalogue.mkdocs_frame import Frame, build_frame, frame_source, repository_links
from psreg.catalogue.pages import markdown_pages
from psreg.catalogue.pages.draft_page import draft_list
from psreg.catalogue.pages.entry.related_view import DEPENDENTS
from psreg.catalogue.pages.feed_links import feed_links, home_feed_links
from psreg.catalogue.pages.frame import Shells, Site, Template, picture_link, shells_of
from psreg.catalogue.pages.home import home_parts, picked
from psreg.catalogue.pages.json_api import (
    advisory_files,
    dependents_document,
    draft_segment,
    index_document,
    sitemap_paths,
    sitemaps,
)
from psreg.catalogue.pages.listing import class_part
from psreg.catalogue.previewed_registry import DRAFTS, PreviewedRegistry
from psreg.catalogue.served_registry import ServedRegistry
from psreg.catalogue.site_folder import (
    MARKER,
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
from psreg.catalogue.site_source import SiteSource
from psreg.catalogue.texts.llms_text import llms_text
from psreg.core.classes import CLASSES
from psreg.core.errors import UnavailableError
from psreg.core.rule import RuleTable
from psreg.formats.policy import Policy
from psreg.registry.checkout import read_tree
from psreg.registry.deploy.headers import DRAFTS_FILE
from psreg.registry.journal import Seen
from psreg.registry.search.layers import dropped_layers, search_files
from psreg.registry.search.thesaurus import synonyms
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import Read, RegistryState, open_registry
from psreg.registry.trust.roles import Target
from psreg.system.processes import in_parallel

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Draft, DraftCheck, Drafts


_FEW = 200
"""Maximum number of entries that are changed one by one; more are built by all processors."""


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
        site = _site(policy, state, base_url)
        if base_url:
            site = replace(site, class_pictures=source.class_pictures())
        claims = state.owners if state else {}
        settings = (
            *map(str, astuple(site)),
            policy.site_repository,
            str(source.brand()),
            *map(bytes.decode, claims.values()),
        )
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


def _site(policy: Policy, state: RegistryState | None, base_url: str) -> Site:
    return Site(
        name=policy.site_name or "psreg",
        registry_id=state.registry_id if state else "",
        mode=state.mode if state else "",
        root_sha256=state.root_sha256 if state else "",
        base_url=base_url,
        picks=policy.site_picks,
        report=repository_links(policy.site_repository).get("report", ""),
        text=policy.site_text,
        platforms=policy.extra_platforms,
    )


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
                rows = write_shared(target, shells, self.source, records, write, executor=executor)
            else:
                rows = write_all(target, shells, self.source, records, write)
            rows |= write_drafts(target, shells, drafts.values())
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
            rows = write_changed(target, shells, self.source, difference, drafts)
            files = dict(self.registry.files(before.roles, before.registry))
            named = self.registry.last(before.registry)
            last = [(path, files.pop(path)) for path in named if path in files]
            for path, data in files.items():
                target.write(f"registry/{path}", data)
            entries = {**difference.kept, **entries_of(difference.listed, difference.was, rows)}
            self._write_lists(target, before, entries)
            for path in sitemap_paths(len(before.pages) + len(rows_of(before.entries))):
                target.remove(path)
            for tag in dropped_tags(before.entries, entries):
                target.remove_others(tag_folder(tag))
            for folder in dropped_layers(before.registry, self.registry.head):
                target.remove_others(folder)
            if self.drafts is None:
                target.remove(DRAFTS_FILE)
            for path, data in last:  # they make the others current
                target.write(f"registry/{path}", data)
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
            house=self.source.has_own_frame,
            brand=self.source.brand(),
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

    def _signed(self, entries: Entries) -> dict[str, str]:
        """Return the digests of all signed records by name, of those too that drafts replace."""
        shown = {
            name: one.sha256
            for role, each in entries.items()
            if role != DRAFTS
            for name, one in each.items()
        }
        drafts = self.drafts.by_name.items() if self.drafts else ()
        return {**shown, **{name: draft.signed.sha256 for name, draft in drafts if draft.signed}}

    def _write_lists(self, target: SiteDir, before: Manifest, entries: Entries) -> None:
        """Write what depends on the list of all entries."""
        rows = rows_of(entries)
        number = sum(len(each) for role, each in entries.items() if role != DRAFTS)
        picks = picked(self.site.picks, rows, {name for each in entries.values() for name in each})
        home, segment = home_parts(rows, self.site, picks, target.read), None
        if self.drafts:
            home["drafts"] = draft_list(self.drafts.by_name.values(), self.drafts.others)
            number += sum(draft.signed is not None for draft in self.drafts.by_name.values())
            segment = draft_segment(self.drafts.by_name)
            target.write(DRAFTS_FILE, segment)
        index = index_document(self.site, self.registry.head, number, segment)
        target.write("api/v1/index.json", index)
        read = RegistryFolder(self.source.registry).read
        for path, data in search_files(self.registry.head, read, before.registry):
            target.write(path, data)
        for path, data in advisory_files(self.registry.effects):
            target.write(path, data)
        target.write(DEPENDENTS, dependents_document(rows))
        target.page("llms.txt", llms_text(rows, self.site))
        target.write("assets/psreg/synonyms.txt", synonyms(self.registry.head.synonyms))
        lists = {"index.html": home}
        lists |= {f"{slug}/index.html": {"entries": class_part(slug, rows)} for slug in CLASSES}
        if self.site.base_url:
            home["feeds"] = home_feed_links() + picture_link("home", self.site)
            for slug in CLASSES:
                shown = feed_links(slug, "../") + picture_link(slug, self.site)
                lists[f"{slug}/index.html"]["feeds"] = shown
        for path, parts in lists.items():
            template = Template(before.frames[path])
            target.page(path, template.fill({"policy": template.policy, **parts}))
        if self.site.base_url:  # sitemaps and feeds need complete addresses
            self._write_feeds(target, before, entries)
            pages = [
                *((page, "") for page in before.pages),
                *((row.path, row.date) for row in rows),
            ]
            for path, page in sitemaps(self.site, pages).items():
                target.page(path, page)

    def _write_feeds(self, target: SiteDir, before: Manifest, entries: Entries) -> None:
        """Write the feeds that may differ, but for those of entries."""
        records = SignedRecords(self._signed(entries), RegistryFolder(self.source.registry).read)
        tags = changed_tags(before.entries, entries)
        effects = self.registry.effects
        for path, data in feed_files(self.site, rows_of(entries), records, effects, tags):
            target.write(path, data)


def _named(drafts: Drafts | None, names: Iterable[str]) -> dict[str, Draft]:
    """Return those of the names that are drafts."""
    found = drafts.by_name if drafts else {}
    return {name: found[name] for name in sorted(names) if name in found}
