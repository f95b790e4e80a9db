"""`psreg gateway pb2s --upstream URL`: let a model behind an endpoint answer in PB2S."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from psreg.cli.options.endpoint import add_port_option, add_timeout_option, limits_of, shown_address
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
    parser.add_argument("protocol", choices=("pb2s",), help="what to answer in")
    parser.add_argument(
        "--upstream", metavar="URL", required=True, help="an endpoint that speaks OpenAI's chat"
    )
    parser.add_argument("--model", default="", help="the model to ask for")
    parser.add_argument("--host", default=HOST, help=f"address to listen on ({HOST})")
    add_port_option(parser, PORT, "port to listen on")
    parser.add_argument(
        "--temperature",
        type=_temperature,
        default=_HIGHEST_TEMPERATURE,
        help=f"0 to {_HIGHEST_TEMPERATURE} ({_HIGHEST_TEMPERATURE})",
    )
    parser.add_argument("--seed", type=int, default=_SEED, help=f"the fixed seed ({_SEED})")
    parser.add_argument(
        "--trace-log", metavar="FILE", default=LOG, help=f"where exchanges are recorded ({LOG})"
    )
    add_timeout_option(parser)
    add_output_options(parser)


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _HIGHEST_TEMPERATURE:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to {_HIGHEST_TEMPERATURE}")
    return value


def run(args: Namespace, console: Console) -> int:
    """Serve, and return 0 once the person stops it (Ctrl-C, SIGTERM)."""
    from psreg.conversations.gateway_server import GatewayServer, TraceLog

    signal.signal(signal.SIGTERM, _stop)
    gateway = _gateway(args)
    log = TraceLog(Path(args.trace_log))
    try:
        with GatewayServer(args.host, args.port, gateway.answer, log) as server:
            log.begin()  # after the port: who cannot listen leaves no file behind
            _announce(args, server.url, console)
            server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        console.note("stopped")
    return 0


def _gateway(args: Namespace) -> Gateway:
    from uuid import uuid4

    from psreg.conversations.endpoint.address import chat_address
    from psreg.conversations.endpoint.chat import Endpoint
    from psreg.conversations.gateway import Gateway, Settings
    from psreg.system.clock import exact_time

    # What is asked again counts, so the gateway asks again itself or not at all.
    limits = replace(limits_of(args.timeout), retries=0)
    return Gateway(
        ask=Endpoint(chat_address(args.upstream), os.environ, limits).ask,
        now=exact_time,
        token=lambda: str(uuid4()),
        settings=Settings(model=args.model, temperature=args.temperature, seed=args.seed),
    )


def _announce(args: Namespace, url: str, console: Console) -> None:
    if console.machine:
        console.json(
            {
                "schema": "psreg.gateway/1",
                "url": url,
                "upstream": shown_address(args.upstream),
                "trace_log": args.trace_log,
            }
        )
    elif not console.quiet:
        console.line(f"answering in PB2S at {url} (Ctrl-C stops)")
        console.line(f"records go to {args.trace_log}; psreg checks form and nothing else")
    console.flush()


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
