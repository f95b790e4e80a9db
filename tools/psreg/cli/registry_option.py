"""`--registry`, and the registry that it, the environment or the settings select."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.library import Library
    from psreg.client.open_registry import OpenRegistry


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


@contextmanager
def open_selected(args: Namespace, console: Console) -> Iterator[OpenRegistry]:
    """Yield the registry that `--registry`, the environment, the settings or the folder select.

    `args` are the options that `add_registry_option` declares.

    Raises:
        PsregError: see `select_registry` and `open_registry`.
    """
    from psreg.client.open_registry import (
        load_settings,
        open_registry,
        select_registry,
        trust_store,
    )

    start = Path.cwd()
    settings = load_settings(start)
    for warning in settings.warnings:
        console.warn(f"psreg: warning: {warning}")
    selected = select_registry(args.registry, settings, start)
    notify = lambda text: console.warn(f"psreg: {text}")  # noqa: E731 - one line, two uses
    store = trust_store(notify)
    with open_registry(selected, store, notify) as registry:
        registry.require_claimed = settings.require_claimed
        registry.accept_stale(args.accept_stale_until or "")
        yield registry


def warn_of_revoked(library: Library, console: Console) -> None:
    """Warn about every installed release that this machine knows as revoked."""
    for receipt in library.receipts():
        if withdrawal := library.withdrawal(receipt):
            release = receipt.release
            told = withdrawal.told(f"{release.name} {release.version}, which is installed,")
            console.warn(f"psreg: warning: {told}; run `psreg install {release.name}`")
