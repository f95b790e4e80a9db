"""The decision table of versions as HTML: every row with its step and the reason, from the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from psreg.catalogue.pages.html import section, table, text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.compatibility import Group, Row

_HEADS = ("Step", "What changed", "Why")


def floor_table(groups: Sequence[Group]) -> str:
    """Return a table of rows for each group, for the page `semver/`."""
    return "".join(
        section(_slug(group.title), group.title, table(_HEADS, map(_row, group.rows)))
        for group in groups
    )


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z]+", title.lower()))


def _row(row: Row[Any]) -> tuple[str, str, str]:
    name = text(row.id)
    step = f"<strong>{row.step}</strong>" + ("<br>please read" if row.behaviour else "")
    anchor = f'<a id="{name}" href="#{name}"><code>{name}</code></a>'
    return step, f"{inline_html(row.summary)}<br>{anchor}", inline_html(row.reason)
