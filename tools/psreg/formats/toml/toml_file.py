"""A TOML file of a registry as data that a schema judges.

`value` is JSON data and never of the wrong outer type, whatever the file holds, so that a reader
may ask before, or without, judging.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from psreg.formats import schema
from psreg.formats.schema import Violation
from psreg.formats.toml.toml_document import TomlTree, json_value

MOST = 100
"""Items of one list or table that rules judge; where there may be more, the schema objects."""


class TomlFile:
    """One file: its tree with positions, its value as JSON data, its violations of the schema."""

    schema_name: ClassVar[str]
    most_items: ClassVar[int | None] = None
    """Items of an array that `strings` and `tables` look at: as many as the schema allows."""

    def __init__(self, tree: TomlTree) -> None:
        self.tree = tree

    @cached_property
    def value(self) -> dict[str, Any]:
        """The file as JSON data, dates as ISO strings and floats as decimal text; {} if none."""
        return json_value(self.tree.value) if self.tree.parsed else {}

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What the schema says of the value; nothing of a file that did not parse."""
        return schema.violations(self.schema_name, self.value) if self.tree.parsed else ()

    def text(self, key: str) -> str:
        """Return the string under `key`, or "" if there is none."""
        value = self.value.get(key)
        return value if isinstance(value, str) else ""

    def strings(self, key: str) -> tuple[tuple[int, str], ...]:
        """Return the strings in the array under `key`, each with its index."""
        return tuple((index, item) for index, item in self._items(key) if isinstance(item, str))

    def table(self, key: str) -> dict[str, Any]:
        """Return the table under `key`, or an empty one."""
        value = self.value.get(key)
        return value if isinstance(value, dict) else {}

    def texts(self, key: str) -> Mapping[str, str]:
        """Return the strings in the table under `key`, by their keys."""
        return {k: v for k, v in self.table(key).items() if isinstance(v, str)}

    def tables(self, key: str) -> tuple[tuple[int, dict[str, Any]], ...]:
        """Return the tables in the array under `key`, each with its index."""
        return tuple((index, row) for index, row in self._items(key) if isinstance(row, dict))

    def _items(self, key: str) -> Iterator[tuple[int, Any]]:
        value = self.value.get(key)
        return islice(enumerate(value if isinstance(value, list) else ()), self.most_items)
