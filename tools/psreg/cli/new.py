"""`psreg new`: start a new entry, from answers or an existing file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from psreg.authoring.interview import answers_of, ask, unfinished_interview
from psreg.authoring.naming import is_artifact, require_class, require_class_of, require_free_name
from psreg.authoring.new import Plan, changes_of_plain_text, missing, new_entry, plain_text
from psreg.authoring.new_folders import add_folder
from psreg.authoring.todo import print_todo, todo_documents
from psreg.cli.rules import registry_rules
from psreg.cli.scored import score_documents, score_lines
from psreg.core.classes import CLASSES, Format
from psreg.core.diagnostics import Mode, Report
from psreg.core.errors import FindingsError
from psreg.formats.tree import POLICY
from psreg.lint.engine import check_file
from psreg.lint.reports.text import report_lines
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import read_named

EXAMPLE = "psreg new interactive_engine trip_packer --guided"
SCHEMA = "psreg.new/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("entry_class", metavar="CLASS", help=f"one of {', '.join(CLASSES)}")
    parser.add_argument("name", metavar="NAME", help="a new name, lowercase_with_underscores")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="an existing PBE or .prompt to copy, or a plain text that becomes a .prompt",
    )
    parser.add_argument("--guided", action="store_true", help="ask questions in the terminal")
    parser.add_argument("--answers", metavar="FILE", help="read the answers from TOML or JSON")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the entry and print what is left to write."""
    root = required_checkout(".")
    tree, rules = read_tree(root), registry_rules()
    require_class(args.entry_class)
    require_free_name(tree, args.entry_class, args.name, rules)
    plan = _plan(args, console, tree.get(POLICY))
    if args.answers:
        plan = answers_of(Path(args.answers), plan, rules)
    kept = unfinished_interview(root, plan)
    if args.guided:
        plan = ask(plan, console, rules, kept)
    files, release = new_entry(plan), plan.release
    left = missing(plan, rules, tree)
    if plan.stated != release.version:
        first = f"the first version must be 0.1.0 or 1.0.0: {plan.stated} becomes {release.version}"
        console.note(f"psreg: {first}; name the original version in README.md")
    add_folder(root, release.entry_folder, files)
    if args.guided:
        kept.unlink(missing_ok=True)
    if console.machine:
        (scored,) = score_documents([root / release.folder])
        console.json(
            {
                "schema": SCHEMA,
                "class": release.entry_class,
                "name": release.name,
                "version": release.version,
                "files": sorted(map(str, files)),
                "gaps": todo_documents(left),
                "score": scored["score"],
            }
        )
    else:
        print_todo(console, release, sorted(files), left)
        if not console.quiet:
            for line in score_lines(root / release.folder):
                console.line(line)
    return 0


def _plan(args: Namespace, console: Console, policy: bytes | None) -> Plan:
    """Return the plan of the entry, with the artifact or the plain text in FILE."""
    plan = Plan(entry_class=args.entry_class, name=args.name, policy=policy)
    if not args.source:
        return plan
    source = Path(args.source)
    data = read_named(source)
    if args.entry_class != Format.PROMPT or is_artifact(data, source.name):
        return replace(plan, artifact=_adopted(data, args, console))
    plan = plan.with_answer("task", plain_text(data, args.source))
    for note in changes_of_plain_text(plan):
        console.warn(f"psreg: warning: {note}")
    return plan


def _adopted(data: bytes, args: Namespace, console: Console) -> bytes:
    """Return the artifact in FILE, if a reader can use it and it has the class."""
    form = require_class_of(data, Path(args.source).name, args.entry_class, args.name)
    report = Report.of(1, check_file(data, path=args.source, mode=Mode.READ, form=form))
    if report.failed():
        if not console.machine:
            lines = report_lines(report, color=color_wanted(), infos=False)
            console.out("".join(f"{line}\n" for line in lines))
        raise FindingsError(
            "UNREADABLE",
            f"`{args.source}` has errors; nothing was written",
            f"Run `psreg check --read {args.source}` and fix them first.",
        )
    return data
