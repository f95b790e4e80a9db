"""`psreg transcript`: check a recorded conversation against a protocol."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.cli.options.plsp_dialect import add_dialect_option
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Mode
from psreg.core.errors import UsageError
from psreg.core.spelling import nearest
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocol_versions import PROTOCOLS, version_numbers
from psreg.lint.reports.report_formats import rendered
from psreg.lint.reports.transcript_report import transcript_document, transcript_lines
from psreg.lint.transcript import check_transcript, file_report, stats_of
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_named

EXAMPLE = "psreg transcript evidence/claude.jsonl --protocol vpp"

_FORMATS = ("text", "json", "sarif")


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="the conversation, or - for standard input")
    parser.add_argument(
        "--protocol", required=True, metavar="NAME[@VERSION]", help="vpp, plsp or pb2s"
    )
    add_dialect_option(parser, "", "plsp: the dialect, psreg-1")
    parser.add_argument("--read", action="store_true", help="be as lenient as a reader")
    parser.add_argument(
        "--stats", action="store_true", help="plsp: count bytes, statements, variables, tokens"
    )
    add_output_options(parser, _FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the findings; exit 1 if one is an error."""
    protocol, version = _protocol(args.protocol)
    conversation = read_conversation(_data(args.file), args.file, protocol)
    found = check_transcript(
        conversation,
        protocol,
        version=version,
        mode=Mode.READ if args.read else Mode.STRICT,
        imf=args.imf,
        path="stdin" if args.file == "-" else Path(args.file).as_posix(),
    )
    stats = stats_of(conversation, protocol) if args.stats else None
    if args.format == "json":
        console.json(transcript_document(found, stats))
    elif args.format == "sarif":
        console.content(rendered(file_report(found, conversation), args.format, all_rules))
    else:
        for line in transcript_lines(found, stats, color=color_wanted(), quiet=console.quiet):
            console.out(f"{line}\n")
    return int(found.report.failed())


def _data(file: str) -> bytes:
    return sys.stdin.buffer.read(MAX_FILE) if file == "-" else read_named(Path(file))


def _protocol(text: str) -> tuple[str, str]:
    """Return the name and the version, "" for none, of a protocol such as `vpp@1.4`."""
    name, at, version = text.partition("@")
    if name not in PROTOCOLS:
        near = nearest(name, PROTOCOLS)
        hint = f"Did you mean `{near}`?" if near else f"Use one of {', '.join(PROTOCOLS)}."
        raise UsageError("NO_SUCH_PROTOCOL", f"unknown protocol `{name}`", hint)
    if at and version_numbers(version) is None:
        hint = f"Write a version as in `{name}@{PROTOCOLS[name]}`."
        raise UsageError("NO_SUCH_PROTOCOL", f"`{version}` is not a protocol version", hint)
    return name, version
