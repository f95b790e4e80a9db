"""The journal of an unfinished publish, and the lock that prevents two publishes at once.

Both are files in the state folder, named after the registry's folder, never inside it. A third one
remembers which registry the folder holds, so that a publish notices if it is gone; a fourth one
does so for all clones of the repository that the folder is in. A fifth one remembers which tree of
Git was last compared with the registry: only a hint, which saves comparing all of it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psreg.core.identity import PBES
from psreg.git.history import FolderHistory
from psreg.registry.baseline import Intent
from psreg.registry.store_folder import sync_folder
from psreg.registry.trust.roles import TIMESTAMP_PATH, is_registry_id
from psreg.system.atomic import cannot_write, exclusive, write_file
from psreg.system.files import read_own, real_path
from psreg.system.user_folders import refuse_link

SCHEMA = "psreg.intent/1"

_PLACE = re.compile(f"{PBES}(/|$)")
_TREE = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

_MAX_JOURNAL = 64 * 1024 * 1024
"""Bytes; an entry lists the target files of one publish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the last publish from a work tree compared.

    The records under the catalogue whose head has the digest `head` agree with the files of `tree`,
    a tree of Git, except for the `places`: files and folders to compare again in any case.
    """

    head: str
    tree: str
    places: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: Any) -> Seen | None:
        """Read what `to_json` returned; None if it is something else, or names other places."""
        try:
            places = tuple(str(place) for place in value["places"])
            found = cls(head=str(value["head"]), tree=str(value["tree"]), places=places)
        except (KeyError, TypeError):
            return None
        inside = all(_PLACE.match(place) and "/../" not in f"{place}/" for place in found.places)
        return found if inside and _TREE.fullmatch(found.tree) else None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"head": self.head, "tree": self.tree, "places": list(self.places)}


class PublishJournal:
    """The journal of one registry folder; implements `registry.baseline.Journal`."""

    def __init__(self, state: Path, registry: Path, history: FolderHistory | None = None) -> None:
        name = _digest(str(real_path(registry)))
        self._folder = state / "publish"
        self._entry = self._folder / f"{name}.json"
        self._held = self._folder / f"{name}.id"
        self._lock = self._folder / f"{name}.lock"
        self._seen = self._folder / f"{name}.seen"
        self._history = history

    def lock(self, wait: float = 60.0) -> AbstractContextManager[None]:
        """Return the lock on publishing; entering it waits up to `wait` seconds for another psreg.

        Raises:
            TrustError: STATE_LINKED.
            UnavailableError: CANNOT_WRITE; on entering also LOCKED.
        """
        self._make_folder()
        return exclusive(self._lock, wait)

    def pending(self) -> Intent | None:
        """Return the entry, or None if there is none or it cannot be parsed.

        Raises:
            UnavailableError: CANNOT_READ.
        """
        if (data := _content(self._entry)) is None:
            return None
        try:
            value = json.loads(data)
            return Intent(
                registry_id=str(value["registry_id"]),
                after=int(value["after"]),
                targets=tuple(str(path) for path in value["targets"]),
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def begin(self, intent: Intent) -> None:
        """Replace the entry. Raises UnavailableError CANNOT_WRITE."""
        value = {
            "schema": SCHEMA,
            "registry_id": intent.registry_id,
            "after": intent.after,
            "targets": list(intent.targets),
        }
        self._make_folder()
        write_file(self._entry, json.dumps(value).encode(), mode=0o600)
        sync_folder(self._folder)

    def holds(self) -> str | None:
        """Return the id of the registry that was last published in the folder, or None.

        Raises:
            UnavailableError: CANNOT_READ.
        """
        return _id_in(self._held) or next(filter(None, map(_id_in, self._held_by_clones())), None)

    def seen(self) -> Seen | None:
        """Return what was last compared, or None if that is not known.

        Raises:
            UnavailableError: CANNOT_READ.
        """
        try:
            return Seen.from_json(json.loads(_content(self._seen) or b""))
        except (ValueError, RecursionError):
            return None

    def remember(self, seen: Seen) -> None:
        """Replace what was last compared. Raises UnavailableError CANNOT_WRITE."""
        if seen != self.seen():
            self._make_folder()
            write_file(self._seen, json.dumps(seen.to_json()).encode(), mode=0o600)

    def _held_by_clones(self) -> list[Path]:
        """Return the file about all clones; none if each clone has metadata of its own."""
        origin = self._history.origin() if self._history else ""
        if self._history is None or not origin or self._history.ignores(TIMESTAMP_PATH):
            return []
        return [self._folder / f"{_digest(origin)}.id"]

    def finish(self, registry_id: str) -> None:
        """Remove the entry, and remember the registry. Raises UnavailableError CANNOT_WRITE."""
        if _id_in(self._held) != registry_id:
            self._make_folder()
            for place in (self._held, *self._held_by_clones()):
                write_file(place, registry_id.encode(), mode=0o600)
        try:
            self._entry.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(self._entry, error) from error
        sync_folder(self._folder)

    def _make_folder(self) -> None:
        refuse_link(self._folder)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self._folder, error) from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _id_in(file: Path) -> str | None:
    """Return the registry id in a file, or None. Raises UnavailableError CANNOT_READ."""
    text = (_content(file) or b"").decode("ascii", "replace")
    return text if is_registry_id(text) else None


def _content(file: Path) -> bytes | None:
    """Return what is in a file of the journal, or None if there is no file.

    Raises UnavailableError CANNOT_READ, also if it is a link, a pipe or very long.
    """
    return read_own(file, _MAX_JOURNAL) if os.path.lexists(file) else None
