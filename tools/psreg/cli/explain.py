"""`psreg explain CODE | ID | --all | --errors`: what a rule or an error means, and what to do.

An id is a rule or an ambiguity of a specification, such as PBE-04: the output lists the rules that
cite it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from psreg.cli.rules import all_rules
from psreg.core.error_codes import ERROR_CODES, SUBJECTS, ErrorCode
from psreg.core.errors import UsageError
from psreg.core.rule import Rule
from psreg.core.spelling import nearest
from psreg.lint.extra_files import level_in_evidence
from psreg.system.console import Console, add_output_options, output_columns

EXAMPLE = "psreg explain PBE006"

TOGETHER: Mapping[str, tuple[str, ...]] = {
    "PS080": ("NAME001", "NAME002", "NAME003", "NAME004", "NAME006"),
}
"""Ids that one looks up as a single rule, and the rules that check them."""

_DIGITS = "0123456789"
_LONG = 9


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "code",
        nargs="?",
        metavar="CODE",
        help="the code or name of a rule, a family such as PS, the code of an error, or an id that "
        "rules cite: PBE-04",
    )
    parser.add_argument("--all", action="store_true", help="list every rule")
    parser.add_argument("--errors", action="store_true", help="list every error")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print what one code means, the rules that cite an id, or a list; exit 2 if it is unknown."""
    if [args.all, args.errors, args.code is not None].count(True) != 1:
        hint = "Run `psreg explain PBE006`, for example."
        raise UsageError("USAGE", "expected one code, --all or --errors", hint)
    if args.all:
        _list(sorted(all_rules(), key=lambda rule: rule.code), console)
    elif args.errors:
        _list_errors(console)
    elif rule := next((r for r in all_rules() if args.code.upper() in _ids(r)), None):
        _explain(rule, console)
    elif error := ERROR_CODES.get(args.code.upper()):
        _explain_error(error, console)
    elif family := [r for r in all_rules() if r.code.rstrip(_DIGITS) == args.code.upper()]:
        _list(sorted(family, key=lambda rule: rule.code), console)
    else:
        text, codes = _checked_by(args.code.upper()) or _unknown(args.code)
        if not console.machine:
            _print(text, console)
        _list([rule for rule in all_rules() if rule.code in codes], console)
    return 0


def _ids(rule: Rule[Any]) -> tuple[str, str]:
    """Return what one may call a rule by, in capitals: its code and its slug."""
    return rule.code, rule.slug.upper()


def _explain(rule: Rule[Any], console: Console) -> None:
    if console.machine:
        console.json(_document(rule))
    else:
        levels = str(rule.severity)
        levels += f" ({rule.read} in read mode)" if rule.read is not rule.severity else ""
        if level := level_in_evidence(rule):
            levels += f" ({level} in evidence)"
        facts = f"{levels} · {rule.spec} · since psreg {rule.since}"
        for line in (f"{rule.code} {rule.slug}", facts, ""):
            console.line(line)
        _print(rule.doc, console)


def _print(text: str, console: Console) -> None:
    """Write Markdown; a terminal gets its paragraphs wrapped, and code as it is."""
    lines = text.split("\n")
    code = False
    for line in _joined(lines) if output_columns() else lines:
        fence = line.startswith("```")
        code ^= fence
        example = code or fence or line.startswith(" ")
        (console.line if example else console.paragraph)(line)


def _joined(lines: Iterable[str]) -> list[str]:
    """Return lines of Markdown, each paragraph as one."""
    found: list[str] = []
    code = open_ = False
    for line in lines:
        fence = line.startswith("```")
        goes_on = bool(line) and not (code or fence or line.startswith(_ALONE))
        if goes_on and open_:
            found[-1] += f" {line}"
        else:
            found.append(line)
        code ^= fence
        open_ = goes_on or line.startswith(_ITEM)
    return found


_ITEM = ("- ", *(f"{number}. " for number in range(1, 10)))
_ALONE = ("#", "|", " ", *_ITEM)
"""What a line begins with that does not go on with the paragraph before it."""


def _explain_error(error: ErrorCode, console: Console) -> None:
    if console.machine:
        console.json(_error_document(error))
    else:
        ends = "sent over HTTP" if error.exit_code is None else f"exit code {error.exit_code}"
        head = (error.code, f"{ends} · {_subject(error)}", "", error.meaning)
        for text in (*head, "", "## Fix", error.remedy):
            console.paragraph(text)


def _list(rules: Sequence[Rule[Any]], console: Console) -> None:
    if console.machine:
        console.json([_document(rule) for rule in rules])
    else:
        console.table((f"{rule.code:<9}", f"{rule.severity!s:<7}", rule.slug) for rule in rules)


def _list_errors(console: Console) -> None:
    errors = [ERROR_CODES[code] for code in sorted(ERROR_CODES)]
    if console.machine:
        console.json([_error_document(error) for error in errors])
    else:
        console.table((f"{error.code:<19}", error.meaning) for error in errors)


def _checked_by(wanted: str) -> tuple[str, tuple[str, ...]] | None:
    """Return a text about the id `wanted`, and the codes of the rules that check it, or None."""
    from psreg.formats.specs import Clause, citing, specifications

    if codes := TOGETHER.get(wanted):
        return _sentence(wanted, codes), codes
    cited = citing(all_rules())
    for spec in specifications():
        for row in spec.rows:
            if wanted in (row.id, f"{spec.cited}/{row.id}".upper()):
                codes = cited.get(f"{spec.cited}/{row.id}", ())
                text = row.text if isinstance(row, Clause) else row.ours
                why = row.not_checkable or row.later or "It is about behaviour."
                checked = _sentence(row.id, codes) if codes else f"{row.id} has no rule. {why}"
                return f"{spec.title}: {text}\n{checked}", codes
    ours = next((one for one in cited if one.upper() in (wanted, f"REGISTRY/{wanted}")), "")
    return (_sentence(ours, cited[ours]), cited[ours]) if ours else None


def _sentence(what: str, codes: Sequence[str]) -> str:
    *some, last = codes
    listed = f"{', '.join(some)} and {last}" if some else last
    return f"{what} is checked by {listed}:"


def _unknown(code: str) -> NoReturn:
    known = {known.lower() for known in (*(r.code for r in all_rules()), *ERROR_CODES)}
    family, digits = code.lower().rstrip(_DIGITS), code[len(code.rstrip(_DIGITS)) :]
    padded = f"{family.rstrip('-_ ')}{int(digits or 0):03}" if len(digits) < _LONG else ""
    near = padded if padded in known else nearest(code, sorted(known))
    lists = "Run `psreg explain --all` or `psreg explain --errors`."
    hint = f"Did you mean `{near.upper()}`?" if near else lists
    raise UsageError("NO_SUCH_RULE", f"unknown code `{code}`", hint)


def _document(rule: Rule[Any]) -> dict[str, Any]:
    return {
        "code": rule.code,
        "slug": rule.slug,
        "family": rule.family,
        "severity": str(rule.severity),
        "severity_when_reading": str(rule.read),
        "severity_in_evidence": level_in_evidence(rule),
        "spec": rule.spec,
        "since": rule.since,
        "summary": rule.summary,
        "body": rule.body,
        "url": rule.page,
    }


def _error_document(error: ErrorCode) -> dict[str, Any]:
    return {
        "schema": "psreg.error-code/1",
        "code": error.code,
        "exit_code": error.exit_code,
        "subject": _subject(error),
        "meaning": error.meaning,
        "remedy": error.remedy,
        "url": error.page,
    }


def _subject(error: ErrorCode) -> str:
    return next(subject.title for subject in SUBJECTS if error in subject.codes)
