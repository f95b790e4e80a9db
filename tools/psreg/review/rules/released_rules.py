"""The rules about released versions: they keep their bytes, their name and their class.

Only a `statement.json` and the transcripts of later runs can be added to one. Only programs read a
statement, so it contains a signed statement and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import ReleaseId
from psreg.core.rule import rule
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree
from psreg.formats.json.pointer import join
from psreg.formats.layout import STATEMENT, later_evidence
from psreg.review.change import ChangeSet, FileChange, Touch, TouchedEntry
from psreg.review.rules.version_rules import checked_releases

MOST_SIGNATURES = 100
"""The same limit as for the owners of an entry."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_LABEL = re.compile(r"[!-~]{1,200}")
_STATEMENT = {"payload": _BASE64, "payloadType": _LABEL}
_SIGNATURE = {"keyid": _LABEL, "sig": _BASE64}


@rule("CHG033", spec="registry/CHANGES", severity=ERROR)
def statement_invalid(change: ChangeSet) -> Iterator[Finding]:
    """A `statement.json` is not a signed statement.

    ## Why
    This is the only file that can be changed after its release. So it must not be a way to add
    something else to a released version: a text that a model would read, a second payload under
    the same name, or hidden content.

    ## Fix
    Write a payload and its signatures, each in base64, and nothing else:

    ```json
    {
      "payload": "eyJuYW1lIjogImVtYWlsX3JlcGx5In0=",
      "payloadType": "application/vnd.in-toto+json",
      "signatures": [{"keyid": "ana", "sig": "MEUCIQDx"}]
    }
    ```
    """
    for file in change.files:
        release = ReleaseId.of(file.path)
        if release is None or file.path != release.folder / STATEMENT:
            continue
        if file.touch is not Touch.DELETED and file.path in change.head.files:
            tree = json_document.parse(change.head.files[file.path])
            for pointer, message in _faults(tree):
                yield Finding(message=message, at=pointer, path=str(file.path))


def _faults(tree: JsonTree) -> Iterator[tuple[str, str]]:
    """Yield the pointer and message of the first fault."""
    found = [("", issue.message) for issue in tree.issues] or [*_of_statement(tree.value)]
    yield from found[:1]


def _of_statement(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "", "a statement must be an object"
        return
    rest = {key: inner for key, inner in value.items() if key != "signatures"}
    yield from _of_texts(rest, _STATEMENT, "")
    items = value.get("signatures")
    if not isinstance(items, list) or not 0 < len(items) <= MOST_SIGNATURES:
        yield "/signatures", f"a statement must have 1 to {MOST_SIGNATURES} signatures"
        return
    for index, item in enumerate(items):
        at = join(("signatures", index))
        if isinstance(item, dict):
            yield from _of_texts(item, _SIGNATURE, at)
        else:
            yield at, "a signature must be an object with `keyid` and `sig`"


def _of_texts(
    members: dict[str, Any], known: dict[str, re.Pattern[str]], at: str
) -> Iterator[tuple[str, str]]:
    """Yield which members are unknown, invalid or missing."""
    for key, text in members.items():
        if key not in known:
            yield at, "the statement contains an unknown key"
        elif not (isinstance(text, str) and known[key].fullmatch(text)):
            kind = "base64" if known[key] is _BASE64 else "1 to 200 printable characters"
            yield at + join((key,)), f"`{key}` must be {kind}"
    needed = next(key for key, pattern in known.items() if pattern is _BASE64)
    if needed not in members:
        yield at, f"`{needed}` is missing"


ACTIONS = ("registry", "actions")
"""The folder in which the maintainers record what they do to a registry, such as a purge."""

_VERBS = {
    Touch.ADDED: "added to",
    Touch.MODIFIED: "modified in",
    Touch.DELETED: "deleted from",
}


@rule("CHG001", spec="registry/CHANGES", severity=ERROR)
def released_file_changed(change: ChangeSet) -> Iterator[Finding]:
    """A file of a released version is modified, deleted or added.

    ## Why
    People who installed 1.2.0 have what 1.2.0 was on the day of its release: lock files contain
    its digest, mirrors contain its bytes, reviews and test runs are about exactly that text. If a
    version could change afterwards, none of this would mean anything. Only `statement.json` may be
    added later, and the transcript of a later test run, `evidence/<platform>-<date>.jsonl`, which
    the record lists as added.

    ## Fix
    Undo the change to the released folder and make it in a new version, however small it is:

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
            if release is None or release.version not in _in_both(entry):
                continue
            if _is_new_evidence(file):
                continue
            if file.path != release.folder / STATEMENT or file.touch is Touch.DELETED:
                yield Finding(
                    message=f"a file is {_VERBS[file.touch]} the released version "
                    f"{release.version}",
                    path=str(file.path),
                    hint=_undo(file, entry),
                )


def _is_new_evidence(file: FileChange) -> bool:
    return file.touch is Touch.ADDED and later_evidence(file.path) is not None


def _in_both(entry: TouchedEntry) -> set[str]:
    """Return the versions that have files in both trees."""
    return set(entry.base.folders if entry.base else ()) & set(
        entry.head.folders if entry.head else ()
    )


def _undo(file: FileChange, entry: TouchedEntry) -> str:
    undo = "Remove the file" if file.touch is Touch.ADDED else "Restore the file"
    return f"{undo}; for a correction, make a new version: `psreg bump {entry.name} patch`."


@rule("CHG002", spec="registry/CHANGES", severity=ERROR)
def version_removed(change: ChangeSet) -> Iterator[Finding]:
    """A released version is deleted.

    ## Why
    Someone may depend on it, and deleting it breaks their installation. If a version should no
    longer be used, *yank* it: ranges no longer select it, but people who pinned it can still
    install it. If it must not be seen, because it contains a password or personal data, the
    registry's maintainers purge it and record this in `registry/actions/`. With such a record the
    finding is a warning, and a person decides.

    ## Fix
    Undo the deletion, and yank the version in entry.toml:

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
                + ("is purged" if purged else _outcome(entry, version)),
                path=str(min(entry.base.folders[version])),
                hint="Check that the record in registry/actions/ says what is purged and why."
                if purged
                else "Restore the folder; to withdraw the version, yank it in entry.toml.",
                severity=WARNING if purged else None,
            )


