"""A change to a registry: two trees, the files in which they differ, and the author.

Both trees may be lazy and partial: they contain the names around the change, and read their bytes
only if a rule asks for them. The rules check what a change adds, in the context of the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.compatibility.compared_side import submission_side
from psreg.compatibility.diff import Diff, compare
from psreg.core.diagnostics import Finding
from psreg.core.identity import PBES, Author, EntryId, ReleaseId
from psreg.core.rule import Rule
from psreg.core.version import parse_version
from psreg.formats.tree import Entry, Submission, Tree
from psreg.lint.entries.tree_rules import ReleaseSketch
from psreg.lint.locate import MOST

if TYPE_CHECKING:
    from psreg.lint.content.texts import Content
    from psreg.registry.actions.action import Action
    from psreg.registry.owners.to_sign import Signable


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

    id: EntryId
    base: Entry | None
    head: Entry | None
    files: tuple[FileChange, ...]

    @property
    def entry_class(self) -> str:
        """The class folder it is in."""
        return self.id.entry_class

    @property
    def name(self) -> str:
        """Its name, which is that of its folder."""
        return self.id.name

    @property
    def path(self) -> PurePosixPath:
        """`pbes/<class>/<name>/entry.toml`."""
        return self.id.file

    @property
    def is_new(self) -> bool:
        """Tell whether the entry is only in the head."""
        return self.base is None and self.head is not None

    @property
    def is_gone(self) -> bool:
        """Tell whether the entry is only in the base."""
        return self.base is not None and self.head is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """What was merged after the change was made: names with aliases, and releases.

    `taken` lists all names and aliases of the registry, which takes time in a large one. No rule
    depends on any of this.
    """

    names: frozenset[str] = frozenset()
    releases: frozenset[ReleaseId] = frozenset()
    taken: Callable[[], frozenset[str]] = frozenset


class ChangeSet:
    """The difference between two trees. `author` is None if the forge does not identify them.

    `landed` is called if a finding may be due to what was merged after the change was made.
    `published` returns the published releases of the base whose text may be like that of one, and
    `to_sign` what owners of an entry sign about a version, or about a change of the owners if that
    is None, `to_yank` about a yank, and `to_object` against a recovery; None if there is nothing to
    sign, or the base has no signed state; `to_review` what reviewers sign about a version, None if
    it is not known; it raises PsregError if no signed state
    can be read. `action_fault` returns why an action is not one of the registry, "" if it is one.
    """

    def __init__(
        self,
        base: Tree,
        head: Tree,
        files: tuple[FileChange, ...],
        author: Author | None = None,
        landed: Callable[[], Landed] = Landed,
        *,
        published: Callable[[ReleaseSketch], Iterable[ReleaseSketch]] = lambda _: (),
        to_sign: Callable[[Entry, str | None], Signable | None] = lambda *_: None,
        to_yank: Callable[[Entry, str], Signable | None] = lambda *_: None,
        to_object: Callable[[Entry], Signable | None] = lambda _: None,
        to_review: Callable[[Entry, str], Signable | None] = lambda *_: None,
        action_fault: Callable[[Action], str] = lambda _: "",
    ) -> None:
        self._find_landed = landed
        self.published = published
        self.to_sign = to_sign
        self.to_yank = to_yank
        self.to_object = to_object
        self.to_review = to_review
        self.action_fault = action_fault
        self.base = base
        self.head = head
        self.head.judged_by = base
        self.files = tuple(sorted(files, key=lambda change: change.path))
        self.author = author

    @cached_property
    def landed(self) -> Landed:
        """What was merged after the change was made."""
        return self._find_landed()

    @cached_property
    def releases(self) -> tuple[NewRelease, ...]:
        """The version folders that are only in the head, by class, name and version."""
        touched = {release for change in self.files if (release := ReleaseId.of(change.path))}
        return tuple(self._new(touched))

    def _new(self, touched: set[ReleaseId]) -> Iterator[NewRelease]:
        ids = {release.entry for release in touched}
        before = {
            entry.id: {s.id.version: s for s in entry.submissions()}
            for entry in self.base.entries
            if entry.id in ids
        }
        for entry in self.head.entries:
            if entry.id not in ids:
                continue
            known = before.get(entry.id, {})
            latest: dict[bool, Submission] = {}  # new ones are ascending: the last is the highest
            for submission in entry.submissions():
                version = submission.id.version
                if submission.id in touched and version not in known:
                    below = {**known, **{new.id.version: new for new in latest.values()}}
                    yield NewRelease(submission, _previous(version, below), tuple(known))
                    latest[bool(parse_version(version).prerelease)] = submission

    def diff(self, release: NewRelease) -> Diff | None:
        """Return what changed since the previous release, None if there is none."""
        if release.previous is None:
            return None
        if release.id not in self._diffs:
            sides = map(submission_side, (release.previous, release.submission))
            self._diffs[release.id] = compare(*sides)
        return self._diffs[release.id]

    @cached_property
    def _diffs(self) -> dict[ReleaseId, Diff]:
        return {}

    def found(self, rule: Rule[Content], content: Content) -> Iterator[Finding]:
        """Yield what a content rule finds; a text that several rules ask about is judged once.

        More than `MOST` findings are an error, after which the rest of the text is not checked.
        """
        key = (rule.code, content.kind, content.capabilities, content.source)
        if key not in self._found:
            self._found[key] = [*islice(rule.check(content), MOST + 1)]
        yield from self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[object, ...], list[Finding]]:
        return {}

    @cached_property
    def amended(self) -> tuple[Submission, ...]:
        """The version folders with touched files that are in both trees."""
        new = {release.id for release in self.releases}
        touched = {ReleaseId.of(change.path) for change in self.files} - new
        heads = (entry.head for entry in self.entries if entry.head)
        return tuple(s for head in heads for s in head.submissions() if s.id in touched)

    @cached_property
    def entries(self) -> tuple[TouchedEntry, ...]:
        """The entries with touched files, by class and name; stray files belong to none."""
        files: dict[EntryId, list[FileChange]] = {}
        for change in self.files:
            if id_ := EntryId.of(change.path.parent):
                files.setdefault(id_, []).append(change)
        touched = (
            TouchedEntry(
                id=id_, base=self.base.entry(id_), head=self.head.entry(id_), files=tuple(found)
            )
            for id_, found in sorted(files.items())
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
