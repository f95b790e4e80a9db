"""`psreg check --fix`: write the safe fixes, or show them with `--diff`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Diagnostic, Report
from psreg.core.errors import UsageError
from psreg.lint.fix import FixResult, apply_fixes
from psreg.lint.reports.json import report_document
from psreg.lint.reports.report_formats import rendered
from psreg.lint.reports.text import report_lines
from psreg.lint.reports.unified_diff import unified
from psreg.registry.check_paths import Artifact, Subject
from psreg.system.console import Console, color_wanted

_FIX = (
    "apply the safe fixes, marked [*]; released files are not spared, so run it before you publish"
)
_DIFF = "show what --fix would change without writing; exit 1 if there is anything"


def add_fix_options(parser: ArgumentParser) -> None:
    """Declare `--fix` and `--diff`."""
    parser.add_argument("--fix", action="store_true", help=_FIX)
    parser.add_argument("--diff", action="store_true", help=_DIFF)


class Fixing:
    """One run with `--fix`: what it changed, and how to report it.

    With `--diff` nothing is written. For standard input, the fixed text goes to standard output
    and the report to standard error, unless the report is JSON and contains the text.
    """

    def __init__(self, args: Namespace) -> None:
        if args.diff and args.format not in ("text", "json"):
            raise UsageError(
                "USAGE", f"--diff cannot be shown as {args.format}", "Use --format json."
            )
        self._show = args.diff
        self._format = args.format
        self._diff = ""
        self._stdin: Artifact | None = None

    def apply(
        self,
        subject: Subject,
        judge: Callable[[Mapping[str, bytes]], Iterable[Diagnostic]],
    ) -> FixResult:
        """Apply the fixes of what `judge` finds in `subject`."""
        result = apply_fixes(judge, subject.read, ended=subject.loose)
        for path, data in result.files.items():
            if self._show:
                before = subject.read(path) or b""
                self._diff += unified(path, before.decode(), data.decode())
            else:
                subject.write(path, data)
        if isinstance(subject, Artifact) and subject.place is None:
            self._stdin = subject
        return result

    def failed(self, report: Report) -> bool:
        """Return whether the run fails because `--diff` has something to show."""
        return self._show and bool(report.fixed)

    def print(self, report: Report, console: Console, *, infos: bool) -> None:
        """Print texts, differences and `report`, each to its stream."""
        if self._format == "json":
            console.json({**report_document(report), **self._texts()})
            return
        aside = self._show or self._stdin is not None
        if self._show:
            console.content(self._diff)
        elif self._stdin:
            console.content(self._stdin.data)
            for line in sys.stdin.buffer:  # what was too long to check
                console.content(line)
        write = console.aside if aside else console.out
        write(self._report(report, console, color=not aside and color_wanted(), infos=infos))

    def _texts(self) -> dict[str, str]:
        if self._show:
            return {"diff": self._diff}
        return {"text": self._stdin.data.decode(errors="replace")} if self._stdin else {}

    def _report(self, report: Report, console: Console, *, color: bool, infos: bool) -> str:
        if self._format != "text":
            return rendered(report, self._format, all_rules)
        word = "would fix" if self._show else "fixed"
        lines = list(report_lines(report, color=color, infos=infos, fixed=word))
        return "".join(f"{line}\n" for line in (lines[:-1] if console.quiet else lines))
