"""The two ports of a deployment: the site that is read, and the bucket that is written to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from psreg.registry.deploy.headers import Headers
from psreg.registry.trust.roles import Target

UNFINISHED = ".psreg-part"
"""The suffix of an object that is being written, where a host has no atomic writes."""


class ConflictError(Exception):
    """An object is not the one that was read before: someone else wrote it."""


class Site(Protocol):
    """The folder of a site."""

    def files(self) -> Mapping[str, Target]:
        """Return the length and the digest of every file by its path.

        Raises:
            UnavailableError: CANNOT_READ, also for a link.
        """

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if there is none. Raises as `files`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The content of an object, and the tag by which the host knows this content."""

    data: bytes
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An object in a listing: its length, and its MD5 in hex, "" if the host does not say it."""

    length: int
    md5: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An object to write; `body` returns its bytes as they are stored."""

    path: str
    headers: Headers
    body: Callable[[], bytes]


class Bucket(Protocol):
    """The place that is deployed to; paths are relative to it.

    Every method raises UnavailableError, DEPLOY_DENIED or DEPLOY_FAILED, if the host refuses or
    cannot be reached.
    """

    @property
    def url(self) -> str:
        """The place, as the user named it."""

    @property
    def conditional(self) -> bool:
        """Whether the host itself compares the tag in `replace`: nothing can come between."""

    @property
    def packs(self) -> bool:
        """Whether it stores headers, and so packed content."""

    def read(self, path: str, limit: int) -> Found | None:
        """Return an object of at most `limit` bytes, None if there is none."""

    def replace(self, upload: Upload, tag: str | None) -> str:
        """Write an object if it still has `tag`, None for no object; return its new tag.

        Raises:
            ConflictError: it has another one, and other content.
        """

    def write(self, uploads: Iterable[Upload], sent: Callable[[str, int], None]) -> None:
        """Write objects in any order; tell `sent` the path and the length of each."""

    def remove(self, paths: Iterable[str]) -> None:
        """Remove objects; one that is not there is fine."""

    def listing(self) -> Mapping[str, Listed]:
        """Return all objects, but for unfinished ones."""
