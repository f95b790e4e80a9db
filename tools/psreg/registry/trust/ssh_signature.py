"""Signatures that `ssh-keygen -Y sign` makes (OpenSSH PROTOCOL.sshsig, PROTOCOL.u2f).

Verified here without OpenSSH: what owners sign with the SSH keys that they have, in files, agents
and FIDO tokens. A text that could be read in two ways is refused.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass

from psreg.core.errors import TrustError
from psreg.core.regex import lazy
from psreg.core.strict_base64 import strict_decode

LARGEST = 16_384
"""Bytes of a signature in its armour; one of the largest RSA key has a quarter."""

_ARMOUR = lazy(
    r"-----BEGIN SSH SIGNATURE-----\r?\n((?:[A-Za-z0-9+/=]{1,76}\r?\n)+)"
    r"-----END SSH SIGNATURE-----(?:\r?\n)?"
)
_COLUMNS = 70
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = ("sha256", "sha512")

ED25519, RSA = "ssh-ed25519", "ssh-rsa"
SK_ED25519, SK_ECDSA = "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"
ECDSA = "ecdsa-sha2-"
_CURVES = ("nistp256", "nistp384", "nistp521")

KEY_TYPES = (ED25519, SK_ED25519, *(f"{ECDSA}{curve}" for curve in _CURVES), SK_ECDSA, RSA)
"""The types of keys that can own a name; DSA is broken, and certificates expire."""

_RSA_SIGNATURES = {"rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512"}
_RSA_BITS = (2048, 16_384)
_USER_PRESENT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SshKey:
    """A public key of SSH: its type, and the bytes that say all of it."""

    type: str
    blob: bytes

    @classmethod
    def parse(cls, line: str) -> SshKey:
        """Return the key in a line as in `~/.ssh/id_ed25519.pub`: type, key, comment.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        words = line.split()
        blob = _decoded(words[1]) if len(words) > 1 else b""
        key = cls(type=words[0] if words else "", blob=blob)
        key.check()
        return key

    @property
    def fingerprint(self) -> str:
        """What `ssh-keygen -l` prints: `SHA256:` and the digest in base64."""
        digest = hashlib.sha256(self.blob).digest()
        return f"SHA256:{b64encode(digest).decode().rstrip('=')}"

    def check(self) -> None:
        """Check that it is a key of a known type. Raises TrustError TRUST_STATEMENT."""
        reader = _Reader(self.blob)
        if self.type not in KEY_TYPES or reader.text() != self.type:
            raise _refused(f"{self.type or 'nothing'} is not a type of SSH keys that can sign")
        _parts(self.type, reader)
        reader.end()

    def __str__(self) -> str:
        """Return it as a line without a comment."""
        return f"{self.type} {b64encode(self.blob).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SshSignature:
    """A signature: by which key, in which namespace, and of which digest of a message.

    `blob` is all of it.
    """

    key: SshKey
    namespace: str
    hash: str
    reserved: bytes
    signature: bytes
    blob: bytes

    @classmethod
    def parse(cls, armoured: bytes) -> SshSignature:
        """Return the signature in a text with the lines `-----BEGIN SSH SIGNATURE-----` and `END`.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        text = armoured.decode("latin-1") if len(armoured) <= LARGEST else ""
        match = _ARMOUR.fullmatch(text)
        if not match:
            raise _refused("it is not a signature of SSH in its armour")
        return cls.read(_decoded("".join(match[1].split())))

    @classmethod
    def read(cls, blob: bytes) -> SshSignature:
        """Return the signature that is in the armour. Raises TrustError TRUST_STATEMENT."""
        reader = _Reader(blob)
        if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != _VERSION:
            raise _refused("it is not a signature of SSH of version 1")
        key = reader.string()
        found = cls(
            key=SshKey(type=_Reader(key).text(), blob=key),
            namespace=reader.text(),
            reserved=reader.string(),
            hash=reader.text(),
            signature=reader.string(),
            blob=blob,
        )
        reader.end()
        found.key.check()
        if found.hash not in _HASHES:
            raise _refused(f"it signs a digest of the kind {found.hash!r}")
        return found

    @property
    def armoured(self) -> bytes:
        """The text that `ssh-keygen -Y sign` writes."""
        text = b64encode(self.blob).decode()
        lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
        begin, end = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
        return "".join(f"{line}\n" for line in (begin, *lines, end)).encode()

    def check(self, message: bytes, namespace: str, keys: Iterable[SshKey]) -> SshKey:
        """Check that it signs `message` in `namespace`, with one of `keys`; return that key.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        if self.namespace != namespace:
            raise _refused(f"it was made for {self.namespace!r}, not for {namespace!r}")
        if self.key not in keys:
            raise _refused(f"its key, {self.key.fingerprint}, is not one of the owners'")
        digest = hashlib.new(self.hash, message).digest()
        fields = (namespace.encode(), self.reserved, self.hash.encode(), digest)
        if not _is_signed(self.key, self.signature, _MAGIC + b"".join(map(_string, fields))):
            raise _refused(f"the key {self.key.fingerprint} signed something else")
        return self.key


