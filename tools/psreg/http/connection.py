"""The one kept connection to a server, through the proxy that the environment names.

Certificates are checked against those of the system. `HTTPS_PROXY` and `NO_PROXY` are honoured for
https (CONNECT, so the proxy sees only the host), never for this machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, unquote

from psreg.http.address import is_loopback
from psreg.http.deadline import Deadline, guarded_by

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool, PoolManager


def connection_pool(url: SplitResult, deadline: Deadline) -> HTTPConnectionPool:
    """Return a pool of one connection to the host of `url`, whose answers obey `deadline`.

    Raises:
        urllib3.exceptions.HTTPError: the environment names a proxy that there cannot be.
    """
    pool = _manager(url).connection_from_url(f"{url.scheme}://{url.netloc}")
    build: Callable[..., Any] = pool.ConnectionCls
    guarded = guarded_by(deadline)

    def connection(**settings: Any) -> Any:
        built = build(**settings)
        built.response_class = guarded
        return built

    pool.ConnectionCls = connection  # type: ignore[assignment]
    return pool


def _manager(url: SplitResult) -> PoolManager:
    """Return what connects to `url`, through the proxy that the environment names for it."""
    import ssl  # noqa: PLC0415 - as urllib3

    from urllib3 import PoolManager, ProxyManager  # noqa: PLC0415 - loads slowly
    from urllib3.util import make_headers, parse_url  # noqa: PLC0415 - as above

    if url.scheme == "http":
        return PoolManager(maxsize=1)
    context = ssl.create_default_context()
    proxy = _proxy(url.hostname or "")
    if proxy is None:
        return PoolManager(maxsize=1, ssl_context=context)
    at = parse_url(proxy)
    headers = make_headers(proxy_basic_auth=unquote(at.auth)) if at.auth else {}
    return ProxyManager(
        at._replace(auth=None).url,
        proxy_headers=headers,
        proxy_ssl_context=context,
        maxsize=1,
        ssl_context=context,
    )


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
