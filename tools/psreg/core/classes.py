"""The classes of entries, and the package format of each.

Three classes are values of `pbe_class` (PBE-07), `prompt` is that of `.prompt` files.
"""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """The two package formats."""

    PBE = "pbe"
    PROMPT = "prompt"

    @property
    def suffix(self) -> str:
        """The file name ending of an artifact (PBE-02; `.prompt` 0.0.1)."""
        return ".pbe.txt" if self is Format.PBE else ".prompt"

    @property
    def media_type(self) -> str:
        """The media type of an artifact (PBE-02)."""
        return "application/json" if self is Format.PBE else "text/plain; charset=utf-8"


PBE_CLASSES: tuple[str, ...] = ("stateless_executor", "interactive_engine", "persistent_service")
"""The values of `pbe_class`."""

CLASSES: tuple[str, ...] = (*PBE_CLASSES, "prompt")
"""The class folders under `pbes/`."""

RESERVED_CLASSES = ("persistent_service",)
"""The classes that no assistant can run yet (PBE-A10)."""


def format_of_class(entry_class: str) -> Format:
    """Return the format of the artifacts in the class folder `entry_class`."""
    return Format.PROMPT if entry_class == "prompt" else Format.PBE


def detect_format(filename: str, text: str) -> Format | None:
    """Return the format of a file: by suffix, else by its first characters, else None.

    `{` first means PBE; `[METADATA]` or a comment `(%` first means `.prompt`.
    """
    if filename.endswith((".pbe.txt", ".pbe")):
        return Format.PBE
    if filename.endswith(".prompt"):
        return Format.PROMPT
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return Format.PBE
    return Format.PROMPT if start.startswith(("[METADATA]", "(%")) else None
