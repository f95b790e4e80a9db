"""Reads a recorded conversation in any form; never raises.

The forms are JSON Lines of turns, of a PLSP trace or of PB2S exchanges; one JSON document of them
(an array, a session, a single record); a dialogue in plain text; and a bare message. The content
decides the form; the file name only breaks ties. The evidence of a release must be JSON Lines or
cited text, which its own rules check.

A session is an object with `turns` or `messages`. A turn of it may be split into `raw_header`,
`body` and `footer`, and `protocol_version` declares a version. A single PB2S reply, as an endpoint
sends it, does not need the message that it answers.

In plain text, the first label decides the style of all labels: `User:`, `**User:**`, `[User]` or
`### User`. A label in another style is part of the message, and so are blank lines inside it. Blank
lines before the next label or below a heading are not. Text before the first label is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from psreg.core.diagnostics import Issue, LineIndex, Span
from psreg.formats.conversation import json_lines
from psreg.formats.conversation.conversation import (
    Conversation,
    CycleRecord,
    Exchange,
    Record,
    Turn,
    conversation_of,
)
from psreg.formats.conversation.json_lines import MAX_ISSUES, Kind, kind_of
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree

_ROLES = {
    "user": ("user", "human", "you", "you said"),
    "assistant": ("assistant", "ai", "bot", "model", "chatgpt", "chatgpt said", "claude", "gemini"),
    "system": ("system",),
}
_ROLE = {label: role for role, labels in _ROLES.items() for label in labels}
_LABEL = f"(?P<label>{'|'.join(sorted(_ROLE, key=len, reverse=True))})"

_STYLES = tuple(
    re.compile(pattern.replace("LABEL", _LABEL), re.MULTILINE | re.IGNORECASE)
    for pattern in (
        r"^#{1,6}[ \t]+LABEL[ \t]*+:?[ \t]*+\r?$",
        r"^\*\*LABEL(?::\*\*|\*\*:?)[ \t]*+",
        r"^\[LABEL\]:?[ \t]*+",
        r"^LABEL:[ \t]*+",
    )
)


def read_dialogue(text: str, *, limit: int) -> Conversation | None:
    """Return the conversation in a text with labels, `limit` turns at most; None without labels."""
    first = [(found.start(), style) for style in _STYLES if (found := style.search(text))]
    if not first:
        return None
    _, style = min(first, key=lambda each: each[0])
    turns = tuple(islice(_turns(text, style), limit))
    return Conversation(kind=Kind.TRANSCRIPT, text=text, turns=turns)


def _read_message(text: str, protocol: str) -> Conversation | None:
    """Return the conversation of a text that is one bare message, or None if its role is unclear.

    A PLSP block is recognised under any protocol; otherwise `protocol` decides the role.
    """
    if protocol == "plsp" or (not protocol and text.lstrip().startswith("S{")):
        block = _without_trailing_lines(text)
        cycle = CycleRecord(
            index=0, line=1, instr=None, previous=None, next=block, record={"next": block}
        )
        return Conversation(kind=Kind.PLSP, text=text, cycles=(cycle,))
    if protocol == "pb2s":
        exchange = Exchange(
            index=0,
            line=1,
            message=None,
            text=text,
            proof=None,
            missing=frozenset({"pb2s_proof"}),
            record={"text": text},
        )
        return Conversation(kind=Kind.PB2S, text=text, exchanges=(exchange,))
    if protocol == "vpp":
        turn = _turn(0, 1, "user", _without_trailing_lines(text))
        return Conversation(kind=Kind.TRANSCRIPT, text=text, turns=(turn,))
    return None


def _turns(text: str, style: re.Pattern[str]) -> Iterator[Turn]:
    labels = style.finditer(text)
    label = next(labels, None)
    line, counted, index = 1, 0, 0
    while label:
        following = next(labels, None)
        line += text.count("\n", counted, label.start())
        counted = label.start()
        content = text[label.end() : following.start() if following else len(text)]
        role = _ROLE[label["label"].lower()]
        content = _without_line_break(_without_trailing_lines(content), label[0])
        yield _turn(index, line, role, content)
        label, index = following, index + 1


def _turn(index: int, line: int, role: str, content: str) -> Turn:
    record = {"role": role, "content": content}
    return Turn(index=index, line=line, role=role, content=content, record=record)


def _without_line_break(content: str, label: str) -> str:
    """Return `content` without the line break after its label, and blank lines after a heading."""
    line = r"(?:[ \t]*\r?\n)+" if label.startswith("#") else r"\r?\n"
    return re.sub(rf"\A{line}", "", content)


def _without_trailing_lines(content: str) -> str:
    """Return `content` without the blank lines and the last line break at its end."""
    end = content.find("\n", len(content.rstrip()))
    return content if end < 0 else content[:end].removesuffix("\r")


CODE = "PROTO001"
"""The rule that reports what cannot be read."""

MAX_BYTES = 4_000_000
"""The size of the largest conversation that psreg reads."""

MAX_RECORDS = 1_000
"""Turns, cycles or exchanges of one conversation."""

_BOM = "\ufeff"


def read_conversation(data: bytes, name: str = "", protocol: str = "") -> Conversation:
    """Return the conversation in `data`, the content of the file `name`.

    A text without labels is one message. `protocol`, "" if it is not known, decides who wrote it:
    the user under VPP, the assistant under PLSP and PB2S.
    """
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data):,} bytes; the limit is {MAX_BYTES:,}"
        return _unreadable("", message, "Put each conversation into a file of its own.")
    found = _read(data.decode(errors="replace"), name, protocol)
    issues = (*_decoding_issues(data), *_size_issues(found), *found.issues)
    return replace(found, issues=issues[:MAX_ISSUES])


def _read(given: str, name: str, protocol: str) -> Conversation:
    text = given.removeprefix(_BOM)
    if not text.strip():
        return _unreadable(text, "the file is empty", json_lines.record_hint(None))
    hint = 'Begin each turn with "User:" or "Assistant:", or write JSON Lines.'
    return (
        _json(text, name)
        or (_read_message(text, "") if protocol in ("", "plsp") else None)
        or read_dialogue(text, limit=MAX_RECORDS + 1)
        or _read_message(given, protocol)
        or _unreadable(text, "no label says who wrote the text", hint)
    )


def _json(text: str, name: str) -> Conversation | None:
    """Read what begins like JSON, as lines or as one document; None if it is neither."""
    first, several, _ = text.strip().partition("\n")
    if not first.startswith(("{", "[")):
        return None
    if several and json_document.parse(first.encode(errors="replace")).parsed:
        return _lines(text)
    tree = json_document.parse(text.encode(errors="replace"))
    if tree.parsed:
        return _document(tree)
    if name.endswith(".jsonl") or (several and first.startswith('{"')):
        return _lines(text)
    if name.endswith(".json"):
        issue = tree.issues[0]
        return _unreadable(text, issue.message, issue.hint, issue.span)
    return None


def _lines(text: str) -> Conversation:
    kind = Kind.TRANSCRIPT
    records: list[Record] = []
    issues: list[Issue] = []
    for index, line in enumerate(islice(json_lines.lines(text), MAX_RECORDS + 1)):
        kind = line.kind or kind
        if line.fault:
            hint = json_lines.record_hint(line.kind)
            issues.append(Issue(code=CODE, message=line.fault, span=line.span, hint=hint))
        else:
            records.append(Record(index=index, line=line.number, value=line.record))
    return conversation_of(kind, records, text=text, issues=issues)


def _document(tree: JsonTree) -> Conversation:
    """Return the conversation in `tree`, a parsed JSON document."""
    pointer, items, declared = _items(tree.value)
    kind = next(filter(None, map(kind_of, map(_joined, items[:1]))), Kind.TRANSCRIPT)
    records: list[Record] = []
    issues = [Issue(code=CODE, message=i.message, span=i.span, hint=i.hint) for i in tree.issues]
    lines = LineIndex(tree.text)
    for index, item in enumerate(map(_joined, items[: MAX_RECORDS + 1])):
        span = tree.span(f"{pointer}/{index}" if pointer is not None else "")
        if fault := json_lines.record_fault(kind, item):
            hint = json_lines.record_hint(kind)
            issues.append(Issue(code=CODE, message=fault, span=span, hint=hint))
        else:
            line = lines.position(span.start).line
            records.append(Record(index=index, line=line, value=item))
    if pointer is None and kind is Kind.PB2S:
        reply = {"text", "pb2s_proof"}
        records = [replace(each, lone=not reply.isdisjoint(each.value)) for each in records]
    return conversation_of(kind, records, text=tree.text, issues=issues, declared=declared)


_LISTS = ("turns", "messages")

_PARTS = ("raw_header", "body", "footer")
"""The members into which a session splits a message, in order; each begins a line."""


def _items(root: Any) -> tuple[str | None, list[Any], str]:
    """Return the pointer of the records, the records, and the version that they declare.

    The pointer is None if the document is a single record.
    """
    if isinstance(root, list):
        return "", root, ""
    key = next((key for key in _LISTS if isinstance(root.get(key), list)), "")
    if not key:
        return None, [root], ""
    version = root.get("protocol_version")
    return f"/{key}", root[key], version if isinstance(version, str) else ""


def _joined(item: Any) -> Any:
    """Return `item`, with the message joined if the turn is split into parts."""
    if not isinstance(item, dict) or "content" in item or "body" not in item:
        return item
    parts = [item.get(key) for key in _PARTS]
    if not all(part is None or isinstance(part, str) for part in parts):
        return item
    return {"role": item.get("role"), "content": "\n".join(part for part in parts if part)}


def _decoding_issues(data: bytes) -> tuple[Issue, ...]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode())
        message = f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8"
        hint = "Save the file as UTF-8."
        return (Issue(code=CODE, message=message, span=Span(at, at + 1), hint=hint),)
    return ()


def _size_issues(found: Conversation) -> tuple[Issue, ...]:
    if len(found.turns) + len(found.cycles) + len(found.exchanges) <= MAX_RECORDS:
        return ()
    message = f"more than {MAX_RECORDS:,} turns; the rest of the file is not read"
    hint = "Put each conversation into a file of its own."
    return (Issue(code=CODE, message=message, span=_START, hint=hint),)


_START = Span(0, 0)


def _unreadable(text: str, message: str, hint: str, span: Span = _START) -> Conversation:
    issue = Issue(code=CODE, message=message, span=span, hint=hint)
    return Conversation(kind=Kind.TRANSCRIPT, text=text, issues=(issue,))
