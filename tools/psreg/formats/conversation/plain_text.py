r"""Reads a conversation kept as plain text: a dialogue with labels, or one bare message.

The first label decides how labels are written: `User:`, `**User:**`, `[User]` or `### User`; what
looks like one in another manner belongs to the message. So does every blank line inside it; those
before the next label, and below a heading, are the file's. What stands before the first label
belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from psreg.formats.conversation.conversation import Block, Conversation, Exchange, Turn
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


def dialogue(text: str, *, most: int) -> Conversation | None:
    """Return the conversation of a text in which labels say who speaks, or None if none do."""
    first = [(found.start(), style) for style in _STYLES if (found := style.search(text))]
    if not first:
        return None
    _, style = min(first, key=lambda each: each[0])
    turns = tuple(islice(_turns(text, style), most))
    return Conversation(kind=Kind.TRANSCRIPT, text=text, turns=turns)


def message(text: str, protocol: str) -> Conversation | None:
    """Return the conversation of a text that is one bare message, or None if it is not clear whose.

    A block of PLSP is one whoever asks; otherwise `protocol` says who speaks.
    """
    if protocol == "plsp" or (not protocol and text.lstrip().startswith("S{")):
        block = Block(index=0, line=1, instr=None, previous=None, next=_ended(text))
        return Conversation(kind=Kind.PLSP, text=text, blocks=(block,))
    if protocol == "pb2s":
        exchange = Exchange(
            index=0, line=1, message=None, text=text, proof=None, missing=frozenset({"pb2s_proof"})
        )
        return Conversation(kind=Kind.PB2S, text=text, exchanges=(exchange,))
    if protocol == "vpp":
        turn = Turn(index=0, line=1, role="user", content=_ended(text))
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
        yield Turn(index=index, line=line, role=role, content=_begun(_ended(content), label[0]))
        label, index = following, index + 1


def _begun(content: str, label: str) -> str:
    """Return `content` without the end of the label's line; of a heading, and blank lines too."""
    line = r"(?:[ \t]*\r?\n)+" if label.startswith("#") else r"\r?\n"
    return re.sub(rf"\A{line}", "", content)


def _ended(content: str) -> str:
    """Return `content` without the blank lines, and the last line break, at its end."""
    end = content.find("\n", len(content.rstrip()))
    return content if end < 0 else content[:end].removesuffix("\r")
