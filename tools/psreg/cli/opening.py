"""What the commands that read a registry share: which one is meant, opened for one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.system.console import Console

if TYPE_CHECKING:
    from psreg.client.registries import OpenRegistry


@contextmanager
def open_wanted(option: str | None, console: Console) -> Iterator[OpenRegistry]:
    """Give the registry that `--registry`, the environment, settings or the place mean.

    Raises:
        PsregError: see `wanted_registry` and `open_registry`.
    """
    from psreg.client import registries

    start = Path.cwd()
    settings = registries.load_settings(start)
    for warning in settings.warnings:
        console.warn(f"psreg: warning: {warning}")
    wanted = registries.wanted_registry(option, settings, start)
    store = registries.trust_store()
    say = lambda text: console.warn(f"psreg: {text}")  # noqa: E731 - one line, one use
    with registries.open_registry(wanted, store, say) as registry:
        yield registry
