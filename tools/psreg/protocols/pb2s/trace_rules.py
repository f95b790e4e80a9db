"""Rules about the record of an exchange in a trace log, if there is one.

Personal data is found by its form, also in texts that base64, base32 or hexadecimal digits encode,
in UTF-8 or UTF-16. Names and street addresses have no form, so a text without a match may still
contain personal data.
"""

from __future__ import annotations

import re
from base64 import b32decode, b64decode
from binascii import Error as NotEncodedError
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from html import unescape
from ipaddress import ip_address
from typing import Any
from unicodedata import category, decimal, normalize
from urllib.parse import unquote

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import rule
from psreg.core.utf16 import utf16_text
from psreg.formats.json.json_document import strings_in
from psreg.protocols.pb2s.proof import compact_json, json_shown, kind_of_json
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.trace import TRACE_KEYS, bare_digest, prompt_hash

TRACE = "/trace"

_MIN_QUOTE = 12
"""Characters of a message that are not in a record by chance."""


@rule("PB2S025", spec="pb2s-0.2/PB2S-10 pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_record_incomplete(reply: Reply) -> Iterator[Finding]:
    """The record of an exchange in the trace log is missing or incomplete.

    ## Why
    Each exchange has a record with the time, the model, the digest of the message and the proof. A
    log with gaps is not reliable evidence.

    ## Fix
    Write one JSON object per line when you send the answer.

    ```json
    {"timestamp": "2026-01-31T10:15:00Z", "model_id": "…", "prompt_hash": "…", "pb2s_proof": {…}}
    ```
    """
    if not reply.traced:
        return
    if not isinstance(reply.trace, dict):
        found = "no record" if reply.trace is None else kind_of_json(reply.trace)
        yield Finding(
            message=f"the trace log has {found} for this exchange",
            at=TRACE,
            hint=f"Write an object with {', '.join(TRACE_KEYS)}.",
        )
        return
    for key in TRACE_KEYS:
        value = reply.trace.get(key)
        if value is None or value == "":
            yield Finding(
                message=f"`{key}` is missing from the trace record",
                at=TRACE,
                hint=f"Write {', '.join(TRACE_KEYS)}.",
            )


def _trace_member(reply: Reply, key: str) -> Any:
    """Return a member of the trace record, None if it is missing."""
    return reply.trace.get(key) if reply.traced and isinstance(reply.trace, dict) else None


@rule("PB2S026", spec="pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_time_unreadable(reply: Reply) -> Iterator[Finding]:
    """The `timestamp` of a trace record is not a time.

    ## Why
    People search a log by time. A program can only sort and search times that it can parse.

    ## Fix
    Write ISO 8601 with a time zone, or seconds since 1970.

    ```text
    before   "timestamp": "yesterday"
    after    "timestamp": "2026-01-31T10:15:00Z"
    ```
    """
    value = _trace_member(reply, "timestamp")
    if value not in (None, "") and not _is_time(value):
        yield Finding(
            message=f"`timestamp` is {json_shown(value)}; expected a time",
            at=f"{TRACE}/timestamp",
            hint="Write ISO 8601, such as `2026-01-31T10:15:00Z`.",
        )


def _is_time(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return value is not True and value > 0
    try:
        return bool(datetime.fromisoformat(value.strip()))
    except (AttributeError, ValueError):
        return False


@rule("PB2S027", spec="pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_hash_differs(reply: Reply) -> Iterator[Finding]:
    """The `prompt_hash` of a trace record is not the SHA-256 of the message.

    ## Why
    The digest identifies the message without revealing it. With another algorithm or another text,
    it cannot be checked.

    ## Fix
    Hash the UTF-8 bytes of the message as sent with SHA-256, and write the digest in hexadecimal.

    ```python
    hashlib.sha256(message.encode()).hexdigest()
    ```
    """
    value = _trace_member(reply, "prompt_hash")
    if value in (None, "") or not isinstance(reply.message, str):
        return
    if not isinstance(value, str) or bare_digest(value) != prompt_hash(reply.message):
        yield Finding(
            message=f"`prompt_hash` is {json_shown(value)}; expected the SHA-256 of the message",
            at=f"{TRACE}/prompt_hash",
            hint=f"Write `{prompt_hash(reply.message)[:16]}…` for this message.",
        )


@rule("PB2S028", spec="pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_proof_differs(reply: Reply) -> Iterator[Finding]:
    """The proof in a trace record differs from the proof of the answer.

    ## Why
    The record is evidence of the answer. If its proof differs, one of the two was changed later, or
    they do not belong to the same answer.

    ## Fix
    Log the same object that the answer has.

    ```text
    before   answer: "cycles": 2      log: "cycles": 1
    after    answer: "cycles": 2      log: "cycles": 2
    ```
    """
    value = _trace_member(reply, "pb2s_proof")
    if value not in (None, "") and compact_json(value) != compact_json(reply.proof):
        yield Finding(
            message="the proof in the trace record differs from the proof of the answer",
            at=f"{TRACE}/pb2s_proof",
            hint="Log the same object that the answer has.",
        )


@rule("PB2S029", spec="pb2s-0.2/PB2S-10 pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_tells_too_much(reply: Reply) -> Iterator[Finding]:
    """A trace record contains the message, the answer, or other personal data.

    ## Why
    A log must not contain personal data; it has the digest instead of the message. People ask about
    their health, their work and other people, and logs are copied. psreg looks for the message and
    the answer, e-mail addresses, telephone numbers and IP addresses, also in base64, base32,
    hexadecimal or UTF-16: an encoding hides nothing. It does not recognise names.

    ## Fix
    Log the four members, and nothing that a person wrote.

    ```text
    before   {"timestamp": …, "prompt": "My name is Ana and …", …}
    after    {"timestamp": …, "prompt_hash": "3f5a…", …}
    ```
    """
    if not reply.traced or reply.trace is None:
        return
    record = reply.trace if isinstance(reply.trace, dict) else {"": reply.trace}
    for key, value in record.items():
        # A short message may be equal to the name of a model; other members are checked strictly.
        least = _MIN_QUOTE if key in TRACE_KEYS else 1
        matches = (_revealed(reply, text, least) for text in strings_in(value))
        found = next(filter(None, matches), "")
        if not found and isinstance(value, (str, int)):
            found = personal_data(f"{key}: {value}")  # such as the number of a member `phone`
        if found:
            yield Finding(
                message=f"the trace record contains {found}",
                at=TRACE,
                hint="Log digests instead of texts.",
                since="" if found in _KNOWN_FIRST else "0.2.0",
            )
            return


_KNOWN_FIRST = ("the message", "the answer", "an e-mail address")
"""What the first version of the rule looked for."""


def _revealed(reply: Reply, text: str, least: int) -> str:
    """Return what `text` reveals; a match shorter than `least` may be there by chance."""
    if found := _personal_data(reply, text, least):
        return found
    inner = (_personal_data(reply, each, least) for each in decoded_texts(text))
    return next((f"{found}, encoded" for found in inner if found), "")


def _personal_data(reply: Reply, text: str, least: int) -> str:
    for name, value in (("message", reply.message), ("answer", reply.written)):
        said = value.strip() if isinstance(value, str) else ""
        quoted = said == text.strip() or (len(said) >= _MIN_QUOTE and said in text)
        if len(said) >= least and quoted:
            return f"the {name}"
    return personal_data(text)


_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[A-Za-z]{2,}")

_GAP = r"[ ./()-]{0,2}"
_TELEPHONE = re.compile(
    rf"(?<![\w.:+-])(?:(?:\+|00)[1-9](?:{_GAP}[0-9]){{7,14}}"
    rf"|\(?0[1-9](?:{_GAP}[0-9]){{6,11}}"
    r"|(?:1[ .-])?\(?[2-9][0-9]{2}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}"
    r")(?![\w:]|[.-][0-9])"
    rf"|\b(?i:tel|phone|telephone|mobile|cell|fax|whatsapp)\b[^\w+]{{0,8}}\+?[0-9](?:{_GAP}[0-9]){{6,14}}"
)
"""International numbers, national ones that begin with 0, those of North America, labelled ones."""

_IP_ADDRESS = re.compile(
    r"(?<![\w.:-])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,41})"
    r"(?!\w|\.[0-9])"
)
_LEADING_ZEROS = re.compile(r"\b0+(?=[0-9])")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))")
_BYTES = re.compile(
    r"(?:\\x[0-9A-Fa-f]{2}){4,}"
    r"|(?:(?:0x)?[0-9A-Fa-f]{2}[\s:,;-]{1,2}){4,}(?:0x)?[0-9A-Fa-f]{2}(?![0-9A-Fa-f])"
)
_BETWEEN = re.compile(r"0x|\\x|[\s:,;-]")
_ONE_ALPHABET = str.maketrans("-_", "+/")


def personal_data(text: str) -> str:
    """Return what kind of personal data is in `text`, such as `an e-mail address`, or "".

    Digits of any script count, and so do dashes and blanks of any kind.
    """
    text = text.replace("\0", "")  # what UTF-16 has between the letters of ASCII
    text = text if text.isascii() else "".join(map(_plain, normalize("NFKC", text)))
    if _MAIL.search(text):
        return "an e-mail address"
    if any(_is_personal_address(found[0].rstrip(".")) for found in _IP_ADDRESS.finditer(text)):
        return "an IP address"
    return "a telephone number" if _TELEPHONE.search(text) else ""


def _plain(character: str) -> str:
    """Return what a character is in ASCII if it is a digit, a dash, a blank or not visible."""
    kind = category(character)
    if kind == "Nd":
        return str(decimal(character))
    return _AS_ASCII.get(kind, character)


_AS_ASCII = {"Pd": "-", "Zs": " ", "Cf": ""}


def _is_personal_address(text: str) -> bool:
    try:
        address = ip_address(_LEADING_ZEROS.sub("", text) if ":" not in text else text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def decoded_texts(text: str) -> Iterator[str]:
    """Yield the texts that are encoded in `text`, in base64, base32 or hexadecimal digits.

    So are those with characters as entities, as in a URL, or as escapes. Blanks, line breaks and
    what else is between the digits do not matter; an encoded text may be encoded again.
    """
    plain = unescape(unquote(text))
    plain = _ESCAPE.sub(_unescaped, _BYTES.sub(_joined, plain))
    if plain != text:
        yield plain
    for source in dict.fromkeys((plain, "".join(plain.split()))):
        for inner in _once_decoded(source):
            yield inner
            yield from _once_decoded(inner)


def _joined(found: re.Match[str]) -> str:
    return f" {_BETWEEN.sub('', found[0])} "


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1] or found[2], 16))


def _once_decoded(text: str) -> Iterator[str]:
    for found in _ENCODED.finditer(text):
        for data in _decoded(found[0]):
            if wide := utf16_text(data):
                yield wide
            with suppress(UnicodeDecodeError):
                yield data.decode()


def _decoded(digits: str) -> Iterator[bytes]:
    with suppress(ValueError):
        yield bytes.fromhex(digits)
    with suppress(NotEncodedError):
        yield b32decode(digits + "=" * (-len(digits) % 8), casefold=True)
    with suppress(NotEncodedError):
        yield b64decode(digits.translate(_ONE_ALPHABET) + "=" * (-len(digits) % 4))


TRACE_RULES = (
    trace_record_incomplete,
    trace_time_unreadable,
    trace_hash_differs,
    trace_proof_differs,
    trace_tells_too_much,
)
