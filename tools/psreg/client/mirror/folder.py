"""A mirror in a folder: which of its files psreg wrote, so that it changes and deletes no others.

`psreg-mirror.json` has the digest of every file that was written. While a mirror is written, a
journal beside it has the new ones, each noted before it is there: a killed run loses none. The
files of the state before stay for one more run, for those who are reading them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from psreg.client.mirror.copied import LARGEST, REGISTRY
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import PBES
from psreg.http.registry_source import NotServedError, Source, TooLongError, checked_path
from psreg.registry.trust.roles import ROOT, TIMESTAMP_PATH, metadata_path
from psreg.system.atomic import cannot_write, clear_unfinished, exclusive_folder, write_file
from psreg.system.files import append, is_ours, read_own

NOTE = "psreg-mirror.json"
JOURNAL = "psreg-mirror.journal"
SCHEMA = "psreg.mirror-files/1"


class MirrorFolder:
    """The mirror in the folder `root`, of the registry with a first root, read from `source`.

    `written`, `unchanged` and `deleted` count files.
    """

    def __init__(self, root: Path, root_sha256: str, source: Source) -> None:
        self._root, self._pin, self._source = root, root_sha256, source
        self._files: dict[str, str] = {}
        self._old: dict[str, str] = {}
        self._now: dict[str, str] = {}
        self._checked: set[Path] = set()
        self.roots = 0
        self.written = self.unchanged = self.deleted = 0
        self.left: list[str] = []
        """Files that are not needed any more, and were changed by others: they stay."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let no other psreg write the mirror in the block.

        Raises:
            UnavailableError: `MIRROR_FOREIGN`: the folder has a registry that is not this mirror;
                `LOCKED`; it cannot be read or written.
        """
        try:
            self._root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self._root, error) from error
        with exclusive_folder(self._root):
            self._load()
            while self._kept(REGISTRY + metadata_path(ROOT, self.roots + 1)) is not None:
                self.roots += 1
            yield

    def read(self, path: str, limit: int) -> bytes | None:
        """Return a file that never changes, from the mirror if it is intact there."""
        kept = self._kept(path)
        return kept if kept is not None and len(kept) <= limit else self.newest(path, limit)

    def newest(self, path: str, limit: int) -> bytes | None:
        """Return a file of the registry, None if it has none. Raises TrustError `TRUST_DIGEST`."""
        try:
            return self._source.read(path, limit)
        except NotServedError:
            return None
        except TooLongError as error:
            raise TrustError("TRUST_DIGEST", error.message) from error

    def timestamp(self) -> bytes | None:
        """Return the timestamp that the mirror has."""
        return self._kept(REGISTRY + TIMESTAMP_PATH)

    def write(self, path: str, data: bytes) -> None:
        """Write a verified file, unless it is there.

        Raises:
            UnavailableError: `MIRROR_FOREIGN`: something else is there; `CANNOT_WRITE`.
        """
        digest = sha256(data).hexdigest()
        place = self._place(path)
        there = os.path.lexists(place)
        if there and self._at(place) == data:
            self.unchanged += 1
            if path in self._files:
                self._now[path] = digest
            return
        if there and path not in self._files:
            raise _foreign(f"{place} is not a file of this mirror")
        self._note(path, digest)
        self._now[path] = digest
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(place, error) from error
        write_file(place, data, durable=False)
        self.written += 1

    def finish(self) -> None:
        """Delete what two states do not need, and remember which files are the mirror's."""
        before = {path: each for path, each in self._files.items() if path not in self._now}
        # What was purged is gone at once; what else is of the state before may be being read.
        gone = [path for path in before if path in self._old or path.startswith(f"{PBES}/")]
        for path in gone:
            self._delete(path, before.pop(path))
        self._save({"files": self._now, "old": before})
        (self._root / JOURNAL).unlink(missing_ok=True)
        for folder in {(self._root / path).parent for path in self._now}:
            clear_unfinished(folder)

    def _delete(self, path: str, digest: str) -> None:
        place = self._place(path)
        data = self._at(place)
        if data is None:
            return
        if sha256(data).hexdigest() != digest:
            self.left.append(str(place))
            return
        try:
            place.unlink()
        except OSError as error:
            raise cannot_write(place, error) from error
        self.deleted += 1

    def _place(self, path: str) -> Path:
        """Return the place of a file; no folder on the way there is a link.

        Raises:
            UnavailableError: `MIRROR_FOREIGN`.
        """
        place = self._root / checked_path(path)
        for folder in place.parents:
            if folder == self._root or folder in self._checked:
                break
            if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
                raise _foreign(f"{folder} is not a folder of this mirror")
            self._checked.add(folder)
        return place

    def _at(self, place: Path) -> bytes | None:
        try:
            return read_own(place, LARGEST)
        except UnavailableError:
            return None

    def _kept(self, path: str) -> bytes | None:
        if path not in self._files:
            return None
        data = self._at(self._place(path))
        return data if data is not None and sha256(data).hexdigest() == self._files[path] else None

    def _load(self) -> None:
        note, journal = self._root / NOTE, self._root / JOURNAL
        if journal.is_symlink():
            raise _foreign(f"{journal} is a link")
        if not os.path.lexists(note):
            if any(os.path.lexists(self._root / name) for name in ("registry", PBES)):
                raise _foreign(f"{self._root} has a registry that is not a mirror of psreg")
            self._save({"files": {}, "old": {}})
        value = self._read_note(note)
        if value["root_sha256"] != self._pin:
            raise _foreign(f"{self._root} is a mirror of another registry")
        self._old = dict(value["old"])
        self._files = {**self._old, **value["files"]}
        for line in (self._at(journal) or b"").decode(errors="replace").splitlines():
            digest, _, path = line.partition(" ")
            self._files[path] = digest
            self._old.pop(path, None)

    def _read_note(self, note: Path) -> Any:
        try:
            value = json.loads(read_own(note, LARGEST))
            tables = (value["files"], value["old"])
            texts = [text for table in tables for pair in table.items() for text in pair]
            valid = value["schema"] == SCHEMA and all(isinstance(text, str) for text in texts)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            valid = False
        if not valid or not is_ours(note):
            raise _foreign(f"{note} is not the list of a mirror's files")
        return value

    def _note(self, path: str, digest: str) -> None:
        if self._files.get(path) != digest:
            append(self._root / JOURNAL, f"{digest} {path}\n")
            self._files[path] = digest

    def _save(self, tables: dict[str, dict[str, str]]) -> None:
        value = {"schema": SCHEMA, "root_sha256": self._pin, **tables}
        text = json.dumps(value, indent=0, sort_keys=True)
        write_file(self._root / NOTE, f"{text}\n".encode())


def _foreign(told: str) -> UnavailableError:
    return UnavailableError(
        "MIRROR_FOREIGN", told, "Name an empty folder, or the mirror that psreg wrote before."
    )
