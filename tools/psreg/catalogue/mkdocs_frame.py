"""The frame of the site: what mkdocs and Material build of a small folder of Markdown.

Only importer of `mkdocs`. The frame is the same for one entry and for a hundred thousand: entries
are filled in later, without mkdocs. A warning of mkdocs (a dead link, a missing page) is an error.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psreg
from psreg.core.errors import FindingsError

_DROPPED = ("sitemap.xml", "sitemap.xml.gz", "assets/javascripts/lunr/")
"""What mkdocs writes and the site does not need: sitemaps with the date of the build, stemmers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What mkdocs built, by path below the site's root: HTML pages, and everything else."""

    pages: Mapping[str, str]
    files: Mapping[str, bytes]


def frame_source(checkout: Path) -> Path:
    """Return the folder with mkdocs.yml, docs/ and overrides/ that frames a registry's site.

    A registry may have its own `site/`; otherwise it is psreg's, which is part of the package
    and, in a source checkout of psreg, lies beside `tools/`.
    """
    package = Path(psreg.__file__).parent
    candidates = (checkout / "site", package / "site", package.parents[1] / "site")
    return next((at for at in candidates if (at / "mkdocs.yml").is_file()), candidates[1])


def build_frame(
    source: Path, generated: Mapping[str, str], *, site_name: str = "", base_url: str = ""
) -> Frame:
    """Build `source` together with the `generated` Markdown, by path below docs/.

    `site_name`, if given, replaces the one in mkdocs.yml. `base_url` is where the site will stand.

    Raises:
        FindingsError: mkdocs refused or warned; the message has all it said.
    """
    # Material prints a banner about mkdocs 2 into every build that does not ask it not to.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    with tempfile.TemporaryDirectory(prefix="psreg-frame-") as name, _heard() as said:
        docs, site = Path(name, "docs"), Path(name, "site")
        options = {"docs_dir": str(docs), "site_dir": str(site), "site_url": base_url}
        if site_name:
            options["site_name"] = site_name
        try:
            _write_docs(source / "docs", docs, generated)
            _run_mkdocs(source / "mkdocs.yml", options)
        except Exception as error:  # noqa: BLE001 - themes and plugins raise what they like
            said.append(str(error) or type(error).__name__)
        if said:
            raise FindingsError(
                "SITE_FRAME", f"the pages of {source} cannot be built: " + "; ".join(said)
            )
        return _collect(site)


def _write_docs(authored: Path, docs: Path, generated: Mapping[str, str]) -> None:
    shutil.copytree(authored, docs)
    for path, text in generated.items():
        place = docs / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _run_mkdocs(config_file: Path, options: Mapping[str, str]) -> None:
    from mkdocs.commands.build import build  # noqa: PLC0415 - half of a short command's time
    from mkdocs.config import load_config  # noqa: PLC0415

    config = load_config(str(config_file), **options)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Collect the warnings of mkdocs and keep its chatter off the screen."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger = logging.getLogger("mkdocs")
    listener, before = Listener(logging.WARNING), (logger.propagate, logger.level)
    logger.addHandler(listener)
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield said
    finally:
        logger.removeHandler(listener)
        logger.propagate, level = before
        logger.setLevel(level)


def _collect(site: Path) -> Frame:
    pages: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for place in sorted(site.rglob("*")):
        path = place.relative_to(site).as_posix()
        if place.is_dir() or path.startswith(_DROPPED) or path.endswith(".map"):
            continue
        if path.endswith(".html"):
            pages[path] = place.read_text(encoding="utf-8")
        else:
            files[path] = place.read_bytes()
    return Frame(pages=pages, files=files)
