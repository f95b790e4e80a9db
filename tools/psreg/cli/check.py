"""`psreg check`: check files, standard input, folders of artifacts, or a registry."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from psreg.cli.options.fix import Fixing, add_fix_options
from psreg.cli.options.rule_selection import Selection, add_selection_options
from psreg.cli.rules import all_rules, registry_rules
from psreg.core.diagnostics import ERROR, Diagnostic, Mode, Report
from psreg.core.errors import UnavailableError, UsageError
from psreg.lint.files.prompt_rules import VALIDATION
from psreg.lint.reports.report_formats import FORMATS, rendered
from psreg.lint.reports.text import report_lines
from psreg.registry.check_paths import Artifact, Subject
from psreg.registry.checkout import find_checkout
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_named

EXAMPLE = "psreg check pbes"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files or folders; - is standard input (pbes)"
    )
    parser.add_argument("--stdin-filename", metavar="NAME", help="name for standard input")
    parser.add_argument(
        "--read",
        action="store_true",
        help="be as lenient as a reader; do not require what publishing requires",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit 1 on warnings, too; in a .prompt, make invalid lines and variables without a "
        "value errors",
    )
    add_fix_options(parser)
    add_selection_options(parser)
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the report; exit 1 if it fails."""
    mode = Mode.READ if args.read else Mode.STRICT
    selection = Selection.of(args)
    fixing = Fixing(args) if args.fix or args.diff else None
    found: list[Diagnostic] = []
    fixed: list[Diagnostic] = []
    checked, lone = 0, True
    for path in args.paths or [_default_path()]:
        subject = _subject(path, args.stdin_filename, mode)
        judge = partial(_chosen, selection, subject, strict=args.strict)
        result = fixing.apply(subject, judge) if fixing else None
        found += result.left if result else judge({})
        fixed += result.fixed if result else ()
        checked += subject.checked
        lone = lone and subject.lone
    site = _site() if args.format != "text" else ""
    report = replace(Report.of(checked, found, site), fixed=tuple(fixed))
    if fixing:
        fixing.print(report, console, infos=lone)
    elif args.format == "text":
        _print(report, console, infos=lone)
    else:
        console.content(rendered(report, args.format, all_rules))
    return int(report.failed(strict=args.strict) or (fixing is not None and fixing.failed(report)))


def _chosen(
    selection: Selection, subject: Subject, changed: Mapping[str, bytes], *, strict: bool
) -> list[Diagnostic]:
    found = selection.chosen(subject.judge(changed))
    return [_as_error(d) if strict and d.code in VALIDATION else d for d in found]


def _as_error(diagnostic: Diagnostic) -> Diagnostic:
    """Return a finding as the validation mode of `.prompt` 0.0.1 reports it."""
    return replace(diagnostic, severity=ERROR)


def _default_path() -> str:
    root = find_checkout(Path.cwd())
    if root is None:
        raise UsageError(
            "USAGE", "no path given, and no pbes/ in this folder", "Run `psreg check FILE`."
        )
    return os.path.relpath(root / "pbes")


def _subject(path: str, stdin_filename: str | None, mode: Mode) -> Subject:
    """Return what `path` names; nothing is checked yet."""
    if path == "-":
        return Artifact(sys.stdin.buffer.read(MAX_FILE), stdin_filename or "stdin", mode)
    place = Path(path)
    if place.is_dir():
        from psreg.registry.check_folders import Folder

        return Folder(place, mode, registry_rules)
    if not place.exists():
        raise UnavailableError("NOT_FOUND", f"`{path}` does not exist")
    return Artifact.at(place, mode)


def _site() -> str:
    """Return the site address of the registry around the current folder, "" if unknown."""
    from psreg.formats import policy
    from psreg.formats.tree import POLICY

    root = find_checkout(Path.cwd())
    place = root / POLICY if root else None
    return policy.read(read_named(place)).site_address if place and place.is_file() else ""


def _print(report: Report, console: Console, *, infos: bool) -> None:
    lines = list(report_lines(report, color=color_wanted(), infos=infos))
    if console.quiet:
        lines = lines[:-1]
    console.out("".join(f"{line}\n" for line in lines))
