"""From a published registry to a folder of files: what `site build` and `serve` share."""

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
from psreg.catalogue.pages.error_table import error_search, error_table
from psreg.catalogue.pages.frame import Shells, Site, Template
from psreg.catalogue.pages.json_api import (
    index_document,
    robots,
    schema_document,
    search_index,
    sitemap,
)
from psreg.catalogue.pages.listing import Row, class_part, home_parts
from psreg.catalogue.pages.rule_pages import rule_list, rule_pages, rule_search
from psreg.catalogue.pages.score_view import formula_table
from psreg.catalogue.pages.semver_table import floor_table
from psreg.catalogue.pages.spec_pages import (
    decision_table,
    document_path,
    spec_document,
    spec_list,
    spec_pages,
)
from psreg.catalogue.rule_examples import examples
from psreg.catalogue.site_folder import SiteDir, site_dir
from psreg.compatibility import FLOOR_GROUPS
from psreg.core.error_codes import SUBJECTS
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import CLASSES
from psreg.core.rule_table import RuleTable
from psreg.formats import policy
from psreg.formats.specs import specifications
from psreg.registry.checkout import find_checkout
from psreg.registry.published import Entry, Signed, entries, refuse, signed_records
from psreg.registry.store_folder import RegistryDir
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import METADATA_FOLDER, TARGET_FOLDERS
from psreg.system.files import read_file
from psreg.system.processes import in_parallel, shares_of

_LARGEST = 256 * 1024 * 1024
"""Bytes of the largest file of a registry that is copied; shards grow with the registry."""

_SLICE = 100
"""Entries worth a process of their own."""

_MOST = 8
"""Processes that write at once: beyond, the disk is what everything waits for."""

_SEARCH_INDEX = "search/search_index.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a registry lies: its checkout, and the folder with its metadata."""

    checkout: Path
    registry: Path

    @classmethod
    def find(cls, registry_dir: str | None) -> Place:
        """Return the place of the checkout around the current folder.

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
        """Return the bytes of a plain file of the checkout, None if there is no such file."""
        try:
            return read_file(self.checkout / path)
        except UnavailableError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was built: the site's identity and how much there is of it."""

    site: Site
    entries: int
    files: int

    @property
    def counted(self) -> str:
        """How many entries there are, in words."""
        return "1 entry" if self.entries == 1 else f"{self.entries} entries"


def build_site(
    place: Place,
    out: Path,
    base_url: str,
    rules: RuleTable,
    *,
    scripts: Mapping[str, bytes],
    executor: Executor | None = None,
) -> Built:
    """Write the site of the registry at `place` to the folder `out`; `executor` helps with it.

    `scripts` are programs for download, by their name below `scripts/`.

    Raises:
        PsregError: nothing is published, the checkout differs from what is signed, a signature
            is wrong, the frame cannot be built, or `out` cannot be written.
    """
    name = place.policy().site_name or "psreg"
    framing = partial(_build_frame, place, name, base_url)
    (state, records), (frame,) = in_parallel(partial(_read, place), [framing], executor)
    site = Site(
        name=name,
        registry_id=state.registry_id,
        mode=state.mode,
        root_sha256=state.root_sha256,
        base_url=base_url,
    )
    with site_dir(out) as target:
        shells = Shells(
            {depth: frame.pages[_built(source)] for depth, source in markdown_pages.SHELLS.items()},
            site,
        )
        rows = _write_entries(target, shells, records, place, executor)
        _write_rules(target, shells, rules)
        _write_frame(target, frame, rows, site, rules)
        _copy_registry(target, place.registry)
        _write_documents(target, state, site, rules)
        for script, content in scripts.items():
            target.write(f"scripts/{script}", content)
        _write_sitemap(target, frame, rows, site, rules)
        return Built(site=site, entries=len(rows), files=target.count)


