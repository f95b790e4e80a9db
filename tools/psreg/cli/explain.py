"""`psreg explain CODE | ID | --all`: what a rule says, why, and how to mend it.

An id is what a specification calls one of its rules or ambiguities, such as PBE-04: explained are
the rules that cite it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from psreg.core.errors import UsageError
from psreg.core.rule import Rule
from psreg.core.spelling import nearest
from psreg.lint.rules import RULES
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg explain PBE006"

TOGETHER: Mapping[str, tuple[str, ...]] = {
    "PS080": ("NAME001", "NAME002", "NAME003", "NAME004", "NAME006"),
}
"""What people look for as one rule and several judge."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="a rule's code, or an id that rules cite: PBE-04"
    )
    parser.add_argument("--all", action="store_true", help="every rule, in order of its code")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print one rule, those that cite an id, or all; exit 2 if there is no such rule or id."""
    if args.all == (args.code is not None):
        raise UsageError("USAGE", "name one rule, or say --all", "try 'psreg explain PBE006'")
    if args.all:
        _list(sorted(RULES, key=lambda rule: rule.code), console)
    elif rule := next((r for r in RULES if r.code == args.code.upper()), None):
        _explain(rule, console)
    else:
        said, codes = _judged(args.code.upper()) or _unknown(args.code)
        if not console.machine:
            console.line(said)
        _list([rule for rule in RULES if rule.code in codes], console)
    return 0


def _explain(rule: Rule[Any], console: Console) -> None:
    if console.machine:
        console.json(_document(rule))
    else:
        levels = str(rule.severity)
        levels += f" ({rule.read} when only reading)" if rule.read is not rule.severity else ""
        for text in (f"{rule.code} {rule.slug}", f"{levels} · {rule.spec}", "", rule.doc):
            console.line(text)


def _list(rules: Sequence[Rule[Any]], console: Console) -> None:
    if console.machine:
        console.json([_document(rule) for rule in rules])
    else:
        for rule in rules:
            console.line(f"{rule.code:<10} {rule.severity:<8} {rule.slug}")


def _judged(wanted: str) -> tuple[str, tuple[str, ...]] | None:
    """Return a text about what is `wanted` and who judges it, and their codes; None if unknown."""
    from psreg.formats.specs import Clause, citing, specifications

    if codes := TOGETHER.get(wanted):
        return _sentence(wanted, codes), codes
    cited = citing(RULES)
    for spec in specifications():
        for row in spec.rows:
            if wanted in (row.id, f"{spec.cited}/{row.id}".upper()):
                codes = cited.get(f"{spec.cited}/{row.id}", ())
                text = row.text if isinstance(row, Clause) else row.ours
                why = row.not_checkable or row.later or "It is about behaviour."
                judged = _sentence(row.id, codes) if codes else f"{row.id} has no rule. {why}"
                return f"{spec.title}: {text}\n{judged}", codes
    ours = next((one for one in cited if one.upper() in (wanted, f"REGISTRY/{wanted}")), "")
    return (_sentence(ours, cited[ours]), cited[ours]) if ours else None


def _sentence(what: str, codes: Sequence[str]) -> str:
    *some, last = codes
    listed = f"{', '.join(some)} and {last}" if some else last
    return f"{what} is judged by {listed}:"


def _unknown(code: str) -> NoReturn:
    near = nearest(code, [r.code.lower() for r in RULES])
    hint = f"did you mean {near.upper()}?" if near else "try 'psreg explain --all'"
    raise UsageError("NO_SUCH_RULE", f"there is no rule {code!r}", hint)


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
