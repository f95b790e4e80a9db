"""The journal of an unfinished publish, and the lock that prevents two publishes at once.

Both are files in the state folder, named after the registry's folder, never inside it. A third one
remembers which registry the folder holds, so that a publish notices if it is gone.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from pathlib import Path

from psreg.core.errors import UnavailableError
from psreg.registry.baseline import Intent
from psreg.registry.store_folder import sync_folder
from psreg.registry.trust.roles import is_registry_id
from psreg.system.atomic import cannot_write, exclusive, write_file

SCHEMA = "psreg.intent/1"


class PublishJournal:
    """The journal of one registry folder; implements `registry.baseline.Journal`."""

    def __init__(self, state: Path, registry: Path) -> None:
        name = hashlib.sha256(
            str(registry.resolve()).encode("utf-8", "surrogateescape")
        ).hexdigest()
        self._folder = state / "publish"
        self._entry = self._folder / f"{name[:32]}.json"
        self._held = self._folder / f"{name[:32]}.id"
        self._lock = self._folder / f"{name[:32]}.lock"

    def lock(self, wait: float = 60.0) -> AbstractContextManager[None]:
        """Return the lock on publishing; entering it waits up to `wait` seconds for another psreg.

        Raises:
            UnavailableError: CANNOT_WRITE; on entering also LOCKED.
        """
        self._make_folder()
        return exclusive(self._lock, wait)

    def pending(self) -> Intent | None:
        """Return the entry, or None if there is none or it cannot be parsed.

        Raises:
            UnavailableError: CANNOT_READ.
        """
        try:
            value = json.loads(self._entry.read_bytes())
            return Intent(
                registry_id=str(value["registry_id"]),
                after=int(value["after"]),
                targets=tuple(str(path) for path in value["targets"]),
            )
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        except OSError as error:
            raise UnavailableError(
                "CANNOT_READ", f"cannot read {self._entry}: {error.strerror or error}"
            ) from error

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
        try:
            text = self._held.read_text("utf-8")
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise UnavailableError(
                "CANNOT_READ", f"cannot read {self._held}: {error.strerror or error}"
            ) from error
        return text if is_registry_id(text) else None

    def finish(self, registry_id: str) -> None:
        """Remove the entry, and remember the registry. Raises UnavailableError CANNOT_WRITE."""
        if self.holds() != registry_id:
            self._make_folder()
            write_file(self._held, registry_id.encode(), mode=0o600)
        try:
            self._entry.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(self._entry, error) from error
        sync_folder(self._folder)

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self._folder, error) from error
