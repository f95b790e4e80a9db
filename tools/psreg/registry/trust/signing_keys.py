"""Ed25519 signing keys as PKCS #8 PEM (RFC 8410). The only module that imports `cryptography`."""

from __future__ import annotations

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
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
