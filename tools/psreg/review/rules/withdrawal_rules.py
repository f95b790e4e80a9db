"""The rules about what is withdrawn: yanks, deprecations, names, aliases, maintainers' actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.version import Range, parse_version
from psreg.formats.json.pointer import join
from psreg.formats.tree import POLICY, Entry, Submission
from psreg.review.change import ChangeSet, Touch, TouchedEntry
from psreg.review.rules.version_rules import checked_releases, version_location

if TYPE_CHECKING:
    from psreg.registry.actions.action import Action


def _both(change: ChangeSet) -> Iterator[tuple[TouchedEntry, Entry, Entry]]:
    """Yield the touched entries whose entry.toml can be parsed in both trees."""
    for entry in change.entries:
        base, head = entry.base, entry.head
        if base and head and base.file.tree.parsed and head.file.tree.parsed:
            yield entry, base, head


@rule("CHG027", spec="registry/CHANGES", severity=WARNING)
def yank_lifted(change: ChangeSet) -> Iterator[Finding]:
    """A version that was yanked is offered again.

    ## Why
    A yank says that a version is bad, and the bytes of the version are still the same. Undoing the
    yank gives the version again to everyone who follows a range. That is correct if the yank was a
    mistake; it is also how someone could quietly bring back a bad version.

    ## Fix
    Restore the line, and release a version that fixes the problem. If the yank itself was a
    mistake, say so in the pull request, and a person decides.

    ```toml
    [yanked]
    "1.0.1" = "Loses the score after a save."
    ```
    """
    for entry, base, head in _both(change):
        for version in base.file.yanked.keys() - head.file.yanked.keys():
            yield Finding(
                message=f"{version} was yanked: {base.file.yanked[version]}",
                at="/yanked",
                path=str(entry.path),
                hint="Restore the line, or say in the pull request why the yank was a mistake.",
            )


@rule("CHG028", spec="registry/CHANGES", severity=WARNING)
def deprecation_changed(change: ChangeSet) -> Iterator[Finding]:
    """A deprecation is removed, or names another replacement.

    ## Why
    People who read that an entry is deprecated move to its replacement. If the notice disappears,
    they moved for nothing; if it names another entry, everyone who follows it gets what the owners
    of that entry publish. Improving the wording of the reason is not reported.

    ## Fix
    If the change is intended, say why in the pull request, and a person reviews it. The
    replacement should have the same owners, or owners whom they name.

    ```toml
    [deprecated]
    reason = "Superseded by a version with save and resume."
    replacement = "quiz_master"
    ```
    """
    for entry, base, head in _both(change):
        old, new = base.file.deprecated, head.file.deprecated
        before, after = ((d or {}).get("replacement", "") for d in (old, new))
        if old is not None and new is None:
            message = f"the deprecation of `{entry.name}` was removed"
        elif before != after and after:
            message = f"`{after}` becomes the replacement of `{entry.name}`"
        elif before != after:
            message = f"the replacement `{before}` of `{entry.name}` was removed"
        else:
            continue
        yield Finding(message=message, at="/deprecated", path=str(entry.path))


@rule("CHG029", spec="registry/CHANGES registry/POLICY", severity=WARNING)
def name_no_longer_retired(change: ChangeSet) -> Iterator[Finding]:
    """A name is removed from the list of retired names.

    ## Why
    `retired` in registry/policy.toml lists the names of entries that no longer exist. Links and
    lock files still contain them. The new owner of such a name would reach everyone who asks for
    the old entry.

    ## Fix
    Add the name to the list again. If its former owner returns, the registry's maintainers may
    decide otherwise; say so in the pull request.

    ```toml
    [names]
    retired = ["old_quiz"]
    ```
    """
    if change.touched(POLICY) is None:
        return
    retired = {name for _, name in change.head.policy.retired_names}
    for _, name in change.base.policy.retired_names:
        if name not in retired:
            yield Finding(
                message=f"`{name}` was removed from the retired names",
                at="/names/retired",
                path=str(POLICY),
                hint="Add it to the list again.",
            )


@rule("CHG030", spec="registry/CHANGES", severity=WARNING)
def aliases_changed(change: ChangeSet) -> Iterator[Finding]:
    """An entry gains or loses an alias.

    ## Why
    An alias is a name: a new one can lead people here who look for something else, and only a
    person can tell whether it is appropriate. If an alias is removed, it stops working for
    everyone who wrote it down.

    ## Fix
    You do not need to fix a new alias; a person looks at it. Restore an alias that you removed.

    ```toml
    aliases = ["quiz_simple"]
    ```
    """
    for entry, base, head in _both(change):
        given, kept = set(base.file.aliases), set(head.file.aliases)
        for index, alias in head.file.strings("aliases"):
            if alias not in given:
                yield Finding(
                    message=f"`{alias}` becomes an alias of `{entry.name}`",
                    at=join(("aliases", index)),
                    path=str(entry.path),
                )
        for alias in base.file.aliases:
            if alias not in kept:
                yield Finding(
                    message=f"`{alias}` is no longer an alias of `{entry.name}`",
                    at="/aliases",
                    path=str(entry.path),
                    hint="Restore the alias.",
                )


@rule("CHG031", spec="registry/CHANGES", severity=WARNING)
def required_elsewhere(change: ChangeSet) -> Iterator[Finding]:
    """The last version that another entry's requirement allows is withdrawn.

    ## Why
    An entry that requires another one is installed together with it. If its range no longer
    matches any version, the entry cannot be installed any more, although it did not change.

    ## Fix
    Release a version that the range allows before you withdraw the bad one, or tell the owners of
    the other entry. If the version does harm, it can be yanked first: a person decides.

    ```toml
    [requires]
    glossary = "^1.2"      # if 1.2.0 is yanked, 1.2.1 must exist
    ```
    """
    changed = ((entry, _withdrawn(entry)) for entry in change.entries)
    withdrawn = {entry.name: (entry, versions) for entry, versions in changed if versions}
    for submission in _requiring(change, set(withdrawn)):
        for name, text in submission.release.requires.items():
            if name in withdrawn and (at := _last_withdrawn(*withdrawn[name], text)):
                dependent = f"`{submission.id.name}` {submission.id.version}"
                yield Finding(
                    message=f"{dependent} requires `{name}` {text}, but no version is left",
                    at=at[1],
                    key=True,
                    path=str(at[0]),
                    hint=f"Release a version that {text} allows first.",
                )


Location = tuple[PurePosixPath, str]
"""Path and JSON pointer."""


def _withdrawn(entry: TouchedEntry) -> Mapping[str, Location]:
    """Return the versions that can no longer be selected, each with the location that says so."""
    if entry.base is None:
        return {}
    now = _usable(entry.head)
    return {
        version: (entry.path, join(("yanked", version)))
        if entry.head and version in entry.head.folders
        else (min(entry.base.folders[version]), "")
        for version in _usable(entry.base)
        if version not in now
    }


def _usable(entry: Entry | None) -> list[str]:
    return [v for v in entry.versions if v not in entry.file.yanked] if entry else []


def _requiring(change: ChangeSet, names: set[str]) -> Iterator[Submission]:
    """Yield the releases that may require one of `names`; searches the bytes, parses nothing."""
    needles = [name.encode() for name in names]
    for entry in change.head.entries if names else ():
        for submission in entry.submissions():
            data = change.head.files.get(submission.release_path, b"")
            if b"\\" in data or any(needle in data for needle in needles):
                yield submission


def _last_withdrawn(
    entry: TouchedEntry, withdrawn: Mapping[str, Location], text: str
) -> Location | None:
    """Return where the last version that a range allows is withdrawn; None if one is left."""
    try:
        wanted = Range.parse(text)
    except ValueError:
        return None
    left = [v for v in _usable(entry.head) if wanted.matches(parse_version(v))]
    gone = [v for v in withdrawn if wanted.matches(parse_version(v))]
    if wanted.exact is not None and entry.head:
        # NOTE: an exact version can be installed although it is yanked.
        gone = [version for version in gone if version not in entry.head.folders]
    return withdrawn[gone[-1]] if gone and not left else None


@rule("CHG032", spec="registry/CHANGES", severity=ERROR)
def version_reused(change: ChangeSet) -> Iterator[Finding]:
    """A withdrawn version number is reused.

    ## Why
    The main branch says that this version was yanked, or purged: it existed, people may have
    it, and lock files contain its digest. Every tool that remembers the old bytes would reject
    other bytes under the same number.

    ## Fix
    Use the next number.

    ```text
    before   1.0.1   which was yanked and removed
    after    1.0.2
    ```
    """
    for release in checked_releases(change):
        base = change.base.entry(release.id.entry)
        name, version = release.id.name, release.id.version
        yanked = base is not None and version in base.file.yanked
        if yanked or is_purged(change.base.files, name, version):
            path, pointer = version_location(release.submission)
            yield Finding(
                message=f"{release.id.version} was already released and withdrawn",
                at=pointer,
                path=path,
                hint="Use the next number.",
            )


ACTIONS = PurePosixPath("registry", "actions")
"""The folder in which the maintainers record what they do about a release or a key."""

_HINT = "Restore it; to end the effect of an action, run `psreg revoke --undo`."


def actions_in(files: Mapping[PurePosixPath, bytes]) -> dict[str, bytes]:
    """Return the files of registry/actions, by name."""
    return {path.name: files[path] for path in files if path.parent == ACTIONS}


def parsed(name: str, data: bytes | None) -> Action | None:
    """Return the action in a file, None if there is none."""
    if data is None:
        return None
    from psreg.registry.actions.action import read_action  # noqa: PLC0415 - few changes touch one

    try:
        return read_action(name, data)
    except ValueError:
        return None


def is_purged(files: Mapping[PurePosixPath, bytes], name: str, version: str) -> bool:
    """Tell whether an action among `files` purges a version."""
    actions = (parsed(file, data) for file, data in actions_in(files).items())
    wanted = ("purge", name, version)
    return any(a and (a.kind, a.subject.name, a.subject.version) == wanted for a in actions)


@rule("CHG040", spec="registry/ACTIONS", severity=ERROR, since="0.2.0")
def action_changed(change: ChangeSet) -> Iterator[Finding]:
    """An action in `registry/actions/` is modified, deleted or renamed.

    ## Why
    An action withdraws a release or a key, and is signed. Who deletes or rewrites one hides what
    was withdrawn, and why. Each action names the one before it, so `psreg publish` and everybody
    with the log would notice. Only signatures can be added, to a lift that waits for them.

    ## Fix
    Restore the file. If a release was withdrawn by mistake, lift it:

    ```sh
    git checkout origin/main -- registry/actions
    psreg revoke --undo --reason "The report was wrong." quiz_master@1.0.1
    ```
    """
    for file in change.files:
        if ACTIONS not in file.path.parents or file.touch is Touch.ADDED:
            continue
        before = parsed(file.path.name, change.base.files.get(file.path))
        after = parsed(file.path.name, change.head.files.get(file.path))
        if not (before and after and _only_signed(before, after)):
            yield Finding(message=f"an action is {file.touch}", path=str(file.path), hint=_HINT)


def _only_signed(before: Action, after: Action) -> bool:
    """Tell whether an action gained signatures, and did not change otherwise."""
    return before.digest == after.digest and before.signatures.items() <= after.signatures.items()


@rule("CHG041", spec="registry/ACTIONS", severity=ERROR, since="0.2.0")
def action_invalid(change: ChangeSet) -> Iterator[Finding]:
    """A file in `registry/actions/` is not the next action of the registry.

    ## Why
    Actions are numbered without gaps, and each names the digest of the one before it. Otherwise
    somebody could leave one out. Only the keys of the registry can sign one, so a pull request
    cannot withdraw a release by itself. The review looks at new files, `psreg check` at all.

    ## Fix
    Let a maintainer make it where the registry is published. After another action was merged
    first, make it again:

    ```sh
    psreg revoke --reason "It sends the answers to a stranger." quiz_master@1.0.1
    ```
    """
    touched = [
        f for f in change.files if ACTIONS in f.path.parents and f.touch is not Touch.DELETED
    ]
    if not touched:
        return
    from psreg.registry.actions.chain import faults_in  # noqa: PLC0415 - as above

    faults = dict(faults_in(actions_in(change.head.files)))
    for file in touched:
        action = parsed(file.path.name, change.head.files.get(file.path))
        told = faults.get(file.path.name, "")
        if file.path.parent != ACTIONS:
            told = "it is in a folder of its own"
        elif not told and action and file.touch is Touch.ADDED:
            told = change.action_fault(action)
        if told:
            yield Finding(
                message=told,
                path=str(file.path),
                hint="Let a maintainer make the action with `psreg revoke`, `purge` or `keys`.",
            )


WITHDRAWAL_RULES = (
    yank_lifted,
    deprecation_changed,
    name_no_longer_retired,
    aliases_changed,
    required_elsewhere,
    version_reused,
    action_changed,
    action_invalid,
)
