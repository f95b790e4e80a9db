"""A prompt in readable form on a terminal: headings and wrapped text instead of JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 88
_HEAD = ("pbe_name", "pbe_version", "pbe_class", "install_instructions")


def pbe_outline(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a PBE: name and class, then every field under its own heading."""
    name, version, entry_class = (value.get(key, "?") for key in _HEAD[:3])
    yield f"{name} {version} · {entry_class}"
    for key, field in value.items():
        if key not in _HEAD:
            yield ""
            yield from _member(key, field, 0)


def _member(key: str, value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    title = key.replace("_", " ")
    if isinstance(value, (dict, list)):
        yield f"{margin}{title.upper() if depth == 0 else title + ':'}"
        yield from _value(value, depth + 1)
    elif depth == 0:
        yield f"{margin}{title.upper()}"
        yield from _wrapped(str(value), "  ", "  ")
    else:
        yield from _wrapped(str(value), f"{margin}{title}: ", margin + "  ")


def _value(value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _member(key, item, depth)
        return
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, (dict, list)):
            lines = list(_value(item, depth + 1))
            yield f"{margin}- {lines[0].lstrip()}" if lines else f"{margin}-"
            yield from lines[1:]
        else:
            yield from _wrapped(str(item), f"{margin}- ", margin + "  ")


def _wrapped(text: str, first: str, rest: str) -> Iterator[str]:
    for paragraph in text.split("\n"):
        yield from textwrap.wrap(
            paragraph, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        ) or [first.rstrip()]
        first = rest


def prompt_outline(
    metadata: Mapping[str, str], variables: Mapping[str, str | None], content: str
) -> Iterator[str]:
    """Yield the lines of a `.prompt`: metadata, variables (default None = required), the text."""
    for key, text in metadata.items():
        yield from _wrapped(text, f"{key}: ", "  ")
    yield ""
    yield "VARIABLES"
    for name, default in variables.items():
        known = "required" if default is None else f"default: {default}"
        yield from _wrapped(known, f"  {{{name}}}  ", "      ")
    yield ""
    yield "TEXT"
    yield from content.split("\n")
