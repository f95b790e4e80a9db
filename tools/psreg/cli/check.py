"""`psreg check`: judge files, standard input, folders of artifacts, or a registry's tree."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.adapters.checking import check_folder
from psreg.adapters.files import MAX_FILE, find_checkout, read_named
from psreg.cli.console import Console, add_output_options, color_wanted
from psreg.cli.selection import Selection, add_selection_options
from psreg.diagnostics import Diagnostic, Mode, Report
from psreg.errors import UnavailableError, UsageError
from psreg.formats import policy
from psreg.index.tree import POLICY
from psreg.render.table import FORMATS, rendered
from psreg.render.text import report_lines
from psreg.service.check import check_file

EXAMPLE = "psreg check pbes"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; - is standard input (pbes)"
    )
    parser.add_argument("--stdin-filename", metavar="NAME", help="what to call standard input")
    parser.add_argument("--read", action="store_true", help="judge as a reader, not a publisher")
    parser.add_argument("--strict", action="store_true", help="let warnings fail, too")
    add_selection_options(parser)
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the report; exit 1 if it fails (DESIGN §4)."""
    mode = Mode.READ if args.read else Mode.STRICT
    selection = Selection.of(args)
    checked, diagnostics, lone = 0, [], True
    for path in args.paths or [_default_path()]:
        number, found, single = _check(path, args.stdin_filename, mode)
        checked += number
        diagnostics += found
        lone = lone and single
    if args.format == "text":
        report = Report.of(checked, selection.chosen(diagnostics))
        _print(report, console, infos=lone)
    else:
        report = Report.of(checked, selection.chosen(diagnostics), _site())
        console.out(rendered(report, args.format))
    return int(report.failed(strict=args.strict))


def _default_path() -> str:
    root = find_checkout(Path.cwd())
    if root is None:
        raise UsageError("USAGE", "no path given and no pbes/ here", "try 'psreg check FILE'")
    return os.path.relpath(root / "pbes")


def _check(path: str, stdin_filename: str | None, mode: Mode) -> tuple[int, list[Diagnostic], bool]:
    """Return how many files were judged, what was found, and whether it was a lone file."""
    if path == "-":
        data = sys.stdin.buffer.read(MAX_FILE)
        return 1, _lone(data, stdin_filename or "stdin", mode), True
    place = Path(path)
    if place.is_dir():
        return *check_folder(place, mode), False
    if not place.exists():
        raise UnavailableError("NOT_FOUND", f"there is no file {path}")
    return 1, _lone(read_named(place), place.as_posix(), mode), True


def _lone(data: bytes, path: str, mode: Mode) -> list[Diagnostic]:
    try:
        return check_file(data, path=path, mode=mode)
    except ValueError as error:
        hint = "a PBE starts with {, a .prompt with [METADATA]; or name it: --stdin-filename"
        raise UsageError("UNKNOWN_FORMAT", str(error), hint) from error


def _site() -> str:
    """Return the address of the site of the registry around the current folder, "" if unknown."""
    root = find_checkout(Path.cwd())
    place = root / POLICY if root else None
    return policy.read(read_named(place)).site_address if place and place.is_file() else ""


def _print(report: Report, console: Console, *, infos: bool) -> None:
    lines = list(report_lines(report, color=color_wanted(), infos=infos))
    if console.quiet:
        lines = lines[:-1]
    console.out("".join(f"{line}\n" for line in lines))
