"""Signatures that `ssh-keygen -Y sign` makes (OpenSSH PROTOCOL.sshsig, PROTOCOL.u2f).

Verified here without OpenSSH: what owners sign with the SSH keys that they have, in files, agents
and FIDO tokens. A text that could be read in two ways is refused.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Container
from dataclasses import dataclass

from psreg.core.errors import TrustError
from psreg.core.regex import lazy
from psreg.core.ssh_key import RSA, SshKey, WireReader
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
_RSA_SIGNATURES = {"rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512"}
_USER_PRESENT = 1


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
        try:
            blob = strict_decode("".join(match[1].split()))
        except ValueError as error:
            raise _refused(str(error)) from error
        return cls.read(blob)

    @classmethod
    def read(cls, blob: bytes) -> SshSignature:
        """Return the signature that is in the armour. Raises TrustError TRUST_STATEMENT."""
        try:
            return cls._read(blob)
        except ValueError as error:
            raise _refused(str(error)) from error

    @classmethod
    def _read(cls, blob: bytes) -> SshSignature:
        reader = WireReader(blob)
        if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != _VERSION:
            raise ValueError("it is not a signature of SSH of version 1")
        key = reader.string()
        found = cls(
            key=SshKey(type=WireReader(key).text(), blob=key),
            namespace=reader.text(),
            reserved=reader.string(),
            hash=reader.text(),
            signature=reader.string(),
            blob=blob,
        )
        reader.end()
        found.key.parts()
        if found.hash not in _HASHES:
            raise ValueError(f"it signs a digest of the kind {found.hash!r}")
        return found

    @property
    def armoured(self) -> bytes:
        """The text that `ssh-keygen -Y sign` writes."""
        text = b64encode(self.blob).decode()
        lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
        begin, end = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
        return "".join(f"{line}\n" for line in (begin, *lines, end)).encode()

    def check(self, message: bytes, namespace: str, keys: Container[SshKey]) -> SshKey:
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
        try:
            signed = self._is_of(_MAGIC + b"".join(map(_string, fields)))
        except ValueError as error:
            raise _refused(str(error)) from error
        if not signed:
            raise _refused(f"the key {self.key.fingerprint} signed something else")
        return self.key

    def _is_of(self, message: bytes) -> bool:
        """Tell whether the key signed `message`; a token, with a person present."""
        from psreg.registry.trust import signing_keys  # noqa: PLC0415 - few commands verify one

        parts, reader = self.key.parts(), WireReader(self.signature)
        kind, data = reader.text(), reader.string()
        if self.key.type == RSA:
            reader.end()
            if kind not in _RSA_SIGNATURES:
                raise ValueError(f"a signature {kind!r} of an RSA key is not safe")
            digest = _RSA_SIGNATURES[kind]
            return signing_keys.is_signed_by_rsa(
                parts.exponent, parts.modulus, digest, data, message
            )
        if kind != self.key.type:
            raise ValueError(f"a key of the type {self.key.type} made one of the type {kind!r}")
        if parts.application is not None:
            flags, counter = reader.take(1), reader.take(4)
            if not flags[0] & _USER_PRESENT:
                raise ValueError("nobody touched the token that signed it")
            application = hashlib.sha256(parts.application).digest()
            message = application + flags + counter + hashlib.sha256(message).digest()
        reader.end()
        if "ed25519" in self.key.type:
            return signing_keys.is_signed_by(parts.point, data, message)
        numbers = WireReader(data)
        r, s = numbers.integer(), numbers.integer()
        numbers.end()
        return signing_keys.is_signed_by_ecdsa(self.key.curve, parts.point, r, s, message)


def fault_of(armoured: bytes, message: bytes, namespace: str, keys: Container[SshKey]) -> str:
    """Return why a text is not the signature of a message with one of some keys; "" if it is."""
    try:
        SshSignature.parse(armoured).check(message, namespace, keys)
    except TrustError as error:
        return error.message
    return ""


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _refused(message: str) -> TrustError:
    return TrustError(
        "TRUST_STATEMENT",
        f"a signature is not valid: {message}",
        "Sign the release again with `ssh-keygen -Y sign`.",
    )
