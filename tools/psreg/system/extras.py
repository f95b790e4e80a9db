"""What only some commands need: the extras of `pyproject.toml`, installed with `psreg[NAME]`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from psreg.core.errors import UsageError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import what the extra `name` installs, within the block.

    Raises:
        UsageError: `EXTRA_MISSING`; the hint is the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        command = shlex.join([sys.executable, "-m", "pip", "install", *_requirements(name)])
        message = f"`psreg[{name}]` is not installed"
        raise UsageError("EXTRA_MISSING", message, f"Run `{command}`.") from error


def _requirements(name: str) -> list[str]:
    """Return what the extra adds. psreg itself is not named: it may come from anywhere."""
    from importlib.metadata import PackageNotFoundError, requires  # noqa: PLC0415 - slow to import

    with suppress(PackageNotFoundError):
        rows = [row.partition(";") for row in requires("psreg") or ()]
        return [row for row, _, marker in rows if marker.strip() == f"extra == '{name}'"]
    return [f"psreg[{name}]"]
