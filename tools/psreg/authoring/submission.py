"""A submission: its branch, title and pull request, and its result as text, JSON and comment.

Names and versions in these texts follow their grammars; any other text of an author is neutral in
Markdown: it cannot format, link, mention or open HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.form_entry import Owner
from psreg.authoring.issue_form import Objection
from psreg.core.diagnostics import ERROR
from psreg.core.identity import EntryId, ReleaseId
from psreg.formats.tree import Entry, Tree
from psreg.lint.reports.markdown import neutral
from psreg.review.verdict import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """The result of a submission; `name` is that of its entry, or of the first of several.

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


def branch_of(name: str, others: int = 0) -> str:
    """Return the branch on which an entry, and maybe `others`, are submitted from a clone."""
    return f"submit/{name}-and-others" if others else f"submit/{name}"


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


def groups(tree: Tree, folders: Iterable[PurePosixPath], most: int) -> list[list[PurePosixPath]]:
    """Return folders of entries in groups for a pull request each: of at most `most` entries.

    Entries of a group are of one class, and those that were imported from one folder of a source.
    """
    entries = {entry.path.parent: entry for entry in tree.entries}
    placed = sorted((*_source(entries.get(folder)), folder) for folder in folders)
    together = (list(each) for _, each in groupby(placed, lambda row: (*row[:-1], row[-1].parent)))
    return [
        [folder for *_, folder in rows[at : at + most]]
        for rows in together
        for at in range(0, len(rows), most)
    ]


def _source(entry: Entry | None) -> tuple[str, str]:
    """Return the address and the folder that the newest release of an entry was imported from."""
    newest = [*entry.submissions()][-1:] if entry else []
    origin = newest[0].release.origin if newest else {}
    return origin.get("address", ""), origin.get("path", "").rpartition("/")[0]


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


def wrong_ones(done: Submission, folders: Iterable[PurePosixPath]) -> list[PurePosixPath]:
    """Return those of the entries of a submission for which it was not committed."""
    paths = [PurePosixPath(objection.field) for objection in done.objections]
    return [folder for folder in folders if any(folder in path.parents for path in paths)]


SCHEMA = "psreg.submit/1"

MARKER = "<!-- psreg submission -->"
"""First line of the comment, by which a bot recognizes its own comment."""

ROWS, BUDGET = 50, 60_000
"""The most objections listed in a comment, and the most characters of all of them."""

_REASONS = 20
"""The most reasons of the verdict that are listed in a terminal."""


def submission_document(done: Submission) -> dict[str, Any]:
    """Return a submission as JSON data."""
    review = done.review
    return {
        "schema": SCHEMA,
        "name": done.name,
        "files": [str(path) for path in done.files],
        "branch": done.branch,
        "commit": done.commit,
        "verdict": review.verdict.value if review else None,
        "reasons": [{"code": reason.code, "message": reason.message} for reason in review.reasons]
        if review
        else [],
        "objections": [
            {"where": o.field, "message": o.message, "hint": o.hint, "code": o.code}
            for o in done.objections
        ],
        "pushed": done.pushed,
        "opened": done.opened,
        "url": done.url,
    }


def submission_lines(done: Submission, remote: str, pull: str = "git pull") -> Iterator[str]:
    """Yield a submission for a terminal, with the next steps.

    `remote` is where to push the branch, `pull` the command that fetches the merged commits.
    """
    if done.objections:
        yield f"nothing was committed: the review would reject {done.name}"
        for objection in done.objections:
            yield f"  {_location(objection)}{objection.message}{_code(objection)}"
            if objection.hint:
                yield f"      {objection.hint}"
        return
    yield f"{done.branch}: {len(done.files)} files in commit {done.commit[:12]}"
    if review := done.review:
        yield f"expected verdict: {review.verdict}"
        for reason in review.reasons[:_REASONS]:
            yield f"  {reason.message} [{reason.code}]"
    if done.opened:
        yield f"pull request: {done.url}"
    else:
        yield ""
        yield "next:"
        if not done.pushed:
            yield f"  git push -u {remote} {done.branch}"
        yield f"  open {done.url}" if done.url else "  open a pull request for this branch"
    if done.blocks_pull:
        folders = " ".join(map(str, entries_in(done.files)))
        yield ""
        yield "once it is merged (your files are in the commit, and Git makes room for them):"
        yield f"  git stash push --include-untracked -- {folders} && {pull}"


def answer_markdown(done: Submission) -> str:
    """Return the comment on an issue: what to fix, or the URL of the pull request."""
    if not done.objections:
        return (
            f"{MARKER}\n### psreg: pull request opened\n\n{done.url}\n\n"
            "The review is a comment there. A maintainer of the registry decides; merging releases"
            " the prompt. Until then, editing this issue also updates the pull request.\n"
        )
    rows: list[str] = []
    for row in map(_row, done.objections[:ROWS]):
        if sum(map(len, rows)) + len(row) > BUDGET:
            break
        rows.append(row)
    left = len(done.objections) - len(rows)
    more = f"\n…and {left} more.\n" if left else ""
    return (
        f"{MARKER}\n### psreg: changes required\n\nNo pull request was opened or changed. Fix the"
        " following and edit the issue (menu `…` at its top right, *Edit*); psreg reads it again."
        "\n\n"
        f"{''.join(rows)}{more}"
    )


def request_markdown(done: Submission, issue: int, owner: Owner) -> str:
    """Return the description of the pull request for a submission in an issue."""
    return (
        f"Submitted with the form in #{issue} by the account {neutral(owner.login)}"
        f" ({owner.forge} {owner.id}), which owns the new entry.\n\n"
        f"{neutral(done.name)} in {len(done.files)} files, generated from the form. Editing the"
        f" issue updates this branch, unless a person pushes to it.\n\nCloses #{issue}\n"
    )


def _row(objection: Objection) -> str:
    where = f"**{neutral(objection.field)}**: " if objection.field else ""
    hint = f"<br>{neutral(objection.hint)}" if objection.hint else ""
    return f"- {where}{neutral(objection.message)}{_code(objection)}{hint}\n"


def _location(objection: Objection) -> str:
    return f"{objection.field}: " if objection.field else ""


def _code(objection: Objection) -> str:
    return f" [{objection.code}]" if objection.code else ""
