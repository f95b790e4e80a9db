"""Checkpoints are signed notes of C2SP; Go's tools read them, and psreg reads theirs."""

from base64 import b64decode, b64encode
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from psreg.core.errors import TrustError
from psreg.registry.log.checkpoint import (
    LARGEST,
    Checkpoint,
    NoteKey,
    Witnesses,
    signed,
    verified,
    with_cosignatures,
    witnessed,
)
from psreg.registry.trust.signing_keys import (
    generate_key,
    is_signed_by,
    key_to_pem,
    public_key,
    signature_of,
)

ROOT = bytes(range(32))
PEM = key_to_pem(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
KEY = NoteKey(name="registry.example/log", public=public_key(PEM))
CHECKPOINT = Checkpoint(origin=KEY.name, size=20852, root=ROOT)
NOTE = signed(CHECKPOINT, PEM)

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
"""The key of the example in the documentation of Go's package `note`, and its signature."""

SAID = b"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
SIGNED = (
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
)


def refused(function, *arguments):
    with pytest.raises(TrustError) as error:
        function(*arguments)
    assert error.value.code == "TRUST_LOG"


def test_a_checkpoint_is_written_as_c2sp_says():
    text, _, signature = NOTE.decode().partition("\n\n")
    assert text.split("\n") == [KEY.name, "20852", b64encode(ROOT).decode()]
    dash, name, encoded = signature.removesuffix("\n").split(" ")
    assert (dash, name) == ("\u2014", KEY.name)
    data = b64decode(encoded)
    assert data[:4] == KEY.id
    assert is_signed_by(KEY.public, data[4:], f"{text}\n".encode())


def test_the_log_and_nobody_else_is_believed():
    assert verified(NOTE, KEY) == CHECKPOINT
    refused(verified, NOTE, NoteKey(name=KEY.name, public=public_key(generate_key())))
    refused(verified, NOTE, NoteKey(name="another", public=KEY.public))
    refused(verified, NOTE, NoteKey(name=KEY.name, public=KEY.public, witness=True))


def test_go_reads_and_writes_the_same():
    key = NoteKey.parse(PETER)
    assert (str(key), key.name, key.id.hex()) == (PETER, "PeterNeumann", "c74f20a3")
    signature = b64decode(SIGNED)
    assert signature[:4] == key.id
    assert is_signed_by(key.public, signature[4:], SAID)
    refused(verified, SAID + f"\n\u2014 PeterNeumann {SIGNED}\n".encode(), key)  # of no log


COSIGNED = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

\u2014 arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
\u2014 arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
\u2014 witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
\u2014 remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
"""
"""A checkpoint that a public log of certificates published, cosigned by public witnesses."""

CERTIFICATES = (
    "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
)
REMORA = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"


def test_a_cosigned_checkpoint_of_another_log():
    log, witness = NoteKey.parse(CERTIFICATES), NoteKey.parse(REMORA)
    assert (log.witness, witness.witness, witness.id.hex()) == (False, True, "da77ade7")
    note = COSIGNED.encode()
    assert verified(note, log).size == 1432088532
    assert witnessed(note, witness) == datetime.fromtimestamp(0x6A122120, UTC)
    Witnesses.parse([REMORA], 1).check(note)
    other = COSIGNED.replace("1432088532", "1432088531").encode()
    refused(verified, other, log)
    assert witnessed(other, witness) is None
    assert witnessed(COSIGNED.replace("AAAABqEiEgPlfF", "AAAABqEiEhPlfF").encode(), witness) is None
    with_others = COSIGNED.replace("remora.n621.de", "remora.n621.eu").encode()
    assert witnessed(with_others, witness) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        PETER.replace("c74f20a3", "c74f20a4"),
        PETER.replace("+ARpc", "+BRpc"),
        PETER.replace("PeterNeumann", "Peter Neumann"),
        PETER.replace("PeterNeumann", ""),
        PETER[:-1],
        f"{PETER}=",
        f"{PETER}+x",
        "n+00000000+ü",
    ],
)
def test_what_is_no_key(text):
    refused(NoteKey.parse, text)


def test_a_key_says_itself():
    for key in (KEY, NoteKey(name="w", public=KEY.public, witness=True)):
        assert NoteKey.parse(str(key)) == key


def note(*lines, name=KEY.name, pem=PEM):
    """A note with any text, signed by the log."""
    text = "".join(f"{line}\n" for line in lines)
    signature = b64encode(KEY.id + signature_of(text.encode(), pem)).decode()
    return f"{text}\n\u2014 {name} {signature}\n".encode()


ENCODED = b64encode(ROOT).decode()


def test_later_lines_and_other_signatures_are_left_alone():
    extended = note(KEY.name, "5", ENCODED, "a line of a later version")
    other = f"\u2014 stranger {b64encode(bytes(68)).decode()}\n".encode()
    assert verified(extended + other, KEY).size == 5
    assert verified(NOTE + other + other, KEY) == CHECKPOINT


@pytest.mark.parametrize(
    "lines",
    [
        ("another origin", "5", ENCODED),
        (KEY.name, "05", ENCODED),
        (KEY.name, "-5", ENCODED),
        (KEY.name, "\u0665", ENCODED),
        (KEY.name, "1" * 17, ENCODED),
        (KEY.name, "5"),
        (KEY.name, "5", ENCODED[:-4]),
        (KEY.name, "5", f"{ENCODED} "),
        (KEY.name, "5", ENCODED.replace("8=", "9=")),
        (KEY.name,),
        (),
    ],
)
def test_what_the_log_signed_must_be_a_checkpoint(lines):
    refused(verified, note(*lines), KEY)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        NOTE[:-1],
        NOTE.replace(b"\n\n", b"\n"),
        NOTE.replace(b"20852", b"20853"),
        NOTE.replace("\u2014".encode(), b"-"),
        NOTE.replace("\u2014".encode(), b"\xff"),
        NOTE.replace(b"\n", b"\r\n"),
        NOTE + b"\n",
        NOTE + b"and more\n",
        NOTE + "\u2014 x\n".encode(),
        note(KEY.name, "5\t", ENCODED),
        note(KEY.name, "5", ENCODED, "\x00"),
        b"x" * LARGEST + NOTE,
    ],
)
def test_what_is_no_note_of_the_log(data):
    refused(verified, data, KEY)


def test_no_bit_of_the_signed_text_can_be_changed():
    end = NOTE.index(b"\n\n")
    for at in range(end * 8):
        byte, bit = divmod(at, 8)
        refused(verified, NOTE[:byte] + bytes([NOTE[byte] ^ 1 << bit]) + NOTE[byte + 1 :], KEY)


WITNESS_PEM = generate_key()
WITNESS = NoteKey(name="witness.example", public=public_key(WITNESS_PEM), witness=True)


def cosigned(time, text=CHECKPOINT.text, key=WITNESS):
    message = f"cosignature/v1\ntime {time}\n{text}".encode()
    data = key.id + time.to_bytes(8, "big") + signature_of(message, WITNESS_PEM)
    return NOTE + f"\u2014 {key.name} {b64encode(data).decode()}\n".encode()


def test_a_witness_says_when_it_saw_the_log():
    when = datetime(2026, 11, 1, 12, tzinfo=UTC)
    assert witnessed(cosigned(int(when.timestamp())), WITNESS) == when
    assert verified(cosigned(5), KEY) == CHECKPOINT


def test_a_witness_of_something_else_is_not_believed():
    assert witnessed(NOTE, WITNESS) is None
    assert witnessed(cosigned(5, text="another text\n"), WITNESS) is None
    assert witnessed(cosigned(5), NoteKey(name=WITNESS.name, public=WITNESS.public)) is None
    assert witnessed(cosigned(5), KEY) is None
    assert witnessed(cosigned(1 << 63), WITNESS) is None  # no time that can be told
    refused(witnessed, b"not a note", WITNESS)


OTHER = NoteKey(name="another.example", public=public_key(WITNESS_PEM), witness=True)


def test_enough_witnesses_must_have_seen_it():
    third = NoteKey(name="third.example", public=public_key(generate_key()), witness=True)
    texts = [str(WITNESS), str(third)]
    Witnesses().check(NOTE)
    Witnesses.parse([], 0).check(b"")
    Witnesses.parse(texts, 1).check(cosigned(5))
    for note, needed in ((NOTE, 1), (cosigned(5), 2), (cosigned(5) + cosigned(5)[len(NOTE) :], 2)):
        with pytest.raises(TrustError) as error:
            Witnesses.parse(texts, needed).check(note)
        assert error.value.code == "TRUST_WITNESS"
    assert "1 of the 2 witnesses" in error.value.message


@pytest.mark.parametrize(
    ("texts", "threshold"),
    [
        ([str(KEY)], 1),
        (["x"], 1),
        ([str(WITNESS)] * 2, 1),
        ([str(WITNESS), str(OTHER)], 2),
        ([str(WITNESS)], 2),
        ([str(WITNESS)], 0),
        ([str(WITNESS)], -1),
    ],
)
def test_witnesses_that_mean_nothing(texts, threshold):
    with pytest.raises(ValueError, match="witness"):
        Witnesses.parse(texts, threshold)


def test_cosignatures_are_added_once():
    lines = cosigned(5)[len(NOTE) :]
    note = with_cosignatures(NOTE, lines)
    assert note == cosigned(5) == with_cosignatures(note, lines)
    assert with_cosignatures(NOTE, lines[:-1]) == note
    for other in (b"x", b"\n", b"", lines.replace(b" ", b"  "), b"\xff\n", b"\n\n" + NOTE):
        refused(with_cosignatures, NOTE, other)


@pytest.mark.parametrize(
    ("public", "signature"), [(b"", bytes(64)), (bytes(31), bytes(64)), (KEY.public, b"")]
)
def test_keys_and_signatures_of_another_size_are_none(public, signature):
    assert not is_signed_by(public, signature, b"message")
