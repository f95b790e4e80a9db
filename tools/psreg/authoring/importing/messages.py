"""Messages in JSON, as programs send them to OpenAI's and Anthropic's models.

A `.prompt` is one message. Of several, each begins with a line `system:`, `user:` or `assistant:`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psreg.authoring.importing.documents import stated
from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, unix_lines
from psreg.authoring.importing.variables import Converted
from psreg.authoring.literal import trimmed

_SUFFIX = ".json"
NOT_TEXT = "a message has something else than text, or calls a tool"


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file may be JSON with messages: a list of them, or a request that has one."""
    return file.path.suffix.lower() == _SUFFIX and '"role"' in file.text


def read(file: SourceFile, _fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a file, or why it has none; nothing if it has no messages."""
    document = _loaded(file.text)
    try:
        made = text_of(document)
    except ValueError as error:
        yield Refused(path=str(file.path), reason=str(error))
        return
    if made is None:
        return
    others = document if isinstance(document, dict) else {}
    yield Found(
        path=str(file.path),
        sha256=file.sha256,
        text=made.text,
        roles=made.roles,
        title=file.path.name.partition(".")[0],
        lost=(*(key for key in others if key not in ("messages", "system")), *made.lost),
    )


def text_of(document: Any) -> Converted | None:
    """Return the messages of a document as one text; None if it has none.

    Raises:
        ValueError: a message has something else than text.
    """
    rows = _messages(document)
    if not rows:
        return None
    messages = [(row["role"], message_text(row)) for row in rows]
    if any(text is None for _, text in messages):
        raise ValueError(NOT_TEXT)
    text = joined([(role, text or "") for role, text in messages])
    lost = dict.fromkeys(name for row in rows for name in _lost(row))
    return Converted(text, lost=tuple(lost), roles=tuple(role for role, _ in messages))


def _lost(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of what a message, or a part of it, says besides its text."""
    yield from (f"messages.{key}" for key in stated(row) if key not in ("role", "content"))
    parts = row["content"] if isinstance(row["content"], list) else []
    names = (key for part in parts for key in stated(part) if key not in ("type", "text"))
    yield from (f"messages.content.{name}" for name in names)


def joined(messages: Sequence[tuple[str, str]]) -> str:
    """Return the texts of messages as one; of several, each begins with a line of its role."""
    texts = [(role, trimmed(unix_lines(text))) for role, text in messages]
    several = len(texts) > 1
    return "\n\n".join(f"{role}:\n{text}" if several else text for role, text in texts)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _messages(document: Any) -> list[Mapping[str, Any]]:
    """Return the messages of a document, what it says to a system among them; [] if it has none."""
    request = document if isinstance(document, dict) else {"messages": document}
    rows = request.get("messages")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return []
    if not rows or not all(isinstance(row.get("role"), str) for row in rows):
        return []
    first = [{"role": "system", "content": request["system"]}] if "system" in request else []
    return [*first, *rows]


def message_text(message: Mapping[str, Any]) -> str | None:
    """Return the text of a message; None if it has something else."""
    return None if message.get("tool_calls") else _text(message.get("content"))


def _text(content: Any) -> str | None:
    """Return a text, or the texts of parts that are nothing else."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [None]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    are_texts = all(isinstance(text, str) for text in texts)
    return "".join(map(str, texts)) if are_texts else None
