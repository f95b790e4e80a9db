"""The rules about which files a change touches, whatever their content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import PBES, ReleaseId, is_device
from psreg.core.rule import rule
from psreg.core.terminal import quoted
from psreg.formats.toml_document import MOST
from psreg.formats.tree import GUIDE, POLICY, place_of_artifact
from psreg.review.change import ChangeSet, NewRelease, Touch

LONGEST_PART = 120
LONGEST_PATH = 240
"""In characters. Windows allows 260 including the checkout's folder; encrypted folders allow 143
per part."""

SIGNED = ("registry/metadata", "registry/targets", "registry/log")
"""The folders that `psreg publish` writes."""

_LISTED = 5
"""Entries that a message names; it counts the rest."""

_FORBIDDEN = re.compile(r'[<>:"\\|?*]')
_GIT = re.compile(r"\.git|git~[0-9]+", re.IGNORECASE)


@rule("CHG013", spec="registry/CHANGES", severity=WARNING)
def outside_the_entries(change: ChangeSet) -> Iterator[Finding]:
    """A file outside the entries is added, modified or deleted.

    ## Why
    Everything outside `pbes/` controls how the registry itself works: its policy, the programs
    that review and publish, the pages of its site. A change there can switch off the very checks
    that review it. So a person looks at each such change, however small.

    ## Fix
    If the file was included by accident, remove it from the change. If it is intended, open a
    separate pull request for it, which the registry's maintainers review.

    ```sh
    git checkout origin/main -- .github
    ```
    """
    entries = {entry.path.parent for entry in change.entries}
    for file in change.files:
        inside = file.path.parts[0] == PBES and file.path != GUIDE
        # NOTE: REG001 and REG002 report what is added or changed in the wrong place in pbes/.
        if inside and (file.touch is not Touch.DELETED or entries & set(file.path.parents)):
            continue
        hint = "Remove it from this change, or open a separate pull request for it."
        if file.path in change.head.files and (place := place_of_artifact(change.head, file.path)):
            hint = f"Move it to {place}."
        what = "the registry's policy" if file.path == POLICY else "a file outside the entries"
        kind = change.head.irregular.get(file.path)
        yield Finding(
            message=f"{what} is {file.touch}" + (f"; it is {kind}" if kind else ""),
            path=str(file.path),
            hint=hint,
        )


@rule("CHG034", spec="registry/CHANGES", severity=ERROR, since="0.2.0")
def signed_state_changed(change: ChangeSet) -> Iterator[Finding]:
    """Signed files of the registry are added, modified or deleted.

    ## Why
    `psreg publish` writes `registry/metadata`, `registry/targets` and `registry/log`, and signs
    what it writes. A pull request cannot add anything to them: a modified file makes every client
    refuse the registry, an old one takes releases back, and without them the next publish would
    have nothing to continue from.

    ## Fix
    Take these files out of the change. The registry's maintainers restore damaged files from Git,
    with a commit of their own.

    ```sh
    git checkout origin/main -- registry/log registry/metadata registry/targets
    ```
    """
    for file in change.files:
        folder = folded("/".join(file.path.parts[:2]))
        if folder in SIGNED:
            yield Finding(
                message=f"a signed file of the registry is {file.touch}",
                path=str(file.path),
                hint="Take it out of this change; only `psreg publish` writes signed files.",
            )


@rule("CHG014", spec="registry/CHANGES registry/POLICY", severity=WARNING)
def several_entries(change: ChangeSet) -> Iterator[Finding]:
    """The change touches more entries than the registry allows in one pull request.

    ## Why
    One entry is one decision: it is merged, sent back or rejected as a whole. Two entries in one
    pull request wait for each other, and a reviewer who concentrates on the large one overlooks
    the small one. `entries_per_change` in registry/policy.toml sets the limit; the default is
    one. A change with more than a hundred entries, new versions or versions that gain files is
    rejected, because no more than a hundred are checked.

    ## Fix
    Make a branch and a pull request for each entry.

    ```toml
    # registry/policy.toml, for registries that allow more
    [review]
    entries_per_change = 5
    ```
    """
    entries, limit = change.entries, min(change.base.policy.entries_per_change, MOST)
    if len(entries) > limit:
        names = ", ".join(f"`{entry.name}`" for entry in entries[:_LISTED])
        more = f" and {len(entries) - _LISTED} more" if len(entries) > _LISTED else ""
        yield Finding(
            message=f"{len(entries)} entries are changed: {names}{more}; "
            f"this registry allows {limit} per pull request",
            path=str(entries[limit].path),
            hint="Open a pull request for each entry.",
            severity=ERROR if len(entries) > MOST else None,
        )
    new = [release.submission for release in change.releases]
    for touch, submissions in ((Touch.ADDED, new), (Touch.MODIFIED, change.amended)):
        if len(submissions) > MOST:
            yield Finding(
                message=f"{len(submissions):,} versions are {touch}; the limit is {MOST}",
                path=str(submissions[MOST].release_path),
                hint="Split the change into smaller pull requests.",
                severity=ERROR,
            )


@rule("CHG035", spec="registry/CHANGES", severity=WARNING, since="0.2.0")
def several_versions(change: ChangeSet) -> Iterator[Finding]:
    """The change adds several versions of one entry.

    ## Why
    Each version is compared with the one before. Of several new versions, the first can be harmless
    and large, and the second, which people get, small and not: nobody could look at the first one
    before the second was built upon it. Versions that wait for each other are also one decision
    where there should be two.

    ## Fix
    Submit one version per pull request. If both must come together, for instance a pre-release and
    its final version, a maintainer decides.

    ```text
    pbes/prompt/email_reply/1.1.0/   in the first pull request
    pbes/prompt/email_reply/1.2.0/   in the second, when 1.1.0 is released
    ```
    """
    versions: dict[PurePosixPath, list[NewRelease]] = {}
    for release in change.releases[:MOST]:
        versions.setdefault(release.submission.entry.path, []).append(release)
    for added in versions.values():
        if len(added) > 1:
            listed = ", ".join(release.id.version for release in added[:_LISTED])
            more = f" and {len(added) - _LISTED} more" if len(added) > _LISTED else ""
            yield Finding(
                message=f"{len(added)} versions of `{added[0].id.name}` are added: {listed}{more}",
                path=str(added[1].submission.release_path),
                hint="Open a pull request for each version.",
            )


@rule("CHG015", spec="registry/CHANGES registry/LAYOUT", severity=ERROR)
def path_not_portable(change: ChangeSet) -> Iterator[Finding]:
    """A new path is not portable or is misleading.

    ## Why
    A registry is cloned on every kind of machine. A name that contains a line break, a backslash
    or a colon, a Windows device name, or a name that is not UTF-8 makes the whole checkout fail on
    some of them. `..` and `.git` lead to places where no file of a repository belongs. Invisible
    characters make a path look like another one.

    ## Fix
    Rename the file. Use letters, digits, `.`, `_` and `-`, no dot or space at the end, and at
    most 240 characters from the root of the repository.

    ```text
    before   notes/Aux.md     notes/what: a mess.md
    after    notes/auxiliary.md   notes/what-a-mess.md
    ```
    """
    for file in change.files:
        if file.touch is not Touch.ADDED:
            continue
        fault = _fault_of_length(file.path)
        if not fault and file.path.parts[0] != PBES:  # there, grammars and REG006 apply
            fault = next(filter(None, map(_fault, file.path.parts)), "")
        if fault:
            yield Finding(
                message=fault,
                path=str(file.path),
                hint="Use letters, digits, `.`, `_` and `-`; start with a letter or digit.",
            )


def _fault_of_length(path: PurePosixPath) -> str:
    if len(str(path)) > LONGEST_PATH:
        return f"the path has {len(str(path)):,} characters; the limit is {LONGEST_PATH}"
    longest = max(path.parts, key=len)
    if len(longest) > LONGEST_PART:
        return f"a file or folder name has {len(longest):,} characters; the limit is {LONGEST_PART}"
    return ""


def _fault(part: str) -> str:
    if part == ".." or _GIT.fullmatch(part.rstrip(". ")):
        return f"{quoted(part)} leads out of the repository's files"
    if any("\ud800" <= character <= "\udfff" for character in part):
        return f"{quoted(part)} is not UTF-8"
    if not part.isprintable() or _FORBIDDEN.search(part):
        return f"{quoted(part)} contains a character that is invisible or not allowed everywhere"
    if part.endswith((".", " ")):
        return f"{quoted(part)} ends with a dot or a space, which some systems remove"
    if is_device(part):
        return f"{quoted(part)} is a device name on Windows"
    return "" if unicodedata.is_normalized("NFC", part) else f"{quoted(part)} is not in Unicode NFC"


@rule("CHG016", spec="registry/CHANGES registry/LAYOUT", severity=ERROR)
def paths_clash(change: ChangeSet) -> Iterator[Finding]:
    """A new path differs from another path only in letter case.

    ## Why
    On Windows and macOS `Notes.md` and `notes.md` are the same file. A clone there contains one of
    the two, by chance, and Git shows the other as modified forever. With `1.0.0-RC.1` next to
    `1.0.0-rc.1`, a whole release is confused with another.

    ## Fix
    Rename one of the two paths.

    ```text
    before   docs/Notes.md     docs/notes.md
    after    docs/history.md   docs/notes.md
    ```
    """
    added = [file.path for file in change.files if file.touch is Touch.ADDED]
    seen = {PBES: PurePosixPath(PBES)}
    reported: set[PurePosixPath] = set()
    for path in (*_neighbours(change, set(added)), *added):
        for part in (*reversed(path.parents), path):
            first = seen.setdefault(folded(str(part)), part)
            if first == part:
                continue
            if part not in reported and not (part == path and _in_same_version(first, path)):
                reported.add(part)
                message = f"{quoted(str(part))} and {quoted(str(first))} differ only in letter case"
                yield Finding(message=message, path=str(path), hint="Rename one of the two.")
            break


def _neighbours(change: ChangeSet, added: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """Yield the paths of the head that an added path could clash with."""
    # NOTE: a well-formed path in pbes/ can clash only within its entry.
    for entry in change.entries:
        if entry.head is not None:
            for paths in entry.head.folders.values():
                yield from (path for path in paths if path not in added)
    if any(path.parts[0] != PBES for path in added):
        for path in change.head.files:
            if path.parts[0] != PBES and path not in added:
                yield path


def folded(path: str) -> str:
    """Return a form of `path` that is equal for paths that some file systems do not distinguish."""
    return unicodedata.normalize("NFC", path).casefold()


def _in_same_version(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Tell whether both are files of the same version, which REG006 reports."""
    release = ReleaseId.of(one)
    return release is not None and release == ReleaseId.of(other)


FILE_RULES = (
    outside_the_entries,
    several_entries,
    path_not_portable,
    paths_clash,
    signed_state_changed,
    several_versions,
)
