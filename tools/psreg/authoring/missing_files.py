"""Drafts of the files that a new release lacks, from what the other files say.

Nothing is invented: what only the author knows stays empty, and the check reports it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from psreg.authoring.new import Plan, new_entry
from psreg.authoring.questions import Answer
from psreg.core.identity import Author
from psreg.formats.tree import Submission
from psreg.review.change import NewRelease

_NO_OWNERS = re.compile(r"owners = \[\] .*\n(#.*\n)*")
_LOGIN = re.compile(r"[\w.-]{1,255}(\[bot\])?", re.ASCII)
_SAID = ("summary", "license", "use_case")
_LISTED = ("tags", "languages")


def missing_files(release: NewRelease, author: Author | None = None) -> Mapping[PurePosixPath, str]:
    """Return a draft of each file that is missing beside the artifact, by path.

    Texts come from the previous release, if there is one; `changes` stays empty. The owner of a
    new entry is the author of the change.
    """
    submission, previous = release.submission, release.previous
    readme = submission.folder / "README.md"
    places = (submission.entry.path, submission.release_path, readme)
    missing = [path for path in places if path not in submission.tree.files]
    if not missing:
        return {}
    written = submission.release_path not in missing
    source = submission if written else previous
    plan = Plan(
        entry_class=submission.id.entry_class,
        name=submission.id.name,
        answers=_answers(source) if source else {},
    )
    made = {path.name: data.decode() for path, data in new_entry(plan).items()}
    if author:
        owner = _owned_by(author) + "\n"
        made["entry.toml"] = _NO_OWNERS.sub(lambda _: owner, made["entry.toml"])
    if previous:
        new = f'changes = ""  # what changed since {previous.id.version}\n'
        made["release.toml"] = new + made["release.toml"]
    return {path: made[path.name] for path in missing}


def _owned_by(author: Author) -> str:
    """Return the line with the owner; if the login is unknown, a comment to complete."""
    known = _LOGIN.fullmatch(author.login)
    row = f'{{forge = "{author.forge}", id = {author.id}, login = "{known[0] if known else "…"}"}}'
    return f"owners = [{row}]" if known else f"owners = []  # no owner yet; to own it, add {row}"


def _answers(submission: Submission) -> dict[str, Answer]:
    """Return the answers to the questions of `psreg new` that release.toml contains."""
    file = submission.release
    said: dict[str, Answer] = {key: text for key in _SAID if (text := file.text(key))}
    for key in _LISTED:
        if texts := tuple(text for _, text in file.strings(key)):
            said[key] = texts
    return said
