"""The frame of the site: what mkdocs and Material build from a small folder of Markdown.

This is the only importer of `mkdocs`. The frame does not depend on the number of entries: psreg
fills them in later, without mkdocs. A warning of mkdocs (a dead link, a missing page) is an error.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psreg
from psreg.catalogue.pages.html import text
from psreg.core.errors import FindingsError
from psreg.system.extras import extra

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_DROPPED = ("sitemap.xml", "sitemap.xml.gz", "assets/javascripts/", "assets/images/")
"""Output of mkdocs that the site does not need: sitemaps with the date of the build, and what the
theme brings besides style sheets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The output of mkdocs, by path below the site's root: HTML pages, and all other files."""

    pages: Mapping[str, str]
    files: Mapping[str, bytes]


def frame_source(checkout: Path) -> Path:
    """Return the folder with mkdocs.yml, docs/ and overrides/ that frames a registry's site.

    A registry may have its own `site/`; otherwise it is psreg's, which is part of the package or,
    in a source checkout of psreg, next to `tools/`.
    """
    package = Path(psreg.__file__).parent
    candidates = (checkout / "site", package / "site", package.parents[1] / "site")
    return next((at for at in candidates if (at / "mkdocs.yml").is_file()), candidates[1])


_HOUSE = ("adr/", "architecture.md")
"""The paths below docs/ of what only psreg's own site says: how psreg is made."""

_NEUTRAL = "assets/psreg/registry.svg"
"""The logo of a registry that has none."""

_WHY = re.compile(r" \(\[why\]\([^)\n]*adr/[^)\n]*\)\)")
_TO_HOUSE = re.compile(r"\[([^]\n]*)\]\((?:\.\./)*(?:adr/|architecture\.md)[^)\n]*\)")

_NAME = "PSREG-NAME-OF-THE-SITE"
"""Stands for the site's name while mkdocs builds, because not every template escapes it."""


def build_frame(
    source: Path,
    generated: Mapping[str, str],
    *,
    site_name: str = "",
    base_url: str = "",
    repository: str = "",
    house: bool = True,
    brand: Mapping[str, bytes] | None = None,
) -> Frame:
    """Build `source` together with the `generated` Markdown, by path below docs/.

    `site_name`, if given, replaces the one in mkdocs.yml; it is text and no HTML. `base_url` is the
    address of the site, `repository` that of the registry's repository, to which the pages link.
    Without the `house`, it has neither pages about how psreg is made nor its logo. `brand`
    has style sheets and a logo, by path.

    Raises:
        UnavailableError: EXTRA_MISSING.
        FindingsError: mkdocs failed or warned; the message contains all its messages.
    """
    with extra("site"):
        import material  # noqa: F401, PLC0415 - mkdocs finds it by its name
        import mkdocs  # noqa: F401, PLC0415
    # Without this, Material prints a banner about mkdocs 2 in every build.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    with (
        tempfile.TemporaryDirectory(prefix="psreg-frame-") as name,
        _captured_warnings() as warnings,
    ):
        docs, site = Path(name, "docs"), Path(name, "site")
        options = {"docs_dir": str(docs), "site_dir": str(site), "site_url": base_url}
        if site_name:
            options["site_name"] = _NAME
        try:
            _write_docs(source / "docs", docs, generated)
            if not house:
                _remove_house(docs)
            extras = {**repository_links(repository), "house": house}
            for path, data in (brand or {}).items():
                (docs / path).parent.mkdir(parents=True, exist_ok=True)
                (docs / path).write_bytes(data)
            _run_mkdocs(source / "mkdocs.yml", options, extras, tuple(brand or ()))
        except Exception as error:  # noqa: BLE001 - themes and plugins raise what they like
            warnings.append(str(error) or type(error).__name__)
        if warnings:
            raise FindingsError(
                "SITE_FRAME", f"the pages of {source} cannot be built: " + "; ".join(warnings)
            )
        return _collect(site, site_name)


def _write_docs(authored: Path, docs: Path, generated: Mapping[str, str]) -> None:
    shutil.copytree(authored, docs)
    for path, markdown in generated.items():
        file = docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(markdown, encoding="utf-8")