def _read(place: Place) -> tuple[RegistryState, Sequence[Signed]]:
    state = read_registry(RegistryDir(place.registry).read)
    if state is None:
        message = f"nothing is published in {place.registry}"
        raise UnavailableError("NOT_PUBLISHED", message, "run psreg publish")
    return state, signed_records(state.packages)


def _build_frame(place: Place, name: str, base_url: str) -> Frame:
    source = frame_source(place.checkout)
    return build_frame(source, markdown_pages.all_sources(), site_name=name, base_url=base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """What one process wrote: rows of its entries, what differed, how many files."""

    rows: list[Row]
    drift: list[str]
    files: int


def _write_entries(
    target: SiteDir,
    shells: Shells,
    records: Sequence[Signed],
    place: Place,
    executor: Executor | None,
) -> list[Row]:
    """Write all that belongs to single entries; return their rows, by name."""
    before = target.count
    size = max(1, -(-len(records) // min(shares_of(len(records), _SLICE, executor), _MOST)))
    work = partial(_write_slice, target, shells, place)
    others = [partial(work, records[at : at + size]) for at in range(size, len(records), size)]
    first, rest = in_parallel(partial(work, records[:size]), others, executor)
    done = [first, *rest]
    refuse([line for each in done for line in each.drift])
    target.count = before + sum(each.files for each in done)
    return [row for each in done for row in each.rows]


def _write_slice(
    target: SiteDir, shells: Shells, place: Place, records: Sequence[Signed]
) -> _Written:
    before = target.count
    rows: list[Row] = []
    drift: list[str] = []
    for entry in entries(records, place.read, drift):
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
    """Return the pages with a table that every registry has: its mark, and what makes it."""
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
    """Write what mkdocs built: some pages filled in, everything else as it is."""
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


def _copy_registry(target: SiteDir, registry: Path) -> None:
    """Copy what is signed, old versions too: a client may be in the middle of an update."""
    folder = RegistryDir(registry)
    for part in (METADATA_FOLDER, *TARGET_FOLDERS):
        for name in folder.names(part):
            data = read_file(registry / part / name, _LARGEST)
            target.write(f"registry/{part}/{name}", data)


def _write_documents(target: SiteDir, state: RegistryState, site: Site, rules: RuleTable) -> None:
    shards = {name: (f"registry/{file.path}", file.data) for name, file in state.catalog.items()}
    target.write("api/v1/index.json", index_document(site, shards, len(state.packages)))
    for spec in specifications():
        target.write(document_path(spec), spec_document(spec, rules))
    for schema in files("psreg.formats").joinpath("schemas").iterdir():
        if schema.name.endswith(".json"):
            path = f"schemas/{schema.name}"
            target.write(path, schema_document(schema.read_bytes(), path, site))
    target.page("robots.txt", robots(site))
    # GitHub Pages would otherwise turn every README.md into a page of its own.
    target.write(".nojekyll", b"")


def _write_sitemap(
    target: SiteDir, frame: Frame, rows: list[Row], site: Site, rules: RuleTable
) -> None:
    """List the pages of the frame and of the entries; addresses must be complete for that."""
    if site.base_url:
        pages = [(path.removesuffix("index.html"), "") for path in _visible(frame)]
        pages.remove(("404.html", ""))
        pages += [(rule.page, "") for rule in rules]
        pages += [(spec.page, "") for spec in specifications()]
        pages += [(row.path, row.date) for row in rows]
        target.page("sitemap.xml", sitemap(site, pages))


def _visible(frame: Frame) -> list[str]:
    """Return the pages of the frame that are pages, and not shells."""
    shells = {_built(source) for source in markdown_pages.SHELLS.values()}
    return [path for path in frame.pages if path not in shells]


def _built(source: str) -> str:
    """Return where mkdocs writes the page of a Markdown file."""
    path = PurePosixPath(source)
    folder = path.parent if path.stem == "index" else path.with_suffix("")
    return str(folder / "index.html")
