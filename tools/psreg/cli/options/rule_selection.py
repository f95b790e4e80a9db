"""`--select` and `--ignore`: the rules whose findings a command reports, by code or family."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Diagnostic
from psreg.core.errors import UsageError
from psreg.core.spelling import nearest
from psreg.system.console import OptionAdder


def add_selection_options(parser: OptionAdder) -> None:
    """Declare the two options; each may be given several times."""
    for option, what in (("--select", "report only"), ("--ignore", "do not report")):
        parser.add_argument(
            option, action="append", default=[], metavar="CODE", help=f"{what} this rule or family"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Codes and families to report (none: all of them) and not to report."""

    select: frozenset[str]
    ignore: frozenset[str]

    @classmethod
    def of(cls, args: Namespace) -> Selection:
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
