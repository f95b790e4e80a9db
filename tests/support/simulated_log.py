"""A transparency log for the simulator, written from RFC 6962 and the formats of C2SP alone.

It shares no code with psreg, so that neither is tested against its own mistakes. It can lie: any
note can be signed, and the files of any size written.
"""

from __future__ import annotations

import base64
import hashlib
import json
from types import SimpleNamespace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

WIDTH = 256


class SimulatedLog:
    """`leaves` are its entries in order; tests change them at will."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.signer = Ed25519PrivateKey.generate()
        self.leaves: list[bytes] = []

    def add(self, record: dict[str, Any], row: dict[str, Any]) -> None:
        """Log a release, and say nothing of it in its row yet."""
        owners = {"owners": record["owners"], "threshold": record["threshold"]}
        entry = {
            "kind": "release", "name": record["name"], "version": row["version"],
            "artifact": row["sha256"], "statement": _statement(row), "owners": _digest(encode(owners)),
        }  # fmt: skip
        self.leaves.append(encode(entry))

    def place(self, record: dict[str, Any], index: int, size: int | None = None) -> dict[str, Any]:
        """Return what the row of the entry at `index` says, with the checkpoint of `size`."""
        size = size or len(self.leaves)
        owners = {"owners": record["owners"], "threshold": record["threshold"]}
        statement = json.loads(self.leaves[index]).get("statement")
        return {
            **({"statement": statement} if statement else {}),
            "index": index,
            "owners": _digest(encode(owners)),
            "proof": [base64.b64encode(each).decode() for each in _path(index, self.leaves[:size])],
            "checkpoint": self.note(size).decode(),
        }

    @property
    def key(self) -> str:
        """Its public key, as a root names it (C2SP signed-note)."""
        return f"{self.origin}+{self._id.hex()}+{base64.b64encode(self._public).decode()}"

    def note(self, size: int | None = None, root: bytes = b"", origin: str = "") -> bytes:
        """Return the signed checkpoint of a size, or one that lies (C2SP tlog-checkpoint)."""
        size = len(self.leaves) if size is None else size
        root = root or _root(self.leaves[:size])
        text = f"{origin or self.origin}\n{size}\n{base64.b64encode(root).decode()}\n"
        signature = base64.b64encode(self._id + self.signer.sign(text.encode())).decode()
        return f"{text}\n\u2014 {self.origin} {signature}\n".encode()

    def files(self, size: int | None = None) -> dict[str, bytes]:
        """Return the files of the log at a size, by path in a registry (C2SP tlog-tiles)."""
        leaves = self.leaves[:size]
        framed = [len(leaf).to_bytes(2, "big") + leaf for leaf in leaves]
        files = dict(_tiles("entries", framed))
        level, hashes = 0, [_hash(0, leaf) for leaf in leaves]
        while hashes:
            files |= _tiles(str(level), hashes)
            full = range(0, len(hashes) - len(hashes) % WIDTH, WIDTH)
            hashes = [_above(hashes[at : at + WIDTH]) for at in full]
            level += 1
        return files

    @property
    def _public(self) -> bytes:
        return b"\x01" + self.signer.public_key().public_bytes_raw()

    @property
    def _id(self) -> bytes:
        return hashlib.sha256(f"{self.origin}\n".encode() + self._public).digest()[:4]


def encode(value: Any) -> bytes:
    """Return `value` as canonical JSON, as far as these tests need it."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _statement(row: dict[str, Any]) -> str | None:
    """Return the digest of what owners signed (DSSE)."""
    return _digest(base64.b64decode(row["statement"]["payload"])) if row["statement"] else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash(kind: int, *parts: bytes) -> bytes:
    return hashlib.sha256(bytes([kind]) + b"".join(parts)).digest()


def _split(count: int) -> int:
    """Return the largest power of two that is smaller than `count` (RFC 6962 2.1)."""
    return 1 << (count - 1).bit_length() - 1


def _root(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962 2.1."""
    if len(leaves) < 2:
        return _hash(0, leaves[0]) if leaves else hashlib.sha256().digest()
    at = _split(len(leaves))
    return _hash(1, _root(leaves[:at]), _root(leaves[at:]))


def _path(index: int, leaves: list[bytes]) -> list[bytes]:
    """PATH of RFC 6962 2.1.1."""
    if len(leaves) < 2:
        return []
    at = _split(len(leaves))
    if index < at:
        return [*_path(index, leaves[:at]), _root(leaves[at:])]
    return [*_path(index - at, leaves[at:]), _root(leaves[:at])]


def _above(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    at = len(hashes) // 2
    return _hash(1, _above(hashes[:at]), _above(hashes[at:]))


def _tiles(level: str, parts: list[bytes]) -> dict[str, bytes]:
    pieces = {at // WIDTH: parts[at : at + WIDTH] for at in range(0, len(parts), WIDTH)}
    return {
        f"log/tile/{level}/{index:03d}" + (f".p/{len(piece)}" if len(piece) < WIDTH else ""): (
            b"".join(piece)
        )
        for index, piece in pieces.items()
    }


def witness(name: str) -> SimpleNamespace:
    """Return the key of a witness, and what cosigns a note with it (C2SP tlog-cosignature)."""
    private = Ed25519PrivateKey.generate()
    typed = b"\x04" + private.public_key().public_bytes_raw()
    key_id = hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4]

    def line(note: bytes, time: int = 1_800_000_000) -> bytes:
        text = note.decode().partition("\n\n")[0] + "\n"
        signature = private.sign(f"cosignature/v1\ntime {time}\n{text}".encode())
        data = base64.b64encode(key_id + time.to_bytes(8, "big") + signature).decode()
        return f"\u2014 {name} {data}\n".encode()

    key = f"{name}+{key_id.hex()}+{base64.b64encode(typed).decode()}"
    return SimpleNamespace(key=key, line=line)
