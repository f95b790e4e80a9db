"""What an importer finds in a source: prompts, and what it cannot take, each with the reason."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from psreg.core.classes import Format

MAX_FILE = 4 * 1024 * 1024
"""The most bytes of a file of a source."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("prompt", "text", "content", "body", "template", "instructions"),
    "title": ("title", "act", "name"),
    "summary": ("description", "summary"),
    "tags": ("tags", "keywords", "categories", "category"),
    "languages": ("languages", "language", "lang"),
    "license": ("license", "licence"),
}
"""What sources call the fields of a prompt: columns, and keys of front matter. The first counts."""

LONGEST_TITLE = 200
"""The most characters of the title of a part of a file."""

STANDARD_INPUT = PurePosixPath("-")
"""The path of what is read from standard input."""

Files = Mapping[PurePosixPath, bytes]
"""The files of a source, which are read on access."""

Fields = Mapping[str, str]
"""What a user says that the source calls some of the `FIELDS`."""


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property
class SourceFile:
    """One of the `files` of a source, which is read when somebody asks what is in it."""

    path: PurePosixPath
    files: Files

    @cached_property
    def data(self) -> bytes:
        """The bytes of it."""
        return self.files[self.path]

    @cached_property
    def text(self) -> str:
        r"""The text without byte order mark, and with `\n` as line break.

        Raises:
            ValueError: it is too large, or neither UTF-8 nor UTF-16 with a byte order mark.
        """
        if len(self.data) > MAX_FILE:
            raise ValueError(f"it has more than {MAX_FILE:,} bytes")
        utf16 = self.data.startswith((b"\xff\xfe", b"\xfe\xff"))
        try:
            text = self.data.decode("utf-16" if utf16 else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError("it is not a text in UTF-8") from error
        return unix_lines(text)

    @property
    def sha256(self) -> str:
        """The digest of its bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def beside(self, reference: str) -> SourceFile:
        """Return the file that a path relative to the folder of this one names.

        Raises:
            ValueError: the source does not have it.
        """
        path = PurePosixPath(normpath(self.path.parent / reference))
        if path not in self.files:
            raise ValueError(f"the source does not have `{said(reference)[:_SHOWN]}` beside it")
        return SourceFile(path=path, files=self.files)


_SHOWN = 100


class Places:
    """The paths of the parts of a file: its path and the title of each, perhaps numbered."""

    def __init__(self, path: PurePosixPath) -> None:
        self._path = path
        self._titles = Counter[str]()

    def of(self, title: str) -> str:
        """Return the path of the next part, of which the title may be ""."""
        self._titles[title] += 1
        again, place = self._titles[title], title.replace("\\", "/") or "prompt"
        return f"{self._path}#{place}" + f" ({again})" * (again > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A prompt of a source.

    `path` is where it is in the source, and `sha256` the digest of that part. `license_in` is the
    file that grants the licence, if it is another one. `variables` are the
    names in single braces of `text` that are variables, each with its default or None. `roles` are
    those of the messages that `text` is made of, if it is. `as_text` are the keys of front matter
    whose values are not valid YAML. `lost` are the names of what the source says besides.
    `artifact` is the file itself where that is one of an entry of the class, else b"".
    """

    path: str
    sha256: str
    text: str
    title: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    license: str = ""
    license_in: str = ""
    variables: Mapping[str, str | None] = field(default_factory=dict)
    roles: tuple[str, ...] = ()
    as_text: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    entry_class: str = Format.PROMPT.value
    artifact: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A part of a source that does not become an entry, and why."""

    path: str
    reason: str


def named(field_: str, names: Sequence[str], fields: Fields) -> str:
    """Return what of `names` a source calls a field; "" if it does not have the field."""
    if field_ in fields:
        return fields[field_] if fields[field_] in names else ""
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[name] for name in FIELDS[field_] if name in lower), "")


def said(value: Any) -> str:
    """Return a value of a source as one line; "" for what is not a text, a number or a date."""
    if value is None or isinstance(value, bool | list | dict | bytes):
        return ""
    return " ".join(str(value).split())


def unix_lines(text: str) -> str:
    r"""Return `text` with `\n` for each kind of line break."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def listed(value: Any) -> tuple[str, ...]:
    """Return the texts of a list, or of one text with commas between them."""
    items = value if isinstance(value, list) else said(value).split(",")
    return tuple(dict.fromkeys(filter(None, map(said, items))))
