"""Reads a Prompt-Based Executable (PBE 1.0): JSON whose class decides its structure.

`read` never raises; a `Pbe` answers for any input, with None or {} where something is missing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from psreg.core.classes import PBE_CLASSES
from psreg.core.dataclass import dataclass
from psreg.core.spelling import meant
from psreg.formats import schema
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree
from psreg.formats.schema import Violation

MAX_BYTES = 262_144
"""Size of the largest PBE psreg reads: 256 KiB."""

STANDARD_INSTRUCTIONS = (
    "This is a Prompt-Based Executable (PBE) and when received should be run immediately as an "
    "instruction set and parameter guide for LLM behavior."
)
"""The `install_instructions` that the specification proposes (PBE 1.0, "Field Descriptions")."""

SAVE_TEMPLATE = ("save_system", "save_template")
TRIGGERS = ("save_system", "trigger_phrases")
RECOGNITION_KEY = ("save_system", "load_detection", "recognition_key")
LOAD_INSTRUCTION = ("save_system", "load_detection", "instruction")
"""Where a PBE describes its saves (PBE-12 to PBE-14)."""


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps violations in __dict__
class Pbe:
    """A PBE as read; `tree` knows where everything is."""

    tree: JsonTree

    @property
    def is_object(self) -> bool:
        """Whether the file is JSON with an object at its root; if not, `value` is {}."""
        return isinstance(self.tree.value, dict)

    @property
    def value(self) -> dict[str, Any]:
        """The root object; {} if there is none."""
        return self.tree.value if self.is_object else {}

    @property
    def name(self) -> str | None:
        """The `pbe_name`; None if it is missing or not a string."""
        return self.text("pbe_name")

    @property
    def version(self) -> str | None:
        """The `pbe_version`; None if it is missing or not a string."""
        return self.text("pbe_version")

    @property
    def pbe_class(self) -> str | None:
        """The `pbe_class`, known or not; None if it is missing or not a string."""
        return self.text("pbe_class")

    @cached_property
    def meant_class(self) -> str | None:
        """The class whose rules apply: the stated one, or the one that was probably meant.

        A misspelt class is meant as the one that it resembles. A PBE without any field of its class
        but with those of another is meant as that one. None if the class cannot be guessed.
        """
        stated = self.pbe_class
        if stated not in PBE_CLASSES:
            return meant(stated, PBE_CLASSES) if stated else None
        if self._fields_of(stated):
            return stated
        others = [one for one in PBE_CLASSES if 2 * self._fields_of(one) > len(_own_fields(one))]
        return others[0] if len(others) == 1 else stated

    def _fields_of(self, entry_class: str) -> int:
        return sum(field in self.value for field in _own_fields(entry_class))

    @property
    def schema_name(self) -> str:
        """The schema of its class, or of the universal fields if the class is unknown."""
        return self.meant_class or "pbe"

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The violations of the schema of its class; () if the root is not an object."""
        if not self.is_object:
            return ()
        if self.meant_class == self.pbe_class or self.meant_class is None:
            return schema.violations(self.schema_name, self.value)
        # NOTE: each schema has the name of its class as a constant, and PBE007 or PBE033 speaks.
        stated = (
            v for v in schema.violations("pbe", {"pbe_class": self.pbe_class}) if v.code == "PBE007"
        )
        corrected = {**self.value, "pbe_class": self.meant_class}
        return (*stated, *schema.violations(self.schema_name, corrected))

    @cached_property
    def strings(self) -> list[tuple[str, str]]:
        """(pointer, text) of every text that its class requires and the file has."""
        return schema.strings(self.schema_name, self.value)

    def get(self, *path: str) -> Any:
        """Return the value at the keys `path`; None if one is missing or not in an object."""
        value: Any = self.value
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def text(self, *path: str) -> str | None:
        """Return the text at the keys `path`; None if it is missing or not a string."""
        value = self.get(*path)
        return value if isinstance(value, str) else None


def _own_fields(entry_class: str) -> list[str]:
    """Return the fields that only PBEs of a class have; many others have a description, too."""
    universal = schema.fields("pbe")
    names = schema.fields(entry_class)
    return [name for name in names if name not in universal and name != "description"]


def read(data: bytes) -> Pbe:
    """Read a PBE; never raises."""
    return Pbe(tree=json_document.parse(data, MAX_BYTES))
