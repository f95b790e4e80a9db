"""What `psreg check` still has against a release that was just written, and what to write there.

The gaps are the check's own findings, so that nothing is listed that check would not say, and
nothing that it says is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.diagnostics import INFO, Diagnostic, Report, Severity
from psreg.index.tree import POLICY, Submission, Tree
from psreg.service.check import check_tree

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
    meanings: Mapping[Place, str] | None = None,
) -> tuple[Gap, ...]:
    """Return the errors and warnings of `tree` below `folder` that nobody waived, in file order.

    `meanings` says what to write at a place; elsewhere the finding's own hint does.
    """
    report = Report.of(0, check_tree(tree))
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


def neighbourhood(
    tree: Tree, submission: Submission, files: Mapping[PurePosixPath, bytes]
) -> dict[PurePosixPath, bytes]:
    """Return the files that judging a further version of an entry needs: a tree of few entries.

    These are the new `files`, the entry itself, the entries it mentions, and the policy.
    """
    entry = submission.entry
    mentioned = {entry.name, *submission.release.requires}
    mentioned.add((entry.file.deprecated or {}).get("replacement", ""))
    near = {
        path: tree.files[path]
        for other in tree.entries
        if other.name in mentioned
        for path in (other.path, *(path for paths in other.folders.values() for path in paths))
        if path in tree.files
    }
    if POLICY in tree.files:
        near[POLICY] = tree.files[POLICY]
    return {**near, **files}
