"""What `psreg check` still has against a release that was just written, and what to write there.

The gaps are the check's own findings, so that nothing is listed that check would not say, and
nothing that it says is left out.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from psreg.core.diagnostics import INFO, Diagnostic, Report, Severity
from psreg.core.rule_table import RuleTable
from psreg.lint.walk import check_tree

Place = tuple[str, str]
"""The path of a file and a JSON pointer into it."""


TO_TEST = (
    "run the finished artifact on two platforms and add a row of [[tested]] for each; "
    "sha256 is what sha256sum says of the artifact"
)
"""What to write about runs: the digest of an artifact that is still edited would mislead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A place that a person has to fill in: `path`:`line`, and what to `write` there."""

    path: str
    line: int
    column: int
    pointer: str
    code: str
    severity: Severity
    message: str
    write: str


def gaps(
    tree: Mapping[PurePosixPath, bytes],
    folder: PurePosixPath,
    rules: RuleTable,
    meanings: Mapping[Place, str] | None = None,
) -> tuple[Gap, ...]:
    """Return the errors and warnings of `tree` below `folder` that nobody waived, in file order.

    `meanings` says what to write at a place; elsewhere the finding's own hint does.
    """
    report = Report.of(0, check_tree(tree, rules, within=folder))
    return tuple(
        _gap(found, meanings or {})
        for found in report.diagnostics
        if found.severity is not INFO
        and found.waived is None
        and PurePosixPath(found.path).is_relative_to(folder)
    )


def _gap(found: Diagnostic, meanings: Mapping[Place, str]) -> Gap:
    return Gap(
        path=found.path,
        line=found.start.line,
        column=found.start.column,
        pointer=found.pointer,
        code=found.code,
        severity=found.severity,
        message=found.message,
        write=meanings.get((found.path, found.pointer)) or found.hint,
    )


def overlaid(
    tree: Mapping[PurePosixPath, bytes], files: Mapping[PurePosixPath, bytes]
) -> Mapping[PurePosixPath, bytes]:
    """Return `tree` with `files` added; nothing of it is read before it is asked for."""
    # NOTE: a ChainMap writes to its first map only, so the second may be any mapping.
    return ChainMap(dict(files), cast("MutableMapping[PurePosixPath, bytes]", tree))
