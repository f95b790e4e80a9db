"""Reads a conversation in plain text: a dialogue with labels, or one bare message.

The first label decides the style of all labels: `User:`, `**User:**`, `[User]` or `### User`. A
label in another style is part of the message, and so are blank lines inside it. Blank lines before
the next label or below a heading are not. Text before the first label is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from psreg.formats.conversation.conversation import Conversation, CycleRecord, Exchange, Turn
from psreg.formats.conversation.json_lines import Kind

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


def read_message(text: str, protocol: str) -> Conversation | None:
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
