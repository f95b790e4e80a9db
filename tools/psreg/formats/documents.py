"""The files of a tree as documents in which rules and renderers can point at places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from psreg.core.diagnostics import Span
from psreg.core.identity import Format
from psreg.formats import dotprompt, pbe
from psreg.formats.dotprompt import Prompt
from psreg.formats.pbe import Pbe
from psreg.formats.toml import toml_document
from psreg.formats.toml.toml_document import TomlTree


class Document(Protocol):
    """Anything with text in which a JSON pointer names a place."""

    @property
    def text(self) -> str:
        """The decoded text; offsets of spans count its code points."""

    def span(self, pointer: str, /) -> Span:
        """Return where the value at `pointer` stands."""

    def key_span(self, pointer: str, /) -> Span:
        """Return where the name of the member at `pointer` stands."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A document without structure: every pointer means its beginning."""

    text: str

    def span(self, pointer: str, /) -> Span:  # noqa: ARG002 - there is only one answer
        """Return the beginning."""
        return Span(0, 0)

    key_span = span


class Documents(Mapping[PurePosixPath, Document]):
    """The documents of a tree by path, each read and parsed once, when asked for.

    A path without a file leads to an empty text, so that a missing file can be pointed at.
    """

    def __init__(self, files: Mapping[PurePosixPath, bytes]) -> None:
        self._files = files
        self._read: dict[PurePosixPath, Document] = {}
        self._pbes: dict[PurePosixPath, Pbe] = {}

    def __getitem__(self, path: PurePosixPath) -> Document:
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def toml(self, path: PurePosixPath) -> TomlTree:
        """Return the TOML file at `path`; a missing one did not parse and has no issues."""
        document = self[path]
        return document if isinstance(document, TomlTree) else TomlTree(text="")

    def pbe(self, path: PurePosixPath) -> Pbe | None:
        """Return the PBE at `path`, or None if there is no file of that format."""
        self[path]
        return self._pbes.get(path)

    def prompt(self, path: PurePosixPath) -> Prompt | None:
        """Return the `.prompt` at `path`, or None if there is no file of that format."""
        document = self[path]
        return document if isinstance(document, Prompt) else None

    def _open(self, path: PurePosixPath) -> Document:
        data = self._files.get(path)
        if data is None:
            return PlainText("")
        if path.suffix == ".toml":
            return toml_document.parse(data)
        if path.suffix == Format.PROMPT.suffix:
            return dotprompt.read(data)
        if path.name.endswith(Format.PBE.suffix):
            self._pbes[path] = pbe.read(data)
            return self._pbes[path].tree
        return PlainText(data.decode(errors="replace").removeprefix("\ufeff"))
