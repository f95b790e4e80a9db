"""OpenSSH's program for keys: it signs with what an author has, a file, an agent, or a token."""

from __future__ import annotations

import subprocess
from pathlib import Path

from psreg.core.errors import UnavailableError
from psreg.system.files import read_named

_LARGEST_KEY = 64 * 1024


def sign(message: bytes, namespace: str, key: Path) -> bytes:
    """Return the armoured signature of `message` by a key, private or public, in a file.

    OpenSSH may ask for a passphrase or a touch on the terminal.

    Raises:
        UnavailableError: NO_SSH: it is not installed; CANNOT_SIGN.
    """
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(key)]
    try:
        done = subprocess.run(command, input=message, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        told = f"cannot run ssh-keygen: {error.strerror or error}"
        raise UnavailableError("NO_SSH", told, "Install OpenSSH 8.1 or newer.") from error
    if done.returncode:
        raise UnavailableError(
            "CANNOT_SIGN",
            f"ssh-keygen did not sign with {key}",
            "Name a key that you can use with `--key FILE`; `ssh-add -l` lists your agent's keys.",
        )
    return done.stdout


def public_keys(folder: Path) -> dict[Path, str]:
    """Return the lines of the public keys in a folder such as `~/.ssh`, by file."""
    return {file: public_key(file) for file in sorted(folder.glob("*.pub")) if file.is_file()}


def public_key(key: Path) -> str:
    """Return the line of the public key in a file, or beside that of a private one; "" for none."""
    file = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    data = read_named(file) if file.is_file() else b""
    return data[:_LARGEST_KEY].decode("utf-8", "replace").strip()
