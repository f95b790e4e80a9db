"""`psreg check`: check files, standard input, folders of artifacts, or a registry."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.cluster_option import (
    add_cluster_option,
    add_source_option,
    check_source_option,
    executor_of,
    source_of,
)
from psreg.cli.rules import all_rules, registry_rules
from psreg.core.dataclass import dataclass, replace
from psreg.core.diagnostics import ERROR, Diagnostic, Mode, Report
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.spelling import nearest
from psreg.lint.files.prompt_rules import VALIDATION
from psreg.lint.fix import FixResult, apply_fixes
from psreg.lint.reports.report_formats import FORMATS, rendered
from psreg.lint.reports.text import report_lines
from psreg.registry.check.paths import Artifact, Subject
from psreg.registry.checkout import find_checkout
from psreg.system.console import Console, OptionAdder, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_named

if TYPE_CHECKING:
    from psreg.git.work_tree import WorkTree
    from psreg.system.processes import Workers

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
    _add_fix_options(parser)
    _add_selection_options(parser)
    add_cluster_option(parser)
    add_source_option(parser)
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the report; exit 1 if it fails."""
    check_source_option(args)
    with executor_of(args.cluster) as executor:
        return _run(args, console, executor)


def _run(args: Namespace, console: Console, executor: Workers) -> int:
    mode = Mode.READ if args.read else Mode.STRICT
    selection = _Selection.of(args)
    fixing = _Fixing(args) if args.fix or args.diff else None
    found: list[Diagnostic] = []
    fixed: list[Diagnostic] = []
    checked, lone = 0, True
    for path in args.paths or [_default_path()]:
        subject = _subject(path, args, console, mode, executor)
        judge = partial(_chosen, selection, subject, strict=args.strict)
        result = fixing.apply(subject, judge) if fixing else None
        found += result.left if result else judge({})
        fixed += result.fixed if result else ()
        checked += subject.checked
        lone = lone and subject.lone
    site = _site() if args.format != "text" else ""
    report = replace(Report.of(checked, found, site), fixed=tuple(fixed))
    if args.format == "json":
        from psreg.lint.reports.json import report_document

        texts = fixing.texts() if fixing else {}
        console.json({**report_document(report), **_scores(args.paths), **texts})
    elif fixing:
        fixing.print(report, console, infos=lone)
    elif args.format == "text":
        console.out(_text(report, console, color=color_wanted(), infos=lone))
        _say_what_else(args.paths, console)
        _say_scores(args.paths, console)
    else:
        console.content(rendered(report, args.format, all_rules))
    return int(report.failed(strict=args.strict) or (fixing is not None and fixing.failed(report)))


def _say_what_else(paths: Iterable[str], console: Console) -> None:
    """Say which files mean something only together with the others of a registry."""
    for path in paths:
        if Path(path).suffix == ".toml" and not Path(path).is_dir():
            console.note(
                f"{path} is checked by itself: what its keys say, `psreg check pbes` checks"
            )


def _say_scores(paths: Iterable[str], console: Console) -> None:
    """Say the scores of the entries and version folders among `paths`."""
    for place in map(Path, paths):
        if place.is_dir() and not console.quiet:
            from psreg.cli.scored import score_lines  # not needed to check a file

            for line in score_lines(place):
                console.line(line)


def _scores(paths: Iterable[str]) -> dict[str, Any]:
    """Return the member with the same scores; none without such a folder."""
    folders = [place for place in map(Path, paths) if place.is_dir()]
    if not folders:
        return {}
    from psreg.cli.scored import score_documents  # as above

    found = score_documents(folders)
    return {"scores": found} if found else {}