def _outcome(entry: TouchedEntry, version: str) -> str:
    """Return what happened to a version: it is deleted, or its folder is renamed."""
    folder = entry.path.parent / version
    origins = {f.path: f.moved_from for f in entry.files if f.moved_from}
    targets = (ReleaseId.of(path) for path, was in origins.items() if folder in was.parents)
    target = next((release for release in targets if release), None)
    if target is None:
        return "was released and cannot be deleted"
    return f"was released and cannot be renamed to {target.version}; make a copy instead"


def _is_purge(change: ChangeSet, name: str, version: str) -> bool:
    """Tell whether the change adds a maintainers' record that names the release."""
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
    A name is a promise to everyone who wrote it down: in `requires`, in a lock file, in a note to
    a colleague. Renaming an entry breaks all of these at once, and people who installed the old
    name no longer get updates. So a new name is a new entry, and the old entry remains and points
    to it.

    ## Fix
    Restore the old folder. For a new name, add a new entry that starts at 0.1.0 or 1.0.0, and
    deprecate the old one:

    ```toml
    # pbes/prompt/old_name/entry.toml
    [deprecated]
    reason = "It has a better name now."
    replacement = "new_name"
    ```

    If you only want the entry to be found under a second name, add an alias:
    `aliases = ["new_name"]`.
    """
    moved = {file.path: file.moved_from for file in change.files if file.moved_from}
    for entry in change.entries:
        if not entry.is_gone or _other_class(change, entry):
            continue
        new = _renamed_to(change, entry, moved)
        yield Finding(
            message=f"`{entry.name}` is renamed to `{new}`; a published name cannot change"
            if new
            else f"`{entry.name}` is deleted; a released entry cannot be removed",
            path=str(entry.path),
            hint=f'Restore it, and deprecate it with `replacement = "{new}"`, or add an alias.'
            if new
            else "Restore it; to warn people, add [deprecated] to entry.toml or yank versions.",
        )


def _renamed_to(
    change: ChangeSet, gone: TouchedEntry, moved: Mapping[PurePosixPath, PurePosixPath]
) -> str:
    """Return the name of the new entry that has an artifact of the deleted one, or ""."""
    folder = gone.path.parent
    artifacts = {s.artifact for s in gone.base.submissions()} if gone.base else set()
    for release in checked_releases(change):
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
    answers once, an engine holds a conversation and saves it. An update must not replace one by
    the other, and paths, saves and links to the old folder would break. A name cannot be in two
    classes either, so a prompt of another class needs another name.

    ## Fix
    Restore the old folder, and give the new prompt its own name:

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
                hint="Restore it, and give the prompt of the other class its own name.",
            )


@rule("CHG005", spec="registry/CHANGES", severity=ERROR)
def statement_rewritten(change: ChangeSet) -> Iterator[Finding]:
    """The signed statement of a released version changes in more than added signatures.

    ## Why
    `statement.json` is what the owners signed about a release. Another owner may sign it later;
    the payload and the existing signatures must not change. A statement with another payload, or
    without an earlier signature, is a different statement about the same bytes, and it would be
    unclear which of the two is valid.

    ## Fix
    Restore the file, and only add to its `signatures`:

    ```json
    {"payload": "…", "payloadType": "…", "signatures": [{"sig": "first"}, {"sig": "added"}]}
    ```
    """
    for file in change.files:
        release = ReleaseId.of(file.path)
        if release is None or file.touch is not Touch.MODIFIED:
            continue
        if file.path == release.folder / STATEMENT and not _only_adds(
            change.base.files.get(file.path, b""), change.head.files.get(file.path, b"")
        ):
            yield Finding(
                message="the signed statement changed; only new signatures may be added",
                path=str(file.path),
                hint="Restore the payload and the signatures; then add the new signatures.",
            )


def _only_adds(before: bytes, after: bytes) -> bool:
    """Tell whether `after` is the statement `before` with signatures added."""
    old, new = json_document.parse(before).value, json_document.parse(after).value
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    more = signatures(new)
    return _signed(old) == _signed(new) and all(item in more for item in signatures(old))


def _signed(statement: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in statement.items() if key != "signatures"}


def signatures(statement: Any) -> list[Any]:
    """Return the signatures of a statement as JSON data; [] if it is not a statement."""
    found = statement.get("signatures") if isinstance(statement, dict) else None
    return found if isinstance(found, list) else []


RELEASED_RULES = (
    released_file_changed,
    version_removed,
    entry_removed,
    class_changed,
    statement_rewritten,
    statement_invalid,
)
