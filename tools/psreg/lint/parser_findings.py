"""Findings that a parser or a schema has already reported; a rule picks those of its code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from psreg.core.diagnostics import Finding, Issue
from psreg.formats.schema import MAX_VIOLATIONS, Violation


def of_issues(issues: Iterable[Issue], code: str) -> Iterator[Finding]:
    """Yield a finding for each of a parser's issues with `code`, at most `MAX_VIOLATIONS`.

    A file of single letters and line breaks has more invalid lines than anyone will read.
    """
    for issue in islice((issue for issue in issues if issue.code == code), MAX_VIOLATIONS):
        yield issue.finding


def of_violations(violations: Iterable[Violation], code: str, path: str = "") -> Iterator[Finding]:
    """Yield a finding for each of a schema's violations with `code`.

    `path` names the file if the rule checks several.
    """
    for violation in violations:
        if violation.code == code:
            yield Finding(
                message=violation.message,
                at=violation.pointer,
                key=violation.key,
                hint=violation.hint,
                path=path,
            )
