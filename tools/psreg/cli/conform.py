"""`psreg conform PROTOCOL --endpoint URL`: put an endpoint through a protocol's conformance run."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from psreg.cli.options.endpoint import add_timeout_option, limits_of, shown_address
from psreg.conversations.conform import CONFORMANCES, Conformance, conform, prompts_of
from psreg.conversations.conform_report import conform_document, conform_lines
from psreg.conversations.endpoint.address import chat_address, post_address
from psreg.conversations.endpoint.chat import Endpoint
from psreg.conversations.probe import Run
from psreg.core.errors import UnavailableError, UsageError
from psreg.formats.protocols import PROTOCOLS
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import read_named

EXAMPLE = "psreg conform pb2s --endpoint http://127.0.0.1:8000/chat"

_NO_ANSWER = 2
"""The exit code where there is nothing to judge: DESIGN §4 gives this command no other."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("protocol", choices=tuple(PROTOCOLS), help="what the endpoint claims")
    parser.add_argument("--endpoint", metavar="URL", help="where it is")
    parser.add_argument("--model", default="", help="the model to ask for, where there are several")
    parser.add_argument(
        "--prompts", metavar="FILE.json", help="say these: a list of texts or {id, message}"
    )
    parser.add_argument(
        "--trace-log", metavar="FILE", help="pb2s: judge the log that the endpoint writes, too"
    )
    parser.add_argument(
        "--temperature-documented",
        action="store_true",
        help="pb2s: a temperature above 0.2 is documented, and no finding",
    )
    parser.add_argument(
        "--write-script",
        metavar="PATH",
        help="pb2s: write a program that does this with Python alone, and ask nothing",
    )
    add_timeout_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print what was found; exit 0 if it conforms, 1 if not, 2 if there is nothing to judge."""
    conformance = _conformance(args.protocol)
    if args.write_script:
        return _write_script(conformance, Path(args.write_script), console)
    if not args.endpoint:
        raise UsageError("USAGE", "--endpoint is missing", "name the address of what to judge")
    try:
        found = conform(conformance, _run(args), shown_address(args.endpoint))
    except UnavailableError as error:
        console.fail(error)
        return _NO_ANSWER
    if console.machine:
        console.json(conform_document(found))
    else:
        for line in conform_lines(found, color=color_wanted(), quiet=console.quiet):
            console.out(f"{line}\n")
    return 0 if found.passed else 1


def _conformance(name: str) -> Conformance:
    for conformance in CONFORMANCES:
        if conformance.name == name:
            return conformance
    raise UsageError("NO_CONFORMANCE", f"this version of psreg has no conformance run for {name}")


def _run(args: Namespace) -> Run:
    limits = limits_of(args.timeout)
    prompts = prompts_of(read_named(Path(args.prompts)), args.prompts) if args.prompts else ()
    return Run(
        ask=Endpoint(chat_address(args.endpoint), os.environ, limits).ask,
        post=Endpoint(post_address(args.endpoint), os.environ, limits).post,
        model=args.model,
        prompts=prompts,
        trace=partial(read_named, Path(args.trace_log)) if args.trace_log else None,
        documented=args.temperature_documented,
    )


def _write_script(conformance: Conformance, path: Path, console: Console) -> int:
    """Write the program, and the folders that it lies in."""
    from psreg.system.atomic import cannot_write, write_file

    if conformance.script is None:
        message = f"there is no program for {conformance.name}; only pb2s has one"
        raise UsageError("NO_CONFORMANCE", message)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    write_file(path, conformance.script(), 0o755)
    if console.machine:
        console.json({"schema": "psreg.script/1", "path": str(path)})
    else:
        console.line(f"wrote {path}")
    return 0
