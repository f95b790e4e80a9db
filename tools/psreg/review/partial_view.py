"""The part of a registry that is read to review a change: what it touches, and little of the rest.

It contains the whole of the entries that the change touches, those that they require, and those
that may require what it removes. Of an entry with a name that a rule about names could mention, or
that a file refers to, it contains only entry.toml. Outside the entries it contains the files that
a new path may conflict with. No finding about the change depends on anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import PurePosixPath

from psreg.core.classes import Format
from psreg.core.identity import PBES, ReleaseId, is_name
from psreg.core.spelling import near_ones
from psreg.formats import entry, policy, release
from psreg.formats.tree import POLICY, Tree, place_of_artifact
from psreg.git.objects import Objects, Row
from psreg.git.process import Git
from psreg.git.tree_diff import Difference, GitTree, files_below, lookup
from psreg.lint.names.all_names import similar_candidates
from psreg.review.entry_names import (
    ENTRY_FILE,
    EntryNames,
    Key,
    aliases_in,
    entry_file,
    folder_of,
    key_of,
    mentioning,
)
from psreg.review.rules.file_rules import folded

_FEW = 50
"""The most names that are compared with all others; if there are more, every entry is included."""

_GUESSED = 20
"""The most unknown names for which similar names are searched."""

_NEAR = 2
"""Similar names that are included for an unknown name: the nearest may be the referring entry."""

_MOST = 1_000_000
"""The most files of the base that are listed."""

_MOST_SEARCHED = 1_000
"""Files and folders below a conflicting folder that are searched for one that is not touched."""

_DEEP = 4
"""The fewest slashes in the path of a file in a version folder."""

_ESCAPE = b"\\"
"""An escape may stand for any letter of a key: a file that contains one is parsed."""


_ACTIONS = "registry/actions"


class View:
    """The relevant part of the commit `root`, before and after the change `touched`.

    `entries` are the names in that commit, if they are known already.
    """

    def __init__(
        self,
        git: Git,
        objects: Objects,
        root: str,
        touched: Mapping[str, Difference],
        entries: EntryNames | None = None,
    ) -> None:
        self._git, self._objects, self._root = git, objects, root
        self._touched = touched
        self._base = {path: one.before for path, one in touched.items() if one.before}
        self._head = {path: one.after for path, one in touched.items() if one.after}
        self._keys = {key for path in touched if (key := key_of(path))}
        self._entries = entries or EntryNames(git, objects, root)
        self._named = {key for key in self._keys if self._concerns_name(key)}
        if 0 < len(self._named) <= _FEW:
            self._entries.find_aliases()  # in the background
        self._add_context()

    def base(self) -> GitTree:
        """Return the registry before the change."""
        return GitTree(self._objects, self._base)

    def head(self) -> GitTree:
        """Return the registry after the change."""
        return GitTree(self._objects, self._head)

    def taken(self) -> frozenset[str]:
        """Return all names and aliases of the registry before the change."""
        return frozenset({*self._entries.names, *self._entries.by_alias})

    def _concerns_name(self, key: Key) -> bool:
        return entry_file(key) in self._touched or self._entries.folder(key) is None

    def _add_context(self) -> None:
        if row := lookup(self._objects, self._root, str(POLICY)):
            self._add({str(POLICY): row})
        self._add_case_conflicts()
        self._add_actions()
        self._add_whole(self._keys)
        required = {*self._required({*self._base, *self._head}), *self._misplaced()}
        whole = self._entries.called(required) | self._dependents()
        self._add_whole(whole - self._keys)
        whole |= self._add_required_further(required)
        mentioned = self._with_similar(required | self._mentioned())
        outlined = self._similar() | self._entries.called(mentioned)
        self._add_outlines(outlined - whole - self._keys)

    def _add(self, rows: Mapping[str, Row]) -> None:
        """Add files of the commit; the change keeps those that it does not touch."""
        self._base.update(rows)
        self._head.update((path, row) for path, row in rows.items() if path not in self._touched)

    def _add_case_conflicts(self) -> None:
        """Add the files that conflict with new files outside the entries."""
        new = [path for path, one in self._touched.items() if one.before is None]
        added = [path for path in new if not path.startswith(f"{PBES}/")]
        self._add(_case_conflicts(self._objects, self._root, added, self._touched))

    def _add_actions(self) -> None:
        """Add what the maintainers did so far: a new action follows it."""
        if (row := lookup(self._objects, self._root, _ACTIONS)) and row.is_folder:
            self._add(files_below(self._objects, {_ACTIONS: row.id}, _MOST))

    def _add_whole(self, keys: Iterable[Key]) -> None:
        ids = {folder_of(key): oid for key in keys if (oid := self._entries.folder(key))}
        self._add(files_below(self._objects, ids, _MOST))

    def _add_outlines(self, keys: Iterable[Key]) -> None:
        ids = {key: oid for key in keys if (oid := self._entries.folder(key))}
        self._objects.load(ids.values())
        unclear = []
        for key, oid in ids.items():
            row = self._objects.folder(oid).get(ENTRY_FILE)
            if row and row.is_file:
                self._add({entry_file(key): row})
            else:
                unclear.append(key)  # without entry.toml, other files show that the entry exists
        self._add_whole(unclear)

    def _similar(self) -> set[Key]:
        """Return the entries with a name or alias similar to one that is added or changed."""
        if not self._named:
            return set()
        if len(self._named) > _FEW:
            return self._entries.called(self._entries.names)
        texts = {name for _, name in self._named}
        for data in self._read(entry_file(key) for key in self._named):
            texts.update(aliases_in(data))
        near = self._entries.called(similar_candidates(texts, self._entries.names))
        by_alias = self._entries.by_alias
        return near | {
            key for alias in similar_candidates(texts, by_alias) for key in by_alias[alias]
        }

    def _add_required_further(self, required: set[str]) -> set[Key]:
        """Add what `required` entries require, and so on; return what was added.

        A cycle of requirements is one of the whole registry.
        """
        known, added = {*required}, set[Key]()
        before: set[str] = set()
        while True:
            paths = {*self._base}
            names = {*self._required(paths - before)} - known
            new = self._entries.called(names) - self._keys
            if not new:
                return added
            known |= names
            added |= new
            before = paths
            self._add_whole(new)

    def _required(self, paths: Collection[str]) -> Iterator[str]:
        """Yield the names of entries that releases at some paths require."""
        for data in self._read(path for path in paths if path.endswith("/release.toml")):
            if b"requires" in data or _ESCAPE in data:
                yield from release.read(data).requires

    def _dependents(self) -> set[Key]:
        """Return the entries that may require or recommend what the change removes."""
        deleted = {path for path, one in self._touched.items() if one.after is None}
        gone = _releases(deleted) - _releases(self._head)
        names = {one.name for one in gone} | set(self._yanking())
        names |= {name for _, name in self._deleted_entries()}
        return mentioning(self._git, self._root, sorted(names)) if names else set()

    def _yanking(self) -> Iterator[str]:
        """Yield the names of existing entries of which the change may yank a version."""
        for key in filter(self._entries.folder, self._named):
            for data in self._read([entry_file(key)]):
                if b"yanked" in data or _ESCAPE in data:
                    yield key[1]

    def _with_similar(self, names: Collection[str]) -> set[str]:
        """Return `names`, and for some of the unknown ones the most similar known names."""
        known = {*self._entries.names, *(name for _, name in self._keys)} - self._deleted_names()
        unknown = list(islice(sorted(set(names) - known), _GUESSED))
        proper = [name for name in known if is_name(name)] if unknown else []
        return {*names, *(near for name in unknown for near in near_ones(name, proper, _NEAR))}

    def _deleted_entries(self) -> set[Key]:
        """Return the entries that the change deletes completely."""
        return self._keys - {key_of(path) for path in self._head}

    def _deleted_names(self) -> set[str]:
        """Return the names that no entry has after the change."""
        gone = self._deleted_entries()
        names = {name for _, name in gone}
        return names - {name for _, name in (self._entries.called(names) | self._keys) - gone}

    def _mentioned(self) -> set[str]:
        """Return the names of entries that the touched files mention but do not require."""
        return {*self._recommended(), *self._waived()}

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
        """Yield the names of the entries that misplaced artifacts probably belong to."""
        suffixes = tuple(form.suffix for form in Format)
        strays = [path for path in self._touched if path.count("/") < _DEEP]
        artifacts = [path for path in strays if path in self._head and path.endswith(suffixes)]
        rows = {path: self._head[path] for path in islice(sorted(artifacts), _GUESSED)}
        tree = Tree(GitTree(self._objects, rows))
        for path in map(PurePosixPath, rows):
            _pbes, _class, name, *_ = place_of_artifact(tree, path).split("/")
            yield name

    def _read(self, paths: Iterable[str]) -> Iterator[bytes]:
        """Yield the content of the files at `paths` before and after the change, each once."""
        rows = (side.get(path) for path in paths for side in (self._base, self._head))
        yield from self._objects.blobs({row.id: None for row in rows if row and row.is_file})


def _releases(paths: Iterable[str]) -> set[ReleaseId]:
    return {one for path in paths if (one := ReleaseId.of(PurePosixPath(path)))}


def _case_conflicts(
    objects: Objects, root: str, added: Iterable[str], touched: Collection[str]
) -> Mapping[str, Row]:
    """Return the files that conflict with an added path where letter case is ignored, by path.

    For a folder it is one file in it that is not `touched`. `root` is the root folder of the
    commit; `pbes/` is left out. Only the folders on the way to the added paths are listed.

    Raises:
        FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
        UnavailableError: `OBJECT_MISSING`.
    """

    @cache
    def names_by_fold(oid: str) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in objects.folder(oid).names():
            found.setdefault(folded(name), []).append(name)
        return found

    def conflicts(path: str) -> Iterator[tuple[str, Row]]:
        oid, before = root, ""
        for part in path.split("/"):
            folder = objects.folder(oid)
            for name in names_by_fold(oid).get(folded(part), ()):
                row = folder.get(name)
                if row and f"{before}{name}" not in (f"{before}{part}", PBES):
                    yield f"{before}{name}", row
            row = folder.get(part)
            if row is None or not row.is_folder:
                return
            oid, before = row.id, f"{before}{part}/"

    rows = dict(pair for path in added for pair in conflicts(path))
    found = (_first_file(objects, *pair, touched) for pair in rows.items())
    return dict(pair for pair in found if pair)


def _first_file(
    objects: Objects, path: str, row: Row, touched: Collection[str]
) -> tuple[str, Row] | None:
    """Return the first file at or below `path` that is not touched, or None."""
    waiting = [(path, row)]
    for _ in range(_MOST_SEARCHED):
        if not waiting:
            break
        path, row = waiting.pop()
        if row.is_file and path not in touched:
            return path, row
        if row.is_folder:
            folder = objects.folder(row.id)
            rows = [(f"{path}/{name}", folder.get(name)) for name in folder.names()]
            waiting += reversed([(below, one) for below, one in rows if one])
    return None
