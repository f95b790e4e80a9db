"""Private keys on this machine: one folder per registry, readable only by its owner.

A key file is created in one step and never replaced: it is written under another name and then
linked, which fails if the name exists. Keys are in the data folder, outside every registry.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.store_folder import sync_folder
from psreg.registry.trust.signing_keys import generate_key
from psreg.system.atomic import TEMPORARY, cannot_write
from psreg.system.files import real_path

if TYPE_CHECKING:
    from securesystemslib.signer import Signer

SUFFIX = ".pem"
SERVICE_SUFFIX = ".json"
"""Of files that name a key at a device or service."""
_MAX_KEY = 64 * 1024


class KeyStore:
    """The folder `root` with `<registry id>/<name>.pem`; implements `registry.baseline.Keys`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def keep_out_of(self, tree: Path) -> None:
        """Check that the keys are outside of `tree`, after resolving links.

        Raises:
            TrustError: KEYS_IN_TREE; keys inside could be published or committed by mistake.
        """
        outside = real_path(tree)
        for path in (self.root, *self.root.glob("*"), *self.root.glob("*/*.*")):
            if real_path(path).is_relative_to(outside):
                raise TrustError(
                    "KEYS_IN_TREE",
                    f"the keys would be in {path}, inside {tree}",
                    "Set PSREG_HOME or XDG_DATA_HOME to a folder outside of it.",
                )

    def new_id(self) -> str:
        """Return an id for a new registry: 32 random hexadecimal digits."""
        return secrets.token_hex(16)

    def folder(self, registry_id: str) -> str:
        """Return the folder of a registry's keys."""
        return str(self.root / registry_id)

    def load(self, registry_id: str) -> dict[str, bytes]:
        """Return the PEM of every key of a registry by name.

        Raises:
            TrustError: KEYS_EXPOSED: others can read one, or it has a second name.
            UnavailableError: CANNOT_READ.
        """
        folder = self.root / registry_id
        try:
            files = sorted(folder.iterdir())
            for leftover in (path for path in files if path.name.startswith(TEMPORARY)):
                leftover.unlink()  # psreg was stopped while it created a key
            return {path.stem: _read_key(path) for path in files if path.suffix == SUFFIX}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise UnavailableError(
                "CANNOT_READ", f"cannot read the keys in {folder}: {error.strerror or error}"
            ) from error

    def services(self, registry_id: str) -> dict[str, Signer]:
        """Return what signs with every key of a registry at a device or service, by name.

        Raises:
            UnavailableError: SIGNER_UNAVAILABLE: a file that names one cannot be read.
        """
        files = sorted((self.root / registry_id).glob(f"*{SERVICE_SUFFIX}"))
        if not files:
            return {}
        from psreg.registry.keys.key_services import ServiceKey  # noqa: PLC0415 - most keys are files

        return {path.stem: ServiceKey.read(_read_key(path)).signer for path in files}

    def create(self, registry_id: str, name: str) -> bytes:
        """Create a key, store it with mode 0600 in a folder with mode 0700, and return its PEM.

        Raises:
            UnavailableError: CANNOT_WRITE, also if the key exists.
        """
        pem = generate_key()
        self._store(registry_id, name + SUFFIX, pem)
        return pem

    def enlist(self, registry_id: str, name: str, data: bytes) -> None:
        """Store where a key of a device or service is, as `ServiceKey.to_bytes` says it.

        Raises:
            UnavailableError: CANNOT_WRITE, also if there is such a file.
        """
        self._store(registry_id, name + SERVICE_SUFFIX, data)

    def _store(self, registry_id: str, file: str, data: bytes) -> None:
        folder = self.root / registry_id
        place = folder / file
        others = (place.with_suffix(each) for each in (SUFFIX, SERVICE_SUFFIX))
        if any(os.path.lexists(each) for each in others):
            raise cannot_write(place, FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)))
        temporary = folder / f"{TEMPORARY}{secrets.token_hex(8)}"
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            for at in (self.root, folder):
                at.mkdir(mode=0o700, exist_ok=True)
            _write_new(temporary, data)
            try:
                os.link(temporary, place)  # unlike a rename, this never replaces a key
            finally:
                temporary.unlink()
        except OSError as error:
            raise cannot_write(place, error) from error
        for at in (folder, self.root, self.root.parent):
            sync_folder(at)


def _read_key(path: Path) -> bytes:
    """Return the content of a key file; a link is followed. Raises TrustError KEYS_EXPOSED."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path.name} is not a regular file")
    readers = stat.S_IMODE(status.st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    if os.name == "posix" and (readers or status.st_nlink > 1):
        why = "other users may read or change it" if readers else "it has a second name"
        raise TrustError(
            "KEYS_EXPOSED",
            f"{path} is not only yours: {why}",
            f"Run: chmod 600 {quote(str(path))}" if readers else "Remove the other hard link.",
        )
    with path.open("rb") as file:
        return file.read(_MAX_KEY)


def _write_new(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as file:  # noqa: PTH123 - takes a descriptor
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
