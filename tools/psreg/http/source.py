"""Where a registry's bytes come from: one port, `Source.read(path, limit)`, and its errors.

A source is bound to one base (a URL or a folder); what is read is named by a path below it, so
that nothing a registry says can choose another host or another folder. Nothing read is trusted:
`client/tufclient.py` and `client/install.py` judge it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.http.address import is_loopback
from psreg.http.limits import Limits

_PATH = re.compile(r"[A-Za-z0-9._+%~-]+(/[A-Za-z0-9._+%~-]+)*", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}


class SourceError(UnavailableError):
    """The bytes could not be had. `code` is `NETWORK` or begins with `NETWORK_`."""


class NotServedError(SourceError):
    """The source answered that it has no such file (code `NOT_FOUND`)."""

    def __init__(self, where: str, hint: str = "") -> None:
        super().__init__("NOT_FOUND", f"{where} does not exist", hint)


class TooLongError(SourceError):
    """The file is longer than the caller allowed (code `TOO_LONG`)."""

    def __init__(self, where: str, limit: int) -> None:
        super().__init__("TOO_LONG", f"{where} is longer than the {limit} bytes expected")


class Source(Protocol):
    """A place that serves a registry: a URL, a folder, or the simulator of the tests."""

    @property
    def location(self) -> str:
        """The base a person would name: a URL or an absolute path."""

    def read(self, path: str, limit: int) -> bytes:
        """Return the whole file at `path` (relative, `/` separated).

        Raises:
            NotServedError: there is no such file.
            TooLongError: it is longer than `limit` bytes; reading stopped there.
            SourceError: it cannot be had now.
        """

    def close(self) -> None:
        """Give up what is held open; the source may still be read afterwards."""


def checked_path(path: str) -> str:
    """Return `path` if it is a plain relative path below the base.

    Raises:
        SourceError: it climbs, is absolute, or has characters no registry path has.
    """
    if _PATH.fullmatch(path) is None or any(part in (".", "..") for part in path.split("/")):
        raise SourceError("NETWORK_REFUSED", f"{path!r} is no path inside a registry")
    return path


def is_url(location: str) -> bool:
    """Tell whether `location` is a URL rather than a path of this machine."""
    return "://" in location


def normal_location(location: str) -> str:
    """Return the one spelling of `location` that settings and receipts use.

    A URL loses its trailing slash, default port and capital letters of scheme and host; a path
    and a `file://` URL become an absolute path.

    Raises:
        UsageError: it is no http, https or file URL, or carries a user, a query or a fragment.
        TrustError: it is plain http to another machine (`TRUST_INSECURE`).
    """
    if not is_url(location):
        return str(Path(location).expanduser().absolute())
    try:
        url = urlsplit(location)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise _bad_url(location, str(error)) from error
    if url.scheme == "file" and host in (None, "localhost"):
        from urllib.request import url2pathname  # noqa: PLC0415 - slow to import, rarely needed

        return str(Path(url2pathname(url.path)).absolute())
    if url.scheme not in _DEFAULT_PORTS or not host:
        raise _bad_url(location, "only https, file, and http to this machine are understood")
    if url.username is not None or url.query or url.fragment or "#" in location:
        raise _bad_url(location, "a registry's address has no user, query or fragment")
    if not location.isascii() or not location.isprintable() or " " in location:
        raise _bad_url(location, "it has characters that a URL must write as escapes")
    if url.scheme == "http" and not is_loopback(host):
        raise TrustError(
            "TRUST_INSECURE",
            f"{location} would travel unencrypted",
            "use https; plain http is only for this machine (localhost, 127.0.0.1, ::1)",
        )
    name = f"[{host}]" if ":" in host else host
    suffix = "" if port in (None, _DEFAULT_PORTS[url.scheme]) else f":{port}"
    return f"{url.scheme}://{name}{suffix}{url.path.rstrip('/')}"


def open_source(location: str, limits: Limits | None = None) -> Source:
    """Return the source behind a location as `normal_location` returns it; nothing is read yet."""
    if is_url(location):
        from psreg.http.source_http import HttpSource  # noqa: PLC0415 - slow to import

        return HttpSource(location, limits or Limits())
    from psreg.http.source_folder import FileSource  # noqa: PLC0415 - symmetrical

    return FileSource(Path(location))


def _bad_url(location: str, why: str) -> UsageError:
    return UsageError("USAGE", f"{location!r} is not the address of a registry: {why}")
