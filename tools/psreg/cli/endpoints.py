"""What the commands that talk to an assistant share: `--timeout`, and how an address is shown."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from psreg.cli.console import OptionAdder

if TYPE_CHECKING:
    from psreg.adapters.transport import Limits

_LONGEST = 3600.0


def add_timeout_option(parser: OptionAdder) -> None:
    """Declare `--timeout`."""
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="how long one answer may take, with all attempts (300)",
    )


def limits_of(timeout: float | None) -> Limits:
    """Return what one answer may cost."""
    from psreg.adapters.endpoint import PATIENCE

    if timeout is None:
        return PATIENCE
    return replace(PATIENCE, run=timeout, request=timeout, silence=timeout)


def shown_address(address: str) -> str:
    """Return an address without its query, which may hold a key."""
    return urlsplit(address)._replace(query="").geturl()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds up to {_LONGEST:.0f}")
    return seconds
