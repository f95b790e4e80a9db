"""`psreg explain CODE | --all`: what a rule says, why, and how to mend it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from psreg.cli.console import Console, add_output_options
from psreg.errors import UsageError
from psreg.formats.nearest import nearest
from psreg.rule import Rule
from psreg.rules import RULES

EXAMPLE = "psreg explain PBE006"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("code", nargs="?", metavar="CODE", help="a rule's code, such as PBE006")
    parser.add_argument("--all", action="store_true", help="every rule, in order of its code")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print one rule or all; exit 2 if there is no such rule."""
    if args.all == (args.code is not None):
        raise UsageError("USAGE", "name one rule, or say --all", "try 'psreg explain PBE006'")
    if args.all:
        rules = sorted(RULES, key=lambda rule: rule.code)
        if console.machine:
            console.json([_document(rule) for rule in rules])
        else:
            for rule in rules:
                console.line(f"{rule.code:<10} {rule.severity:<8} {rule.slug}")
        return 0
    rule = _find(args.code)
    if console.machine:
        console.json(_document(rule))
    else:
        levels = str(rule.severity)
        levels += f" ({rule.read} when only reading)" if rule.read is not rule.severity else ""
        for text in (f"{rule.code} {rule.slug}", f"{levels} · {rule.spec}", "", rule.doc):
            console.line(text)
    return 0


def _find(code: str) -> Rule[Any]:
    wanted = code.upper()
    found = next((r for r in RULES if r.code == wanted), None)
    if found is None:
        near = nearest(wanted, [r.code.lower() for r in RULES])
        hint = f"did you mean {near.upper()}?" if near else "try 'psreg explain --all'"
        raise UsageError("NO_SUCH_RULE", f"there is no rule {code!r}", hint)
    return found


def _document(rule: Rule[Any]) -> dict[str, Any]:
    return {
        "code": rule.code,
        "slug": rule.slug,
        "family": rule.family,
        "severity": str(rule.severity),
        "severity_when_reading": str(rule.read),
        "spec": rule.spec,
        "summary": rule.summary,
        "body": rule.body,
        "url": rule.page,
    }
