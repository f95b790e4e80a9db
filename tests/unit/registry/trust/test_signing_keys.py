"""Key files are Ed25519, PKCS #8, PEM."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from psreg.core.errors import TrustError
from psreg.registry.trust.signing_keys import (
    encoded_public_key,
    generate_key,
    key_from_pem,
    key_to_pem,
    loaded_public_key,
)


def test_a_new_key_can_be_read_back() -> None:
    pem = generate_key()
    assert pem.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert key_to_pem(key_from_pem(pem)) == pem
    assert generate_key() != pem


def test_openssl_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(generate_key())
    try:
        done = subprocess.run(
            ["openssl", "pkey", "-in", str(path), "-noout", "-text"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    assert "ED25519" in done.stdout


def pem_of(key: object, password: bytes = b"") -> bytes:
    how = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        pem_of(Ed25519PrivateKey.generate(), b"secret"),
        pem_of(generate_private_key(SECP256R1())),
    ],
    ids=["empty", "garbage", "encrypted", "elliptic curve"],
)
def test_other_files_are_refused(pem: bytes) -> None:
    with pytest.raises(TrustError) as caught:
        key_from_pem(pem)
    assert caught.value.code == "KEY_UNREADABLE"


def spki(private) -> bytes:
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return private.public_key().public_bytes(*form)


@pytest.mark.parametrize(
    "private",
    [
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP384R1()),
        rsa.generate_private_key(65537, 2048),
    ],
    ids=["P-256", "P-384", "RSA"],
)
def test_keys_of_devices_and_services(private) -> None:
    public = spki(private)
    assert loaded_public_key(public) == private.public_key()
    pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    assert encoded_public_key(pem) == public


def test_a_key_of_ed25519_is_its_32_bytes() -> None:
    public = Ed25519PrivateKey.generate().public_key()
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert loaded_public_key(raw) == public
    assert loaded_public_key(spki(Ed25519PrivateKey.generate()))
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    assert encoded_public_key(pem) == raw


UNKNOWN = bytes.fromhex("301506072a8648ce3d02010604032a0304030a00000000000000")
"""A SubjectPublicKeyInfo of a curve that nobody knows."""


@pytest.mark.parametrize(
    "public",
    [
        b"",
        bytes(31),
        b"0" * 91,
        spki(ec.generate_private_key(ec.SECP521R1())),
        spki(rsa.generate_private_key(65537, 1024)),
        spki(dsa.generate_private_key(2048)),
        UNKNOWN,
    ],
    ids=["nothing", "short", "noise", "P-521", "RSA of 1024 bits", "DSA", "unknown curve"],
)
def test_keys_that_cannot_sign_metadata(public: bytes) -> None:
    with pytest.raises(ValueError, match="it is neither Ed25519"):
        loaded_public_key(public)
