"""Entry names, classes, formats, and paths inside a registry.

Pure text; nothing here reads a file. The grammar of names is PBE-A2.
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
"""The folder of a registry that contains the entries."""


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


CLASSES: tuple[str, ...] = (
    "stateless_executor",
    "interactive_engine",
    "persistent_service",
    "prompt",
)
"""The class folders under `pbes/`; all but `prompt` are values of `pbe_class`."""

PBE_CLASSES: tuple[str, ...] = CLASSES[:3]


def is_name(text: str) -> bool:
    """Return whether `text` is a valid name: `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 64 long."""
    return len(text) <= MAX_NAME_LENGTH and _NAME.fullmatch(text) is not None


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


@dataclass(frozen=True, slots=True, order=True)
class EntryId:
    """The class and the name of an entry, from its folders; they may be invalid."""

    entry_class: str
    name: str

    @property
    def folder(self) -> PurePosixPath:
        """`pbes/<class>/<name>`."""
        return PurePosixPath(PBES, self.entry_class, self.name)

    @property
    def file(self) -> PurePosixPath:
        """`pbes/<class>/<name>/entry.toml`."""
        return self.folder / "entry.toml"

    @property
    def is_valid(self) -> bool:
        """Whether class and name are valid."""
        return self.entry_class in CLASSES and is_name(self.name)

    @classmethod
    def of(cls, path: PurePosixPath) -> EntryId | None:
        """Return the entry whose folder is or contains `path`, or None."""
        match path.parts:
            case (root, entry_class, name, *_) if root == PBES:
                return cls(entry_class, name)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseId:
    """One version of one entry, and every path that follows from it."""

    entry_class: str
    name: str
    version: str

    @property
    def format(self) -> Format:
        """The package format of its class."""
        return format_of_class(self.entry_class)

    @property
    def entry(self) -> EntryId:
        """The entry that this is a version of."""
        return EntryId(self.entry_class, self.name)

    @property
    def entry_folder(self) -> PurePosixPath:
        """`pbes/<class>/<name>`."""
        return self.entry.folder

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
        """Return the release whose folder is or contains `path`, or None."""
        match path.parts:
            case (_, _, _, version, *_):
                entry = EntryId.of(path)
                if entry and entry.is_valid and is_version(version):
                    return cls(entry_class=entry.entry_class, name=entry.name, version=version)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """The author of a change: the forge (`github`, `gitlab`) and its numeric id of the account.

    `login` is the current name of the account, "" if unknown; it does not identify the author.
    """

    forge: str
    id: int
    login: str = field(default="", compare=False)
