"""Generated Markdown pages: the classes, and the shells of pages that psreg fills itself.

mkdocs renders them together with the hand-written pages; paths are relative to the docs folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from psreg.catalogue.pages.class_texts import CLASS_TEXTS, RESERVED
from psreg.catalogue.pages.frame import SHELLS


def all_sources() -> dict[str, str]:
    """Return every generated page, by path below docs/."""
    return {**_shell_sources(), **class_sources()}


def _shell_sources() -> dict[str, str]:
    """Return the shells: pages with only placeholders."""
    front = _front({"template": "shell.html"})
    sources = (path.replace("/index.html", ".md") for path in SHELLS.values())
    return dict.fromkeys(sources, f"{front}<!--psreg:body-->\n")


def class_sources() -> dict[str, str]:
    """Return the page of each class folder."""
    return {
        f"{entry.slug}/index.md": _front(
            {"title": entry.title, "description": entry.line, "hide": ["navigation", "toc"]}
        )
        + f"# {entry.title}\n\n"
        + (
            f'!!! warning ""\n    {RESERVED[0].upper()}{RESERVED[1:]}.\n\n'
            if entry.reserved
            else ""
        )
        + f"{entry.about}\n{{ .ps-lead }}\n\n<!--psreg:entries-->\n"
        for entry in CLASS_TEXTS
    }


def _front(values: Mapping[str, Any]) -> str:
    # NOTE: JSON is valid YAML, with everything quoted that needs it.
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    return f"---\n{lines}---\n\n"
