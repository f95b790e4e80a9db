"""`psreg transcript`: check a recorded conversation against a protocol."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from psreg.cli.options import add_dialect_option
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Mode
from psreg.core.errors import UsageError
from psreg.core.spelling import nearest
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.protocol_versions import PROTOCOLS, latest_version, version_numbers
from psreg.lint.reports.report_formats import rendered
from psreg.lint.reports.transcript_report import transcript_document, transcript_lines
from psreg.lint.transcript import TranscriptReport, check_transcript, file_report, stats_of
from psreg.protocols.protocol import Options
from psreg.system.atomic import write_file
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_named, refuse_existing

EXAMPLE = "psreg transcript evidence/claude.jsonl --protocol vpp"

_FORMATS = ("text", "json", "sarif")


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="the conversation, or - for standard input")
    parser.add_argument(
        "--protocol", required=True, metavar="NAME[@VERSION]", help="vpp, plsp or pb2s"
    )
    add_dialect_option(parser, "", "plsp: the dialect, psreg-1")
    parser.add_argument(
        "--temperature-documented",
        action="store_true",
        help="pb2s: accept a temperature above 0.2, because it is documented",
    )
    parser.add_argument("--read", action="store_true", help="be as lenient as a reader")
    parser.add_argument(
        "--stats", action="store_true", help="plsp: count bytes, statements, variables, tokens"
    )
    parser.add_argument(
        "--fix", metavar="COPY.jsonl", help="apply the fixes to a copy, and check that one"
    )
    parser.add_argument(
        "--live", action="store_true", help="vpp: check each turn as its line arrives on -"
    )
    add_output_options(parser, _FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the findings; exit 1 if one is an error."""
    protocol, version = _protocol(args.protocol)
    if args.live:
        return _live(args, console, protocol, version)
    if args.fix:
        refuse_existing(Path(args.fix))
    conversation = read_conversation(_data(args.file), args.file, protocol)
    check = partial(
        check_transcript,
        protocol=protocol,
        version=version,
        mode=Mode.READ if args.read else Mode.STRICT,
        imf=args.imf,
        documented=args.temperature_documented,
        path="stdin" if args.file == "-" else Path(args.file).as_posix(),
    )
    if args.fix:
        every = partial(check, room=sys.maxsize)
        conversation, found = _fixed(conversation, every, Path(args.fix), console)
    else:
        found = check(conversation)
    stats = stats_of(found) if args.stats else None
    if args.format == "json":
        console.json(transcript_document(found, stats))
    elif args.format == "sarif":
        console.content(rendered(file_report(found, conversation), args.format, all_rules))
    else:
        for line in transcript_lines(found, stats, color=color_wanted(), quiet=console.quiet):
            console.out(f"{line}\n")
    return int(found.report.failed())


def _live(args: Namespace, console: Console, protocol: str, version: str) -> int:
    """Report each turn on standard input as it arrives; exit 1 if one breaks a rule."""
    from psreg.lint.transcript_live import live_turns

    if protocol != "vpp" or args.file != "-" or console.machine or args.fix:
        message = "--live is for vpp on standard input, as text"
        raise UsageError("USAGE", message, "Write `psreg transcript - --protocol vpp --live`.")
    known = latest_version(protocol)
    options = Options(
        version=known, declared=version or known, mode=Mode.READ if args.read else Mode.STRICT
    )
    lines = iter(partial(sys.stdin.buffer.readline, MAX_FILE), b"")
    broken = False
    for turn in live_turns(lines, options, color=color_wanted()):
        broken = broken or turn.broken
        for line in turn.lines if turn.broken or not console.quiet else ():
            console.out(f"{line}\n")
        console.flush()
    return int(broken)


def _fixed(
    conversation: Conversation,
    check: Callable[[Conversation], TranscriptReport],
    copy: Path,
    console: Console,
) -> tuple[Conversation, TranscriptReport]:
    """Write the fixed copy, and return it and its report."""
    from psreg.lint.transcript import fixed_conversation, json_lines_of, shortened

    fixed, report, number = fixed_conversation(conversation, check)
    write_file(copy, json_lines_of(fixed).encode("utf-8", "backslashreplace"))
    console.note(f"psreg: wrote {copy}: {number} fix{'es' * (number != 1)} applied")
    return fixed, shortened(report)


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
        hint = f"Write a version as in `{name}@{latest_version(name)}`."
        raise UsageError("NO_SUCH_PROTOCOL", f"`{version}` is not a protocol version", hint)
    return name, version
