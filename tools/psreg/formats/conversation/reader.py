"""Reads a recorded conversation, in whichever form it was kept; never raises.

The forms are JSON Lines of turns, of a PLSP trace or of PB2S exchanges (DESIGN §2), one JSON
document of them (an array, a session, a single reply), a dialogue in plain text, a bare message.
What is inside tells them apart; the file's name only breaks ties. The evidence of a release may
be of the first form alone: `evidence` says so, and reads the lines for both.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from psreg.core.diagnostics import Span
from psreg.formats.conversation import json_lines
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_document import document
from psreg.formats.conversation.json_lines import MOST, Kind
from psreg.formats.conversation.plain_text import dialogue, message
from psreg.formats.conversation.record_reader import Record, conversation_of
from psreg.formats.issue import Issue
from psreg.formats.json import json_document

CODE = "PROTO001"
"""The rule that reports what could not be read."""

MAX_BYTES = 4_000_000
"""Size of the largest conversation psreg reads."""

MAX_RECORDS = 10_000
"""Turns, cycles or exchanges of one conversation."""

_BOM = "\ufeff"


def read(data: bytes, name: str = "", protocol: str = "") -> Conversation:
    """Return the conversation in `data`, whose file is called `name`.

    A text in which nobody is named is one message, and `protocol`, for which it is read, tells
    whose: of a user under VPP, of an assistant under PLSP and PB2S; "" is "not known".
    """
    if len(data) > MAX_BYTES:
        said = f"the file has {len(data):,} bytes; the largest allowed has {MAX_BYTES:,}"
        return _refused("", said, "Keep each conversation in a file of its own.")
    found = _read(data.decode(errors="replace"), name, protocol)
    issues = (*_undecodable(data), *_too_many(found), *found.issues)
    return replace(found, issues=issues[:MOST])


def _read(given: str, name: str, protocol: str) -> Conversation:
    text = given.removeprefix(_BOM)
    if not text.strip():
        return _refused(text, "the file is empty", json_lines.hint_for(None))
    hint = 'Begin each turn with "User:" or "Assistant:", or write JSON Lines.'
    return (
        _json(text, name)
        or (message(text, "") if protocol in ("", "plsp") else None)
        or dialogue(text, most=MAX_RECORDS + 1)
        or message(given, protocol)
        or _refused(text, "nothing says who speaks", hint)
    )


def _json(text: str, name: str) -> Conversation | None:
    """Read what begins like JSON: line by line, or as one document; None if it is neither."""
    first, several, _ = text.strip().partition("\n")
    if not first.startswith(("{", "[")):
        return None
    if several and json_document.parse(first.encode(errors="replace")).parsed:
        return _lines(text)
    tree = json_document.parse(text.encode(errors="replace"))
    if tree.parsed:
        return document(tree, code=CODE, most=MAX_RECORDS + 1)
    if name.endswith(".jsonl") or (several and first.startswith('{"')):
        return _lines(text)
    if name.endswith(".json"):
        return _refused(text, tree.issues[0].message, tree.issues[0].hint, tree.issues[0].span)
    return None


def _lines(text: str) -> Conversation:
    kind = Kind.TRANSCRIPT
    records: list[Record] = []
    issues: list[Issue] = []
    for index, line in enumerate(islice(json_lines.lines(text), MAX_RECORDS + 1)):
        kind = line.kind or kind
        if line.fault:
            hint = json_lines.hint_for(line.kind)
            issues.append(Issue(code=CODE, message=line.fault, span=line.span, hint=hint))
        else:
            records.append(Record(index=index, line=line.number, value=line.record))
    return conversation_of(kind, records, text=text, issues=issues)


def _undecodable(data: bytes) -> tuple[Issue, ...]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode())
        said = f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8"
        hint = "Save the file with the encoding UTF-8."
        return (Issue(code=CODE, message=said, span=Span(at, at + 1), hint=hint),)
    return ()


def _too_many(found: Conversation) -> tuple[Issue, ...]:
    if len(found.turns) + len(found.blocks) + len(found.exchanges) <= MAX_RECORDS:
        return ()
    said = f"more than {MAX_RECORDS:,} turns; what follows is not read"
    hint = "Keep each conversation in a file of its own."
    return (Issue(code=CODE, message=said, span=_START, hint=hint),)


_START = Span(0, 0)


def _refused(text: str, said: str, hint: str, span: Span = _START) -> Conversation:
    issue = Issue(code=CODE, message=said, span=span, hint=hint)
    return Conversation(kind=Kind.TRANSCRIPT, text=text, issues=(issue,))
