"""`psreg conform PROTOCOL --endpoint URL`: test whether an endpoint follows a protocol."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from psreg.cli.options import (
    add_endpoint_options,
    add_sampling_options,
    add_timeout_option,
    endpoint_address,
    endpoint_of,
    shown_address,
)
from psreg.conversations.conform import (
    CONFORMANCES,
    Conformance,
    ConformReport,
    conform,
    conform_document,
    conform_lines,
    prompts_of,
)
from psreg.conversations.conform_run import Run
from psreg.conversations.endpoint.address import post_address
from psreg.conversations.model import ChatRequest
from psreg.core.errors import InterruptError, UnavailableError, UsageError
from psreg.formats.protocol_versions import PROTOCOLS
from psreg.system.atomic import cannot_write, write_file
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import read_named, refuse_existing

EXAMPLE = "psreg conform pb2s --endpoint http://127.0.0.1:8000/chat"

_NO_ANSWER = 2
"""The exit code if there is nothing to check."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("protocol", choices=tuple(PROTOCOLS), help="the protocol to test")
    add_endpoint_options(parser)
    parser.add_argument("--model", default="", help="model to request, if there are several")
    add_sampling_options(parser)
    parser.add_argument(
        "--prompts",
        metavar="FILE.json",
        help="send these instead: a list of texts or {id, message}",
    )
    parser.add_argument(
        "--trace-log", metavar="FILE", help="pb2s: also check the log that the endpoint writes"
    )
    parser.add_argument("--record", metavar="FILE.jsonl", help="write the exchanges to this file")
    parser.add_argument(
        "--temperature-documented",
        action="store_true",
        help="pb2s: accept a temperature above 0.2, because it is documented",
    )
    parser.add_argument(
        "--write-script",
        metavar="PATH",
        help="pb2s: write a stand-alone conformance script and exit",
    )
    add_timeout_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the report; exit 0 if the endpoint conforms, 1 if not, 2 if nothing can be checked."""
    conformance = _conformance(args.protocol)
    if args.write_script:
        return _write_script(conformance, Path(args.write_script), console)
    if conformance.name == "pb2s" and not args.endpoint:
        raise UsageError("USAGE", "--endpoint is missing", "Pass the address of the endpoint.")
    if args.record:
        refuse_existing(Path(args.record))
    try:
        found = conform(conformance, _run(args), shown_address(endpoint_address(args)))
    except UnavailableError as error:
        console.fail(error)
        return _NO_ANSWER
    if args.record:
        write_file(Path(args.record), found.transcript.encode("utf-8", "backslashreplace"))
    _print(found, console)
    if found.stopped is not None:
        interrupted = isinstance(found.stopped, InterruptError)
        return InterruptError.exit_code if interrupted else _NO_ANSWER
    return 0 if found.passed else 1


def _print(found: ConformReport, console: Console) -> None:
    if console.machine:
        console.json(conform_document(found))
        return
    for line in conform_lines(found, color=color_wanted(), quiet=console.quiet):
        console.out(f"{line}\n")
    if found.stopped is not None:
        console.fail(found.stopped)


def _conformance(name: str) -> Conformance:
    for conformance in CONFORMANCES:
        if conformance.name == name:
            return conformance
    raise UsageError("NO_CONFORMANCE", f"this version of psreg has no conformance run for `{name}`")


def _run(args: Namespace) -> Run:
    prompts = prompts_of(read_named(Path(args.prompts)), args.prompts) if args.prompts else ()
    return Run(
        ask=endpoint_of(args).ask,
        post=endpoint_of(args, post_address).post,
        settings=ChatRequest(
            messages=(), model=args.model, temperature=args.temperature, seed=args.seed
        ),
        prompts=prompts,
        trace=partial(read_named, Path(args.trace_log)) if args.trace_log else None,
        documented=args.temperature_documented,
    )


def _write_script(conformance: Conformance, path: Path, console: Console) -> int:
    """Write the script, and create its folder."""
    if conformance.script is None:
        message = f"there is no stand-alone script for `{conformance.name}`"
        raise UsageError("NO_CONFORMANCE", message, "Use pb2s, the only protocol with a script.")
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
