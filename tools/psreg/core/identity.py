"""What things are called: entry names, classes, formats, paths inside a registry.

Pure text; nothing here looks at a file. Grammar: READINGS PBE-A2, DESIGN §2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath

from psreg.core.version import is_version

MAX_NAME_LENGTH = 64
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)

PBES = "pbes"
"""The folder of a registry that holds the entries."""


class Format(StrEnum):
    """The two package formats."""

    PBE = "pbe"
    PROMPT = "prompt"

    @property
    def suffix(self) -> str:
        """The file name ending of an artifact (READINGS PBE-02; `.prompt` 0.0.1)."""
        return ".pbe.txt" if self is Format.PBE else ".prompt"

    @property
    def media_type(self) -> str:
        """The media type an artifact is served as (READINGS PBE-02)."""
        return "application/json" if self is Format.PBE else "text/plain; charset=utf-8"


CLASSES: tuple[str, ...] = (
    "stateless_executor",
    "interactive_engine",
    "persistent_service",
    "prompt",
)
"""The class folders under `pbes/`; all but `prompt` are values of `pbe_class`."""

PBE_CLASSES: tuple[str, ...] = CLASSES[:3]


def is_name(text: str) -> bool:
    """Tell whether `text` is an entry name: `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 64 long."""
    return len(text) <= MAX_NAME_LENGTH and _NAME.fullmatch(text) is not None


def format_of_class(entry_class: str) -> Format:
    """Return the format that artifacts in the class folder `entry_class` have."""
    return Format.PROMPT if entry_class == "prompt" else Format.PBE


def detect_format(filename: str, text: str) -> Format | None:
    """Return the format of a file: by suffix, else by its first characters, else None.

    `{` first means PBE; `[METADATA]` or a comment `(%` first means `.prompt` (DESIGN §4).
    """
    if filename.endswith((".pbe.txt", ".pbe")):
        return Format.PBE
    if filename.endswith(".prompt"):
        return Format.PROMPT
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return Format.PBE
    return Format.PROMPT if start.startswith(("[METADATA]", "(%")) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseId:
    """One version of one entry, and every path that follows from it (DESIGN §2)."""

    entry_class: str
    name: str
    version: str

    @property
    def format(self) -> Format:
        """The package format its class demands."""
        return format_of_class(self.entry_class)

    @property
    def entry_folder(self) -> PurePosixPath:
        """`pbes/<class>/<name>`."""
        return PurePosixPath(PBES, self.entry_class, self.name)

    @property
    def folder(self) -> PurePosixPath:
        """`pbes/<class>/<name>/<version>`."""
        return self.entry_folder / self.version

    @property
    def filename(self) -> str:
        """`<name>.pbe.txt` or `<name>.prompt`."""
        return self.name + self.format.suffix

    @property
    def artifact(self) -> PurePosixPath:
        """Path of the artifact; the same in Git, on the site and on a mirror."""
        return self.folder / self.filename

    @classmethod
    def of(cls, path: PurePosixPath) -> ReleaseId | None:
        """Return the release whose folder `path` is or lies in; None if it names none."""
        parts = path.parts
        if len(parts) < 4 or parts[0] != PBES or parts[1] not in CLASSES:  # noqa: PLR2004
            return None
        if not (is_name(parts[2]) and is_version(parts[3])):
            return None
        return cls(entry_class=parts[1], name=parts[2], version=parts[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who asks for a change: the forge (`github`, `gitlab`) and its numeric id of the account.

    `login` is what the forge calls the account today, "" if that is not known; it says nothing
    of who somebody is.
    """

    forge: str
    id: int
    login: str = field(default="", compare=False)
