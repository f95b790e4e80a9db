"""`--registry`, and the registry that it, the environment or the settings select."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from psreg.core.errors import UnavailableError
from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.kept_registry import KeptRegistry
    from psreg.client.library import Library
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.selection.opened import OpenedRegistries
    from psreg.core.identity import ReleaseId
    from psreg.registry.records import ReleaseRecord


def add_registry_option(
    parser: OptionAdder, purpose: str, default: str = "the one you set"
) -> None:
    """Declare `--registry`, for a `purpose`, and how old what it says may be."""
    parser.add_argument(
        "--registry", metavar="URL|PATH|NAME", help=f"{purpose} (default: {default})"
    )
    parser.add_argument(
        "--accept-stale-until",
        type=_day,
        metavar="DATE",
        help="until this day, accept a registry whose signatures have expired, such as an old copy",
    )


def _day(text: str) -> str:
    """Return a day as it is written, `2026-12-24`; it is today, in UTC, or later."""
    from psreg.system.clock import exact_time

    try:
        day = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else None
    except ValueError:
        day = None
    if day is None:
        raise ArgumentTypeError(f"`{text}` is not a day such as 2026-12-24")
    if day < exact_time().date():
        raise ArgumentTypeError(f"{text} has passed")
    return text


def add_offline_option(parser: OptionAdder) -> None:
    """Declare `--offline`."""
    parser.add_argument(
        "--offline", action="store_true", help="use only what is kept on this machine"
    )


@contextmanager
def open_selected(
    args: Namespace, console: Console, name: str | None = None
) -> Iterator[OpenRegistry]:
    """Yield the registry that `--registry`, the environment, the settings or the folder select.

    For a `name`, it is the one that the name is of. `args` are the options that
    `add_registry_option` declares.

    Raises:
        PsregError: see `select_registry`, `Choosing` and `open_registry`.
    """
    from psreg.client.registry_choice import load_settings

    with ExitStack() as stack:
        opened = _opened(args, console, stack, load_settings(Path.cwd()), offline=False)
        found = opened.usual() if name is None else opened.names.named(name)
        yield cast("OpenRegistry", found)


_UNREACHED = ("NETWORK", "NETWORK_SLOW", "NETWORK_TLS", "NETWORK_LOGIN")
"""The codes of errors after which the same may be asked of what is kept."""


@contextmanager
def open_kept(
    args: Namespace,
    console: Console,
    name: str,
    settings: Settings | None = None,
) -> Iterator[OpenRegistry | KeptRegistry]:
    """Yield the registry of a name; with `--offline`, one behind a URL as this machine keeps it.

    Raises:
        PsregError: as `open_several` and `Choosing`.
    """
    from psreg.registry.trust.roles import package_target

    with open_several(args, console, lambda: [package_target(name)], settings) as opened:
        yield opened.names.named(name)


@contextmanager
def open_several(
    args: Namespace,
    console: Console,
    wanted: Callable[[], Iterable[str]],
    settings: Settings | None = None,
) -> Iterator[OpenedRegistries]:
    """Yield what opens the registries of a command; with `--offline`, as this machine keeps them.

    `wanted` returns the targets that the command reads: if a registry cannot be reached, and all
    of them are kept, the hint names `--offline`.

    Raises:
        PsregError: as `open_selected`; UnavailableError `NOT_KEPT`.
    """
    from psreg.client.registry_choice import load_settings

    settings = settings or load_settings(Path.cwd())
    with ExitStack() as stack:
        opened = _opened(args, console, stack, settings, offline=args.offline)
        try:
            yield opened
        except UnavailableError as error:
            if error.code in _UNREACHED and opened.keep(wanted()):
                hint = "`--offline` uses what this machine keeps of it."
                raise UnavailableError(error.code, error.message, f"{error.hint} {hint}") from error
            raise


def _opened(
    args: Namespace, console: Console, stack: ExitStack, settings: Settings, *, offline: bool
) -> OpenedRegistries:
    """Return what opens the registries of a command, after warnings about the settings."""
    from psreg.client.selection.opened import OpenedRegistries

    for warning in settings.warnings:
        console.warn(f"psreg: warning: {warning}")
    return OpenedRegistries(
        settings,
        stack,
        partial(_tell, console),
        option=args.registry,
        offline=offline,
        stale_until=args.accept_stale_until or "",
        working=console.working,
    )


def check_policy(
    settings: Settings,
    registry_id: str,
    rows: Iterable[tuple[ReleaseId, ReleaseRecord, bool]],
    console: Console,
) -> None:
    """Check releases of a registry, each with whether its name is claimed, against `[policy]`.

    Raises:
        TrustError: `POLICY_REFUSED`.
        UsageError: `CONFIG_INVALID`.
    """
    if not [*settings.policies()]:
        return
    from psreg.client.project.policy import check_settings
    from psreg.client.project.verified import VerifiedRelease
    from psreg.client.registry_choice import trust_store

    releases = [
        VerifiedRelease(registry=registry_id, release=release, row=row, claimed=claimed)
        for release, row, claimed in rows
    ]
    check_settings(settings, trust_store(partial(_tell, console)), releases)


def _tell(console: Console, text: str) -> None:
    console.warn(f"psreg: {text}")


def warn_of_revoked(library: Library, console: Console) -> None:
    """Warn about every installed release that this machine knows as revoked."""
    for receipt in library.readable_receipts():
        if withdrawal := library.withdrawal(receipt):
            release = receipt.release
            told = withdrawal.told(f"{release.name} {release.version}, which is installed,")
            console.warn(f"psreg: warning: {told}; run `psreg install {release.name}`")
