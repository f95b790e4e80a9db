"""Build a site from a published registry, for `site build` and `serve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path, PurePosixPath

from psreg.catalogue.mkdocs_frame import Frame, build_frame, frame_source
from psreg.catalogue.pages import markdown_pages
from psreg.catalogue.pages.entry_page import entry_pages
from psreg.catalogue.pages.frame import Shells, Site, Template
from psreg.catalogue.pages.json_api import (
    index_document,
    robots,
    schema_document,
    search_index,
    sitemap,
)
from psreg.catalogue.pages.listing import Row, class_part, home_parts
from psreg.catalogue.pages.reference_tables import (
    error_search,
    error_table,
    floor_table,
    formula_table,
)
from psreg.catalogue.pages.rule_pages import rule_list, rule_pages, rule_search
from psreg.catalogue.pages.spec_pages import (
    decision_table,
    document_path,
    spec_document,
    spec_list,
    spec_pages,
)
from psreg.catalogue.rule_examples import examples
from psreg.catalogue.site_folder import SiteDir, site_dir
from psreg.compatibility.version_floor import FLOOR_GROUPS
from psreg.core.classes import CLASSES
from psreg.core.error_codes import SUBJECTS
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.rule import RuleTable
from psreg.formats import policy
from psreg.formats.specs import specifications
from psreg.registry.catalog_head import Head, head_of, segment_data
from psreg.registry.checkout import find_checkout
from psreg.registry.published import Entry, SignedRecord, check_drift, entries, signed_records
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import (
    ROOT,
    TIMESTAMP,
    TIMESTAMP_PATH,
    metadata_path,
    package_target,
    target_path,
)
from psreg.system.files import read_file
from psreg.system.processes import in_parallel, shares_of

_LARGEST = 256 * 1024 * 1024
"""Maximum number of bytes of a copied file; shards grow with the registry."""

_SLICE = 100
"""Minimum number of entries for a separate process."""

_MOST = 8
"""Maximum number of processes that write at once; with more, the disk is the bottleneck."""

_SEARCH_INDEX = "search/search_index.json"


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

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a plain file in the checkout, None if there is no such file."""
        try:
            return read_file(self.checkout / path)
        except UnavailableError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSite:
    """The result of a build: the site's identity, and the number of entries and files."""

    site: Site
    entries: int
    files: int

    @property
    def entry_count(self) -> str:
        """The number of entries in words."""
        return "1 entry" if self.entries == 1 else f"{self.entries} entries"


def build_site(
    source: SiteSource,
    out: Path,
    base_url: str,
    rules: RuleTable,
    *,
    scripts: Mapping[str, bytes],
    executor: Executor | None = None,
) -> BuiltSite:
    """Write the site of the registry in `source` to the folder `out`; `executor` helps with it.

    `scripts` are programs for download, by their name below `scripts/`.

    Raises:
        PsregError: nothing is published, the checkout differs from what is signed, a signature
            is wrong, the frame cannot be built, or `out` cannot be written.
    """
    policy = source.policy()
    name = policy.site_name or "psreg"
    framing = partial(_build_frame, source, name, base_url, policy.site_repository)
    (state, records), (frame,) = in_parallel(partial(_read, source), [framing], executor)
    site = Site(
        name=name,
        registry_id=state.registry_id,
        mode=state.mode,
        root_sha256=state.root_sha256,
        base_url=base_url,
    )
    with site_dir(out) as target:
        shells = Shells(
            {
                depth: frame.pages[_page_path(markdown)]
                for depth, markdown in markdown_pages.SHELLS.items()
            },
            site,
        )
        rows = _write_entries(target, shells, records, source, executor)
        _write_rules(target, shells, rules)
        _write_frame(target, frame, rows, site, rules)
        _write_registry(target, state, source.registry)
        _write_documents(target, state, site, rules)
        for script, content in scripts.items():
            target.write(f"scripts/{script}", content)
        _write_sitemap(target, frame, rows, site, rules)
        return BuiltSite(site=site, entries=len(rows), files=target.count)


def _read(source: SiteSource) -> tuple[RegistryState, Sequence[SignedRecord]]:
    state = read_registry(RegistryFolder(source.registry).read)
    if state is None:
        message = f"nothing is published in {source.registry}"
        raise UnavailableError("NOT_PUBLISHED", message, "run psreg publish")
    return state, signed_records(state.packages)


