"""The names in a registry at one commit: those of the entries, and their aliases.

Names come from the class folders alone; `git grep`, which runs in parallel, finds the entries that
may list aliases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from psreg.core.classes import CLASSES
from psreg.core.identity import PBES, is_name
from psreg.formats import entry
from psreg.git.grep import Grep, grep_words
from psreg.git.objects import Objects
from psreg.git.process import Git

Key = tuple[str, str]
"""Class and name of an entry."""

ENTRY_FILE = "entry.toml"

_EMPTY = r"^aliases[[:blank:]]*=[[:blank:]]*\[[[:blank:]]*\]"
_ALIASES = (
    ("-P", "-e", rf"^(?!{_EMPTY[1:]}).*aliases|\\"),
    ("-E", "-e", "aliases", "--and", "--not", "-e", _EMPTY, "--or", "-e", r"\\"),
)
"""A line of an entry.toml that may list aliases, in two notations: the first takes half the time,
but not every git supports it. The line contains the word and no empty list, or an escape, because
"ali\\u0061ses" is the same key."""


def folder_of(key: Key) -> str:
    """Return `pbes/<class>/<name>`."""
    return f"{PBES}/{key[0]}/{key[1]}"


def entry_file(key: Key) -> str:
    """Return `pbes/<class>/<name>/entry.toml`."""
    return f"{folder_of(key)}/{ENTRY_FILE}"


def key_of(path: str) -> Key | None:
    """Return the entry in whose folder `path` is, or None."""
    parts = path.split("/", 3)
    if len(parts) > 3 and parts[0] == PBES and parts[1] in CLASSES and is_name(parts[2]):  # noqa: PLR2004
        return parts[1], parts[2]
    return None


class EntryNames:
    """The entries of the commit whose root folder is `root`."""

    def __init__(self, git: Git, objects: Objects, root: str) -> None:
        self._git, self._objects = git, objects
        self._search: Grep | None = None
        pbes = objects.folder(root).get(PBES)
        self._pbes = pbes.id if pbes and pbes.is_folder else ""
        rows = {one: objects.folder(self._pbes).get(one) for one in CLASSES if self._pbes}
        self._classes = {o: objects.folder(r.id) for o, r in rows.items() if r and r.is_folder}

    def folder(self, key: Key) -> str | None:
        """Return the id of an entry's folder, or None if there is none."""
        entries = self._classes.get(key[0])
        row = entries.get(key[1]) if entries else None
        return row.id if row and row.is_folder else None

    @cached_property
    def names(self) -> Sequence[str]:
        """The names in the class folders: those of the entries, and a few other files."""
        return [name for entries in self._classes.values() for name in entries.names()]

    def called(self, names: Iterable[str]) -> set[Key]:
        """Return the entries with one of these names."""
        keys = ((one, name) for name in names if is_name(name) for one in CLASSES)
        return {key for key in keys if self.folder(key)}

    def find_aliases(self) -> None:
        """Start the search for aliases in the background."""
        if self._pbes and self._search is None:
            depth = "--max-depth=2"  # <class>/<name>/entry.toml
            self._search = Grep(self._git, self._pbes, depth, patterns=_ALIASES)

    @cached_property
    def by_alias(self) -> Mapping[str, list[Key]]:
        """The entries by the aliases they list.

        Raises:
            UnavailableError: `OBJECT_MISSING`.
        """
        self.find_aliases()
        paths = [f"{PBES}/{path}" for path in self._search.paths()] if self._search else []
        keys = [key for path in paths if (key := key_of(path)) and path == entry_file(key)]
        found: dict[str, list[Key]] = {}
        for key, data in zip(keys, self._entry_files(keys), strict=True):
            for alias in aliases_in(data):
                found.setdefault(alias, []).append(key)
        return found

    def _entry_files(self, keys: list[Key]) -> Iterator[bytes]:
        ids = [oid for key in keys if (oid := self.folder(key))]
        self._objects.load(ids)
        rows = [self._objects.folder(oid).get(ENTRY_FILE) for oid in ids]
        yield from self._objects.blobs(row.id for row in rows if row)


def aliases_in(data: bytes) -> tuple[str, ...]:
    """Return the aliases that an entry.toml lists."""
    return entry.read(data).aliases


def mentioning(git: Git, root: str, words: Iterable[str]) -> set[Key]:
    """Return the entries with a TOML file in the commit that may mention one of `words`.

    Raises:
        UnavailableError: `OBJECT_MISSING`.
    """
    where = (f"{PBES}/*/release.toml", f"{PBES}/*/{ENTRY_FILE}")
    paths = grep_words(git, root, (*words, "\\"), *where)  # any may be escaped
    return {key for path in paths if (key := key_of(path))}
