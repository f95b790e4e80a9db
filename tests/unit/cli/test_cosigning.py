"""`psreg publish --cosign`: what witnesses answer goes into the checkpoint of the log, and stays."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from psreg.registry.log.checkpoint import NoteKey, witnessed
from unit.cli.test_signing import NAME, Checkout

PRIVATE = Ed25519PrivateKey.generate()
KEY = NoteKey(name="w.example", public=PRIVATE.public_key().public_bytes_raw(), witness=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.run("publish", "-q")
    return made


def cosigned(checkout: Checkout, time: int = 1_800_000_000) -> Path:
    """Let the witness cosign the checkpoint (C2SP tlog-cosignature); return the file of its answer."""
    note = (checkout.root / "registry/log/checkpoint").read_text()
    text = note.partition("\n\n")[0] + "\n"
    signature = PRIVATE.sign(f"cosignature/v1\ntime {time}\n{text}".encode())
    data = b64encode(KEY.id + time.to_bytes(8, "big") + signature).decode()
    answer = checkout.root.parent / "answer"
    answer.write_text(f"\u2014 {KEY.name} {data}\n")
    return answer


def is_witnessed(checkout: Checkout) -> bool:
    note = (checkout.root / "registry/log/checkpoint").read_bytes()
    return witnessed(note, KEY) is not None


def test_it_is_added_once_and_outlives_what_signs_again(checkout: Checkout) -> None:
    answer = cosigned(checkout)
    checkout.run("publish", "--cosign", answer)
    assert is_witnessed(checkout)
    before = (checkout.root / "registry/log/checkpoint").read_bytes()
    for words in (("publish", "--cosign", answer), ("publish", "--resign"), ("publish",)):
        checkout.run(*words)
        assert (checkout.root / "registry/log/checkpoint").read_bytes() == before
    checkout.run("audit")
    checkout.run("install", NAME, "-q", "--registry", checkout.root)


def test_a_new_release_needs_a_new_one(checkout: Checkout) -> None:
    checkout.run("publish", "--cosign", cosigned(checkout))
    checkout.next_version()
    checkout.run("publish", "-q")
    assert not is_witnessed(checkout)
    checkout.run("publish", "--cosign", cosigned(checkout))
    assert is_witnessed(checkout)


@pytest.mark.parametrize("text", ["", "x\n", "\u2014 w.example x\n", "\n\npsreg/x\n1\n\n"])
def test_what_is_no_cosignature_changes_nothing(checkout: Checkout, text: str) -> None:
    file = checkout.root.parent / "answer"
    file.write_text(text)
    before = (checkout.root / "registry/log/checkpoint").read_bytes()
    assert checkout.refused("publish", "--cosign", file, code=3) == "TRUST_LOG"
    assert (checkout.root / "registry/log/checkpoint").read_bytes() == before


def test_there_must_be_a_log_and_a_file(tmp_path: Path) -> None:
    bare = Checkout(tmp_path)
    assert bare.refused("publish", "--cosign", "nowhere", code=4) == "CANNOT_READ"
