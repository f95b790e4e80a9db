"""The rules about released versions: they keep their bytes, their name and their class.

Only the transcripts of later runs can be added to one, and signatures of its owners beside it. Only
programs read a signature, so its file contains nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.errors import PsregError
from psreg.core.identity import EntryId, ReleaseId
from psreg.core.rule import rule
from psreg.formats.layout import (
    is_signature,
    later_evidence,
    owners_signature_file,
    review_file,
    signature_file,
    yank_signature_file,
)
from psreg.review.change import ChangeSet, FileChange, Touch, TouchedEntry
from psreg.review.rules.version_rules import checked_releases
from psreg.review.rules.withdrawal_rules import is_purged


@rule("CHG033", spec="registry/CHANGES", severity=ERROR)
def signature_invalid(change: ChangeSet) -> Iterator[Finding]:
    """A file in `signatures/` is not the signature of an owner.

    ## Why
    A signature can be added at any time, also to a released version. So it must not be a way to
    add something else: a text that a model would read, or a signature by someone who does not own
    the name. Only somebody with one of the keys in entry.toml can sign a release, and only those
    who own a name can sign that its owners change.

    ## Fix
    Let `psreg sign` write the file. If you sign with `ssh-keygen`, use the namespace
    `release@psreg`, `owners@psreg` for a change of the owners, or `yank@psreg` for a yank, and a
    key that is listed in entry.toml before the change:

    ```sh
    psreg sign email_reply --message | ssh-keygen -Y sign -n release@psreg -f ~/.ssh/id_ed25519
    ```
    """
    for file in change.files:
        if file.touch is Touch.DELETED or file.path not in change.head.files:
            continue
        told = ""
        if signed := signature_file(file.path):
            told = _fault_in_release(change, file.path, signed[0])
        elif changed := owners_signature_file(file.path):
            told = _fault_in_owners(change, file.path, changed[0])
        elif yanked := yank_signature_file(file.path):
            told = _fault_in_release(change, file.path, yanked[0], yank=True)
        if told:
            yield Finding(message=told, path=str(file.path))


def _fault_in_release(
    change: ChangeSet, path: PurePosixPath, release: ReleaseId, *, yank: bool = False
) -> str:
    """Return why a file is not the signature of an owner about a release, or its yank; "" if so."""
    entry = change.head.entry(release.entry)
    if entry is None or release.version not in entry.versions:
        return f"there is no {release.name} {release.version} to sign"
    from psreg.registry.owners.in_toto import fault_in  # noqa: PLC0415 - few changes sign
    from psreg.registry.owners.statement import NAMESPACE  # noqa: PLC0415
    from psreg.registry.owners.yank import NAMESPACE as YANK  # noqa: PLC0415

    owned, namespace = change.base.entry(release.entry) or entry, YANK if yank else NAMESPACE
    return fault_in(change.head.files[path], namespace, (key for _, key in owned.file.keys))


@rule("CHG036", spec="registry/CHANGES", severity=ERROR, since="0.2.0")
def review_invalid(change: ChangeSet) -> Iterator[Finding]:
    """A file in `reviews/` is not a reviewer's signature of that version.

    ## Why
    A review can be added at any time, also to a released version, and by anyone whom the
    registry's policy lists as a reviewer. The catalogue shows it under that name, so it must be
    the signature of exactly these files, and of somebody who does not own the entry.

    ## Fix
    Let `psreg sign --review` write the file. If you sign with `ssh-keygen`, use the namespace
    `review@psreg`, and a key that `registry/policy.toml` lists before the change:

    ```sh
    psreg sign --review email_reply --message > message
    ssh-keygen -Y sign -n review@psreg -f ~/.ssh/id_ed25519 < message
    ```
    """
    for file in change.files:
        if file.touch is Touch.DELETED or file.path not in change.head.files:
            continue
        if reviewed := review_file(file.path):
            told = _fault_in_review(change, file.path, reviewed[0])
            if told:
                yield Finding(message=told, path=str(file.path))


def _fault_in_review(change: ChangeSet, path: PurePosixPath, release: ReleaseId) -> str:
    """Return why a file is not a reviewer's signature about a release; "" if it is."""
    entry = change.head.entry(release.entry)
    if entry is None or release.version not in entry.versions:
        return f"there is no {release.name} {release.version} to review"
    from psreg.registry.owners.in_toto import fault_in  # noqa: PLC0415 - few changes review
    from psreg.registry.owners.review import NAMESPACE  # noqa: PLC0415

    data, owned = change.head.files[path], change.base.entry(release.entry) or entry
    owners = frozenset(key for _, key in owned.file.keys)
    if not fault_in(data, NAMESPACE, owners):
        return f"it is the signature of an owner of `{release.name}`"
    lines = map(str, change.base.policy.reviewers)
    told = fault_in(data, NAMESPACE, lines, "`[[reviewer]]` of registry/policy.toml")
    try:
        signable = None if told else change.to_review(entry, release.version)
    except PsregError as error:
        return f"it cannot be compared with what is published: {error.message}"
    if signable is None:
        return told
    from psreg.registry.trust.ssh_signature import fault_of  # noqa: PLC0415 - as above

    return fault_of(data, signable.statement.message, NAMESPACE, signable.keys)


def _fault_in_owners(change: ChangeSet, path: PurePosixPath, id_: EntryId) -> str:
    """Return why a file is not the signature of an owner about those who follow; "" if it is.

    The owners before are those in the base, or those that the registry still has.
    """
    entry, owned = change.head.entry(id_), change.base.entry(id_)
    if entry is None or owned is None:
        return f"`{id_.name}` is new, so it has no owners before"
    from psreg.registry.owners.in_toto import fault_in  # noqa: PLC0415 - few changes sign
    from psreg.registry.owners.ownership import NAMESPACE  # noqa: PLC0415

    signable = change.to_sign(entry, None) or change.to_object(entry)
    known = map(str, signable.keys if signable else ())
    keys = chain((key for _, key in owned.file.keys), known)
    return fault_in(change.head.files[path], NAMESPACE, keys)


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
    version could change afterwards, none of this would mean anything. Only the transcript of a
    later test run may be added, `evidence/<platform>-<date>.jsonl`, which the record lists as
    added. Signatures are beside the version folders, in `signatures/`.

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
            yield Finding(
                message=f"a file is {_VERBS[file.touch]} the released version {release.version}",
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
    """Tell whether the maintainers purge the release, in this change or before it."""
    return is_purged(change.head.files, name, version)


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
def signature_changed(change: ChangeSet) -> Iterator[Finding]:
    """A signature in `signatures/` or `reviews/` is modified or deleted.

    ## Why
    A signature says that an owner released, or a reviewer read, exactly these bytes. It stays true,
    even if that person changes keys or leaves; who deletes it hides what was signed. Others can add
    theirs.

    ## Fix
    Restore the file, and add another one with the next number:

    ```sh
    git checkout origin/main -- pbes/prompt/email_reply/signatures
    psreg sign email_reply@1.2.0
    ```
    """
    for file in change.files:
        if is_signature(file.path) and file.touch is not Touch.ADDED:
            yield Finding(
                message="a signature never changes",
                path=str(file.path),
                hint="Restore it, and add another one with the next number.",
            )


RELEASED_RULES = (
    released_file_changed,
    version_removed,
    entry_removed,
    class_changed,
    signature_changed,
    signature_invalid,
    review_invalid,
)
