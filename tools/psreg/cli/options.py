"""Options that several commands share: of an assistant, of a port, of PLSP instructions."""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from psreg.core.errors import UsageError
from psreg.formats.protocol_versions import DIALECT
from psreg.system.console import OptionAdder

if TYPE_CHECKING:
    from psreg.conversations.endpoint.chat import Endpoint
    from psreg.http.retry_budget import Limits

_HEADER = re.compile(r"([A-Za-z0-9-]+):[ \t]*([!-~](?:[ -~]*[!-~])?)")
_HOTTEST = 2.0
_LONGEST = 3600.0
_LAST_PORT = 65535


def add_endpoint_options(parser: OptionAdder, flag: str = "--endpoint") -> None:
    """Declare `--endpoint`, or the same under another name, and how to reach it."""
    parser.add_argument(
        flag,
        dest="endpoint",
        default="",
        metavar="URL",
        help="an OpenAI-compatible endpoint (default: OPENAI_BASE_URL)",
    )
    parser.add_argument(
        "--allow-http", action="store_true", help="allow plain http to another machine"
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar="'NAME: VALUE'",
        help="send this header as well; its value is kept secret like a key",
    )


def add_sampling_options(parser: OptionAdder) -> None:
    """Declare `--temperature` and `--seed`."""
    parser.add_argument(
        "--temperature", type=_temperature, metavar="T", help="sampling temperature"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="sampling seed")


def endpoint_address(args: Namespace) -> str:
    """Return the address of the endpoint as given, by an option or the environment.

    Raises:
        UsageError: there is none.
    """
    from psreg.conversations.endpoint.address import OPENAI_BASE

    address: str = args.endpoint or os.environ.get(OPENAI_BASE, "")
    if not address:
        hint = f"Pass the address of the endpoint, or set {OPENAI_BASE}."
        raise UsageError("USAGE", "there is no endpoint", hint)
    return address


def endpoint_of(
    args: Namespace,
    parsed: Callable[..., SplitResult] | None = None,
    *,
    address: str = "",
    environ: Mapping[str, str] = os.environ,
    retries: int | None = None,
) -> Endpoint:
    """Return the endpoint that the options name, or the one at `address`.

    `parsed` is what makes its address of that, `chat_address` if there is none.

    Raises:
        UsageError: there is none, or its address or key is invalid.
    """
    from psreg.conversations.endpoint.address import chat_address
    from psreg.conversations.endpoint.chat import Endpoint

    url = (parsed or chat_address)(address or endpoint_address(args), allow_http=args.allow_http)
    limits = _limits_of(args.timeout)
    limits = limits if retries is None else replace(limits, retries=retries)
    return Endpoint(url, environ, limits, dict(args.header))


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


def _limits_of(timeout: float | None) -> Limits:
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


def _header(text: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(text)
    if found is None:  # the text may contain a key
        raise ArgumentTypeError("the header is not `NAME: VALUE` in printable ASCII")
    if found[1].lower() in _OWN_HEADERS:
        raise ArgumentTypeError(f"psreg sets the header `{found[1]}` itself")
    return found[1], found[2]


_OWN_HEADERS = ("connection", "content-length", "content-type", "host", "transfer-encoding")
"""What says where a request goes, and where it ends."""


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _HOTTEST:
        raise ArgumentTypeError(f"{text!r} is not a temperature from 0 to {_HOTTEST:g}")
    return value


def add_dialect_option(parser: ArgumentParser, default: str, summary: str) -> None:
    """Declare `--imf`; "" is another language, whose steps are not checked."""
    parser.add_argument("--imf", type=_dialect, default=default, metavar="NAME", help=summary)


def _dialect(text: str) -> str:
    if text not in ("", DIALECT):
        raise ArgumentTypeError(f"unknown dialect `{text}`; psreg knows `{DIALECT}`")
    return text
