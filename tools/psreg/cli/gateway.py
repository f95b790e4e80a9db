"""`psreg gateway pb2s --upstream URL`: serve a model so that it answers in PB2S."""

from __future__ import annotations

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from psreg.cli.options import (
    add_endpoint_options,
    add_port_option,
    add_sampling_options,
    add_timeout_option,
    endpoint_address,
    endpoint_of,
    shown_address,
)
from psreg.core.errors import UsageError
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.conversations.gateway import Gateway

EXAMPLE = "psreg gateway pb2s --upstream http://127.0.0.1:11434/v1 --model llama3"
HOST = "127.0.0.1"
PORT = 8000
LOG = "pb2s-trace.jsonl"

_HIGHEST_TEMPERATURE = 0.2
_SEED = 7


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("protocol", choices=("pb2s",), help="protocol of the answers")
    add_endpoint_options(parser, "--upstream")
    parser.add_argument("--model", default="", help="model to request")
    parser.add_argument("--host", default=HOST, help=f"address to listen on ({HOST})")
    add_port_option(parser, PORT, "port to listen on")
    add_sampling_options(parser)
    parser.set_defaults(temperature=_HIGHEST_TEMPERATURE, seed=_SEED)
    parser.add_argument(
        "--temperature-documented",
        action="store_true",
        help=f"allow a temperature above {_HIGHEST_TEMPERATURE}, because you document it",
    )
    parser.add_argument(
        "--roles",
        choices=("any", "alternating", "no-system"),
        default="any",
        help="let user and assistant alternate, also without a system message (any)",
    )
    parser.add_argument(
        "--trace-log", metavar="FILE", default=LOG, help=f"file to record exchanges in ({LOG})"
    )
    add_timeout_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Serve, and return 0 when stopped by Ctrl-C or SIGTERM."""
    from psreg.conversations.gateway_server import GatewayServer, TraceLog

    signal.signal(signal.SIGTERM, _stop)
    gateway = _gateway(args)
    log = TraceLog(Path(args.trace_log))
    try:
        with GatewayServer(args.host, args.port, gateway.answer, log) as server:
            log.begin()  # after the port, so that a busy port leaves no file behind
            _announce(args, server.url, console)
            server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        console.note("stopped")
    return 0


def _gateway(args: Namespace) -> Gateway:
    from uuid import uuid4

    from psreg.conversations.gateway import Gateway, Roles, Settings
    from psreg.system.clock import exact_time

    documented = args.temperature_documented
    if args.temperature > _HIGHEST_TEMPERATURE and not documented:
        message = f"--temperature is {args.temperature:g}; the limit is {_HIGHEST_TEMPERATURE}"
        hint = "Document the temperature, and pass --temperature-documented."
        raise UsageError("USAGE", message, hint)
    return Gateway(
        # Retries count as calls, so only the gateway itself may retry.
        ask=endpoint_of(args, retries=0).ask,
        now=exact_time,
        token=lambda: str(uuid4()),
        settings=Settings(
            model=args.model,
            temperature=args.temperature,
            seed=args.seed,
            documented=documented,
            roles=Roles(args.roles),
        ),
    )


def _announce(args: Namespace, url: str, console: Console) -> None:
    if console.machine:
        console.json(
            {
                "schema": "psreg.gateway/1",
                "url": url,
                "upstream": shown_address(endpoint_address(args)),
                "trace_log": args.trace_log,
            }
        )
    elif not console.quiet:
        console.line(f"answering in PB2S at {url} (press Ctrl-C to stop)")
        console.line(f"recording to {args.trace_log}; psreg checks only the form of answers")
    console.flush()


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
