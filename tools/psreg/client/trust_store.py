"""What this machine knows about registries: the pinned first root of each, and its client state.

`<data>/registries/<id>/1.root.json` is the trust anchor; beside it lie the verified metadata that
protects against rollback, and verified records. An id belongs to one root for ever: another root
that claims a known id is refused, like a changed SSH host key.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.trust.strict_json import strict_value
from psreg.system.atomic import cannot_write, write_file
from psreg.system.files import read_named

ROOT = "registry/metadata/1.root.json"
"""Where every registry serves its first root."""

MAX_ROOT = 512_000
"""Bytes of the largest root metadata accepted (python-tuf's own limit)."""

_ID_DIGITS = 32
_FILE = "1.root.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A first root: who the registry is. `folder` holds its client state, once it is kept."""

    id: str
    mode: str
    sha256: str
    data: bytes
    folder: Path


def read_mode(root: bytes) -> tuple[str, str]:
    """Return registry id and mode (`dev` or `production`) that root metadata states.

    Raises:
        TrustError: `TRUST_METADATA`: it is no root metadata of a psreg registry.
    """
    try:
        value = strict_value(root)
    except TrustError as error:
        raise _no_root(error.message) from error
    signed = value.get("signed") if isinstance(value, dict) else None
    psreg = signed.get("psreg") if isinstance(signed, dict) else None
    if not isinstance(signed, dict) or signed.get("_type") != "root":
        raise _no_root("it is not the root of trust of a registry")
    if not isinstance(psreg, dict):
        raise _no_root("it is the root of some other kind of repository")
    identity, mode = psreg.get("id"), psreg.get("mode")
    if not isinstance(identity, str) or not _is_id(identity):
        raise _no_root("its registry id is not 32 hexadecimal digits")
    if mode not in ("dev", "production"):
        raise _no_root(f"its mode is {mode!r}")
    return identity, str(mode)


class TrustStore:
    """The folder of pinned roots."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def anchor(self, root: bytes) -> Anchor:
        """Return the anchor that `root` would be; nothing is stored."""
        identity, mode = read_mode(root)
        return Anchor(
            id=identity,
            mode=mode,
            sha256=hashlib.sha256(root).hexdigest(),
            data=root,
            folder=self._folder / identity,
        )

    def find(self, sha256: str) -> Anchor | None:
        """Return the kept anchor whose root has this digest; None if it is not kept or damaged."""
        return next((anchor for anchor in self._kept if anchor.sha256 == sha256), None)

    def keep(self, anchor: Anchor) -> bool:
        """Store `anchor`; return whether it is new to this machine.

        Raises:
            TrustError: `TRUST_PIN`: its id is known with another root.
            UnavailableError: the store cannot be written.
        """
        known = next((kept for kept in self._kept if kept.id == anchor.id), None)
        if known is not None and known.sha256 != anchor.sha256:
            raise TrustError(
                "TRUST_PIN",
                f"the registry {anchor.id} is known with the root {known.sha256}, "
                f"and now shows the root {anchor.sha256}",
                "somebody may be posing as this registry; if its keepers confirm the change, "
                f"run: psreg registry remove --forget {anchor.id}",
            )
        if known is None:
            try:
                anchor.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_write(anchor.folder, error) from error
            write_file(anchor.folder / _FILE, anchor.data)
            self._kept.append(anchor)
        return known is None

    def forget(self, identity: str) -> bool:
        """Delete all that is known about a registry; return whether anything was."""
        folder = self._folder / identity
        if not _is_id(identity) or not folder.is_dir():
            return False
        self._kept[:] = [anchor for anchor in self._kept if anchor.id != identity]
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise cannot_write(folder, error) from error
        return True

    @cached_property
    def _kept(self) -> list[Anchor]:
        return list(self._read())

    def _read(self) -> Iterator[Anchor]:
        for file in sorted(self._folder.glob(f"*/{_FILE}")):
            try:
                anchor = self.anchor(read_named(file, MAX_ROOT))
            except (TrustError, UnavailableError):
                continue  # damaged: it will be fetched and checked against its pin again
            if anchor.folder == file.parent:
                yield anchor


def _is_id(text: str) -> bool:
    return len(text) == _ID_DIGITS and not text.strip("0123456789abcdef")


def _no_root(why: str) -> TrustError:
    return TrustError("TRUST_METADATA", f"the registry's {_FILE} is not usable: {why}")
