"""A submission: its branch, commit title and pull request.

Names and versions in these texts follow their grammars; they contain no other text of an author.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from psreg.authoring.issue_form import Objection
from psreg.core.diagnostics import ERROR
from psreg.core.identity import EntryId, ReleaseId
from psreg.review.verdict import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The result of a submission.

    With `objections`, there is no branch. `restarted`: the earlier commits of the branch were
    merged, the last of which is `merged`, so it starts again from the base. `blocks_pull`: `git
    pull` will fail because the files in the work tree are untracked. `url` is the page of the pull
    request if `opened`, otherwise the page on which to open it; "" if the forge is unknown.
    """

    name: str
    title: str
    files: tuple[PurePosixPath, ...] = ()
    branch: str = ""
    commit: str = ""
    review: Review | None = None
    objections: tuple[Objection, ...] = ()
    restarted: bool = False
    merged: str = ""
    blocks_pull: bool = False
    pushed: bool = False
    opened: bool = False
    url: str = ""


def branch_of(name: str) -> str:
    """Return the branch on which an entry is submitted from a clone."""
    return f"submit/{name}"


def branch_of_issue(number: int) -> str:
    """Return the branch of the submission in an issue; it does not depend on the prompt's name."""
    return f"submit/issue-{number}"


def title_of(name: str, paths: Iterable[PurePosixPath]) -> str:
    """Return the title of a commit that adds or changes `paths`: `Add trip_packer 0.1.0`."""
    ids = {path: ReleaseId.of(path) for path in paths}
    new = sorted({i.version for path, i in ids.items() if i and path == i.artifact})
    return f"Add {name} {' and '.join(new)}" if new else f"Update {name}"


def entries_in(paths: Iterable[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders of the entries that contain `paths`, in order."""
    found = (EntryId.of(path.parent) for path in paths)
    return sorted({entry.folder for entry in found if entry})


def errors_of(review: Review) -> tuple[Objection, ...]:
    """Return the errors for which a review rejects a change."""
    return tuple(
        Objection(
            field=f"{found.path}:{found.start.line}",
            message=found.message,
            hint=found.hint,
            code=found.code,
        )
        for found in review.report.standing()
        if found.severity is ERROR
    )
