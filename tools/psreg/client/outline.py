"""A prompt in readable form on a terminal: headings and wrapped text instead of JSON.

Everything that a prompt compares or fills in (names of members, numbers, the template of a save) is
shown exactly as it is in the file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psreg.formats.json.json_document import JsonTree
from psreg.formats.json.pointer import join

WIDTH = 88
_HEAD = ("pbe_name", "pbe_version", "pbe_class")
_VERBATIM = "save_template"

Path = tuple[str | int, ...]
"""The names and indexes that lead to a value."""


def pbe_outline(tree: JsonTree) -> Iterator[str]:
    """Yield the lines of a PBE: name and class, then every field under its own heading."""
    name, version, entry_class = (tree.value.get(key, "?") for key in _HEAD)
    yield f"{name} {version} · {entry_class}"
    for key, field in tree.value.items():
        if key not in _HEAD:
            yield ""
            yield key.replace("_", " ").upper()
            yield from _value(tree, (key,), field, 1)


def _value(tree: JsonTree, path: Path, value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    if path[-1] == _VERBATIM:
        yield from (f"{margin}{line}" for line in _source(tree, path).split("\n"))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _member(tree, (*path, key), item, depth)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _item(tree, (*path, index), item, depth)
    else:
        yield from _wrapped(_scalar(tree, path, value), margin, margin)


def _member(tree: JsonTree, path: Path, value: Any, depth: int) -> Iterator[str]:
    margin, key = "  " * depth, path[-1]
    if isinstance(value, (dict, list)):
        yield f"{margin}{key}:"
        yield from _value(tree, path, value, depth + 1)
    else:
        yield from _wrapped(_scalar(tree, path, value), f"{margin}{key}: ", margin + "  ")


def _item(tree: JsonTree, path: Path, value: Any, depth: int) -> Iterator[str]:
    margin = "  " * depth
    if isinstance(value, (dict, list)):
        lines = list(_value(tree, path, value, depth + 1))
        yield f"{margin}- {lines[0].lstrip()}" if lines else f"{margin}-"
        yield from lines[1:]
    else:
        yield from _wrapped(_scalar(tree, path, value), f"{margin}- ", margin + "  ")


def _scalar(tree: JsonTree, path: Path, value: Any) -> str:
    """Return a text, or another value as it is written in the file."""
    return value if isinstance(value, str) else _source(tree, path)


def _source(tree: JsonTree, path: Sequence[str | int]) -> str:
    span = tree.span(join(path))
    return tree.text[span.start : span.end]


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
