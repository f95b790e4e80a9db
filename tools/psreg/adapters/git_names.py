"""The names of a registry at one commit: folders of entries, and the aliases that entries list.

Names come from the class folders alone. For aliases the entry.toml of every entry is read, in a
process of its own that runs beside us; an entry.toml without aliases is recognized, not parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import Thread

from psreg.adapters.git_batch import missing
from psreg.adapters.git_objects import Folder, Objects
from psreg.adapters.git_process import Git
from psreg.formats import entry as entry_file
from psreg.identity import CLASSES, PBES, is_name

Key = tuple[str, str]
"""Class and name of an entry."""

ENTRY_FILE = "entry.toml"

_NO_ALIASES = re.compile(rb"^aliases[ \t]*=[ \t]*\[[ \t]*\]", re.MULTILINE)


def folder_of(key: Key) -> str:
    """Return `pbes/<class>/<name>`."""
    return f"{PBES}/{key[0]}/{key[1]}"


class Roll:
    """The entries of the commit whose root folder is `root`."""

    def __init__(self, git: Git, objects: Objects, root: str) -> None:
        self._git = git
        self.folders: dict[Key, str] = {}
        """The ids of the entries' folders; some of these names may be none."""
        self._reading: _Reading | None = None
        pbes = objects.folder(root).get(PBES)
        classes = objects.folder(pbes.id) if pbes and pbes.is_folder else Folder()
        for name in CLASSES:
            if (row := classes.get(name)) and row.is_folder:
                entries = objects.folder(row.id).folders()
                self.folders.update(((name, entry), oid) for entry, oid in entries)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the entries."""
        return frozenset(name for _, name in self.folders)

    def called(self, names: Iterable[str]) -> set[Key]:
        """Return the entries with one of these names."""
        keys = {(one, name) for name in names if is_name(name) for one in CLASSES}
        return {key for key in keys if key in self.folders}

    def read_aliases(self) -> None:
        """Begin to read aliases, which will be asked for."""
        self._reading = _Reading(self._git, list(self.folders.values()))

    @cached_property
    def by_alias(self) -> Mapping[str, list[Key]]:
        """The entries by the aliases they list.

        Raises:
            UnavailableError: `OBJECT_MISSING`.
        """
        reading = self._reading or _Reading(self._git, list(self.folders.values()))
        known: dict[bytes, tuple[str, ...]] = {}
        found: dict[str, list[Key]] = {}
        for key, data in zip(self.folders, reading.answers(), strict=True):
            if data not in known:
                known[data] = aliases_in(data)
            for alias in known[data]:
                found.setdefault(alias, []).append(key)
        return found


def aliases_in(data: bytes) -> tuple[str, ...]:
    """Return the aliases that an entry.toml lists."""
    # NOTE: a key that does not say its name outright is written with an escape.
    if b"\\" not in data:
        count = data.count(b"aliases")
        if count == 0 or (count == 1 and _NO_ALIASES.search(data)):
            return ()
    return entry_file.read(data).aliases


class _Reading:
    """The entry.toml files in folders, read by a process while we do something else."""

    def __init__(self, git: Git, folders: Sequence[str]) -> None:
        self._folders = folders
        self._out = b""
        self._process = git.start("cat-file", "--buffer", "--batch")
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        requests = "".join(f"{folder}:{ENTRY_FILE}\n" for folder in self._folders)
        self._out, _ = self._process.communicate(requests.encode())

    def answers(self) -> Iterator[bytes]:
        """Yield the bytes of the files; of those that are missing, none."""
        self._thread.join()
        out, at = self._out, 0
        for folder in self._folders:
            end = out.find(b"\n", at)
            if end < 0:
                raise missing(f"{folder}:{ENTRY_FILE}")
            header, at = out[at:end].split(), end + 1
            if header[-1] == b"missing":
                yield b""
                continue
            size = int(header[-1])
            yield out[at : at + size] if header[1] == b"blob" else b""
            at += size + 1


def mentioning(git: Git, root: str, words: Iterable[str]) -> set[Key]:
    """Return the entries of which a TOML file in the commit may mention one of `words`.

    Raises:
        UnavailableError: `OBJECT_MISSING`.
    """
    # NOTE: what is written with an escape, "gl\u006fssary", may be any word.
    patterns = "".join(f"{word}\n" for word in (*words, "\\")).encode()
    options = ("-z", "-l", "-a", "-F", "--no-textconv", "--no-recurse-submodules", "-f", "-")
    where = (root, "--", f"{PBES}/*/release.toml", f"{PBES}/*/{ENTRY_FILE}")
    out = git.ask("grep", *options, *where, stdin=patterns, fine=(0, 1))
    if out is None:
        raise missing(root)
    found = (name.decode("utf-8", "surrogateescape") for name in out.split(b"\0"))
    return {key for name in found if (key := key_of(name.removeprefix(f"{root}:")))}


def key_of(path: str) -> Key | None:
    """Return the entry in whose folder `path` lies, or None."""
    parts = path.split("/", 3)
    if len(parts) > 3 and parts[0] == PBES and parts[1] in CLASSES and is_name(parts[2]):  # noqa: PLR2004
        return parts[1], parts[2]
    return None
