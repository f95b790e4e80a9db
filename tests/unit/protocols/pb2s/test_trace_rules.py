"""What has the form of personal data, what only looks like it, and what an encoding hides."""

import hashlib
import textwrap
import uuid
from base64 import b32encode, b64encode, urlsafe_b64encode

import pytest

from psreg.protocols.pb2s.trace_rules import decoded_texts, personal_data


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ask ana@example.org", "an e-mail address"),
        ("from 203.0.113.7:8080", "an IP address"),
        ("from 203.0.113.7.", "an IP address"),
        ("[2001:db8::7]:443", "an IP address"),
        ("fe80::1%eth0", "an IP address"),
        ("call +49 170 1234567", "a telephone number"),
        ("+1 (415) 555-0132", "a telephone number"),
        ("0043 1 5123456", "a telephone number"),
        ("030/1234567", "a telephone number"),
        ("(0170) 123 45 67.", "a telephone number"),
        ("01 23 45 67 89", "a telephone number"),
        ("(415) 555-0132", "a telephone number"),
        ("415.555.0132", "a telephone number"),
        ("Phone: 4155550132", "a telephone number"),
        ("tel (4155550132)", "a telephone number"),
        ("from 192.168.001.017", "an IP address"),
        ("1-800-555-0199", "a telephone number"),
        ("+49\u00a0170\u00a01234567", "a telephone number"),
        ("+49\u2011170\u20111234567", "a telephone number"),
        ("\uff10\uff11\uff17\uff10 1234567", "a telephone number"),
        ("+\u0664\u0669 170 1234567", "a telephone number"),
        ("ana\uff20example.org", "an e-mail address"),
        ("ana\u200b@example.org", "an e-mail address"),
        ("203.0.113\u2024\uff17", "an IP address"),
    ],
)
def test_what_has_the_form_of_personal_data(text, kind):
    assert personal_data(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model-4-0613, 2.10.3, v1.2.3.4, 1.2.3.4.5, 256.1.1.1",
        "2026-01-31T10:15:00Z 2026-01-31T10:15:00.123456789+01:00 20260131-101500",
        "run-20260131-101500-12345678-1234-1234-1234-123456789012",
        "e3c04a8421d29e945713dccc9c31475b363028ef38dcc74f4520646cca3893f4",
        "127.0.0.1 ::1 :: std::vector 10:15",
        "0.1234567891 1706695200 tokens=1024 intel 12345678 telephone",
    ],
)
def test_what_only_looks_like_it(text):
    assert personal_data(text) == ""


def test_what_an_encoding_hides():
    secret = "Grüße an ana@example.org"
    for encoded in (
        b64encode(secret.encode()).decode(),
        b64encode(secret.encode()).decode().rstrip("="),
        urlsafe_b64encode(secret.encode()).decode(),
        secret.encode().hex(),
        b64encode(b64encode(secret.encode())).decode(),
    ):
        assert secret in decoded_texts(f"x {encoded}!")
    for encoded in ("ana%40example.org", "ana&#64;example.org", "YW5h%51GV4YW1wbGUub3Jn"):
        assert any(personal_data(text) for text in decoded_texts(encoded)), encoded
    wrapped = textwrap.wrap(b64encode(secret.encode()).decode(), 9)
    assert secret in decoded_texts("\n".join(wrapped))
    assert not any(personal_data(text) for text in decoded_texts("claude-opus-4-20250101 " * 3))


SECRETS = ("ana@example.org", "Grüße an ana@example.org", "call +49 170 1234567", "203.0.113.7")
BYTES = ("utf-8", "utf-16", "utf-16-le", "utf-16-be")
ENCODINGS = {
    "base64": lambda data: b64encode(data).decode(),
    "base64 without padding": lambda data: b64encode(data).decode().rstrip("="),
    "base32": lambda data: b32encode(data).decode(),
    "base32 in lower case": lambda data: b32encode(data).decode().lower().rstrip("="),
    "digits": bytes.hex,
    "digits with blanks": lambda data: data.hex(" "),
    "digits with colons": lambda data: data.hex(":"),
    "numbers": lambda data: ", ".join(f"0x{byte:02x}" for byte in data),
    "escaped bytes": lambda data: "".join(f"\\x{byte:02x}" for byte in data),
    "base32 in base64": lambda data: b64encode(b32encode(data)).decode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("form", BYTES)
@pytest.mark.parametrize("secret", SECRETS)
def test_how_personal_data_may_be_encoded(secret, form, encoding):
    text = f"note: {ENCODINGS[encoding](secret.encode(form))}."
    assert any(personal_data(inner) for inner in decoded_texts(text)), text


def test_escaped_characters_and_text_with_zeros():
    escaped = "".join(f"\\u{ord(character):04x}" for character in SECRETS[0])
    assert any(map(personal_data, decoded_texts(escaped)))
    assert personal_data("\0".join(SECRETS[0])) == "an e-mail address"


def test_digests_and_identifiers_encode_nothing():
    """What a trace record has: digests, ids, models, times, tokens."""
    for number in range(2_000):
        digest = hashlib.sha256(str(number).encode())
        texts = (
            digest.hexdigest(),
            b64encode(digest.digest()).decode(),
            b32encode(digest.digest()).decode(),
            str(uuid.UUID(bytes=digest.digest()[:16])),
            f"run-{number}-{digest.hexdigest()[:12]} 2026-01-31T10:15:{number % 60:02d}Z",
        )
        found = [t for text in texts for t in decoded_texts(text) if personal_data(t)]
        assert found == []
