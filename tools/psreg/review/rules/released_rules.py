"""The rules about what was released: it stays, byte for byte, under its name and class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import ReleaseId
from psreg.core.rule import rule
from psreg.formats.json import json_document
from psreg.registry.build import STATEMENT
from psreg.review.change import ChangeSet, FileChange, Touch, TouchedEntry
from psreg.review.rules.version_rules import judged

ACTIONS = ("registry", "actions")
"""The folder in which the keepers write down what they do to a registry, purges among it."""

_VERBS = {
    Touch.ADDED: "gains no files",
    Touch.MODIFIED: "is never changed",
    Touch.DELETED: "loses no files",
}


@rule("CHG001", spec="registry/CHANGES", severity=ERROR)
def released_file_changed(change: ChangeSet) -> Iterator[Finding]:
    """A file of a version that was released is changed, deleted or added.

    ## Why
    Whoever installed 1.2.0 has what 1.2.0 was on the day of its release: lock files hold its
    digest, mirrors its bytes, reviews and test runs speak of that very text. If a version could
    change afterwards, none of this would mean anything. Only `statement.json` may come later.

    ## Fix
    Take the change to the released folder back and put it into a new version, however small:

    ```sh
    git checkout origin/main -- pbes/prompt/email_reply/1.2.0
    psreg bump email_reply patch
    ```
    """
    for entry in change.entries:
        if entry.base is None or entry.head is None:
            continue
        for file in entry.files:
            release = ReleaseId.of(file.path)
            if release is None or release.version not in _kept(entry):
                continue
            if file.path != release.folder / STATEMENT or file.touch is Touch.DELETED:
                yield Finding(
                    message=f"version {release.version} was released and {_VERBS[file.touch]}",
                    path=str(file.path),
                    hint=_undo(file, entry),
                )


def _kept(entry: TouchedEntry) -> set[str]:
    """Return the versions of which something is in both trees."""
    return set(entry.base.folders if entry.base else ()) & set(
        entry.head.folders if entry.head else ()
    )


def _undo(file: FileChange, entry: TouchedEntry) -> str:
    undo = "Remove the file." if file.touch is Touch.ADDED else "Put the file back as it was."
    return f"{undo} A correction is a new version: psreg bump {entry.name} patch"


@rule("CHG002", spec="registry/CHANGES", severity=ERROR)
def version_removed(change: ChangeSet) -> Iterator[Finding]:
    """A version that was released is deleted.

    ## Why
    Somebody depends on it, and for them an update that removes what they use is no update. A
    version that should not be used any more is *yanked*: nobody gets it by a range, and whoever
    has pinned it can still install it. What must not be seen by anybody, a password or personal
    data, is purged by the keepers of the registry, who record it in `registry/actions/`; with
    such a record the finding is a warning, and a person decides.

    ## Fix
    Take the deletion back, and yank the version in entry.toml:

    ```toml
    [yanked]
    "1.0.1" = "Loses the score after a save."
    ```
    """
    for entry in change.entries:
        if entry.base is None or entry.head is None:
            continue
        for version in sorted(set(entry.base.folders) - set(entry.head.folders)):
            purged = _is_purge(change, entry.name, version)
            yield Finding(
                message=f"version {version} of `{entry.name}` "
                + ("is purged" if purged else _lost(entry, version)),
                path=str(min(entry.base.folders[version])),
                hint="See that the record in registry/actions/ says what is purged and why."
                if purged
                else "Put the folder back; to withdraw the version, yank it in entry.toml.",
                severity=WARNING if purged else None,
            )


def _lost(entry: TouchedEntry, version: str) -> str:
    """Return what became of a version: it is gone, or another one is made of its files."""
    folder = entry.path.parent / version
    origins = {f.path: f.moved_from for f in entry.files if f.moved_from}
    heirs = (ReleaseId.of(path) for path, was in origins.items() if folder in was.parents)
    heir = next((release for release in heirs if release), None)
    if heir is None:
        return "was released and cannot be deleted"
    return f"was released and cannot become {heir.version}; a new version is a copy"


def _is_purge(change: ChangeSet, name: str, version: str) -> bool:
    """Tell whether the change adds a record of the keepers that names the release."""
    named = (f'"{name}"'.encode(), f'"{version}"'.encode())
    return any(
        all(text in change.head.files.get(file.path, b"") for text in named)
        for file in change.outside
        if file.touch is Touch.ADDED and file.path.parts[:2] == ACTIONS
    )


@rule("CHG003", spec="registry/CHANGES", severity=ERROR)
def entry_removed(change: ChangeSet) -> Iterator[Finding]:
    """An entry is deleted or renamed.

    ## Why
    A name is a promise to everybody who wrote it down: in a `requires`, in a lock file, in a
    note to a colleague. Renaming an entry breaks all of these at once and leaves everybody who
    installed the old name without updates. So a new name is a new entry, and the old one stays
    and points to it.

    ## Fix
    Put the old folder back. For another name add a new entry beside it, starting at 0.1.0 or
    1.0.0, and let the old one say so:

    ```toml
    # pbes/prompt/old_name/entry.toml
    [deprecated]
    reason = "It has a better name now."
    replacement = "new_name"
    ```

    If only a second way to find it is wanted, an alias will do: `aliases = ["new_name"]`.
    """
    moved = {file.path: file.moved_from for file in change.files if file.moved_from}
    for entry in change.entries:
        if not entry.is_gone or _other_class(change, entry):
            continue
        new = _renamed_to(change, entry, moved)
        yield Finding(
            message=f"`{entry.name}` is renamed to `{new}`; a name that was given stays"
            if new
            else f"the entry `{entry.name}` is deleted; what was released stays",
            path=str(entry.path),
            hint=f'Put it back, and deprecate it with replacement = "{new}", or add an alias.'
            if new
            else "Put it back. To warn people, add [deprecated] to entry.toml or yank versions.",
        )


def _renamed_to(
    change: ChangeSet, gone: TouchedEntry, moved: Mapping[PurePosixPath, PurePosixPath]
) -> str:
    """Return the new entry that has an artifact of the one that is gone, or ""."""
    folder = gone.path.parent
    artifacts = {s.artifact for s in gone.base.submissions()} if gone.base else set()
    for release in judged(change):
        origin = moved.get(release.submission.artifact_path, PurePosixPath())
        if folder in origin.parents or (release.submission.artifact or b"") in artifacts:
            return release.id.name
    return ""


def _other_class(change: ChangeSet, entry: TouchedEntry) -> str:
    """Return another class in which the head has an entry of the same name, or ""."""
    classes = change.head.names.get(entry.name, ())
    return next((c for c in classes if c != entry.entry_class), "")


@rule("CHG004", spec="registry/CHANGES", severity=ERROR)
def class_changed(change: ChangeSet) -> Iterator[Finding]:
    """An entry moves to another class.

    ## Why
    The class says how an assistant runs the prompt and what its file looks like: an executor
    answers once, an engine holds a conversation and saves it. Whoever installed the one must not
    get the other by an update, and paths, saves and links to the old place would be dead. The
    name cannot be in two classes either, so a prompt of another class has another name.

    ## Fix
    Put the old folder back, and give the new prompt a name of its own:

    ```text
    before   pbes/stateless_executor/quiz   moved to   pbes/interactive_engine/quiz
    after    pbes/stateless_executor/quiz   and        pbes/interactive_engine/quiz_evening
    ```
    """
    for entry in change.entries:
        if entry.is_gone and (other := _other_class(change, entry)):
            yield Finding(
                message=f"`{entry.name}` moves from {entry.entry_class} to {other}",
                path=str(entry.path),
                hint="Put it back, and give the prompt of the other class a name of its own.",
            )


@rule("CHG005", spec="registry/CHANGES", severity=ERROR)
def statement_rewritten(change: ChangeSet) -> Iterator[Finding]:
    """The statement of a released version is changed otherwise than by further signatures.

    ## Why
    `statement.json` is what the owners signed about a release. Another owner may sign it too,
    later; what is signed, and who has signed, stays as it is. A statement with another payload,
    or without a signature that was there, is another statement about the same bytes, and nobody
    could tell which of the two was meant.

    ## Fix
    Put the file back as it was, and add only to its `signatures`:

    ```json
    {"payload": "…", "payloadType": "…", "signatures": [{"sig": "first"}, {"sig": "added"}]}
    ```
    """
    for file in change.files:
        release = ReleaseId.of(file.path)
        if release is None or file.touch is not Touch.MODIFIED:
            continue
        if file.path == release.folder / STATEMENT and not _only_gains(
            change.base.files.get(file.path, b""), change.head.files.get(file.path, b"")
        ):
            yield Finding(
                message="more than further signatures is changed in what the owners signed",
                path=str(file.path),
                hint="Put payload and signatures back as they were; signatures may be added.",
            )


def _only_gains(before: bytes, after: bytes) -> bool:
    """Tell whether one statement is another with signatures added."""
    old, new = json_document.parse(before).value, json_document.parse(after).value
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    more = signatures(new)
    return _signed(old) == _signed(new) and all(item in more for item in signatures(old))


def _signed(statement: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in statement.items() if key != "signatures"}


def signatures(statement: Any) -> list[Any]:
    """Return the signatures of a statement as JSON data; [] of what is none."""
    found = statement.get("signatures") if isinstance(statement, dict) else None
    return found if isinstance(found, list) else []
