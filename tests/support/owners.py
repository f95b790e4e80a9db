"""Owners with SSH keys of their own, who sign as OpenSSH's PROTOCOL.sshsig says.

Written from that page and not with psreg's own code, so that both must agree with OpenSSH.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


class Owner:
    """An account of a forge with an Ed25519 key."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([number % 256]) * 32)
        raw = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.blob = _string(b"ssh-ed25519") + _string(raw)

    @property
    def line(self) -> str:
        """The public key as in `~/.ssh/id_ed25519.pub`."""
        return f"ssh-ed25519 {b64encode(self.blob).decode()} owner{self.number}"

    @property
    def toml(self) -> str:
        """The owner in entry.toml."""
        return f'{{forge = "github", id = {self.number}, login = "o{self.number}", keys = ["{self.line}"]}}'

    @property
    def private_file(self) -> bytes:
        """The private key as in `~/.ssh/id_ed25519`."""
        return self._private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())

    def sign(self, message: bytes, namespace: str = "release@psreg") -> bytes:
        """Return an armoured signature."""
        fields = _string(namespace.encode()) + _string(b"") + _string(b"sha512")
        digest = hashlib.sha512(message).digest()
        made = self._private.sign(b"SSHSIG" + fields + _string(digest))
        signature = _string(b"ssh-ed25519") + _string(made)
        blob = b"SSHSIG" + (1).to_bytes(4, "big") + _string(self.blob) + fields + _string(signature)
        text = b64encode(blob).decode()
        lines = [text[at : at + 70] for at in range(0, len(text), 70)]
        begin, end = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
        return "\n".join([begin, *lines, end, ""]).encode()


ANA, BEN, CEM = Owner(1), Owner(2), Owner(3)


@dataclass(frozen=True)
class Agent:
    """A real `ssh-agent` that listens at `socket`."""

    socket: str
    folder: Path

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator[Agent]:
        """Run one whose files are in `folder`."""
        place = folder / "agent"
        command = ["ssh-agent", "-D", "-a", str(place)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()  # it listens now
                yield cls(socket=str(place), folder=folder)
            finally:
                process.terminate()

    def add(self, *owners: Owner) -> None:
        """Give it the private keys of owners, which are in no file afterwards."""
        for owner in owners:
            file = self.folder / "given"
            file.touch(0o600)
            file.write_bytes(owner.private_file)
            environment = {**os.environ, "SSH_AUTH_SOCK": self.socket}
            subprocess.run(["ssh-add", "-q", str(file)], env=environment, check=True)
            file.unlink()


def entry_toml(*owners: Owner, threshold: int = 1) -> bytes:
    """Return an entry.toml with these owners."""
    rows = ", ".join(owner.toml for owner in owners)
    return f"owners = [{rows}]\nthreshold = {threshold}\n".encode()


def place_of(
    name: str, version: str, number: int = 1, entry_class: str = "prompt"
) -> PurePosixPath:
    """Return the path of a signature file."""
    return PurePosixPath("pbes", entry_class, name, "signatures", f"{version}.{number}.txt")
