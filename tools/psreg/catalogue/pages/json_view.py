"""Any JSON value as readable HTML; the layout depends on the structure, not on the keys.

Lists of short records become a table, other objects a definition list, strings paragraphs. Custom
root fields of a PBE are shown this way, so that nothing in an artifact is hidden.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from psreg.catalogue.pages.html import chips, humanised, paragraphs, table, terms, text

_WIDEST = 6
"""Maximum number of columns of a table; wider records are shown one below the other."""

_CHIP = 28
_DEEPEST = 12


def readable(value: Any, depth: int = 0) -> str:
    """Return `value`, decoded JSON, as HTML."""
    if depth >= _DEEPEST:
        return json_block(value)
    if isinstance(value, dict):
        rows = ((humanised(key), readable(item, depth + 1)) for key, item in value.items())
        return terms(rows) or "<p>empty</p>"
    if isinstance(value, list):
        return _list(value, depth)
    return paragraphs(value) if isinstance(value, str) else scalar(value)


def scalar(value: Any) -> str:
    """Return a string, number, boolean or null as inline HTML."""
    if isinstance(value, str):
        return text(value).replace("\n", "<br>")
    literal = json.dumps(value)
    return literal if isinstance(value, (int, float)) else f"<code>{literal}</code>"


def json_block(value: Any) -> str:
    """Return `value` as indented JSON text."""
    source = json.dumps(value, ensure_ascii=False, indent=2)
    return f'<pre><code class="language-json">{text(source)}\n</code></pre>'


def _list(items: list[Any], depth: int) -> str:
    if not items:
        return "<p>empty</p>"
    if all(isinstance(item, str) and len(item) <= _CHIP and "\n" not in item for item in items):
        return chips(items)
    if columns := _columns(items):
        rows = ((scalar(item.get(key, "")) for key in columns) for item in items)
        return table((humanised(key) for key in columns), rows)
    parts = "".join(f"<li>{_inner(item, depth)}</li>" for item in items)
    return f"<ul>{parts}</ul>"


def _inner(item: Any, depth: int) -> str:
    return readable(item, depth + 1) if isinstance(item, (dict, list)) else scalar(item)


def _columns(items: list[Any]) -> list[str]:
    """Return the keys of a list of flat records that fit a table, else []."""
    keys: dict[str, None] = {}
    for item in items:
        if not isinstance(item, Mapping):
            return []
        if any(isinstance(value, (dict, list)) for value in item.values()):
            return []
        keys |= dict.fromkeys(item)
    return list(keys) if len(keys) <= _WIDEST else []
