"""The part of a registry in which a change is judged: all of what it touches, little of the rest.

Whole are the entries it touches, those that they require, and those that may require what it
removes. Of an entry with a name that a rule about names could mention, or that a file refers to,
there is entry.toml. Outside of the entries there is what a new path may clash with. All others
are absent: no finding about the change depends on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from psreg.core.identity import PBES, Format, ReleaseId, is_name
from psreg.core.spelling import near_ones
from psreg.formats import entry, policy, release
from psreg.formats.layout import place_of_artifact
from psreg.formats.tree import POLICY, Tree
from psreg.git.objects import Objects
from psreg.git.process import Git
from psreg.git.tree_diff import Difference, GitTree, files_below, lookup
from psreg.git.tree_object import Row
from psreg.lint.names.near_names import nearby
from psreg.review.case_conflicts import twins
from psreg.review.entry_names import (
    ENTRY_FILE,
    Key,
    Roll,
    aliases_in,
    entry_file,
    folder_of,
    key_of,
    mentioning,
)

_FEW = 50
"""Names that are compared with all others one by one; where there are more, all are shown."""

_GUESSED = 20
"""Names that nothing has for which a similar one is looked for."""

_NEAR = 2
"""Names that are shown for one that nothing has: what refers may itself be the nearest."""

_MOST = 1_000_000
"""Files of the base that are listed."""

_DEEP = 4
"""Slashes in the path of a file in a version folder, at least."""

_ESCAPE = b"\\"
"""What may stand for any letter of a key: a file that has one is parsed to see what it says."""


class View:
    """What is seen of the commit `root`, and of the same after the change `touched`."""

    def __init__(
        self, git: Git, objects: Objects, root: str, touched: Mapping[str, Difference]
    ) -> None:
        self._git, self._objects, self._root = git, objects, root
        self._touched = touched
        self._base = {path: one.before for path, one in touched.items() if one.before}
        self._head = {path: one.after for path, one in touched.items() if one.after}
        self._keys = {key for path in touched if (key := key_of(path))}
        self._roll = Roll(git, objects, root)
        self._named = {key for key in self._keys if self._concerns_name(key)}
        if 0 < len(self._named) <= _FEW:
            self._roll.find_aliases()  # in the background
        self._look_around()

    def base(self) -> GitTree:
        """Return the registry as it is."""
        return GitTree(self._objects, self._base)

    def head(self) -> GitTree:
        """Return the registry as it will be."""
        return GitTree(self._objects, self._head)

    def _concerns_name(self, key: Key) -> bool:
        return entry_file(key) in self._touched or self._roll.folder(key) is None

    def _look_around(self) -> None:
        if row := lookup(self._objects, self._root, str(POLICY)):
            self._add({str(POLICY): row})
        self._add_twins()
        self._add_whole(self._keys)
        required = set(self._required())
        whole = self._roll.called(required) | self._dependents()
        self._add_whole(whole - self._keys)
        mentioned = self._or_meant(required | self._mentioned())
        outlined = self._similar() | self._roll.called(mentioned)
        self._add_outlines(outlined - whole - self._keys)

    def _add(self, rows: Mapping[str, Row]) -> None:
        """Add what the commit holds; the change keeps what it does not touch."""
        self._base.update(rows)
        self._head.update((path, row) for path, row in rows.items() if path not in self._touched)

    def _add_twins(self) -> None:
        """Add what is in the way of files that come in outside of the entries."""
        new = [path for path, one in self._touched.items() if one.before is None]
        added = [path for path in new if not path.startswith(f"{PBES}/")]
        self._add(twins(self._objects, self._root, added, self._touched))

    def _add_whole(self, keys: Iterable[Key]) -> None:
        ids = {folder_of(key): oid for key in keys if (oid := self._roll.folder(key))}
        self._add(files_below(self._objects, ids, _MOST))

    def _add_outlines(self, keys: Iterable[Key]) -> None:
        ids = {key: oid for key in keys if (oid := self._roll.folder(key))}
        self._objects.load(ids.values())
        unclear = []
        for key, oid in ids.items():
            row = self._objects.folder(oid).get(ENTRY_FILE)
            if row and row.is_file:
                self._add({entry_file(key): row})
            else:
                unclear.append(key)  # without entry.toml, other files show that there is an entry
        self._add_whole(unclear)

    def _similar(self) -> set[Key]:
        """Return the entries with a name or alias like one that is added, changed or gone."""
        if not self._named:
            return set()
        if len(self._named) > _FEW:
            return self._roll.called(self._roll.names)
        texts = {name for _, name in self._named}
        for data in self._read(entry_file(key) for key in self._named):
            texts.update(aliases_in(data))
        near = self._roll.called(nearby(texts, self._roll.names))
        by_alias = self._roll.by_alias
        return near | {key for alias in nearby(texts, by_alias) for key in by_alias[alias]}

    def _required(self) -> Iterator[str]:
        """Yield the names of entries that releases of the touched entries require."""
        paths = {*self._base, *self._head}
        for data in self._read(path for path in paths if path.endswith("/release.toml")):
            if b"requires" in data or _ESCAPE in data:
                yield from release.read(data).requires

    def _dependents(self) -> set[Key]:
        """Return the entries that may require, or recommend, what the change takes away."""
        lost = {path for path, one in self._touched.items() if one.after is None}
        gone = _releases(lost) - _releases(self._head)
        names = {one.name for one in gone} | set(self._yanking())
        names |= {name for _, name in self._gone()}
        return mentioning(self._git, self._root, sorted(names)) if names else set()

    def _yanking(self) -> Iterator[str]:
        """Yield the names of entries that exist and of which a version may be yanked."""
        for key in filter(self._roll.folder, self._named):
            for data in self._read([entry_file(key)]):
                if b"yanked" in data or _ESCAPE in data:
                    yield key[1]

    def _or_meant(self, names: Collection[str]) -> set[str]:
        """Return `names`, and for some that nothing will have those that are most like them."""
        known = {*self._roll.names, *(name for _, name in self._keys)} - self._lost()
        unknown = list(islice(sorted(set(names) - known), _GUESSED))
        proper = [name for name in known if is_name(name)] if unknown else []
        return {*names, *(near for name in unknown for near in near_ones(name, proper, _NEAR))}

    def _gone(self) -> set[Key]:
        """Return the entries of which nothing is left."""
        return self._keys - {key_of(path) for path in self._head}

    def _lost(self) -> set[str]:
        """Return the names that no entry will have any more."""
        gone = self._gone()
        names = {name for _, name in gone}
        return names - {name for _, name in (self._roll.called(names) | self._keys) - gone}

    def _mentioned(self) -> set[str]:
        """Return the names of entries that the touched files mention, but do not require."""
        return {*self._recommended(), *self._waived(), *self._misplaced()}

    def _recommended(self) -> Iterator[str]:
        for data in self._read(entry_file(key) for key in self._keys):
            if b"deprecated" in data or _ESCAPE in data:
                yield (entry.read(data).deprecated or {}).get("replacement", "")

    def _waived(self) -> Iterator[str]:
        if str(POLICY) in self._touched:
            for data in self._read([str(POLICY)]):
                for _, row in policy.read(data).tables("waiver"):
                    names = row.get("names")
                    yield from (n for n in names if isinstance(n, str)) if names else ()

    def _misplaced(self) -> Iterator[str]:
        """Yield the names that artifacts outside of version folders are meant to have."""
        suffixes = tuple(form.suffix for form in Format)
        strays = [path for path in self._touched if path.count("/") < _DEEP]
        artifacts = [path for path in strays if path in self._head and path.endswith(suffixes)]
        rows = {path: self._head[path] for path in islice(sorted(artifacts), _GUESSED)}
        tree = Tree(GitTree(self._objects, rows))
        for path in tree.strays:
            if key := key_of(place_of_artifact(tree, path)):
                yield key[1]

    def _read(self, paths: Iterable[str]) -> Iterator[bytes]:
        """Yield what the files at `paths` hold before and after the change; equal ones once."""
        rows = (side.get(path) for path in paths for side in (self._base, self._head))
        yield from self._objects.blobs({row.id: None for row in rows if row and row.is_file})


def _releases(paths: Iterable[str]) -> set[ReleaseId]:
    return {one for path in paths if (one := ReleaseId.of(PurePosixPath(path)))}