def _chosen(
    selection: _Selection, subject: Subject, changed: Mapping[str, bytes], *, strict: bool
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


def _subject(
    path: str, args: Namespace, console: Console, mode: Mode, executor: Workers
) -> Subject:
    """Return what `path` names; nothing is checked yet."""
    if path == "-":
        return Artifact(sys.stdin.buffer.read(MAX_FILE), args.stdin_filename or "stdin", mode)
    place = Path(path)
    if place.is_dir():
        from psreg.registry.check.folders import Folder

        source = source_of(args, partial(_work_tree, place), console)
        return Folder(place, mode, registry_rules, executor, source=source)
    if not place.exists():
        raise UnavailableError("NOT_FOUND", f"`{path}` does not exist")
    return Artifact.at(place, mode)


def _work_tree(folder: Path) -> WorkTree | None:
    """Return what Git knows about the registry that `folder` is in."""
    from psreg.git.work_tree import WorkTree

    root = find_checkout(folder.absolute())
    return WorkTree(root, ".") if root else None


def _site() -> str:
    """Return the site address of the registry around the current folder, "" if unknown."""
    from psreg.formats import policy
    from psreg.formats.tree import POLICY

    root = find_checkout(Path.cwd())
    place = root / POLICY if root else None
    return policy.read(read_named(place)).site_address if place and place.is_file() else ""


def _text(
    report: Report, console: Console, *, color: bool, infos: bool, fixed: str = "fixed"
) -> str:
    lines = list(report_lines(report, color=color, infos=infos, fixed=fixed))
    return "".join(f"{line}\n" for line in (lines[:-1] if console.quiet else lines))


def _add_selection_options(parser: OptionAdder) -> None:
    """Declare the two options; each may be given several times."""
    for option, what in (("--select", "report only"), ("--ignore", "do not report")):
        parser.add_argument(
            option, action="append", default=[], metavar="CODE", help=f"{what} this rule or family"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """Codes and families to report (none: all of them) and not to report."""

    select: frozenset[str]
    ignore: frozenset[str]

    @classmethod
    def of(cls, args: Namespace) -> _Selection:
        """Return what the command line selects.

        Raises:
            UsageError: it names a rule or family that does not exist.
        """
        return cls(select=_known(args.select), ignore=_known(args.ignore))

    def chosen(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the diagnostics that are selected and not ignored."""
        for diagnostic in diagnostics:
            names = {diagnostic.code, diagnostic.family}
            if (not self.select or names & self.select) and not names & self.ignore:
                yield diagnostic


def _known(names: list[str]) -> frozenset[str]:
    if not names:
        return frozenset()
    known = {name.lower(): name for rule in all_rules() for name in (rule.code, rule.family)}
    for name in names:
        if name.lower() not in known:
            near = nearest(name, known)
            hint = f"Did you mean `{known[near]}`?" if near else "Run `psreg explain --all`."
            raise UsageError("NO_SUCH_RULE", f"unknown rule or family `{name}`", hint)
    return frozenset(known[name.lower()] for name in names)


_FIX = (
    "apply the safe fixes, marked [*]; released files are not spared, so run it before you publish"
)
_DIFF = "show what --fix would change without writing; exit 1 if there is anything"


def _add_fix_options(parser: ArgumentParser) -> None:
    """Declare `--fix` and `--diff`."""
    parser.add_argument("--fix", action="store_true", help=_FIX)
    parser.add_argument("--diff", action="store_true", help=_DIFF)


class _Fixing:
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
                from psreg.lint.reports.unified_diff import unified  # for --diff

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
        aside = self._show or self._stdin is not None
        if self._show:
            console.content(self._diff)
        elif self._stdin:
            console.content(self._stdin.data)
            for line in sys.stdin.buffer:  # what was too long to check
                console.content(line)
        write = console.aside if aside else console.out
        write(self._report(report, console, color=not aside and color_wanted(), infos=infos))

    def texts(self) -> dict[str, str]:
        """Return what the JSON has besides the report: the difference, or the fixed text."""
        if self._show:
            return {"diff": self._diff}
        return {"text": self._stdin.data.decode(errors="replace")} if self._stdin else {}

    def _report(self, report: Report, console: Console, *, color: bool, infos: bool) -> str:
        if self._format != "text":
            return rendered(report, self._format, all_rules)
        word = "would fix" if self._show else "fixed"
        return _text(report, console, color=color, infos=infos, fixed=word)
