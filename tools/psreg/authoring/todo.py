"""What is left to write in a new release, as lines for people and as JSON.

The items are the findings of `psreg check`, so the list is neither longer nor shorter than what
the check reports.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast

from psreg.core.diagnostics import ERROR, INFO, Diagnostic, Report, Severity
from psreg.core.identity import ReleaseId
from psreg.core.rule import RuleTable
from psreg.lint.registry_walk import check_tree
from psreg.system.console import Console

Location = tuple[str, str]
"""The path of a file and a JSON pointer into it."""

TO_TEST = (
    "run the finished artifact on two platforms and add a [[tested]] row for each; "
    "sha256 is the output of sha256sum for the artifact"
)
"""What to write about runs: the digest of an unfinished artifact would mislead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoItem:
    """Something that a person has to fill in: at `path`:`line`, and what to `write` there."""

    path: str
    line: int
    column: int
    pointer: str
    code: str
    severity: Severity
    message: str
    write: str


def todo_items(
    tree: Mapping[PurePosixPath, bytes],
    folder: PurePosixPath,
    rules: RuleTable,
    meanings: Mapping[Location, str] | None = None,
) -> tuple[TodoItem, ...]:
    """Return the errors and warnings of `tree` below `folder` that are not waived, in file order.

    `meanings` says what to write at a location; elsewhere the hint of the finding is used.
    """
    report = Report.of(0, check_tree(tree, rules, within=folder))
    return tuple(
        _todo_item(found, meanings or {})
        for found in report.diagnostics
        if found.severity is not INFO
        and found.waived is None
        and PurePosixPath(found.path).is_relative_to(folder)
    )


def _todo_item(found: Diagnostic, meanings: Mapping[Location, str]) -> TodoItem:
    return TodoItem(
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
    """Return `tree` with `files` added; reads files of `tree` only when they are accessed."""
    # NOTE: a ChainMap writes to its first map only, so the second may be any mapping.
    return ChainMap(dict(files), cast("MutableMapping[PurePosixPath, bytes]", tree))


def print_todo(
    console: Console, release: ReleaseId, files: list[PurePosixPath], todo: tuple[TodoItem, ...]
) -> None:
    """Print which files were written and what is left to write in them."""
    if not console.quiet:
        for path in files:
            console.line(f"wrote {path}")
    for heading, some in (
        ("required before the release:", [g for g in todo if g.severity is ERROR]),
        ("recommended:", [g for g in todo if g.severity is not ERROR]),
    ):
        if some:
            console.line("")
            console.line(heading)
        for item in some:
            console.line(f"  {item.path}:{item.line}: {item.message} [{item.code}]")
            if item.write:
                console.line(f"      {item.write}")
    if not console.quiet:
        console.line("")
        console.line(f"next: psreg check {release.folder}")


def todo_documents(todo: tuple[TodoItem, ...]) -> list[dict[str, Any]]:
    """Return the items as JSON data."""
    return [
        {
            "path": item.path,
            "line": item.line,
            "column": item.column,
            "pointer": item.pointer,
            "code": item.code,
            "severity": item.severity.value,
            "message": item.message,
            "write": item.write,
        }
        for item in todo
    ]
