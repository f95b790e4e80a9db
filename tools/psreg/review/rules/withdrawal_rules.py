"""The rules about what was withdrawn, retired or pointed elsewhere: it stays so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.version import Range, parse_version
from psreg.formats.json.pointer import join
from psreg.formats.tree import POLICY, Entry, Submission
from psreg.review.change import ChangeSet, TouchedEntry
from psreg.review.rules.version_rules import judged, place


def _both(change: ChangeSet) -> Iterator[tuple[TouchedEntry, Entry, Entry]]:
    """Yield the touched entries of which both trees have an entry.toml that can be read."""
    for entry in change.entries:
        base, head = entry.base, entry.head
        if base and head and base.file.tree.parsed and head.file.tree.parsed:
            yield entry, base, head


@rule("CHG027", spec="registry/CHANGES", severity=WARNING)
def yank_lifted(change: ChangeSet) -> Iterator[Finding]:
    """A version that was yanked is not yanked any more.

    ## Why
    A yank says that a version is bad, and the bytes of the version are still the same. Taking it
    back gives it to everybody again who follows a range. That may be right, if the yank was a
    mistake; it is also how a bad version could be brought back quietly.

    ## Fix
    Put the line back, and release a version in which the fault is repaired. If the yank itself
    was a mistake, say so in the pull request, and a person will decide.

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
                hint="Put the line back, or say why the yank was a mistake.",
            )


@rule("CHG028", spec="registry/CHANGES", severity=WARNING)
def deprecation_changed(change: ChangeSet) -> Iterator[Finding]:
    """A deprecation is taken back, or points to another entry.

    ## Why
    Whoever reads that an entry is deprecated moves to its replacement. If the notice goes away,
    some have moved for nothing; if it names another entry, everybody who follows it gets what
    that one's owners make. A reason in better words is no finding.

    ## Fix
    If the change is meant, say why in the pull request, and a person will look at it. A
    replacement should be by the same owners, or by somebody they name.

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
            message = f"`{entry.name}` is not deprecated any more"
        elif before != after and after:
            message = f"people are sent from `{entry.name}` to `{after}`"
        elif before != after:
            message = f"people are not sent to `{before}` any more"
        else:
            continue
        yield Finding(message=message, at="/deprecated", path=str(entry.path))


@rule("CHG029", spec="registry/CHANGES registry/POLICY", severity=WARNING)
def name_given_back(change: ChangeSet) -> Iterator[Finding]:
    """A name is taken off the list of names that nobody gets again.

    ## Why
    `retired` in registry/policy.toml lists the names of entries that are gone. Links and lock
    files still have them. Whoever gets such a name gets everybody who asks for the old entry.

    ## Fix
    Put the name back on the list. If its former owner returns, the keepers of the registry may
    decide otherwise; say so in the pull request.

    ```toml
    [names]
    retired = ["old_quiz"]
    ```
    """
    if change.touched(POLICY) is None:
        return
    kept = {name for _, name in change.head.policy.retired_names}
    for _, name in change.base.policy.retired_names:
        if name not in kept:
            yield Finding(
                message=f"`{name}` is not retired any more",
                at="/names/retired",
                path=str(POLICY),
                hint="Put it back on the list.",
            )


@rule("CHG030", spec="registry/CHANGES", severity=WARNING)
def aliases_changed(change: ChangeSet) -> Iterator[Finding]:
    """An entry gains or loses an alias.

    ## Why
    An alias is a name: a new one leads people here who look for something else, and whether it
    is fitting only a person can say. One that goes away leaves everybody with nothing who has
    written it down.

    ## Fix
    A new alias needs no more than a look. One that was given should stay; put it back.

    ```toml
    aliases = ["quiz_simple"]
    ```
    """
    for entry, base, head in _both(change):
        given, kept = set(base.file.aliases), set(head.file.aliases)
        for index, alias in head.file.strings("aliases"):
            if alias not in given:
                yield Finding(
                    message=f"`{alias}` is a new name for `{entry.name}`",
                    at=join(("aliases", index)),
                    path=str(entry.path),
                )
        for alias in base.file.aliases:
            if alias not in kept:
                yield Finding(
                    message=f"`{alias}` does not lead to `{entry.name}` any more",
                    at="/aliases",
                    path=str(entry.path),
                    hint="Put it back.",
                )


@rule("CHG031", spec="registry/CHANGES", severity=WARNING)
def required_elsewhere(change: ChangeSet) -> Iterator[Finding]:
    """What another entry requires is withdrawn, and nothing takes its place.

    ## Why
    An entry that calls another one is installed together with it. If no version is left that
    its range allows, it cannot be installed any more, although nobody has touched it.

    ## Fix
    Release a version that the range allows before the bad one is withdrawn, or tell the owners
    of the other entry. A yank because of harm may go first: a person decides.

    ```toml
    [requires]
    glossary = "^1.2"      # while 1.2.0 is yanked: 1.2.1 must be there
    ```
    """
    lost = {entry.name: (entry, places) for entry in change.entries if (places := _lost(entry))}
    for submission in _requiring(change, set(lost)):
        for name, text in submission.release.requires.items():
            if name in lost and (at := _missing(*lost[name], text)):
                caller = f"`{submission.id.name}` {submission.id.version}"
                yield Finding(
                    message=f"{caller} requires `{name}` {text}, and no version is left for it",
                    at=at[1],
                    key=True,
                    path=str(at[0]),
                    hint=f"Release one that {text} allows first.",
                )


Place = tuple[PurePosixPath, str]


def _lost(entry: TouchedEntry) -> Mapping[str, Place]:
    """Return the versions that can be chosen no longer, each with the place that says so."""
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
    """Yield the releases that may require one of `names`, by a look at the bytes."""
    needles = [name.encode() for name in names]
    for entry in change.head.entries if names else ():
        for submission in entry.submissions():
            data = change.head.files.get(submission.release_path, b"")
            if b"\\" in data or any(needle in data for needle in needles):
                yield submission


def _missing(entry: TouchedEntry, lost: Mapping[str, Place], text: str) -> Place | None:
    """Return where the last version that a range allows is withdrawn; None if one is left."""
    try:
        wanted = Range.parse(text)
    except ValueError:
        return None
    left = [v for v in _usable(entry.head) if wanted.matches(parse_version(v))]
    gone = [v for v in lost if wanted.matches(parse_version(v))]
    if wanted.exact is not None and entry.head:
        # NOTE: an exact version can be installed although it is yanked.
        gone = [version for version in gone if version not in entry.head.folders]
    return lost[gone[-1]] if gone and not left else None


@rule("CHG032", spec="registry/CHANGES", severity=ERROR)
def version_taken_again(change: ChangeSet) -> Iterator[Finding]:
    """A version is released that there was before.

    ## Why
    entry.toml of the main branch says that this version was yanked: it existed, somebody may
    have it, and lock files name its digest. Other bytes under the same number would be refused
    by every tool that remembers the old ones.

    ## Fix
    Take the next number.

    ```text
    before   1.0.1   which was yanked and removed
    after    1.0.2
    ```
    """
    for release in judged(change):
        base = change.base.entry(release.id.entry_class, release.id.name)
        if base is not None and release.id.version in base.file.yanked:
            path, pointer = place(release.submission)
            yield Finding(
                message=f"{release.id.version} was released and withdrawn before",
                at=pointer,
                path=path,
                hint="Take the next number.",
            )
