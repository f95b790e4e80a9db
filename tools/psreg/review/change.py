"""A change to a registry: two trees, the files in which they differ, and the author.

Both trees may be lazy and partial: they contain the names around the change, and read their bytes
only if a rule asks for them. The rules check what a change adds, in the context of the registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.core.identity import PBES, Author, ReleaseId
from psreg.core.version import parse_version
from psreg.formats.irregular import Irregular
from psreg.formats.tree import Entry, Submission, Tree

ENTRY_FILE = "entry.toml"

_IN_ENTRY = 4
"""Parts of `pbes/<class>/<name>/entry.toml`."""


class Touch(StrEnum):
    """What a change does to a file."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that a change touches. `moved_from` is where Git found (nearly) the same bytes.

    A renamed file is two changes: the old path is deleted, and the new path is added with
    `moved_from`. A change of the mode alone is a modification.
    """

    path: PurePosixPath
    touch: Touch
    moved_from: PurePosixPath | None = None


@dataclass(frozen=True, slots=True)
class NewRelease:
    """A version folder that does not exist in the base.

    `previous` is the release it is compared with: the highest final version below it, else the
    highest pre-release below it, else None. It is in the base or new in the same change: people
    will update from one to the other. `known` are the versions of the entry in the base,
    ascending. A version below all of them has no previous release, but is not a new name.
    """

    submission: Submission
    previous: Submission | None
    known: tuple[str, ...] = ()

    @property
    def id(self) -> ReleaseId:
        """Class, name and version."""
        return self.submission.id

    @property
    def new_name(self) -> bool:
        """Tell whether the base contains no version of the name in this class."""
        return not self.known


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedEntry:
    """An entry with the touched `files` in its folder; `base` or `head` is None if not there."""

    entry_class: str
    name: str
    base: Entry | None
    head: Entry | None
    files: tuple[FileChange, ...]

    @property
    def path(self) -> PurePosixPath:
        """`pbes/<class>/<name>/entry.toml`."""
        return PurePosixPath(PBES, self.entry_class, self.name, ENTRY_FILE)

    @property
    def is_new(self) -> bool:
        """Tell whether the entry is only in the head."""
        return self.base is None and self.head is not None

    @property
    def is_gone(self) -> bool:
        """Tell whether the entry is only in the base."""
        return self.base is not None and self.head is None


class ChangeSet:
    """The difference between two trees. `author` is None if the forge does not identify them."""

    def __init__(
        self, base: Tree, head: Tree, files: tuple[FileChange, ...], author: Author | None = None
    ) -> None:
        self.base = base
        self.head = head
        self.files = tuple(sorted(files, key=lambda change: change.path))
        self.author = author

    @cached_property
    def releases(self) -> tuple[NewRelease, ...]:
        """The version folders that are only in the head, by class, name and version."""
        touched = {release for change in self.files if (release := ReleaseId.of(change.path))}
        return tuple(self._new(touched))

    def _new(self, touched: set[ReleaseId]) -> Iterator[NewRelease]:
        names = {(release.entry_class, release.name) for release in touched}
        before = {
            (entry.entry_class, entry.name): {s.id.version: s for s in entry.submissions()}
            for entry in self.base.entries
            if (entry.entry_class, entry.name) in names
        }
        for entry in self.head.entries:
            key = (entry.entry_class, entry.name)
            if key not in names:
                continue
            known = before.get(key, {})
            latest: dict[bool, Submission] = {}  # new ones are ascending: the last is the highest
            for submission in entry.submissions():
                version = submission.id.version
                if submission.id in touched and version not in known:
                    below = {**known, **{new.id.version: new for new in latest.values()}}
                    yield NewRelease(submission, _previous(version, below), tuple(known))
                    latest[bool(parse_version(version).prerelease)] = submission

    @cached_property
    def entries(self) -> tuple[TouchedEntry, ...]:
        """The entries with touched files, by class and name; stray files belong to none."""
        files: dict[tuple[str, str], list[FileChange]] = {}
        for change in self.files:
            parts = change.path.parts
            if len(parts) >= _IN_ENTRY and parts[0] == PBES:
                files.setdefault((parts[1], parts[2]), []).append(change)
        touched = (
            TouchedEntry(
                entry_class=entry_class,
                name=name,
                base=self.base.entry(entry_class, name),
                head=self.head.entry(entry_class, name),
                files=tuple(found),
            )
            for (entry_class, name), found in sorted(files.items())
        )
        return tuple(entry for entry in touched if entry.base or entry.head)

    @cached_property
    def outside(self) -> tuple[FileChange, ...]:
        """The touched files outside `pbes/`."""
        return tuple(change for change in self.files if change.path.parts[0] != PBES)

    def touched(self, path: PurePosixPath) -> Touch | None:
        """Return what happens to the file at `path`, or None."""
        return self._touched.get(path)

    @cached_property
    def _touched(self) -> Mapping[PurePosixPath, Touch]:
        return {change.path: change.touch for change in self.files}


def _previous(version: str, known: Mapping[str, Submission]) -> Submission | None:
    """Return the release that a new `version` is compared with."""
    new = parse_version(version)
    below = [(parse_version(text), text) for text in known if parse_version(text) < new]
    finals = [item for item in below if not item[0].prerelease]
    return known[max(finals or below)[1]] if below else None


def changes_between(
    base: Mapping[PurePosixPath, bytes],
    head: Mapping[PurePosixPath, bytes],
    *,
    irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
    author: Author | None = None,
) -> ChangeSet:
    """Return the change from one whole tree to another by comparing the bytes of all files.

    The paths in `irregular` are irregular only in the head: they count as added or modified.
    """
    files = []
    for path in sorted({*base, *head, *irregular}):
        in_head = path in head or path in irregular
        if path not in base:
            files.append(FileChange(path=path, touch=Touch.ADDED))
        elif not in_head:
            files.append(FileChange(path=path, touch=Touch.DELETED))
        elif path in irregular or base[path] != head[path]:
            files.append(FileChange(path=path, touch=Touch.MODIFIED))
    return ChangeSet(Tree(base), Tree(head, irregular), tuple(files), author)
