"""Keys that sign, and whether one signed something. The only module that imports `cryptography`.

Private keys are Ed25519, as PKCS #8 PEM (RFC 8410).
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_public_key,
    load_pem_private_key,
    load_pem_public_key,
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


ED25519_SIZE = 32
"""Bytes of a public key of Ed25519."""

_CURVE_SIZES = (256, 384)
_SMALLEST_RSA = 2048
_UNUSABLE = "it is neither Ed25519, nor ECDSA with P-256 or P-384, nor RSA of 2048 bits or more"


def loaded_public_key(public: bytes) -> PublicKeyTypes:
    """Return the public key in 32 bytes of Ed25519, or in a SubjectPublicKeyInfo as DER (RFC 5280).

    Keys of devices and services are ECDSA with P-256 or P-384, or RSA. Raises ValueError otherwise.
    """
    if len(public) == ED25519_SIZE:
        return Ed25519PublicKey.from_public_bytes(public)
    try:
        key = load_der_public_key(public)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError(_UNUSABLE) from error
    strong = isinstance(key, ec.EllipticCurvePublicKey) and key.curve.key_size in _CURVE_SIZES
    strong |= isinstance(key, rsa.RSAPublicKey) and key.key_size >= _SMALLEST_RSA
    if not strong and not isinstance(key, Ed25519PublicKey):
        raise ValueError(_UNUSABLE)
    return key


def encoded_public_key(pem: bytes) -> bytes:
    """Return the public key in a PEM as `loaded_public_key` reads it."""
    key = load_pem_public_key(pem)
    if isinstance(key, Ed25519PublicKey):
        return key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


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


_CURVES = {
    "nistp256": (ec.SECP256R1(), hashes.SHA256()),
    "nistp384": (ec.SECP384R1(), hashes.SHA384()),
    "nistp521": (ec.SECP521R1(), hashes.SHA512()),
}
"""The curves of SSH, each with the digest that is signed (RFC 5656 6.2.1)."""


def is_signed_by_ecdsa(curve: str, point: bytes, r: int, s: int, message: bytes) -> bool:
    """Tell whether the numbers `r` and `s` are a signature of `message` by the key `point`.

    `curve` is one of `nistp256`, `nistp384`, and `nistp521`.
    """
    on, digest = _CURVES[curve]
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(on, point)
        key.verify(encode_dss_signature(r, s), message, ec.ECDSA(digest))
    except (InvalidSignature, ValueError):
        return False
    return True


def is_signed_by_rsa(
    exponent: int, modulus: int, digest: str, signature: bytes, message: bytes
) -> bool:
    """Tell whether a PKCS #1 v1.5 signature of `message` is of an RSA key (RFC 8332).

    `digest` is `sha256` or `sha512`.
    """
    try:
        key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
        hashed = hashes.SHA256() if digest == "sha256" else hashes.SHA512()
        key.verify(signature, message, PKCS1v15(), hashed)
    except (InvalidSignature, ValueError):
        return False
    return True
