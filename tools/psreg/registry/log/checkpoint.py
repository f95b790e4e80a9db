"""Checkpoints: signed notes that say how long a log is, and what its root is (C2SP).

```
psreg/6f1e…
20852
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— psreg/6f1e… az3grlgtzPICa5OS8npVmf1Myq/5IZniMp…
```
Everything before the empty line is signed. A log signs with Ed25519; a witness that saw it grow
adds a cosignature, which also says when. Signatures of unknown keys are ignored.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.core.regex import lazy
from psreg.core.strict_base64 import strict_decode
from psreg.registry.log.merkle import HASH_SIZE
from psreg.registry.trust.signing_keys import is_signed_by, public_key, signature_of

ORIGIN = "psreg"
"""The origin of a registry's log is this, `/`, and the id of the registry."""

LARGEST = 1 << 16
"""Bytes of a note, signatures included."""

_LOG, _WITNESS = b"\x01", b"\x04"
"""The signature types of C2SP signed-note: Ed25519, and cosignatures with a time."""

_SIZE = lazy(r"0|[1-9][0-9]{0,15}")
_NAME = lazy(r"[!-*,-~]{1,200}")
_SIGNATURE = lazy(r"\u2014 ([!-*,-~]{1,200}) ([A-Za-z0-9+/=]{8,400})")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteKey:
    """A public key that signs notes, under a name; of a log, or of a witness.

    `public` is an Ed25519 key, 32 bytes.
    """

    name: str
    public: bytes
    witness: bool = False

    @classmethod
    def parse(cls, text: str) -> NoteKey:
        """Return the key that `text` says, as `name+hash+key` (C2SP signed-note).

        Raises:
            TrustError: TRUST_LOG.
        """
        name, _, rest = text.partition("+")
        key_id, _, encoded = rest.partition("+")
        data = _decoded(encoded)
        key = cls(name=name, public=data[1:], witness=data[:1] == _WITNESS)
        if not _NAME.fullmatch(name) or data[:1] not in (_LOG, _WITNESS) or str(key) != text:
            raise _refused(f"{key_id or 'it'} is not the key of a log")
        return key

    @property
    def id(self) -> bytes:
        """The four bytes with which its signatures begin."""
        return hashlib.sha256(f"{self.name}\n".encode() + self._typed).digest()[:4]

    @property
    def _typed(self) -> bytes:
        return (_WITNESS if self.witness else _LOG) + self.public

    def __str__(self) -> str:
        """Return it as `name+hash+key`."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self._typed).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state of the log `origin`: how many entries it has, and its root, 32 bytes."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


def signed(checkpoint: Checkpoint, private_key: bytes) -> bytes:
    """Return the note in which the log signs its checkpoint with a private key in PEM.

    Raises:
        TrustError: KEY_UNREADABLE.
    """
    key = NoteKey(name=checkpoint.origin, public=public_key(private_key))
    signature = key.id + signature_of(checkpoint.text.encode(), private_key)
    line = f"\u2014 {key.name} {b64encode(signature).decode()}\n"
    return f"{checkpoint.text}\n{line}".encode()


@lru_cache(maxsize=64)  # many releases have the same
def verified(note: bytes, *keys: NoteKey) -> Checkpoint:
    """Return the checkpoint in a note that the log signed with one of its `keys`.

    Raises:
        TrustError: TRUST_LOG.
    """
    text, signatures = _parts(note)
    message = text.encode()
    found = (
        key
        for key in keys
        for signature in _of(key, signatures, 64)
        if is_signed_by(key.public, signature, message)
    )
    signer = next(found, None)
    if signer is None:
        raise _refused("a checkpoint of the log is not signed by it")
    origin, size, root, *_ = [*text.split("\n"), "", "", ""]
    if origin != signer.name or not _SIZE.fullmatch(size) or len(_decoded(root)) != HASH_SIZE:
        raise _refused("a checkpoint of the log is not one")
    return Checkpoint(origin=origin, size=int(size), root=_decoded(root))


def witnessed(note: bytes, key: NoteKey) -> datetime | None:
    """Return when the witness with this key saw the log as the note says, or None.

    Raises:
        TrustError: TRUST_LOG, it is not a note.
    """
    text, signatures = _parts(note)
    for each in _of(key, signatures, 72):
        time = int.from_bytes(each[:8], "big")
        message = f"cosignature/v1\ntime {time}\n{text}".encode()
        if time <= _LATEST and is_signed_by(key.public, each[8:], message):
            return datetime.fromtimestamp(time, UTC)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """The witnesses whose cosignatures a checkpoint needs, `threshold` of them; none by default."""

    keys: tuple[NoteKey, ...] = ()
    threshold: int = 0

    @classmethod
    def parse(cls, texts: Sequence[str], threshold: int) -> Witnesses:
        """Return the witnesses with these keys, as `name+hash+key`.

        Raises:
            ValueError: one is not the key of a witness, or is named twice; so many never sign.
        """
        try:
            keys = tuple(map(NoteKey.parse, texts))
        except TrustError as error:
            raise ValueError("one is not the key of a witness") from error
        if not all(key.witness for key in keys) or len({key.public for key in keys}) < len(keys):
            raise ValueError("each must be the key of another witness")
        if not (0 < threshold <= len(keys) or not keys):
            raise ValueError(f"{threshold} of {len(keys)} witnesses cannot have signed")
        return cls(keys=keys, threshold=threshold if keys else 0)

    def check(self, note: bytes) -> None:
        """Check that enough witnesses have cosigned a note (C2SP tlog-cosignature).

        Raises:
            TrustError: TRUST_WITNESS; TRUST_LOG, it is not a note.
        """
        found = [key.name for key in self.keys if witnessed(note, key) is not None]
        if len(found) < self.threshold:
            raise TrustError(
                "TRUST_WITNESS",
                f"{len(found)} of the {self.threshold} witnesses that you demand have cosigned the "
                f"checkpoint of the log" + (f": {', '.join(found)}" if found else ""),
                "Try again later; if it stays so, tell the maintainers: you may be shown another "
                "history than others.",
            )


def with_cosignatures(note: bytes, lines: bytes) -> bytes:
    """Return a note with further signatures, each a line; those that it has are not repeated.

    Raises:
        TrustError: TRUST_LOG: they are not such lines, or too many.
    """
    try:
        new = lines.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        new = [""]
    if not all(map(_SIGNATURE.fullmatch, new)):
        raise _refused("cosignatures are lines that begin with a dash, a blank and a name")
    known = note.decode().splitlines()
    added = [f"{line}\n" for line in dict.fromkeys(new) if line not in known]
    longer = note + "".join(added).encode()
    _parts(longer)
    return longer


_LATEST = 253_402_300_799
"""The last second of the year 9999."""


def _parts(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the signed text and the signatures, each with the name of its key."""
    try:
        whole = note.decode() if len(note) <= LARGEST else ""
    except UnicodeDecodeError:
        whole = ""
    text, blank, lines = whole.rpartition("\n\n")
    matches = [_SIGNATURE.fullmatch(line) for line in lines.removesuffix("\n").split("\n")]
    signatures = [(match[1], _decoded(match[2])) for match in matches if match]
    control = any(sign < " " and sign != "\n" for sign in whole)
    if not blank or control or not lines.endswith("\n") or len(signatures) < len(matches):
        raise _refused("a checkpoint of the log is not a signed note")
    return f"{text}\n", signatures


def _of(key: NoteKey, signatures: list[tuple[str, bytes]], size: int) -> list[bytes]:
    """Return the signatures that say they are of `key`, without its id."""
    return [
        data[4:]
        for name, data in signatures
        if name == key.name and data[:4] == key.id and len(data) == 4 + size
    ]


def _decoded(text: str) -> bytes:
    """Return what `text` says in base64; b"" if it is none."""
    try:
        return strict_decode(text)
    except ValueError:
        return b""


def _refused(message: str) -> TrustError:
    return TrustError(
        "TRUST_LOG", message, "Tell the maintainers of the registry; do not install from it."
    )
