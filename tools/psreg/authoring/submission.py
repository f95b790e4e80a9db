"""What a submission is called and says of itself: branch, commit, pull request.

Names and versions in these texts follow their grammars; nothing else of an author is in them but
what is written as data.
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
    """What became of a submission.

    With `objections`, there is no branch. `restarted`: what was on the branch before was merged,
    and is no part of it any more. `in_the_way`: Git will not bring the merged files while those
    that lie here are untracked. `url` is the page of the pull request, or the one on
    which a person opens it; "" where no forge is known. `opened` tells the two apart.
    """

    name: str
    title: str
    files: tuple[PurePosixPath, ...] = ()
    branch: str = ""
    commit: str = ""
    review: Review | None = None
    objections: tuple[Objection, ...] = ()
    restarted: bool = False
    in_the_way: bool = False
    pushed: bool = False
    opened: bool = False
    url: str = ""


def branch_of(name: str) -> str:
    """Return the branch on which an entry is submitted from a clone."""
    return f"submit/{name}"


def branch_of_issue(number: int) -> str:
    """Return the branch of the submission in an issue, whatever its prompt comes to be called."""
    return f"submit/issue-{number}"


def title_of(name: str, paths: Iterable[PurePosixPath]) -> str:
    """Return the title of a commit that adds or changes `paths`: `Add trip_packer 0.1.0`."""
    ids = {path: ReleaseId.of(path) for path in paths}
    new = sorted({i.version for path, i in ids.items() if i and path == i.artifact})
    return f"Add {name} {' and '.join(new)}" if new else f"Update {name}"


def entries_in(paths: Iterable[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders of the entries that `paths` lie in, in order."""
    found = (EntryId.of(path.parent) for path in paths)
    return sorted({entry.folder for entry in found if entry})


def errors_of(review: Review) -> tuple[Objection, ...]:
    """Return what a review rejects a change for."""
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
