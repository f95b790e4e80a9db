"""The change that a merge makes in a Git repository, as input for the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.core.errors import PsregError, UnavailableError
from psreg.core.identity import Author, ReleaseId
from psreg.formats.tree import Entry, Tree
from psreg.git.objects import Objects, Row
from psreg.git.repository import Merge, Repository
from psreg.git.tree_diff import Difference, FolderPair, differences, lookup
from psreg.lint.entries.tree_rules import ReleaseSketch
from psreg.review.change import ChangeSet, FileChange, Landed, Touch
from psreg.review.entry_names import ENTRY_FILE, EntryNames, aliases_in, folder_of, key_of
from psreg.review.partial_view import View

if TYPE_CHECKING:
    from psreg.core.ssh_key import SshKey
    from psreg.registry.actions.action import Action
    from psreg.registry.difference import SignedNames
    from psreg.registry.owners.to_sign import Signable
    from psreg.registry.trust.reading import RegistryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What merging one commit would change in the registry at another commit.

    `base` is the merge base of the two, `tip` the commit the change is to be merged into, and
    `head` the last commit of the change; all are full ids. The base tree of `change` is that of
    `tip`, and its head tree is the merge result: names may have been taken and owners removed
    since the change was made, so neither the tree of `head` nor its difference to `base` is what
    matters. Both trees are lazy and partial, see `view`, and are valid until the repository is
    closed.
    """

    change: ChangeSet
    base: str
    tip: str
    head: str


def read_change(
    repository: Repository,
    base_rev: str,
    head_rev: str,
    author: Author | None = None,
    today: date | None = None,
    *,
    entries: EntryNames | None = None,
) -> Changes:
    """Return what merging `head_rev` would change in the registry at `base_rev`.

    `author` asks for it; `today` is the day of the review; `entries` are the names at `base_rev`,
    if they are known already.

    Raises:
        UnavailableError, FindingsError: as `Repository.merge`; the change is to blame for the
            latter, which leads to the verdict `reject`.
    """
    merge = repository.merge(base_rev, head_rev)
    view = View(repository.git, repository.objects, merge.before, merge.differences, entries)
    after = view.head()
    published = _Published(repository.objects, merge.before, today)
    change = ChangeSet(
        Tree(view.base(), today=today),
        Tree(after, after.irregular, today=today),
        tuple(_file_change(path, one, merge.sources) for path, one in merge.differences.items()),
        author,
        landed=lambda: _landed(repository.objects, merge, view),
        published=published.near,
        to_sign=published.to_sign,
        to_yank=published.to_yank,
        to_object=published.to_object,
        to_review=lambda entry, version: published.to_review(
            entry, version, change.base.policy.reviewers
        ),
        action_fault=published.action_fault,
    )
    return Changes(change=change, base=merge.base, tip=merge.tip, head=merge.head)


def _landed(objects: Objects, merge: Merge, view: View) -> Landed:
    """Return what was merged since the merge base; nothing if Git lacks it, or it is too much."""
    try:
        root = objects.root(merge.base)
        found = differences(objects, [FolderPair("", root, merge.before)])
        releases = {release for path in found if (release := ReleaseId.of(PurePosixPath(path)))}
        new = {one for one in releases if lookup(objects, root, str(one.folder)) is None}
        entries = {key for path in found if (key := key_of(path))}
        names = {key[1] for key in entries if lookup(objects, root, folder_of(key)) is None}
        for path, one in found.items():
            if path.endswith(f"/{ENTRY_FILE}"):
                names |= _aliases(objects, one.after) - _aliases(objects, one.before)
        return Landed(names=frozenset(names), releases=frozenset(new), taken=view.taken)
    except PsregError:
        return Landed()


