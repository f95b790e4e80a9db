"""What only some commands need: the extras of `pyproject.toml`, installed with `psreg[NAME]`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from psreg.core.errors import UnavailableError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import what the extra `name` installs, within the block.

    Raises:
        UnavailableError: `EXTRA_MISSING`; see `extra_missing`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise extra_missing(name) from error


def extra_missing(name: str) -> UnavailableError:
    """Return the error for an extra that is not installed; the hint is how to install it."""
    hint = f"Run `{install_command(*_requirements(name))}`."
    return UnavailableError("EXTRA_MISSING", f"`psreg[{name}]` is not installed", hint)


def install_command(*requirements: str) -> str:
    """Return the command that installs packages where this psreg is; `uv tool` has no pip there."""
    from importlib.util import find_spec  # noqa: PLC0415 - only a missing package needs it

    python = ["uv", "pip", "install", "--python", sys.executable]
    if find_spec("pip") is not None:
        python = [sys.executable, "-m", "pip", "install"]
    return shlex.join([*python, *requirements])


def _requirements(name: str) -> list[str]:
    """Return what the extra adds. psreg itself is not named: it may come from anywhere."""
    from importlib.metadata import PackageNotFoundError, requires  # noqa: PLC0415 - slow to import

    with suppress(PackageNotFoundError):
        rows = [row.partition(";") for row in requires("psreg") or ()]
        return [row.strip() for row, _, marker in rows if marker.strip() == f"extra == '{name}'"]
    return [f"psreg[{name}]"]