class _Reader:
    """Reads the values of SSH's wire format (RFC 4251 5). Raises TrustError TRUST_STATEMENT."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, size: int) -> bytes:
        found, self._data = self._data[:size], self._data[size:]
        if len(found) < size:
            raise _refused("it is cut off")
        return found

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        try:
            return self.string().decode("ascii")
        except UnicodeDecodeError as error:
            raise _refused("a name in it is not ASCII") from error

    def integer(self) -> int:
        """Return a positive integer in its only form."""
        data = self.string()
        value = int.from_bytes(data, "big")
        if not value or value.to_bytes(value.bit_length() // 8 + 1, "big") != data:
            raise _refused("a number in it is not written as it must be")
        return value

    def end(self) -> None:
        if self._data:
            raise _refused("something follows it")


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What is in a key after its type: a point of a curve or an RSA key, and an application."""

    point: bytes = b""
    exponent: int = 0
    modulus: int = 0
    application: bytes | None = None


def _parts(key_type: str, reader: _Reader) -> _Parts:
    if key_type == RSA:
        exponent, modulus = reader.integer(), reader.integer()
        if not _RSA_BITS[0] <= modulus.bit_length() <= _RSA_BITS[1] or exponent % 2 == 0:
            raise _refused(f"an RSA key has from {_RSA_BITS[0]} to {_RSA_BITS[1]:,} bits")
        return _Parts(exponent=exponent, modulus=modulus)
    if key_type not in (ED25519, SK_ED25519) and reader.text() != _curve(key_type):
        raise _refused("the key is of another curve than it says")
    point = reader.string()
    return _Parts(
        point=point, application=reader.string() if key_type in (SK_ED25519, SK_ECDSA) else None
    )


def _curve(key_type: str) -> str:
    return next(curve for curve in _CURVES if f"-{curve}" in key_type)


def _is_signed(key: SshKey, signature: bytes, message: bytes) -> bool:
    """Tell whether a signature of `message` is of `key`; that of a token, by a person present."""
    from psreg.registry.trust import signing_keys  # noqa: PLC0415 - few commands verify one

    reader, outer = _Reader(key.blob), _Reader(signature)
    parts, kind = _parts(reader.text(), reader), outer.text()
    if key.type == RSA:
        if kind not in _RSA_SIGNATURES:
            raise _refused(f"a signature {kind!r} of an RSA key is not safe")
        data = outer.string()
        outer.end()
        hash_name = _RSA_SIGNATURES[kind]
        return signing_keys.is_signed_by_rsa(
            parts.exponent, parts.modulus, hash_name, data, message
        )
    if kind != key.type:
        raise _refused(f"a key of the type {key.type} made a signature of the type {kind!r}")
    data = outer.string()
    if parts.application is not None:
        flags, counter = outer.take(1), outer.take(4)
        if not flags[0] & _USER_PRESENT:
            raise _refused("nobody touched the token that signed it")
        application = hashlib.sha256(parts.application).digest()
        message = application + flags + counter + hashlib.sha256(message).digest()
    outer.end()
    if key.type in (ED25519, SK_ED25519):
        return signing_keys.is_signed_by(parts.point, data, message)
    numbers = _Reader(data)
    r, s = numbers.integer(), numbers.integer()
    numbers.end()
    return signing_keys.is_signed_by_ecdsa(_curve(key.type), parts.point, r, s, message)


def _decoded(text: str) -> bytes:
    """Return what `text` says in base64. Raises TrustError TRUST_STATEMENT."""
    try:
        return strict_decode(text)
    except ValueError as error:
        raise _refused("it is not base64 in its only form") from error


def _refused(message: str) -> TrustError:
    return TrustError(
        "TRUST_STATEMENT",
        f"a signature is not valid: {message}",
        "Sign the release again with `ssh-keygen -Y sign`.",
    )
