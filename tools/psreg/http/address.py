"""Addresses: https anywhere, plain http on this machine only, and how registries spell them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from psreg.core.errors import TrustError, UsageError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK = r"127(\.[0-9]{1,3}){3}|::1|localhost"


def is_loopback(host: str) -> bool:
    """Return whether `host` is this machine: 127.0.0.0/8, ::1 or localhost."""
    return re.fullmatch(_LOOPBACK, host) is not None


def secure_parts(address: str) -> SplitResult:
    """Return the parts of an https address, or of an http one of this machine.

    Raises:
        ValueError: it is another kind of address, or has a user or a fragment; the message does
            not contain the address.
    """
    if not (address.isascii() and address.isprintable()) or " " in address:
        raise ValueError("it has characters that must be percent-encoded")
    url = urlsplit(address)
    host, _ = url.hostname or "", url.port
    if url.username is not None or url.password is not None:
        raise ValueError("it has a user or a password")
    if url.scheme == "http" and host and not is_loopback(host):
        raise ValueError("it is not encrypted")
    if url.scheme not in ("http", "https") or not host or url.fragment:
        raise ValueError("it is not a plain https address")
    return url


def is_url(location: str) -> bool:
    """Return whether `location` is a URL rather than a path on this machine."""
    return "://" in location


def normal_location(location: str) -> str:
    """Return the one spelling of `location` that settings and receipts use.

    A URL loses its trailing slash, default port and capital letters of scheme and host; a path
    and a `file://` URL become an absolute path without `..`.

    Raises:
        UsageError: it is not an http, https or file URL, or has a user, a query or a fragment;
            a path is not UTF-8.
        TrustError: it is plain http to another machine (`TRUST_INSECURE`).
    """
    if not is_url(location):
        return _normal_path(Path(location).expanduser())
    try:
        url = urlsplit(location)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise _bad_url(location, str(error)) from error
    if url.scheme == "file" and host in (None, "localhost"):
        from urllib.request import url2pathname  # noqa: PLC0415 - slow to import, rarely needed

        return _normal_path(Path(url2pathname(url.path)))
    if url.scheme not in _DEFAULT_PORTS or not host:
        raise _bad_url(location, "only https, file, and http to this machine are supported")
    if url.username is not None or url.query or url.fragment or "#" in location:
        raise _bad_url(location, "a registry's address has no user, query or fragment")
    if not location.isascii() or not location.isprintable() or " " in location:
        raise _bad_url(location, "it has characters that must be percent-encoded")
    if url.scheme == "http" and not is_loopback(host):
        raise TrustError(
            "TRUST_INSECURE",
            f"{location} is not encrypted",
            "Use https; plain http is only for this machine (localhost, 127.0.0.1, ::1).",
        )
    name = f"[{host}]" if ":" in host else host
    suffix = "" if port in (None, _DEFAULT_PORTS[url.scheme]) else f":{port}"
    return f"{url.scheme}://{name}{suffix}{url.path.rstrip('/')}"


def _normal_path(path: Path) -> str:
    """Return an absolute path without `..`, which leave the folder that a link leads to."""
    parts = path.absolute().parts
    if ".." in parts:
        after = len(parts) - parts[::-1].index("..")
        parts = (os.path.realpath(Path(*parts[:after])), *parts[after:])
    found = str(Path(*parts))
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise _bad_url(found, "it is not UTF-8, so it cannot be noted") from error
    return found


def _bad_url(location: str, why: str) -> UsageError:
    return UsageError("USAGE", f"`{location}` is not the address of a registry: {why}")
