"""An http or https connection to a host, through the proxy that the environment names.

Certificates are checked. `HTTPS_PROXY` and `NO_PROXY` are honoured for https (CONNECT, so the
proxy sees only the host), never for this machine.
"""

from __future__ import annotations

import os
from base64 import b64encode
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from psreg.http.source import is_loopback

if TYPE_CHECKING:
    import ssl


def connection_to(url: SplitResult, patience: float) -> HTTPConnection:
    """Return a connection, not yet opened, to the host of `url`; every wait is of `patience` s."""
    host = url.hostname or ""
    if url.scheme == "http":
        return HTTPConnection(host, url.port, timeout=patience)
    proxy = _proxy(host)
    if proxy is None:
        return HTTPSConnection(host, url.port, timeout=patience, context=_context())
    at = urlsplit(proxy)
    tunnel = HTTPSConnection(at.hostname or "", at.port or 80, timeout=patience, context=_context())
    headers = {}
    if at.username is not None:
        pair = f"{unquote(at.username)}:{unquote(at.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    tunnel.set_tunnel(host, url.port or 443, headers)
    return tunnel


def _context() -> ssl.SSLContext:
    import ssl  # noqa: PLC0415 - loading the certificate authorities takes 20 ms

    return ssl.create_default_context()


def _proxy(host: str) -> str | None:
    """Return the proxy the environment names for https to `host`, or None."""
    proxy = os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY") or ""
    exempt = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for item in exempt.replace(",", " ").split():
        domain = item.lstrip(".").lower()
        if item == "*" or host == domain or host.endswith(f".{domain}"):
            return None
    if not proxy or is_loopback(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
