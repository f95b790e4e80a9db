"""The files of a site that are the same whatever its entries are: the frame, rules, documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import files

from psreg.catalogue.mkdocs_frame import Frame
from psreg.catalogue.pages.frame import SHELLS, Shells, Site, Template, shells_of
from psreg.catalogue.pages.json_api import robots, schema_document
from psreg.catalogue.pages.reference_tables import (
    error_table,
    error_texts,
    floor_table,
    formula_table,
    platform_options,
)
from psreg.catalogue.pages.rule_pages import rule_list, rule_pages
from psreg.catalogue.pages.spec_pages import (
    decision_table,
    document_path,
    spec_document,
    spec_list,
    spec_pages,
)
from psreg.catalogue.rule_examples import examples
from psreg.catalogue.site_folder import SiteDir
from psreg.catalogue.texts.documents import DOCUMENTS, documents_file
from psreg.catalogue.texts.openapi import OPENAPI, openapi_document
from psreg.compatibility.version_floor import FLOOR_GROUPS
from psreg.core.classes import CLASSES
from psreg.core.error_codes import SUBJECTS
from psreg.core.rule import RuleTable
from psreg.formats.specs import specifications

_NOT_FOUND = "404.html"
_RUN = "run/index.html"

_BLANKS = re.compile(r"\s*\n\s*")
"""Blanks around the line breaks of a shell; it has no text in which they matter."""


def write(
    target: SiteDir, frame: Frame, rules: RuleTable, scripts: Mapping[str, bytes], site: Site
) -> None:
    """Write everything that mkdocs built, except the `entry_frames`, and what has no entries."""
    shells = Shells(shells_of(frame.pages), site)
    found = [*error_texts(SUBJECTS)]
    for page in rule_pages(rules, examples()):
        target.page(page.file, shells.fill(page))
        found.append((page.path, _without_examples(page.body)))
    for page in spec_pages(specifications(), rules):
        target.page(page.file, shells.fill(page))
        found.append((page.path, page.body))
    for path, html in _frame_pages(frame, rules, site):
        target.page(path, html)
        if path != _NOT_FOUND:
            found.append((path.removesuffix("index.html"), html))
    for path, data in frame.files.items():
        target.write(path, data)
    target.write(DOCUMENTS, documents_file(found))
    for script, content in scripts.items():
        target.write(f"scripts/{script}", content)
    for spec in specifications():
        target.write(document_path(spec), spec_document(spec, rules))
    for schema in files("psreg.formats").joinpath("schemas").iterdir():
        path = f"schemas/{schema.name}"
        target.write(path, schema_document(schema.read_bytes(), path, site))
    target.write(OPENAPI, openapi_document(site))
    target.page("robots.txt", robots(site))
    # Otherwise GitHub Pages would turn every README.md into a page.
    target.write(".nojekyll", b"")


def _without_examples(body: str) -> str:
    """Return the page of a rule as the search reads it: all rules have these sections."""
    return body.partition("<section")[0]


def fixed_pages(frame: Frame, rules: RuleTable) -> tuple[str, ...]:
    """Return the folders of all pages besides those of entries, for the sitemap."""
    shown = (path for path in _visible(frame) if path != _NOT_FOUND)
    return (
        *(path.removesuffix("index.html") for path in shown),
        *(rule.page for rule in rules),
        *(spec.page for spec in specifications()),
    )


def entry_frames(frame: Frame) -> dict[str, str]:
    """Return the pages of the frame that entries are filled into, by path; shells are included."""
    shells = set(SHELLS.values())
    wanted = {*shells, "index.html", *(f"{slug}/index.html" for slug in CLASSES)}
    return {
        path: _BLANKS.sub("\n", html) if path in shells else html
        for path, html in frame.pages.items()
        if path in wanted
    }


def _frame_pages(frame: Frame, rules: RuleTable, site: Site) -> Iterator[tuple[str, str]]:
    """Yield path and HTML of the pages that mkdocs built, some with tables filled in."""
    tables = _tables(rules, site)
    ours = entry_frames(frame)
    for path in _visible(frame):
        if path in ours:
            continue
        template = Template(frame.pages[path])
        parts = {"policy": template.policy_of_run if path == _RUN else template.policy}
        folder = path.removesuffix("/index.html")
        if folder in tables:
            mark, make = tables[folder]
            parts[mark] = make()
        elif folder.startswith("protocols/"):
            name = folder.removeprefix("protocols/")
            parts["readings"] = decision_table(name, specifications(), rules)
        yield path, template.fill(parts)


def _tables(rules: RuleTable, site: Site) -> Mapping[str, tuple[str, Callable[[], str]]]:
    """Return the pages with a generated table: the placeholder, and the function for it."""
    return {
        "rules": ("rules", partial(rule_list, rules)),
        "errors": ("errors", partial(error_table, SUBJECTS)),
        "semver": ("floor", partial(floor_table, FLOOR_GROUPS)),
        "score": ("score", formula_table),
        "run": ("platforms", partial(platform_options, site.platforms)),
        "specs": ("specs", lambda: spec_list(specifications(), rules)),
    }


def _visible(frame: Frame) -> Iterator[str]:
    """Yield the pages of the frame that are not shells."""
    shells = set(SHELLS.values())
    return (path for path in frame.pages if path not in shells)
