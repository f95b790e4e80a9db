"""Cosignatures of witnesses become part of the checkpoint in force."""

from __future__ import annotations

from base64 import b64encode

import pytest

from psreg.core.errors import PsregError
from psreg.registry.keys.cosigning import cosign
from psreg.registry.log.checkpoint import NoteKey, witnessed
from psreg.registry.trust.signing_keys import generate_key, public_key, signature_of
from support.publishing import FIRST, NOW, founded, logless, ports, release, state_of

PEM = generate_key()
KEY = NoteKey(name="w.example", public=public_key(PEM), witness=True)


@pytest.fixture
def places(tmp_path):
    return tmp_path / "home", tmp_path / "registry"


def line(note):
    text = note.decode().partition("\n\n")[0] + "\n"
    signature = signature_of(f"cosignature/v1\ntime 7\n{text}".encode(), PEM)
    data = KEY.id + (7).to_bytes(8, "big") + signature
    return f"\u2014 {KEY.name} {b64encode(data).decode()}\n".encode()


def test_they_are_added_once(places):
    founded(*places)
    note = state_of(places[1]).checkpoint
    cosign(line(note), NOW, ports(*places))
    state = state_of(places[1])
    assert witnessed(state.checkpoint, KEY) is not None
    assert (places[1] / "log/checkpoint").read_bytes() == state.checkpoint
    cosign(line(note), NOW, ports(*places))
    assert state_of(places[1]).versions == state.versions


def test_there_must_be_a_log(places, monkeypatch):
    for _ in range(2):
        with pytest.raises(PsregError) as caught:
            cosign(line(b"x\n\n"), NOW, ports(*places))
        assert caught.value.code == "NOT_PUBLISHED"
        logless(monkeypatch)
        release(*places, FIRST)
