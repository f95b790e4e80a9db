"""Messages in JSON, as programs send them to OpenAI's and Anthropic's models.

A `.prompt` is one message. Of several, each begins with a line `system:`, `user:` or `assistant:`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, unix_lines
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
        text = text_of(document)
    except ValueError as error:
        yield Refused(path=str(file.path), reason=str(error))
        return
    if text is None:
        return
    others = document if isinstance(document, dict) else {}
    yield Found(
        path=str(file.path),
        sha256=file.sha256,
        text=text,
        title=file.path.name.partition(".")[0],
        lost=tuple(key for key in others if key not in ("messages", "system")),
    )


def text_of(document: Any) -> str | None:
    """Return the messages of a document as one text; None if it has none.

    Raises:
        ValueError: a message has something else than text.
    """
    messages = _messages(document)
    if any(text is None for _, text in messages):
        raise ValueError(NOT_TEXT)
    return joined([(role, text or "") for role, text in messages]) if messages else None


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


def _messages(document: Any) -> list[tuple[str, str | None]]:
    """Return role and text of each message, None for what is not text; [] if there are none."""
    request = document if isinstance(document, dict) else {"messages": document}
    rows = request.get("messages")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return []
    if not rows or not all(isinstance(row.get("role"), str) for row in rows):
        return []
    first = [("system", _text(request["system"]))] if "system" in request else []
    return [*first, *((row["role"], message_text(row)) for row in rows)]


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
