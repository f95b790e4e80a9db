"""What this machine knows about registries: the pinned first root of each, and its client state.

`<id>/1.root.json` is the trust anchor; next to it are verified records, and the
verified metadata that protects against rollback. An id belongs to one root forever: another root
that claims a known id is refused, like a changed SSH host key.

What is stored is read as the input of a stranger: no links, only regular files, bounded. What
cannot be used is set aside, with one line, and fetched again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.trust.roles import LOG, is_registry_id
from psreg.registry.trust.strict_json import strict_value
from psreg.system.atomic import (
    DAMAGED,
    cannot_write,
    delete,
    exclusive,
    real_folder,
    set_aside,
    write_own,
)
from psreg.system.files import read_own

ROOT = "registry/metadata/1.root.json"
"""The path at which every registry serves its first root."""

MAX_ROOT = 512_000
"""Size in bytes of the largest root metadata that is accepted (python-tuf's own limit)."""

_FILE = "1.root.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A first root: the identity of a registry. `folder` is for its client state."""

    id: str
    mode: str
    sha256: str
    data: bytes
    folder: Path


def read_mode(root: bytes) -> tuple[str, str]:
    """Return the registry id and the mode (`dev` or `production`) in root metadata.

    Raises:
        TrustError: `TRUST_METADATA`: it is not root metadata of a psreg registry.
        UnavailableError: `NEWER_FORMAT`.
    """
    try:
        value = strict_value(root)
    except TrustError as error:
        raise _bad_root(error.message) from error
    signed = value.get("signed") if isinstance(value, dict) else None
    psreg = signed.get("psreg") if isinstance(signed, dict) else None
    if not isinstance(signed, dict) or signed.get("_type") != "root":
        raise _bad_root("it is not the root of trust of a registry")
    if not isinstance(psreg, dict):
        raise _bad_root("it is the root of another kind of repository")
    identity, mode = psreg.get("id"), psreg.get("mode")
    if not isinstance(identity, str) or not is_registry_id(identity):
        raise _bad_root("its registry id is not 32 hexadecimal digits")
    if not isinstance(mode, str):
        raise _bad_root("it has no mode")
    if mode not in ("dev", "production"):
        raise UnavailableError(
            "NEWER_FORMAT",
            f"the registry {identity} has the mode `{mode}`, which this psreg does not know",
            "Install a newer psreg.",
        )
    return identity, mode


def log_keys(root: bytes) -> tuple[str, ...]:
    """Return the keys of the log in a verified root; () if the registry has no log.

    Raises:
        TrustError, UnavailableError: as `read_mode`; `TRUST_METADATA`: they are not texts.
    """
    read_mode(root)
    keys = strict_value(root)["signed"]["psreg"].get(LOG, [])
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise _bad_root("it does not list the keys of its log")
    return tuple(keys)


class TrustStore:
    """The folder of pinned roots. `notify` tells the user what was set aside."""

    def __init__(self, folder: Path, notify: Callable[[str], None] = lambda _: None) -> None:
        self._folder = folder
        self._say = notify

    def anchor(self, root: bytes) -> Anchor:
        """Return the anchor for `root`; nothing is stored."""
        identity, mode = read_mode(root)
        return Anchor(
            id=identity,
            mode=mode,
            sha256=hashlib.sha256(root).hexdigest(),
            data=root,
            folder=self._folder / identity,
        )

    def find(self, sha256: str) -> Anchor | None:
        """Return the stored anchor whose root has this digest; None if missing or damaged."""
        return next((anchor for anchor in self._stored if anchor.sha256 == sha256), None)

    def with_id(self, identity: str) -> Anchor | None:
        """Return the stored anchor of the registry with this id; None if missing or damaged."""
        return next((anchor for anchor in self._stored if anchor.id == identity), None)

    def add(self, anchor: Anchor) -> bool:
        """Store `anchor`; return whether it is new to this machine.

        Raises:
            TrustError: `TRUST_PIN`: its id is already stored with another root.
            UnavailableError: the store cannot be written.
        """
        known = next((stored for stored in self._stored if stored.id == anchor.id), None)
        if known is not None and known.sha256 != anchor.sha256 and not _is_signed(known.data):
            self._set_aside(known.folder / _FILE)
            self._stored.remove(known)
            known = None
        if known is not None and known.sha256 != anchor.sha256:
            raise TrustError(
                "TRUST_PIN",
                f"the registry {anchor.id} is known with the root {known.sha256}, "
                f"and now shows the root {anchor.sha256}",
                "Someone may be impersonating the registry. If its maintainers confirm the change, "
                f"run: psreg registry remove --forget {anchor.id}",
            )
        if known is None:
            with exclusive(real_folder(anchor.folder) / "lock"):
                write_own(anchor.folder / _FILE, anchor.data, anchor.folder)
            self._stored.append(anchor)
        return known is None

    def forget(self, identity: str) -> bool:
        """Delete everything stored about a registry; return whether there was anything."""
        folder = self._folder / identity
        if not is_registry_id(identity) or folder.is_symlink() or not folder.is_dir():
            return False
        self._stored[:] = [anchor for anchor in self._stored if anchor.id != identity]
        try:
            delete(folder)
        except OSError as error:
            raise cannot_write(folder, error) from error
        return True

    @cached_property
    def _stored(self) -> list[Anchor]:
        return list(self._read())

    def _read(self) -> Iterator[Anchor]:
        """Yield the stored anchors; a damaged one will be fetched and checked against its pin."""
        linked = self._folder.is_symlink()
        if linked or (self._folder.exists() and not self._folder.is_dir()):
            self._set_aside(self._folder)
        try:
            folders = sorted(self._folder.iterdir())
        except OSError:  # there is none, or it cannot be read
            return
        for folder in folders:
            if not is_registry_id(folder.name):
                continue
            file = folder / _FILE
            if folder.is_symlink() or not folder.is_dir():
                self._set_aside(folder)
            elif os.path.lexists(file):
                try:
                    anchor = self.anchor(read_own(file, MAX_ROOT))
                except (TrustError, UnavailableError) as error:
                    if error.code != "NEWER_FORMAT":  # then it is for a newer psreg to use
                        self._set_aside(file)
                    continue
                if anchor.folder == folder:
                    yield anchor
                else:
                    self._set_aside(file)

    def _set_aside(self, path: Path) -> None:
        with suppress(OSError):
            set_aside(path)
            self._say(f"{path} was damaged; it is now {path.name}{DAMAGED} and will be rebuilt")


def _is_signed(root: bytes) -> bool:
    """Return whether a stored root is one, signed by its own keys, and not a damaged copy."""
    from psreg.registry.trust.metadata import root_info  # noqa: PLC0415 - only for a contradiction

    try:
        root_info(root)
    except TrustError:
        return False
    return True


def _bad_root(why: str) -> TrustError:
    return TrustError("TRUST_METADATA", f"the registry's {_FILE} is not usable: {why}")
