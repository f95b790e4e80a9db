"""Owners sign exactly what the record says; nothing else, and for no other registry or name."""

import json
import shutil
import subprocess
from base64 import b64decode, b64encode
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from securesystemslib.dsse import Envelope

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.registry.owners.in_toto import MOST_SIGNATURES, PAYLOAD_TYPE
from psreg.registry.owners.statement import NAMESPACE, Statement
from psreg.registry.trust.roles import Target
from psreg.registry.trust.ssh_signature import SshSignature

PATH = "pbes/prompt/letter/1.0.0/letter.prompt"
STATEMENT = Statement(
    name="letter",
    version="1.0.0",
    registry_id="a" * 32,
    files={PATH: Target.of(b"text"), f"{PATH}.md": Target.of(b"more")},
    requires={"glossary": "^1.2"},
)


def owner(folder, name):
    """An owner: a function that signs with a key in a file, and its public key."""
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    private = Ed25519PrivateKey.generate()
    place = folder / name
    place.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    place.chmod(0o600)
    public = subprocess.run(
        [program, "-y", "-f", place], capture_output=True, text=True, check=True
    )

    def sign(message, namespace=NAMESPACE):
        command = [program, "-Y", "sign", "-n", namespace, "-f", place]
        done = subprocess.run(command, input=message, capture_output=True, check=True)
        return SshSignature.parse(done.stdout)

    return sign, SshKey.parse(public.stdout)


@pytest.fixture(scope="module")
def owners(tmp_path_factory):
    folder = tmp_path_factory.mktemp("owners")
    return [owner(folder, name) for name in ("ana", "ben", "cem")]


def refused(function, *arguments):
    with pytest.raises(TrustError) as error:
        function(*arguments)
    assert error.value.code == "TRUST_STATEMENT"
    return str(error.value)


def enveloped(owners, statement=STATEMENT):
    signatures = [sign(statement.message) for sign, _ in owners]
    return json.loads(json.dumps(statement.envelope(signatures)))


def keys_of(owners):
    """Who has which key: each of the owners has one."""
    return {key: number for number, (_, key) in enumerate(owners)}


def test_a_statement_is_in_toto():
    value = json.loads(STATEMENT.payload)
    assert value["_type"] == "https://in-toto.io/Statement/v1"
    assert [subject["name"] for subject in value["subject"]] == sorted(STATEMENT.files)
    assert value["subject"][0] == {
        "name": PATH,
        "digest": {"sha256": Target.of(b"text").sha256},
        "annotations": {"length": 4},
    }
    assert value["predicate"] == {
        "name": "letter",
        "version": "1.0.0",
        "registry": "a" * 32,
        "requires": {"glossary": "^1.2"},
        "previous": None,
    }


def test_what_is_signed_is_dsse(owners):
    envelope = Envelope.from_dict(enveloped(owners[:1]) | {"signatures": []})
    assert envelope.pae() == STATEMENT.message
    assert (envelope.payload, envelope.payload_type) == (STATEMENT.payload, PAYLOAD_TYPE)


def test_so_many_owners_sign(owners):
    keys = keys_of(owners)
    for number in range(1, 4):
        envelope = enveloped(owners[:number])
        found = STATEMENT.check(envelope, keys, number)
        assert [signature.key for signature in found] == [*keys][:number]
        if number < 3:
            said = refused(STATEMENT.check, envelope, keys, number + 1)
            assert f"{number} of the {number + 1}" in said


def test_one_owner_counts_once(owners):
    twice = enveloped([owners[0], owners[0]])
    assert len(STATEMENT.check(twice, keys_of(owners), 1)) == 1
    refused(STATEMENT.check, twice, keys_of(owners), 2)
    two_keys = dict.fromkeys(keys_of(owners), "ana")
    assert len(STATEMENT.check(enveloped(owners), two_keys, 1)) == 1
    refused(STATEMENT.check, enveloped(owners), two_keys, 2)


def test_a_stranger_does_not_count(owners):
    strange = enveloped(owners[1:])
    said = refused(STATEMENT.check, strange, keys_of(owners[:1]), 1)
    assert owners[1][1].fingerprint in said
    mixed = enveloped(owners)
    assert len(STATEMENT.check(mixed, keys_of(owners[:1]), 1)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"name": "letter2"},
        {"version": "1.0.1"},
        {"registry_id": "b" * 32},
        {"requires": {}},
        {"requires": {"glossary": "^1.2", "more": "1"}},
        {"previous": "c" * 64},
        {"files": {PATH: Target.of(b"text")}},
        {"files": {**STATEMENT.files, PATH: Target.of(b"evil")}},
        {"files": {**STATEMENT.files, PATH: Target(length=5, sha256=Target.of(b"text").sha256)}},
        {"files": {**STATEMENT.files, f"{PATH}.json": Target.of(b"")}},
    ],
)
def test_a_statement_about_something_else_is_refused(owners, change):
    other, keys = replace(STATEMENT, **change), keys_of(owners)
    assert other.digest != STATEMENT.digest
    refused(other.check, enveloped(owners), keys, 1)
    moved = enveloped(owners) | {"payload": b64encode(other.payload).decode()}
    assert "signed something else" in refused(other.check, moved, keys, 1)


def test_what_was_signed_for_another_purpose_is_refused(owners):
    sign, key = owners[0]
    for namespace in ("file", "release@psreg2", "git"):
        envelope = STATEMENT.envelope([sign(STATEMENT.message, namespace)])
        assert "not for 'release@psreg'" in refused(STATEMENT.check, envelope, {key: 0}, 1)
    bare = STATEMENT.envelope([sign(STATEMENT.payload)])
    refused(STATEMENT.check, bare, {key: 0}, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"payloadType": "text/plain"},
        {"payload": ""},
        {"payload": None},
        {"signatures": None},
        {"signatures": []},
        {"signatures": {}},
        {"signatures": [None]},
        {"signatures": [{"keyid": "x"}]},
        {"signatures": [{"sig": 1}]},
        {"signatures": [{"sig": "!"}]},
        {"signatures": [{"sig": "\u00fc"}]},
        {"signatures": [{"sig": "AAAA"}]},
        {"signatures": [{"sig": ""}]},
    ],
)
def test_a_malformed_envelope_is_refused(owners, change):
    refused(STATEMENT.check, enveloped(owners) | change, keys_of(owners), 1)


@pytest.mark.parametrize("envelope", [None, [], "", 1, {}])
def test_what_is_no_envelope_is_refused(owners, envelope):
    refused(STATEMENT.check, envelope, keys_of(owners), 1)


def test_there_are_not_endless_signatures(owners):
    envelope = enveloped(owners[:1])
    (signature,) = envelope["signatures"]
    envelope["signatures"] = [signature] * MOST_SIGNATURES
    assert len(STATEMENT.check(envelope, keys_of(owners), 1)) == 1
    envelope["signatures"].append(signature)
    assert "malformed" in refused(STATEMENT.check, envelope, keys_of(owners), 1)


def test_the_signature_in_an_envelope_is_that_of_ssh(owners):
    envelope = enveloped(owners[:1])
    blob = b64decode(envelope["signatures"][0]["sig"])
    assert blob.startswith(b"SSHSIG")
    assert envelope["signatures"][0]["keyid"] == owners[0][1].fingerprint
