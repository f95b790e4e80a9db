"""The prompts that a program may ask this machine for, and how each is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from psreg.client.library import Receipt, installed_artifact, user_library
from psreg.core.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A prompt of the release `name` and `version`, whose file is at `path`.

    `entry` is what the receipt, or the lock, says about it, as JSON data. `read` compares the file
    with that and returns its bytes, or raises PsregError: it must not be used.
    """

    name: str
    version: str
    sha256: str
    size: int
    path: Path
    entry: Mapping[str, Any]
    read: Callable[[], bytes]


def installed_prompts() -> list[Offered]:
    """Return the installed prompts, by name. Raises UnavailableError `NEWER_FORMAT`."""
    library = user_library()
    return [_installed(receipt, library.path(receipt)) for receipt in library.receipts()]


def _installed(receipt: Receipt, path: Path) -> Offered:
    release = receipt.release
    return Offered(
        name=release.name,
        version=release.version,
        sha256=receipt.sha256,
        size=receipt.size,
        path=path,
        entry=receipt.to_json(),
        read=partial(_read, f"{release.name}@={release.version}"),
    )


def _read(request: str) -> bytes:
    return installed_artifact(request)[1]
