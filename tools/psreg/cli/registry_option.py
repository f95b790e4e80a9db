"""`--registry`, and the registry that it, the environment or the settings select."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.library import Library
    from psreg.client.open_registry import OpenRegistry


def add_registry_option(
    parser: OptionAdder, purpose: str, default: str = "the one you set"
) -> None:
    """Declare `--registry`; `purpose` says what the command does with it."""
    parser.add_argument(
        "--registry", metavar="URL|PATH|NAME", help=f"{purpose} (default: {default})"
    )


@contextmanager
def open_selected(option: str | None, console: Console) -> Iterator[OpenRegistry]:
    """Yield the registry that `--registry`, the environment, the settings or the folder select.

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
    selected = select_registry(option, settings, start)
    notify = lambda text: console.warn(f"psreg: {text}")  # noqa: E731 - one line, two uses
    store = trust_store(notify)
    with open_registry(selected, store, notify) as registry:
        registry.require_claimed = settings.require_claimed
        yield registry


def warn_of_revoked(library: Library, console: Console) -> None:
    """Warn about every installed release that this machine knows as revoked."""
    for receipt in library.receipts():
        if withdrawal := library.withdrawal(receipt):
            release = receipt.release
            told = withdrawal.told(f"{release.name} {release.version}, which is installed,")
            console.warn(f"psreg: warning: {told}; run `psreg install {release.name}`")
