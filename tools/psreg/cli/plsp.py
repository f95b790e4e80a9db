"""`psreg plsp run|inspect`: run the loop of a PLSP program, look at one that was recorded."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path
from typing import Any

from psreg.cli.options.endpoint import add_timeout_option, limits_of
from psreg.cli.options.plsp_dialect import add_dialect_option
from psreg.conversations.endpoint.address import chat_address
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.plsp.actions import Outside
from psreg.conversations.plsp.inspect import inspect
from psreg.conversations.plsp.plsp_report import inspect_document, inspect_lines
from psreg.conversations.plsp.program import program_of
from psreg.conversations.plsp.run import Loop, Start, start_after
from psreg.conversations.plsp.terminal import Recorder
from psreg.core.diagnostics import Mode
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocols import DIALECT
from psreg.system.clock import sleep
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named

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
    run_parser = _action(actions, "run", "drive an endpoint through a program", _RUN)
    run_parser.add_argument(
        "--endpoint", required=True, metavar="URL", help="an OpenAI-compatible endpoint"
    )
    run_parser.add_argument(
        "--program", required=True, metavar="FILE", help="an instruction a line; the last repeats"
    )
    run_parser.add_argument(
        "--max-cycles", required=True, type=_cycles, metavar="N", help="end after so many cycles"
    )
    run_parser.add_argument("--model", default="", help="the model to ask for (the endpoint's own)")
    run_parser.add_argument(
        "--trace", metavar="FILE.jsonl", help="write the trace there (standard output)"
    )
    run_parser.add_argument(
        "--resume", metavar="TRACE", help="go on after its last cycle, and add to it"
    )
    run_parser.add_argument("--log-sink", metavar="FILE", help="add logs there, as JSON a line")
    run_parser.add_argument(
        "--allow-fetch",
        action="append",
        default=[],
        type=_source,
        metavar="NAME=FILE",
        help="let !fetch read this file by that name; nothing else is read",
    )
    add_timeout_option(run_parser)
    inspect_parser = _action(actions, "inspect", "show a trace cycle by cycle", _INSPECT)
    inspect_parser.add_argument("trace", metavar="TRACE", help="the trace")
    inspect_parser.add_argument(
        "--read", action="store_true", help="judge as a reader, not a publisher"
    )
    for each, default in ((run_parser, DIALECT), (inspect_parser, "")):
        add_dialect_option(each, default, f"the dialect ({default or 'none'})")
        add_output_options(each)


def _action(actions: Any, name: str, summary: str, example: str) -> ArgumentParser:
    parser: ArgumentParser = actions.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def run(args: Namespace, console: Console) -> int:
    """Run or show a loop; exit 1 if a block that was answered in a run breaks a rule."""
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
    recorder = Recorder(
        console=console, imf=args.imf, path=args.trace or args.resume, kept=kept.decode()
    )
    sink = Path(args.log_sink) if args.log_sink else None
    loop = Loop(
        program=program,
        ask=Endpoint(chat_address(args.endpoint), os.environ, limits_of(args.timeout)).ask,
        outside=Outside(
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
