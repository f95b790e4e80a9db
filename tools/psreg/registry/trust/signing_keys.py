"""Ed25519 signing keys as PKCS #8 PEM (RFC 8410). The only module that imports `cryptography`."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from psreg.core.errors import TrustError


def generate_key() -> bytes:
    """Return a new private key as PEM."""
    return key_to_pem(Ed25519PrivateKey.generate())


def key_to_pem(key: Ed25519PrivateKey) -> bytes:
    """Return `key` as unencrypted PKCS #8 PEM."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def key_from_pem(pem: bytes) -> Ed25519PrivateKey:
    """Return the private key that `pem` holds.

    Raises:
        TrustError: KEY_UNREADABLE; not PEM, encrypted, or not Ed25519.
    """
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise TrustError("KEY_UNREADABLE", f"a key file cannot be read: {error}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise TrustError("KEY_UNREADABLE", "a key file does not contain an Ed25519 key")
    return key


def public_key(pem: bytes) -> bytes:
    """Return the public key, 32 bytes, of a private one. Raises TrustError KEY_UNREADABLE."""
    return key_from_pem(pem).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def signature_of(message: bytes, pem: bytes) -> bytes:
    """Return the signature, 64 bytes, of a private key. Raises TrustError KEY_UNREADABLE."""
    return key_from_pem(pem).sign(message)


def is_signed_by(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether a signature of `message` is of the key with these 32 bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
