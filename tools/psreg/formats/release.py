"""release.toml: what the two package formats have no field for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from psreg.core.dataclass import dataclass
from psreg.formats import toml_document
from psreg.formats.toml_document import MOST, TomlFile


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One row of `[[tested]]`; a member that is missing or not text is "".

    `settings` is {} where there are none.
    """

    index: int
    platform: str
    model: str
    date: str
    sha256: str
    result: str
    evidence: str
    notes: str
    settings: Mapping[str, Any]

    __test__ = False  # pytest collects classes named Test…

    @property
    def pointer(self) -> str:
        """The JSON pointer to the row."""
        return f"/tested/{self.index}"


_ADDRESS = re.compile(
    r"https://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:/[\w.~!$&'*+,;=:@%()-]+)*)/?",
    re.ASCII | re.IGNORECASE,
)
_HTTPS = "443"


def origin_parts(address: str) -> tuple[str, ...]:
    """Return host with port, and the folders, of a plain https address; () if it is not one.

    Hosts ignore case, folders do not. An address with a user, a query, a fragment, an empty folder
    or one that leads elsewhere, such as `..`, is not plain.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return ()
    folders = found["path"].split("/")[1:]
    names = [unquote(folder) for folder in folders]
    if any(not name.strip(".") or "/" in name or "\\" in name for name in names):
        return ()
    return (f"{found['host'].lower()}:{found['port'] or _HTTPS}", *folders)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredProtocol:
    """One line of `[protocols]`: `imf` is the dialect of PLSP instructions, "" for none."""

    name: str
    version: str
    imf: str = ""


class ReleaseFile(TomlFile):
    """A release.toml. Accessors leave out values of the wrong type; `violations` reports them."""

    schema_name = "release"
    most_items = MOST

    @cached_property
    def tested(self) -> tuple[TestRun, ...]:
        """The runs on platforms, in the order of the file."""
        return tuple(_run(index, row) for index, row in self.tables("tested"))

    @cached_property
    def requires(self) -> Mapping[str, str]:
        """The ranges of the entries this one calls, by name."""
        return self.texts("requires")

    @cached_property
    def protocols(self) -> tuple[DeclaredProtocol, ...]:
        """The conversation protocols that it declares, in the order of the file."""
        found = (_protocol(name, value) for name, value in self.table("protocols").items())
        return tuple(each for each in found if each.version)

    @cached_property
    def origin(self) -> Mapping[str, str]:
        """Where it was imported from, as its author states; {} if it was not imported."""
        return self.texts("origin")

    @cached_property
    def waivers(self) -> Mapping[str, str]:
        """The reasons a person gave, by rule code."""
        return self.texts("waivers")


def told_origin(release: Mapping[str, Any]) -> str:
    """Return where a release was imported from, as its author states; "" if it was not.

    `release` is what release.toml says, such as a record has it.
    """
    stated = release.get("origin")
    texts = stated if isinstance(stated, dict) else {}
    said = {key: value for key, value in texts.items() if isinstance(value, str) and value}
    if "address" not in said:
        return ""
    parts = [said["address"]]
    parts += [f"{word} {said[key]}" for key, word in _ORIGIN if key in said]
    if "license" in said:
        found = f", found in {said['license_found_in']}" if "license_found_in" in said else ""
        parts.append(f"licence {said['license']}{found}")
    return f"{'; '.join(parts)} (as its author states)"


_ORIGIN = (
    ("path", "file"),
    ("revision", "revision"),
    ("sha256", "sha256"),
    ("imported", "imported"),
)
"""Keys of `[origin]` besides address and licence, each with the word before its value."""


def _run(index: int, row: Mapping[str, Any]) -> TestRun:
    def text(key: str) -> str:
        value = row.get(key)
        return value if isinstance(value, str) else ""

    settings = row.get("settings")
    return TestRun(
        index=index,
        platform=text("platform"),
        model=text("model"),
        date=text("date"),
        sha256=text("sha256"),
        result=text("result"),
        evidence=text("evidence"),
        notes=text("notes"),
        settings=settings if isinstance(settings, dict) else {},
    )


def _protocol(name: str, value: Any) -> DeclaredProtocol:
    row = value if isinstance(value, dict) else {"version": value}
    version, imf = (row.get(key) for key in ("version", "imf"))
    return DeclaredProtocol(
        name=name,
        version=version if isinstance(version, str) else "",
        imf=imf if isinstance(imf, str) else "",
    )


def read(data: bytes) -> ReleaseFile:
    """Read a release.toml; never raises."""
    return ReleaseFile(toml_document.parse(data))
