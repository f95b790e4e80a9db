"""A cluster of other processes or machines as an executor: that of Dask, unchanged.

Dask decides which worker does what, and repeats what a lost worker had not finished. Anyone who can
reach a scheduler can run code with it, so that connections to other machines must be encrypted and
authenticated by certificates. Only this module imports `distributed`.
"""

from __future__ import annotations

import ipaddress
import logging
import platform
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from psreg import __version__
from psreg.core.errors import UnavailableError, UsageError
from psreg.system.extras import extra

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

_TALKATIVE = ("distributed", "tornado", "asyncio")
"""Loggers of Dask; several have a handler of their own."""

_CERTIFICATES = ("tls_ca_file", "tls_client_cert", "tls_client_key")


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of the Dask cluster whose scheduler is at `address`.

    Raises:
        UsageError: `CLUSTER_NOT_SECURE`: the address is not that of a scheduler on this machine
            (`tcp://`), or of one with TLS for which Dask has certificates.
        UnavailableError: `EXTRA_MISSING`; `CLUSTER_UNAVAILABLE`; `WORKER_DIFFERS`: a worker has
            another psreg.
    """
    _check_address(address)
    with extra("cluster"):
        from distributed import Client, KilledWorker  # noqa: PLC0415 - takes a second
        from distributed.security import Security  # noqa: PLC0415
    _silence(*_TALKATIVE)
    security = Security()
    if address.startswith("tls:"):
        _check_certificates(security)
    try:
        client = Client(address, security=security, set_as_default=False)
    except (OSError, ValueError) as error:
        raise _unavailable(address, "cannot be reached") from error
    with client:
        _check_workers(client, address)
        try:
            # Tasks are not pure in Dask's sense, because it would hash all that they contain.
            yield client.get_executor(pure=False)
        except KilledWorker as error:
            raise _unavailable(address, "lost a task too often") from error
        except CancelledError as error:
            raise _unavailable(address, "ended before the work was done") from error


def _silence(*names: str) -> None:
    """Keep libraries from logging on standard error; psreg reports what is lost."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith(names) and isinstance(logger, logging.Logger):
            logger.setLevel(logging.CRITICAL + 1)


def _check_address(address: str) -> None:
    """Refuse what is not encrypted, unless it stays on this machine."""
    try:
        url = urlsplit(address)
        host, port = url.hostname or "", url.port
    except ValueError:
        host, port = "", None
    known = port is not None and url.scheme in ("tcp", "tls")
    if not known or (url.scheme == "tcp" and not _is_loopback(host)):
        raise UsageError(
            "CLUSTER_NOT_SECURE",
            f"`{address}` is not a scheduler on this machine, or one with TLS",
            "Write `tcp://127.0.0.1:8786` here, and `tls://HOST:8786` for another machine.",
        )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_certificates(security: Security) -> None:
    missing = [name for name in _CERTIFICATES if not getattr(security, name)]
    if missing:
        raise UsageError(
            "CLUSTER_NOT_SECURE",
            f"Dask has no certificates for TLS: {', '.join(missing)}",
            "Set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and …__CLIENT__KEY.",
        )


def _check_workers(client: Client, address: str) -> None:
    """Refuse a cluster without workers, and workers that might find something else than we do."""
    from dask import config  # noqa: PLC0415

    try:
        client.wait_for_workers(1, timeout=config.get("distributed.comm.timeouts.connect"))
        told = client.run(worker_kind)
    except TimeoutError as error:
        raise _unavailable(address, "has no workers") from error
    except ImportError:
        told = {address: "no psreg, or a part of it is missing"}
    for worker, kind in told.items():
        if kind != worker_kind():
            raise UnavailableError(
                "WORKER_DIFFERS",
                f"the worker {worker} has {kind}; this is {worker_kind()}",
                "Install the same psreg and Python on every machine of the cluster.",
            )


def worker_kind() -> str:
    """Return the versions on which results depend."""
    return f"psreg {__version__} with Python {'.'.join(platform.python_version_tuple()[:2])}"


def _unavailable(address: str, what: str) -> UnavailableError:
    return UnavailableError(
        "CLUSTER_UNAVAILABLE", f"the cluster at {address} {what}", "Start it, or try again without."
    )
