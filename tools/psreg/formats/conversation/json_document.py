"""Reads a conversation that is one JSON document: an array, a session, a single record.

A session is an object with `turns` or `messages`; a turn may be split into `raw_header`, `body`
and `footer`, and `protocol_version` is the version it declares. A single PB2S reply, as an
endpoint sends it, lacks nothing if it says nothing of the message before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from psreg.core.diagnostics import LineIndex
from psreg.formats.conversation import json_lines
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_lines import Kind, kind_of
from psreg.formats.conversation.record_reader import Record, conversation_of
from psreg.formats.issue import Issue
from psreg.formats.json.json_document import JsonTree

_LISTS = ("turns", "messages")

_PARTS = ("raw_header", "body", "footer")
"""The members into which a session splits a message, in order; each begins a line."""


def document(tree: JsonTree, *, code: str, most: int) -> Conversation:
    """Return the conversation in `tree`, which parsed, of at most `most` records.

    What could not be read is an issue of rule `code`.
    """
    pointer, items, declared = _items(tree.value)
    kind = next(filter(None, map(kind_of, map(_joined, items[:1]))), Kind.TRANSCRIPT)
    records: list[Record] = []
    issues = [Issue(code=code, message=i.message, span=i.span, hint=i.hint) for i in tree.issues]
    lines = LineIndex(tree.text)
    for index, item in enumerate(map(_joined, items[:most])):
        span = tree.span(f"{pointer}/{index}" if pointer is not None else "")
        if fault := json_lines.fault_of(kind, item):
            hint = json_lines.hint_for(kind)
            issues.append(Issue(code=code, message=fault, span=span, hint=hint))
        else:
            line = lines.position(span.start).line
            records.append(Record(index=index, line=line, value=item))
    if pointer is None and kind is Kind.PB2S:
        answer = {"text", "pb2s_proof"}
        records = [replace(each, lone=not answer.isdisjoint(each.value)) for each in records]
    return conversation_of(kind, records, text=tree.text, issues=issues, declared=declared)


def _items(root: Any) -> tuple[str | None, list[Any], str]:
    """Return where the records are, themselves, and the version that is declared of them.

    The place is None if the document is a single record.
    """
    if isinstance(root, list):
        return "", root, ""
    key = next((key for key in _LISTS if isinstance(root.get(key), list)), "")
    if not key:
        return None, [root], ""
    version = root.get("protocol_version")
    return f"/{key}", root[key], version if isinstance(version, str) else ""


def _joined(item: Any) -> Any:
    """Return `item`; a turn that was split into parts, with the message put together again."""
    if not isinstance(item, dict) or "content" in item or "body" not in item:
        return item
    parts = [item.get(key) for key in _PARTS]
    if not all(part is None or isinstance(part, str) for part in parts):
        return item
    return {"role": item.get("role"), "content": "\n".join(part for part in parts if part)}
