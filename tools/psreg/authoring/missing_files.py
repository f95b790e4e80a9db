"""The files that a new release lacks, written as far as the rest of it tells what they say.

Nothing is invented: what only the author knows is left empty, and the check says so.
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

_NOBODY = re.compile(r"owners = \[\] .*\n(#.*\n)*")
_LOGIN = re.compile(r"[\w.-]{1,255}(\[bot\])?", re.ASCII)
_SAID = ("summary", "license", "use_case")
_LISTED = ("tags", "languages")


def missing_files(release: NewRelease, author: Author | None = None) -> Mapping[PurePosixPath, str]:
    """Return the text of each file that is missing beside the artifact, by path.

    What a previous release has to say stands again; `changes` is left to write. The owner of a
    new entry is whoever asks for it.
    """
    submission, previous = release.submission, release.previous
    readme = submission.folder / "README.md"
    places = (submission.entry.path, submission.release_path, readme)
    missing = [path for path in places if path not in submission.tree.files]
    if not missing:
        return {}
    written = submission.release_path not in missing
    told = submission if written else previous
    plan = Plan(
        entry_class=submission.id.entry_class,
        name=submission.id.name,
        answers=_answers(told) if told else {},
    )
    made = {path.name: data.decode() for path, data in new_entry(plan).items()}
    if author:
        owner = _owned_by(author) + "\n"
        made["entry.toml"] = _NOBODY.sub(lambda _: owner, made["entry.toml"])
    if previous:
        new = f'changes = ""  # what is new since {previous.id.version}\n'
        made["release.toml"] = new + made["release.toml"]
    return {path: made[path.name] for path in missing}


def _owned_by(author: Author) -> str:
    """Return the line with the owner; where the login is not known, with what to complete."""
    known = _LOGIN.fullmatch(author.login)
    row = f'{{forge = "{author.forge}", id = {author.id}, login = "{known[0] if known else "…"}"}}'
    return f"owners = [{row}]" if known else f"owners = []  # no owner yet; to be one: {row}"


def _answers(submission: Submission) -> dict[str, Answer]:
    """Return what release.toml says of what `psreg new` would ask."""
    file = submission.release
    said: dict[str, Answer] = {key: text for key in _SAID if (text := file.text(key))}
    for key in _LISTED:
        if texts := tuple(text for _, text in file.strings(key)):
            said[key] = texts
    return said
