"""OpenSSH's programs for keys: they sign with what an author has, a file, an agent, or a token."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from psreg.core.errors import UnavailableError
from psreg.system.files import read_named

_LARGEST_KEY = 64 * 1024
_MOST_KEYS = 100
_PATIENCE = 10.0
"""Seconds in which an agent lists its keys, which it does without asking anybody."""


def sign(message: bytes, namespace: str, key: Path | str) -> bytes:
    """Return the armoured signature of `message` by a key, private or public, in a file.

    `key` may also be the line of the public key of one that an agent has. OpenSSH may ask for a
    passphrase or a touch on the terminal.

    Raises:
        UnavailableError: NO_SSH: it is not installed; CANNOT_SIGN.
    """
    if isinstance(key, Path):
        return _signed(message, namespace, key, str(key))
    with TemporaryDirectory(prefix="psreg-key-") as folder:
        file = Path(folder, "key.pub")
        file.write_text(f"{key}\n", encoding="utf-8")
        return _signed(message, namespace, file, "a key of the agent")


def _signed(message: bytes, namespace: str, file: Path, what: str) -> bytes:
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(file)]
    try:
        done = subprocess.run(command, input=message, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        told = f"cannot run ssh-keygen: {error.strerror or error}"
        raise UnavailableError("NO_SSH", told, "Install OpenSSH 8.1 or newer.") from error
    if done.returncode:
        raise UnavailableError(
            "CANNOT_SIGN",
            f"ssh-keygen did not sign with {what}",
            "Name a key that you can use with `--key FILE`; `ssh-add -l` lists your agent's keys.",
        )
    return done.stdout


def public_keys(folder: Path) -> Iterator[tuple[str, Path | str]]:
    """Yield the lines of the public keys in a folder such as `~/.ssh`, and what to sign with.

    Those that only an agent has come last.
    """
    for file in sorted(folder.glob("*.pub")):
        if file.is_file():
            yield public_key(file), file
    for line in _keys_of_agent():
        yield line, line


def _keys_of_agent() -> list[str]:
    """Return the lines of the public keys of the agent; none if it has none or does not answer."""
    command = ["ssh-add", "-L"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    said = done.stdout[: _MOST_KEYS * _LARGEST_KEY].decode("utf-8", "replace")
    return said.splitlines()[:_MOST_KEYS] if done.returncode == 0 else []


def public_key(key: Path) -> str:
    """Return the line of the public key in a file, or beside that of a private one; "" for none."""
    file = key if key.suffix == ".pub" else key.with_name(f"{key.name}.pub")
    data = read_named(file) if file.is_file() else b""
    return data[:_LARGEST_KEY].decode("utf-8", "replace").strip()
