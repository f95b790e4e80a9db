"""`--timeout` and `--port`, for commands that talk to an assistant or listen; and addresses."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from psreg.system.console import OptionAdder

if TYPE_CHECKING:
    from psreg.http.retry_limits import Limits

_LONGEST = 3600.0
_LAST_PORT = 65535


def add_timeout_option(parser: OptionAdder) -> None:
    """Declare `--timeout`."""
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="limit for one answer, including retries (300)",
    )


def add_port_option(parser: OptionAdder, port: int, what: str) -> None:
    """Declare `--port`, `port` by default."""
    text = f"{what} ({port}); 0 picks a free one"
    parser.add_argument("--port", type=_port, default=port, metavar="N", help=text)


def limits_of(timeout: float | None) -> Limits:
    """Return the limits of one answer."""
    from psreg.conversations.endpoint.chat import PATIENCE

    if timeout is None:
        return PATIENCE
    return replace(PATIENCE, run=timeout, request=timeout, silence=timeout)


def shown_address(address: str) -> str:
    """Return an address without its query, which may contain a key."""
    return urlsplit(address)._replace(query="").geturl()


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < len("100000") else -1
    if not 0 <= number <= _LAST_PORT:
        raise ArgumentTypeError(f"`{text}` is not a port from 0 to {_LAST_PORT}")
    return number


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST:
        raise ArgumentTypeError(f"`{text}` is not a number of seconds up to {_LONGEST:.0f}")
    return seconds
