"""Public keys of SSH, and the wire format in which they are written (RFC 4251 5, RFC 4253 6.6)."""

from __future__ import annotations

import hashlib
from base64 import b64encode

from psreg.core.dataclass import dataclass
from psreg.core.strict_base64 import strict_decode

ED25519, RSA = "ssh-ed25519", "ssh-rsa"
SK_ED25519, SK_ECDSA = "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"
CURVES = ("nistp256", "nistp384", "nistp521")

KEY_TYPES = (ED25519, SK_ED25519, *(f"ecdsa-sha2-{curve}" for curve in CURVES), SK_ECDSA, RSA)
"""The types of keys that can own a name; DSA is broken, and certificates expire."""

_RSA_BITS = (2048, 16_384)
_SIZES = {ED25519: 32, SK_ED25519: 32}


class WireReader:
    """Reads one value after another. Raises ValueError for what has another form."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        at = self._at
        self._at = end = at + size
        if end > len(self._data):
            raise ValueError("it is cut off")
        return self._data[at:end]

    def number(self) -> int:
        """Return a number of four bytes."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """Return bytes before which their number stands."""
        return self.take(int.from_bytes(self.take(4), "big"))

    def text(self) -> str:
        """Return a string of ASCII."""
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError as error:
            raise ValueError("a name in it is not ASCII") from error

    def integer(self) -> int:
        """Return a positive integer, which has only one form."""
        data = self.string()
        value = int.from_bytes(data, "big")
        if not value or value.to_bytes(value.bit_length() // 8 + 1, "big") != data:
            raise ValueError("a number in it is not written as it must be")
        return value

    def end(self) -> None:
        """Check that nothing is left."""
        if self._at < len(self._data):
            raise ValueError("something follows it")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyParts:
    """What is in a key after its type: a point of a curve or an RSA key, and an application."""

    point: bytes = b""
    exponent: int = 0
    modulus: int = 0
    application: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SshKey:
    """A public key: its type, and the bytes that say all of it."""

    type: str
    blob: bytes

    @classmethod
    def parse(cls, line: str) -> SshKey:
        """Return the key in a line as in `~/.ssh/id_ed25519.pub`: type, key, comment.

        Raises:
            ValueError: it is not a key of one of the `KEY_TYPES`.
        """
        words = line.split()
        if not words or words[0] not in KEY_TYPES:
            raise ValueError(f"it does not begin with one of {', '.join(KEY_TYPES)}")
        key = cls(type=words[0], blob=strict_decode(words[1] if len(words) > 1 else ""))
        key.parts()
        return key

    @property
    def fingerprint(self) -> str:
        """What `ssh-keygen -l` prints: `SHA256:` and the digest in base64."""
        digest = hashlib.sha256(self.blob).digest()
        return f"SHA256:{b64encode(digest).decode().rstrip('=')}"

    @property
    def curve(self) -> str:
        """The curve of an ECDSA key."""
        return next(curve for curve in CURVES if f"-{curve}" in self.type)

    def parts(self) -> KeyParts:
        """Return what is in it. Raises ValueError if it is not a key of its type."""
        reader = WireReader(self.blob)
        if self.type not in KEY_TYPES or reader.text() != self.type:
            raise ValueError(f"it is not a key of the type {self.type}")
        found = self._after_type(reader)
        reader.end()
        return found

    def _after_type(self, reader: WireReader) -> KeyParts:
        if self.type == RSA:
            exponent, modulus = reader.integer(), reader.integer()
            least, most = _RSA_BITS
            if not least <= modulus.bit_length() <= most or exponent % 2 == 0:
                raise ValueError(f"an RSA key has from {least:,} to {most:,} bits")
            return KeyParts(exponent=exponent, modulus=modulus)
        if self.type not in _SIZES and reader.text() != self.curve:
            raise ValueError("it is of another curve than it says")
        point = reader.string()
        if len(point) != _SIZES.get(self.type, len(point)):
            raise ValueError("it has another length than keys of its type")
        application = reader.string() if self.type in (SK_ED25519, SK_ECDSA) else None
        return KeyParts(point=point, application=application)

    def __str__(self) -> str:
        """Return it as a line without a comment."""
        return f"{self.type} {b64encode(self.blob).decode()}"