def _build_frame(source: SiteSource, name: str, base_url: str, repository: str) -> Frame:
    return build_frame(
        frame_source(source.checkout),
        markdown_pages.all_sources(),
        site_name=name,
        base_url=base_url,
        repository=repository,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The result of one process: the rows of its entries, the drift, and the number of files."""

    rows: list[Row]
    drift: list[str]
    files: int


def _write_entries(
    target: SiteDir,
    shells: Shells,
    records: Sequence[SignedRecord],
    source: SiteSource,
    executor: Executor | None,
) -> list[Row]:
    """Write the files of all entries; return their rows, by name."""
    before = target.count
    size = max(1, -(-len(records) // min(shares_of(len(records), _SLICE, executor), _MOST)))
    work = partial(_write_slice, target, shells, source)
    others = [partial(work, records[at : at + size]) for at in range(size, len(records), size)]
    first, rest = in_parallel(partial(work, records[:size]), others, executor)
    done = [first, *rest]
    check_drift([line for each in done for line in each.drift])
    target.count = before + sum(each.files for each in done)
    return [row for each in done for row in each.rows]


def _write_slice(
    target: SiteDir, shells: Shells, source: SiteSource, records: Sequence[SignedRecord]
) -> _Written:
    before = target.count
    rows: list[Row] = []
    drift: list[str] = []
    for entry in entries(records, source.read, drift):
        rows.append(Row.of(entry))
        _write_entry(target, shells, entry)
    return _Written(rows=rows, drift=drift, files=target.count - before)


def _write_entry(target: SiteDir, shells: Shells, entry: Entry) -> None:
    for page in entry_pages(entry, shells.site):
        target.page(page.file, shells.fill(page))
    for release in entry.releases:
        for path, data in release.files.items():
            target.write(path, data)
    target.write(f"api/v1/packages/{entry.record.name}.json", entry.raw)


def _write_rules(target: SiteDir, shells: Shells, rules: RuleTable) -> None:
    for page in (*rule_pages(rules, examples()), *spec_pages(specifications(), rules)):
        target.page(page.file, shells.fill(page))


def _tables(rules: RuleTable) -> Mapping[str, tuple[str, Callable[[], str]]]:
    """Return the pages with a generated table: the placeholder, and the function for it."""
    return {
        "rules": ("rules", partial(rule_list, rules)),
        "errors": ("errors", partial(error_table, SUBJECTS)),
        "semver": ("floor", partial(floor_table, FLOOR_GROUPS)),
        "score": ("score", formula_table),
        "specs": ("specs", lambda: spec_list(specifications(), rules)),
    }


def _write_frame(
    target: SiteDir, frame: Frame, rows: list[Row], site: Site, rules: RuleTable
) -> None:
    """Write the output of mkdocs: fill in some pages, copy everything else."""
    tables = _tables(rules)
    for path in _visible(frame):
        template = Template(frame.pages[path])
        parts = {"policy": template.policy}
        folder = path.removesuffix("/index.html")
        if path == "index.html":
            parts |= home_parts(rows, site)
        elif folder in CLASSES:
            parts["entries"] = class_part(folder, rows)
        elif folder in tables:
            mark, make = tables[folder]
            parts[mark] = make()
        elif folder.startswith("protocols/"):
            name = folder.removeprefix("protocols/")
            parts["readings"] = decision_table(name, specifications(), rules)
        target.page(path, template.fill(parts))
    for path, data in frame.files.items():
        if path == _SEARCH_INDEX:
            found = search_index(data, (*rule_search(rules), *error_search(SUBJECTS)))
            target.write(path, found)
        else:
            target.write(path, data)


def _write_registry(target: SiteDir, state: RegistryState, registry: Path) -> None:
    """Write the metadata in force, the roots that lead to it, and the targets that it lists.

    Nothing else in the registry's folder is written: nobody signed it, and a page among it would
    speak in the name of the site.
    """
    found: dict[str, bytes] = {}
    for role, document in state.documents.items():
        timestamp = role == TIMESTAMP
        found[TIMESTAMP_PATH if timestamp else metadata_path(role, document.version)] = (
            document.data
        )
    for version in range(1, state.root.version):
        path = metadata_path(ROOT, version)
        found[path] = read_file(registry / path, _LARGEST)
    for name, data in state.packages.items():
        path = package_target(name)
        found[target_path(path, state.targets[path].sha256)] = data
    found |= {file.path: file.data for file in state.catalog.values()}
    found |= _segments(state, registry)
    for path, data in sorted(found.items()):
        target.write(f"registry/{path}", data)


def _head(state: RegistryState) -> Head:
    head = head_of(state)
    if head is None:
        message = "an older psreg published this registry"
        raise UnavailableError("NOT_PUBLISHED", message, "Run `psreg publish`.")
    return head


def _segments(state: RegistryState, registry: Path) -> dict[str, bytes]:
    """Return the live segments of the catalogue by path."""
    read = RegistryFolder(registry).read
    return {segment.path: segment_data(segment, read) for segment in _head(state).segments}


def _write_documents(target: SiteDir, state: RegistryState, site: Site, rules: RuleTable) -> None:
    target.write("api/v1/index.json", index_document(site, _head(state), len(state.packages)))
    for spec in specifications():
        target.write(document_path(spec), spec_document(spec, rules))
    for schema in files("psreg.formats").joinpath("schemas").iterdir():
        if schema.name.endswith(".json"):
            path = f"schemas/{schema.name}"
            target.write(path, schema_document(schema.read_bytes(), path, site))
    target.page("robots.txt", robots(site))
    # Otherwise GitHub Pages would turn every README.md into a page.
    target.write(".nojekyll", b"")


def _write_sitemap(
    target: SiteDir, frame: Frame, rows: list[Row], site: Site, rules: RuleTable
) -> None:
    """Write the sitemap; it needs complete addresses, so `base_url` must be known."""
    if site.base_url:
        pages = [(path.removesuffix("index.html"), "") for path in _visible(frame)]
        pages.remove(("404.html", ""))
        pages += [(rule.page, "") for rule in rules]
        pages += [(spec.page, "") for spec in specifications()]
        pages += [(row.path, row.date) for row in rows]
        target.page("sitemap.xml", sitemap(site, pages))


def _visible(frame: Frame) -> list[str]:
    """Return the pages of the frame that are not shells."""
    shells = {_page_path(markdown) for markdown in markdown_pages.SHELLS.values()}
    return [path for path in frame.pages if path not in shells]


def _page_path(markdown: str) -> str:
    """Return the path at which mkdocs writes the page of a Markdown file."""
    path = PurePosixPath(markdown)
    folder = path.parent if path.stem == "index" else path.with_suffix("")
    return str(folder / "index.html")
