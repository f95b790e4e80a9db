"""Messages in JSON, as programs send them to OpenAI's and Anthropic's models.

A `.prompt` is one message. Of several, each begins with a line `system:`, `user:` or `assistant:`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile
from psreg.authoring.literal import trimmed

_SUFFIX = ".json"


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file may be JSON with messages: a list of them, or a request that has one."""
    return file.path.suffix.lower() == _SUFFIX and '"role"' in file.text


def read(file: SourceFile, _fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a file, or why it has none; nothing if it has no messages."""
    document = _loaded(file.text)
    messages = _messages(document)
    if not messages:
        return
    if any(text is None for _, text in messages):
        reason = "a message has something else than text, or calls a tool"
        yield Refused(path=str(file.path), reason=reason)
        return
    texts = [(role, trimmed(text or "")) for role, text in messages]
    several = len(texts) > 1
    others = document if isinstance(document, dict) else {}
    yield Found(
        path=str(file.path),
        sha256=file.sha256,
        text="\n\n".join(f"{role}:\n{text}" if several else text for role, text in texts),
        title=file.path.name.partition(".")[0],
        lost=tuple(key for key in others if key not in ("messages", "system")),
    )


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
    return [*first, *((row["role"], _text_of(row)) for row in rows)]


def _text_of(message: dict[str, Any]) -> str | None:
    return None if message.get("tool_calls") else _text(message.get("content"))


def _text(content: Any) -> str | None:
    """Return a text, or the texts of parts that are nothing else."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [None]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    are_texts = all(isinstance(text, str) for text in texts)
    return "".join(map(str, texts)) if are_texts else None
