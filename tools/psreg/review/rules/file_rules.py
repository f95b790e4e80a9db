"""The rules about which files a change touches, whatever they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import PBES, ReleaseId
from psreg.core.rule import rule
from psreg.formats.layout import is_device
from psreg.formats.toml.toml_file import MOST
from psreg.formats.tree import GUIDE, POLICY
from psreg.lint.content.shown import quoted
from psreg.review.change import ChangeSet, Touch

LONGEST_PART = 120
LONGEST_PATH = 240
"""Characters. Windows takes 260 with the folder of the checkout; encrypted folders 143 a part."""

_LISTED = 5
"""Entries that a message lists before it counts the rest."""

_FORBIDDEN = re.compile(r'[<>:"\\|?*]')
_GIT = re.compile(r"\.git|git~[0-9]+", re.IGNORECASE)


@rule("CHG013", spec="registry/CHANGES", severity=WARNING)
def outside_the_entries(change: ChangeSet) -> Iterator[Finding]:
    """A file outside the entries is touched.

    ## Why
    Everything beside `pbes/` is how the registry itself works: what its keepers decided, the
    programs that review and publish, the pages of its site. A change there can switch off the
    very checks that judge it. So a person looks at each, however small.

    ## Fix
    If the file came along by accident, take it out of the change. If it is meant, put it into a
    pull request of its own, which the keepers of the registry review.

    ```sh
    git checkout origin/main -- .github
    ```
    """
    entries = {entry.path.parent for entry in change.entries}
    for file in change.files:
        inside = file.path.parts[0] == PBES and file.path != GUIDE
        # NOTE: of what is added or changed in pbes/ where nothing belongs, REG001 and REG002 speak.
        if inside and (file.touch is not Touch.DELETED or entries & set(file.path.parents)):
            continue
        what = "what the keepers decided" if file.path == POLICY else "a file outside the entries"
        kind = change.head.irregular.get(file.path)
        yield Finding(
            message=f"{what} is {file.touch}" + (f"; it is {kind}" if kind else ""),
            path=str(file.path),
            hint="Take it out, or ask for it in a pull request of its own.",
        )


@rule("CHG014", spec="registry/CHANGES registry/POLICY", severity=WARNING)
def several_entries(change: ChangeSet) -> Iterator[Finding]:
    """The change touches more entries than the registry takes at a time.

    ## Why
    One entry is one decision: it is merged, sent back or refused as a whole. Two in one pull
    request wait for each other, and a reviewer who looks at the large one overlooks the small
    one. How many are taken is `entries_per_change` in registry/policy.toml, one if it does not
    say. A change of more than a hundred entries or new versions is not judged, but refused.

    ## Fix
    Make a branch and a pull request for each entry.

    ```toml
    # registry/policy.toml, for registries that see it otherwise
    [review]
    entries_per_change = 5
    ```
    """
    entries, limit = change.entries, change.base.policy.entries_per_change
    if len(entries) > limit:
        names = ", ".join(f"`{entry.name}`" for entry in entries[:_LISTED])
        more = f" and {len(entries) - _LISTED} more" if len(entries) > _LISTED else ""
        yield Finding(
            message=f"{len(entries)} entries are touched: {names}{more}; "
            f"this registry takes {limit} at a time",
            path=str(entries[limit].path),
            hint="Make a pull request for each.",
            severity=ERROR if len(entries) > MOST else None,
        )
    if len(change.releases) > MOST:
        yield Finding(
            message=f"{len(change.releases):,} versions are added; nobody can look at so many",
            path=str(change.releases[MOST].submission.release_path),
            hint="Divide the change.",
            severity=ERROR,
        )


@rule("CHG015", spec="registry/CHANGES registry/LAYOUT", severity=ERROR)
def path_not_portable(change: ChangeSet) -> Iterator[Finding]:
    """A path is added that some system cannot store, or that does not show what it is.

    ## Why
    A registry is cloned on every kind of machine. A name with a line break, a backslash or a
    colon, a device name of Windows, or one that is no UTF-8 makes the whole checkout fail there;
    `..` and `.git` reach to places where no file of a repository belongs; and characters that
    cannot be seen make a path look like another one.

    ## Fix
    Rename the file: letters, digits, `.`, `_` and `-`, no dot or blank at the end, at most 240
    characters from the root of the repository.

    ```text
    before   notes/Aux.md     notes/what: a mess.md
    after    notes/auxiliary.md   notes/what-a-mess.md
    ```
    """
    for file in change.files:
        if file.touch is not Touch.ADDED:
            continue
        fault = _fault_of_length(file.path)
        if not fault and file.path.parts[0] != PBES:  # there, grammars and REG006 speak
            fault = next(filter(None, map(_fault, file.path.parts)), "")
        if fault:
            yield Finding(
                message=fault,
                path=str(file.path),
                hint="Use letters, digits, `.`, `_` and `-`; begin with a letter or digit.",
            )


def _fault_of_length(path: PurePosixPath) -> str:
    if len(str(path)) > LONGEST_PATH:
        return f"the path has {len(str(path)):,} characters; some systems take {LONGEST_PATH}"
    longest = max(path.parts, key=len)
    if len(longest) > LONGEST_PART:
        return f"a name has {len(longest):,} characters; some systems take {LONGEST_PART}"
    return ""


def _fault(part: str) -> str:
    if part == ".." or _GIT.fullmatch(part.rstrip(". ")):
        return f"{quoted(part)} leads out of the tree"
    if any("\ud800" <= character <= "\udfff" for character in part):
        return f"{quoted(part)} is no UTF-8"
    if not part.isprintable() or _FORBIDDEN.search(part):
        return f"{quoted(part)} has a character that some systems do not allow, or do not show"
    if part.endswith((".", " ")):
        return f"{quoted(part)} ends with a dot or a blank, which some systems take away"
    if is_device(part):
        return f"{quoted(part)} is a device on Windows"
    return "" if unicodedata.is_normalized("NFC", part) else f"{quoted(part)} is not in NFC"


@rule("CHG016", spec="registry/CHANGES registry/LAYOUT", severity=ERROR)
def paths_clash(change: ChangeSet) -> Iterator[Finding]:
    """A path is added that differs from another one in letter case only.

    ## Why
    On Windows and macOS `Notes.md` and `notes.md` are one file. Whoever clones the repository
    there gets one of the two, by chance, and Git shows the other as changed for ever. With
    `1.0.0-RC.1` beside `1.0.0-rc.1` it is a whole release that is mixed up with another.

    ## Fix
    Rename one of the two.

    ```text
    before   docs/Notes.md     docs/notes.md
    after    docs/history.md   docs/notes.md
    ```
    """
    added = [file.path for file in change.files if file.touch is Touch.ADDED]
    seen = {PBES: PurePosixPath(PBES)}
    told: set[PurePosixPath] = set()
    for path in (*_neighbours(change, set(added)), *added):
        for part in (*reversed(path.parents), path):
            twin = seen.setdefault(folded(str(part)), part)
            if twin == part:
                continue
            if part not in told and not (part == path and _in_one_version(twin, path)):
                told.add(part)
                message = f"{quoted(str(part))} and {quoted(str(twin))} differ in letter case only"
                yield Finding(message=message, path=str(path), hint="Rename one of the two.")
            break


def _neighbours(change: ChangeSet, added: set[PurePosixPath]) -> Iterator[PurePosixPath]:
    """Yield the paths of the head with which an added path could clash."""
    # NOTE: a path in pbes/ that is well formed can clash within its entry only.
    for entry in change.entries:
        if entry.head is not None:
            for paths in entry.head.folders.values():
                yield from (path for path in paths if path not in added)
    if any(path.parts[0] != PBES for path in added):
        for path in change.head.files:
            if path.parts[0] != PBES and path not in added:
                yield path


def folded(path: str) -> str:
    """Return what is the same for two paths that some system takes for one."""
    return unicodedata.normalize("NFC", path).casefold()


def _in_one_version(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Tell whether both are files of the same version: then REG006 has said it."""
    release = ReleaseId.of(one)
    return release is not None and release == ReleaseId.of(other)