def _remove_house(docs: Path) -> None:
    """Remove the pages of the house, and the links to them."""
    shutil.rmtree(docs / "adr")
    (docs / "architecture.md").unlink()
    for page in docs.rglob("*.md"):
        before = page.read_text(encoding="utf-8")
        after = _TO_HOUSE.sub(r"\1", _WHY.sub("", before))
        if after != before:
            page.write_text(after, encoding="utf-8")


def _without_house(items: list[Any]) -> list[Any]:
    """Return the navigation without pages of the house and sections that had only these."""
    kept: list[Any] = []
    for item in items:
        for title, value in item.items() if isinstance(item, dict) else [("", item)]:
            found = _without_house(value) if isinstance(value, list) else value
            if found and not str(found).startswith(_HOUSE):
                kept.append({title: found} if title else found)
    return kept


def repository_links(repository: str) -> dict[str, str]:
    """Return the addresses to which pages link in a repository; `ask` and `report` are beginnings.

    What is asked for follows `ask`; the name and version of what is reported follow `report`.
    """
    host = urlsplit(repository).hostname or ""
    if host == "github.com":
        return {
            "repository": repository,
            "submit": f"{repository}/issues/new?template=submit-a-prompt.yml",
            "ask": f"{repository}/issues/new?title=",
            "report": f"{repository}/issues/new?template=report-a-prompt.yml&release=",
        }
    if host == "gitlab.com":
        ask = f"{repository}/-/issues/new?issue[title]="
        return {"repository": repository, "submit": repository, "ask": ask, "report": ask}
    return {"repository": repository, "submit": repository}


def _run_mkdocs(
    config_file: Path, options: Mapping[str, str], extra: Mapping[str, Any], brand: tuple[str, ...]
) -> None:
    from mkdocs.commands.build import build  # noqa: PLC0415 - half of a short command's time
    from mkdocs.config import load_config  # noqa: PLC0415

    config = load_config(str(config_file), **options)
    config.extra.update(extra)
    if not extra["house"]:
        config.nav = _without_house(config.nav or [])
    config.extra_css += [path for path in brand if path.endswith(".css")]
    _join_styles(config)
    logos = [path for path in brand if not path.endswith(".css")]
    for logo in logos or ([] if extra["house"] else [_NEUTRAL]):
        config.theme["logo"] = config.theme["favicon"] = logo
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()


_UNUSED = re.compile(
    r'<div data-md-component="(?:skip|announce)">\s*</div>\s*'
    r'|<div class="md-copyright">\s*</div>\s*'
    r'|<div class="md-dialog"[^>]*>\s*<div[^>]*></div>\s*</div>\s*'
    r'| data-md-component="\w+"'
)
"""What only the theme's scripts would use."""

_ASSETS = "assets/psreg/"
_STYLES = f"{_ASSETS}psreg.css"


def _join_styles(config: MkDocsConfig) -> None:
    """Let pages ask for one style sheet in place of psreg's and those of the policy."""
    ours = [path for path in config.extra_css if path.startswith(_ASSETS)]
    folders = [Path(config.docs_dir), *map(Path, config.theme.dirs)]
    sheets = [next(at / path for at in folders if (at / path).is_file()) for path in ours]
    if sheets:
        joined = folders[0] / _STYLES
        joined.parent.mkdir(parents=True, exist_ok=True)
        joined.write_text("\n".join(sheet.read_text("utf-8") for sheet in sheets), "utf-8")
        config.extra_css = [_STYLES, *(path for path in config.extra_css if path not in ours)]


@contextmanager
def _captured_warnings() -> Iterator[list[str]]:
    """Collect the warnings of mkdocs, and silence its other messages."""
    warnings: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warnings.append(record.getMessage())

    logger = logging.getLogger("mkdocs")
    listener, before = Listener(logging.WARNING), (logger.propagate, logger.level)
    logger.addHandler(listener)
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield warnings
    finally:
        logger.removeHandler(listener)
        logger.propagate, level = before
        logger.setLevel(level)


def _collect(site: Path, site_name: str) -> Frame:
    pages: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for file in sorted(site.rglob("*")):
        path = file.relative_to(site).as_posix()
        if file.is_dir() or path.startswith(_DROPPED) or path.endswith(".map"):
            continue
        if path.endswith(".html"):
            html = file.read_text(encoding="utf-8").replace(_NAME, text(site_name))
            pages[path] = _UNUSED.sub("", html)
        else:
            files[path] = file.read_bytes()
    return Frame(pages=pages, files=files)
