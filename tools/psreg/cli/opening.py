"""What the commands that read a registry share: which one is meant, opened for one run."""

from __future__ import annotations

from pathlib import Path

from psreg.adapters.registries import (
    OpenRegistry,
    load_settings,
    open_registry,
    trust_store,
    wanted_registry,
)
from psreg.cli.console import Console


def open_wanted(option: str | None, console: Console) -> OpenRegistry:
    """Return the registry that `--registry`, the environment, settings or the place mean.

    Raises:
        PsregError: see `wanted_registry` and `open_registry`.
    """
    start = Path.cwd()
    settings = load_settings(start)
    for warning in settings.warnings:
        console.warn(f"psreg: warning: {warning}")
    wanted = wanted_registry(option, settings, start)
    return open_registry(wanted, trust_store(), lambda text: console.warn(f"psreg: {text}"))
