"""Entry names, and paths inside a registry.

Pure text; nothing here reads a file. The grammar of names is PBE-A2.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath

from psreg.core.classes import CLASSES, Format, format_of_class
from psreg.core.dataclass import dataclass, field
from psreg.core.regex import lazy
from psreg.core.version import is_version

MAX_NAME_LENGTH = 64
_NAME = lazy(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)
_BEGINNING = lazy(r"([a-z][a-z0-9]*(_[a-z0-9]+)*_?)?\*", re.ASCII)
_CALL = lazy(r"(?<![\w@./-])@psreg:([a-z0-9]+(?:[_-][a-z0-9]+)*)", re.ASCII | re.IGNORECASE)
_DEVICES = {
    "aux",
    "con",
    "nul",
    "prn",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)),
}

PBES = "pbes"
"""The folder of a registry that contains the entries."""


def normal_name(text: str) -> str:
    """Return `text` as names are spelled: in lower case, with `_` for `-`.

    No two entries differ in that alone, so that a person need not remember it.
    """
    return text.lower().replace("-", "_")


def is_name(text: str) -> bool:
    """Return whether `text` is a valid name: `[a-z][a-z0-9]*(_[a-z0-9]+)*`, at most 64 long."""
    return len(text) <= MAX_NAME_LENGTH and _NAME.fullmatch(text) is not None


def is_name_pattern(text: object) -> bool:
    """Return whether `text` is a name, or the beginning of names and `*`, such as `acme_*`."""
    if not isinstance(text, str):
        return False
    return is_name(text) or (
        len(text) <= MAX_NAME_LENGTH and _BEGINNING.fullmatch(text) is not None
    )


def calls_in(text: str) -> dict[str, int]:
    """Return the names that a text calls as `@psreg:NAME`, each with where it does so first."""
    found: dict[str, int] = {}
    for call in _CALL.finditer(text) if "@" in text else ():
        found.setdefault(call[1], call.start())
    return found


def is_device(stem: str) -> bool:
    """Return whether Windows reads `stem` as a device, with any suffix."""
    return stem.partition(".")[0].lower() in _DEVICES


@lru_cache(maxsize=256)
def _path(*parts: str) -> PurePosixPath:
    # NOTE: rules ask again and again for the few paths of the entry that they judge.
    return PurePosixPath(*parts)


@dataclass(frozen=True, slots=True, order=True)
class EntryId:
    """The class and the name of an entry, from its folders; they may be invalid."""

    entry_class: str
    name: str

    @property
    def folder(self) -> PurePosixPath:
        """`pbes/<class>/<name>`."""
        return _path(PBES, self.entry_class, self.name)

    @property
    def file(self) -> PurePosixPath:
        """`pbes/<class>/<name>/entry.toml`."""
        return _path(PBES, self.entry_class, self.name, "entry.toml")

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
        return _path(PBES, self.entry_class, self.name, self.version)

    @property
    def filename(self) -> str:
        """`<name>.pbe.txt` or `<name>.prompt`."""
        return self.name + self.format.suffix

    @property
    def artifact(self) -> PurePosixPath:
        """Path of the artifact; the same in Git, on the site and on a mirror."""
        return _path(PBES, self.entry_class, self.name, self.version, self.filename)

    def package_url(self, sha256: str) -> str:
        """Return the package URL (PURL) of the artifact with this digest, in hexadecimal digits.

        PURL has no type for prompts, so it is `generic`; a version has no sign to escape but `+`.
        """
        version = self.version.replace("+", "%2B")
        return f"pkg:generic/{self.name}@{version}?checksum=sha256%3A{sha256}"

    @classmethod
    def of(cls, path: PurePosixPath) -> ReleaseId | None:
        """Return the release whose folder is or contains `path`, or None."""
        entry, version = EntryId.of(path), "".join(path.parts[3:4])
        if entry and entry.is_valid and is_version(version):
            return cls(entry_class=entry.entry_class, name=entry.name, version=version)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """The author of a change: the forge, such as `github`, and its numeric id of the account.

    `login` is the current name of the account, "" if unknown; it does not identify the author.
    """

    forge: str
    id: int
    login: str = field(default="", compare=False)