class _Published:
    """What a registry has published, as far as the commit with the root folder `root` has it."""

    def __init__(self, objects: Objects, root: str, today: date | None) -> None:
        self._objects, self._root = objects, root
        self._now = datetime.combine(today or date.min, time.min, UTC)

    def near(self, release: ReleaseSketch) -> Iterable[ReleaseSketch]:
        """Return releases that may be like one; none if the signed state cannot be read."""
        try:
            return list(self._names.near(release)) if self._names else ()
        except PsregError:
            return ()

    def to_sign(self, entry: Entry, version: str | None) -> Signable | None:
        """Return what owners sign, as `ChangeSet` asks for it."""

        def found(state: RegistryState) -> Signable:
            from psreg.registry.owners import to_sign  # noqa: PLC0415 - as above

            if version is None:
                return to_sign.owners_to_sign(entry, state)
            return to_sign.to_sign(entry, version, state, self._now)

        return self._signable(found)

    def to_yank(self, entry: Entry, version: str) -> Signable | None:
        """Return what owners sign about a yank, as `ChangeSet` asks for it."""

        def found(state: RegistryState) -> Signable:
            from psreg.registry.owners.to_sign import yank_to_sign  # noqa: PLC0415 - as above

            return yank_to_sign(entry, version, state)

        return self._signable(found)

    def to_object(self, entry: Entry) -> Signable | None:
        """Return what an owner signs against a recovery, as `ChangeSet` asks for it."""

        def found(state: RegistryState) -> Signable:
            from psreg.registry.owners.to_sign import objection_to_sign  # noqa: PLC0415 - as above

            return objection_to_sign(entry, state)

        return self._signable(found)

    def _signable(self, found: Callable[[RegistryState], Signable]) -> Signable | None:
        """Return what is `found` in the signed state, None if there is none, or nothing."""
        if self._read("metadata/timestamp.json") is None:
            return None
        try:
            return found(self._state) if self._state else None
        except PsregError:
            return None

    def to_review(self, entry: Entry, version: str, reviewers: Mapping[SshKey, str]) -> Signable:
        """Return what reviewers sign, as `ChangeSet` asks for it."""
        from psreg.registry.owners.to_sign import to_review  # noqa: PLC0415 - as above

        if self._state is None:
            raise UnavailableError("NOT_PUBLISHED", "nothing is published yet")
        return to_review(entry, version, self._state, self._now, reviewers)

    def action_fault(self, action: Action) -> str:
        """Return why an action is not one of the registry, as `ChangeSet` asks for it."""
        if self._read("metadata/timestamp.json") is None:
            return ""
        from psreg.registry.withdrawing.effects import fault_of  # noqa: PLC0415 - as above

        try:
            return fault_of(action, self._state) if self._state else ""
        except PsregError as error:
            return error.message

    @cached_property
    def _state(self) -> RegistryState | None:
        from psreg.registry.trust.reading import open_registry  # noqa: PLC0415 - as below

        return open_registry(self._read)

    @cached_property
    def _names(self) -> SignedNames | None:
        if self._read("metadata/timestamp.json") is None:
            return None
        # NOTE: what verifies signatures takes as long to import as a tenth of a review.
        from psreg.registry.difference import signed_names  # noqa: PLC0415

        return signed_names(self._read)

    def _read(self, path: str) -> bytes | None:
        row = lookup(self._objects, self._root, f"registry/{path}")
        return self._objects.whole(row.id) if row and row.is_file else None


def _aliases(objects: Objects, row: Row | None) -> set[str]:
    if row is None or not row.is_file:
        return set()
    return {alias for data in objects.blobs({row.id: None}) for alias in aliases_in(data)}


def _file_change(path: str, one: Difference, moved: Mapping[str, str]) -> FileChange:
    touch = Touch.MODIFIED
    if one.before is None:
        touch = Touch.ADDED
    elif one.after is None:
        touch = Touch.DELETED
    source = PurePosixPath(moved[path]) if touch is Touch.ADDED and path in moved else None
    return FileChange(path=PurePosixPath(path), touch=touch, moved_from=source)
