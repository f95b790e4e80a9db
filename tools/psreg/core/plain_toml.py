"""TOML that has but tables of texts, such as what `psreg registry add` writes.

To load Python's reader of TOML takes a twelfth of an installation: it compiles five patterns, and a
class. What is as plain as this needs none of them; everything else is left to it.
"""

from __future__ import annotations

from typing import Any


def plain_toml(text: str) -> dict[str, Any] | None:
    """Return what `tomllib.loads` returns for a text, or None: then only that can tell.

    A line of a plain text is empty, a comment, the title of a table, or `key = "value"`.
    """
    found: dict[str, Any] = {}
    table = found
    for line in text.split("\n"):
        if line.startswith("["):
            if (new := _new_table(found, line)) is None:
                return None
            table = new
        elif line and not (line[0] == "#" and line.isprintable()):
            name, _, quoted = line.partition(" = ")
            key, value = _key(name), _value(quoted)
            if key is None or value is None or key in table:
                return None
            table[key] = value
    return found


def _new_table(found: dict[str, Any], line: str) -> dict[str, Any] | None:
    """Return the table whose title is on a line, `[key]` or `[key.key]`, now also in `found`."""
    first, dot, second = line[1:-1].partition(".")
    outer, name = (_key(first), _key(second)) if dot else ("", _key(first))
    if outer is None or name is None or line[-1] != "]":
        return None
    above = found.setdefault(outer, {}) if dot else found
    if not isinstance(above, dict) or name in above:
        return None
    table: dict[str, Any] = {}
    above[name] = table
    return table


def _key(text: str) -> str | None:
    """Return the key that is written so, with or without quotes; None if it is not plain."""
    is_bare = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return text if is_bare else _value(text)


def _value(text: str) -> str | None:
    """Return the text in quotes; None if that is not all there is, or it has an escape."""
    inner = text[1:-1]
    is_plain = text == f'"{inner}"' and inner.isprintable() and not {'"', "\\"} & set(inner)
    return inner if is_plain else None
