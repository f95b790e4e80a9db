"""The rules about the record that is kept of an exchange, where a trace log is at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.proof import compact_json, json_shown, kind_of_json
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.trace import TRACE_KEYS, bare_digest, prompt_hash

TRACE = "/trace"

_TELLING = 12
"""Characters of a message that are not found in a record by chance."""

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[A-Za-z]{2,}")


@rule("PB2S025", spec="pb2s-0.2/PB2S-10 pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_record_incomplete(reply: Reply) -> Iterator[Finding]:
    """The trace log has no record of an exchange, or one that lacks something.

    ## Why
    Each exchange leaves a record with time, model, digest of the message and proof. A log with
    gaps cannot be trusted for what it does hold.

    ## Fix
    Write one JSON object a line, when the answer leaves.

    ```json
    {"timestamp": "2026-01-31T10:15:00Z", "model_id": "…", "prompt_hash": "…", "pb2s_proof": {…}}
    ```
    """
    if not reply.traced:
        return
    if not isinstance(reply.trace, dict):
        told = "no record" if reply.trace is None else kind_of_json(reply.trace)
        yield Finding(
            message=f"the trace log has {told} where the record of this exchange should be",
            at=TRACE,
            hint=f"A record is an object with {', '.join(TRACE_KEYS)}.",
        )
        return
    for key in TRACE_KEYS:
        value = reply.trace.get(key)
        if value is None or value == "":
            yield Finding(
                message=f"`{key}` is missing from the trace record",
                at=TRACE,
                hint=f"A record has {', '.join(TRACE_KEYS)}.",
            )


def _told(reply: Reply, key: str) -> Any:
    """Return a member of the trace record; None if there is no such thing."""
    return reply.trace.get(key) if reply.traced and isinstance(reply.trace, dict) else None


@rule("PB2S026", spec="pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_time_unreadable(reply: Reply) -> Iterator[Finding]:
    """The `timestamp` of a trace record is no time.

    ## Why
    A log is read by time: what was answered that afternoon? A program can sort and search only
    what it can parse.

    ## Fix
    Write ISO 8601 with a time zone, or seconds since 1970.

    ```text
    before   "timestamp": "yesterday"
    after    "timestamp": "2026-01-31T10:15:00Z"
    ```
    """
    value = _told(reply, "timestamp")
    if value not in (None, "") and not _is_time(value):
        yield Finding(
            message=f"`timestamp` is {json_shown(value)}, which is no time",
            at=f"{TRACE}/timestamp",
            hint="Write ISO 8601, such as 2026-01-31T10:15:00Z.",
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
    The digest is how a record can be told to be of a message without telling the message. With
    another algorithm, or over another text, nobody can check it.

    ## Fix
    Hash the UTF-8 bytes of the message, as it was sent, with SHA-256, and write it in hexadecimal.

    ```python
    hashlib.sha256(message.encode()).hexdigest()
    ```
    """
    value = _told(reply, "prompt_hash")
    if value in (None, "") or not isinstance(reply.message, str):
        return
    if not isinstance(value, str) or bare_digest(value) != prompt_hash(reply.message):
        yield Finding(
            message=f"`prompt_hash` is {json_shown(value)}, not the SHA-256 of the message",
            at=f"{TRACE}/prompt_hash",
            hint=f"It is {prompt_hash(reply.message)[:16]}… for this message.",
        )


@rule("PB2S028", spec="pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_proof_differs(reply: Reply) -> Iterator[Finding]:
    """The proof in a trace record is not the proof of the answer.

    ## Why
    The record is evidence of what was answered. If its proof says something else, one of the two
    was changed afterwards, or neither was ever the proof of this answer.

    ## Fix
    Log the same object that the answer carries.

    ```text
    before   answer: "cycles": 2      log: "cycles": 1
    after    answer: "cycles": 2      log: "cycles": 2
    ```
    """
    value = _told(reply, "pb2s_proof")
    if value not in (None, "") and compact_json(value) != compact_json(reply.proof):
        yield Finding(
            message="the proof in the trace record is not that of the answer",
            at=f"{TRACE}/pb2s_proof",
            hint="Log the same object that the answer carries.",
        )


@rule("PB2S029", spec="pb2s-0.2/PB2S-10 pb2s-0.2/PB2S-A14", severity=ERROR)
def trace_tells_too_much(reply: Reply) -> Iterator[Finding]:
    """A trace record holds the message, the answer, or an e-mail address.

    ## Why
    The log is light and without personal data; the digest is there so that the message need not
    be. What people ask is about their health, their work, other people, and logs are copied.

    ## Fix
    Log the four members and nothing that a person wrote.

    ```text
    before   {"timestamp": …, "prompt": "My name is Ana and …", …}
    after    {"timestamp": …, "prompt_hash": "3f5a…", …}
    ```
    """
    if not reply.traced or reply.trace is None:
        return
    record = reply.trace if isinstance(reply.trace, dict) else {"": reply.trace}
    for key, value in record.items():
        # A model may be called what somebody asks about; any other member has no such excuse.
        least = _TELLING if key in TRACE_KEYS else 1
        found = next(filter(None, (_too_much(reply, text, least) for text in _texts(value))), "")
        if found:
            yield Finding(
                message=f"the trace record holds {found}",
                at=TRACE,
                hint="Log digests instead of texts.",
            )
            return


def _too_much(reply: Reply, text: str, least: int) -> str:
    """Return what `text` tells; what is shorter than `least` may be there by chance."""
    for name, value in (("message", reply.message), ("answer", reply.written)):
        said = value.strip() if isinstance(value, str) else ""
        alike = said == text.strip() or (len(said) >= _TELLING and said in text)
        if len(said) >= least and alike:
            return f"the {name}"
    return "an e-mail address" if _MAIL.search(text) else ""


def _texts(record: Any) -> Iterator[str]:
    """Yield every text in a record, names of members included, however deep."""
    todo = [record]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, list):
            todo += value
