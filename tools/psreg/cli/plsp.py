"""`psreg plsp run|inspect`: run a PLSP program in a loop, or show a recorded trace."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from typing import Any

from psreg.cli.options import (
    add_dialect_option,
    add_endpoint_options,
    add_timeout_option,
    endpoint_of,
)
from psreg.conversations.plsp.actions import ActionPorts
from psreg.conversations.plsp.inspect import inspect, inspect_document, inspect_lines
from psreg.conversations.plsp.run import Loop, Start, program_of, start_after
from psreg.conversations.plsp.terminal import Recorder
from psreg.core.diagnostics import Mode
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocol_versions import DIALECT
from psreg.system.clock import sleep
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named, real_path, refuse_existing

_RUN = (
    "psreg plsp run --endpoint http://127.0.0.1:8080 --program watch.txt --max-cycles 5"
    " --trace watch.jsonl"
)
_INSPECT = "psreg plsp inspect watch.jsonl"
EXAMPLE = f"{_RUN}\n  {_INSPECT}"

_MOST = 10_000
_LARGEST_SOURCE = 64 * 1024


def configure(parser: ArgumentParser) -> None:
    """Declare the two actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="run|inspect")
    run_parser = _action(actions, "run", "run a program against an endpoint", _RUN)
    _add_run_options(run_parser)
    inspect_parser = _action(actions, "inspect", "show a trace cycle by cycle", _INSPECT)
    inspect_parser.add_argument("trace", metavar="TRACE", help="the trace to show")
    inspect_parser.add_argument(
        "--read", action="store_true", help="be as lenient as a reader, not as strict as publishing"
    )
    for each, default in ((run_parser, DIALECT), (inspect_parser, "")):
        add_dialect_option(each, default, f"the dialect ({default or 'none'})")
        add_output_options(each)


def _add_run_options(parser: ArgumentParser) -> None:
    add_endpoint_options(parser)
    parser.add_argument(
        "--program",
        required=True,
        metavar="FILE",
        help="one instruction per line; the last one repeats",
    )
    parser.add_argument(
        "--max-cycles", required=True, type=_cycles, metavar="N", help="stop after N cycles"
    )
    parser.add_argument("--model", default="", help="model to request (default: the endpoint's)")
    parser.add_argument(
        "--trace",
        metavar="FILE.jsonl",
        help="write the trace to this file (default: standard output)",
    )
    parser.add_argument(
        "--resume", metavar="TRACE", help="continue after the last cycle of TRACE and append to it"
    )
    parser.add_argument(
        "--log-sink", metavar="FILE", help="append logs to FILE, one JSON line each"
    )
    parser.add_argument(
        "--allow-fetch",
        action="append",
        default=[],
        type=_source,
        metavar="NAME=FILE",
        help="let !fetch read FILE as NAME; no other file is read",
    )
    add_timeout_option(parser)


def _action(actions: Any, name: str, summary: str, example: str) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        allow_abbrev=False,
    )
    return parser


def run(args: Namespace, console: Console) -> int:
    """Run or show a loop; exit 1 if a block of a run breaks a rule."""
    return _run(args, console) if args.action == "run" else _inspect(args, console)


def _inspect(args: Namespace, console: Console) -> int:
    mode = Mode.READ if args.read else Mode.STRICT
    conversation = read_conversation(read_named(Path(args.trace)), args.trace, "plsp")
    steps = inspect(conversation, args.trace, imf=args.imf, mode=mode)
    if console.machine:
        console.json(inspect_document(steps, args.trace))
    else:
        for line in inspect_lines(steps):
            console.line(line)
    return 0


def _run(args: Namespace, console: Console) -> int:
    program = program_of(read_named(Path(args.program)), args.program, imf=args.imf)
    start, kept = Start(), b""
    if args.resume:
        kept = read_named(Path(args.resume))
        start = start_after(read_conversation(kept, args.resume, "plsp"), args.resume)
    path = args.trace or args.resume
    recorder = Recorder(
        console=console, imf=args.imf, path=path, before=_before(kept.decode(), path, args.resume)
    )
    sink = Path(args.log_sink) if args.log_sink else None
    loop = Loop(
        program=program,
        ask=endpoint_of(args).ask,
        ports=ActionPorts(
            wait=sleep,
            page=lambda text: console.warn(f"psreg: page: {text}"),
            log=partial(recorder.logged, sink),
            sources={name: partial(_text, path) for name, path in args.allow_fetch},
        ),
        imf=args.imf,
        model=args.model,
    )
    try:
        for cycle in loop.run(start, args.max_cycles):
            recorder.keep(cycle)
    except KeyboardInterrupt:
        recorder.interrupted = True
    return recorder.finish()


def _before(kept: str, path: str | None, resumed: str | None) -> str:
    """Return what to write to the trace `path` before the first cycle: nothing is overwritten.

    Raises:
        UsageError: EXISTS; `path` is a file, and not the one that the loop continues.
    """
    ended = "\n" if kept and not kept.endswith("\n") else ""
    if path is None or (resumed and real_path(Path(path)) == real_path(Path(resumed))):
        return ended
    refuse_existing(Path(path))
    return kept + ended


def _text(path: Path) -> str:
    return read_named(path, _LARGEST_SOURCE).decode("utf-8", "replace")


def _cycles(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(_MOST)) else 0
    if not 0 < number <= _MOST:
        raise ArgumentTypeError(f"{text!r} is not a number of cycles from 1 to {_MOST:,}")
    return number


def _source(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ArgumentTypeError(f"{text!r} is not NAME=FILE")
    return name, Path(path)
