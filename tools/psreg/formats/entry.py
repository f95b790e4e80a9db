"""entry.toml: the owners of a name, and the state of its versions.

It is the one file of an entry that may change, and a *request*: for a claimed name the offline
owners role is the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from psreg.formats import toml_document
from psreg.formats.toml_document import MOST, TomlFile


class EntryFile(TomlFile):
    """An entry.toml. Accessors leave out values of the wrong type; `violations` reports them."""

    schema_name = "entry"
    most_items = MOST

    @cached_property
    def owners(self) -> tuple[Mapping[str, Any], ...]:
        """The owners as JSON data; empty: the maintainers of the registry look after the name."""
        return tuple(owner for _, owner in self.tables("owners"))

    @cached_property
    def accounts(self) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """The owners by forge and id, if both are valid; of two equal rows, the last one."""
        return {
            (forge, number): owner
            for owner in self.owners
            if isinstance(forge := owner.get("forge"), str)
            and isinstance(number := owner.get("id"), int)
            and not isinstance(number, bool)
        }

    @property
    def keys(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """The public keys of all owners, each with its place."""
        for index, owner in self.tables("owners"):
            keys = owner.get("keys")
            for number, key in enumerate(keys if isinstance(keys, list) else ()):
                if isinstance(key, str):
                    yield ("owners", index, "keys", number), key

    @property
    def threshold(self) -> int:
        """How many owners must sign a release once the name is claimed."""
        value = self.value.get("threshold", 1)
        return value if isinstance(value, int) and not isinstance(value, bool) else 1

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """Other names that point here."""
        return tuple(alias for _, alias in self.strings("aliases"))

    @cached_property
    def deprecated(self) -> Mapping[str, str] | None:
        """`{"reason", "replacement"?}`, or None."""
        return self.texts("deprecated") if "deprecated" in self.value else None

    @cached_property
    def yanked(self) -> Mapping[str, str]:
        """The reasons by version."""
        return self.texts("yanked")


def read(data: bytes) -> EntryFile:
    """Read an entry.toml; never raises."""
    return EntryFile(toml_document.parse(data))
