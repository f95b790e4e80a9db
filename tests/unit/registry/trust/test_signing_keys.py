"""Key files are Ed25519, PKCS #8, PEM."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from psreg.core.errors import TrustError
from psreg.registry.trust.signing_keys import generate_key, key_from_pem, key_to_pem


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
