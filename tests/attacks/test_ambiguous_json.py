"""Signed bytes that two readers would understand differently."""

from __future__ import annotations

import pytest

from simulator import METADATA, encode

TIMESTAMP = f"{METADATA}timestamp.json"


@pytest.mark.attack("T1", (3, "TRUST_METADATA"))
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"version":', b'"version": 999, "version":'),
        (b'"version":', b'"float": 1.5, "version":'),
        (b'"version":', b'"big": 1' + b"0" * 6000 + b', "version":'),
        (b'"version":', b'"odd": NaN, "version":'),
        (b'"version":', b'"half": "\\ud800", "version":'),
        (b'"version":', b'"deep": ' + b"[" * 40 + b"]" * 40 + b', "version":'),
        (b'"version":', b'"deep": ' + b"[" * 8000 + b', "version":'),
        (b'"version":', b'"bytes": "\xff", "version":'),
    ],
    ids=["duplicate", "float", "integer", "nan", "surrogate", "depth", "unclosed", "utf-8"],
)
def test_ambiguous_metadata_never_reaches_the_verifier(attack, old, new):
    data = attack.registry.files[TIMESTAMP]
    assert old in data.replace(b'"version": ', old)
    attack.registry.files[TIMESTAMP] = data.replace(b'"version"', new[:-1], 1)
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T1", (3, "TRUST_METADATA"))
def test_an_ambiguous_record_is_refused_though_it_is_signed(attack):
    registry = attack.registry
    data = encode(registry.records["quiz_master"])
    registry.target("pkg/quiz_master.json", data.replace(b'"serial"', b'"serial":9,"serial"', 1))
    registry.sign_all()
    assert attack.install() == (3, "TRUST_METADATA")


@pytest.mark.attack("T1", (3, "TRUST_METADATA"))
def test_an_ambiguous_catalogue_is_refused_though_it_is_signed(attack):
    registry = attack.registry
    registry.target("catalog/head.json", b'{"schema":1,"schema":2}')
    registry.sign_all()
    assert attack.client.refused("search") == (3, "TRUST_METADATA")
