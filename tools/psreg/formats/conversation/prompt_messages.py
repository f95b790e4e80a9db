"""The messages of a `.prompt` whose METADATA names their roles: `@messages system, user`.

One message is all of CONTENT. Of several, each begins with a line of its role, such as `user:`, and
CONTENT has no other such lines. Where that is not so, as without the key, CONTENT is one message of
the user. A line in the value of a variable never begins a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from psreg.formats import dotprompt
from psreg.formats.dotprompt import MESSAGES_KEY, Prompt, Variable
from psreg.formats.dotprompt_source import BLANKS

SYSTEM, DEVELOPER, USER, ASSISTANT = ROLES = ("system", "developer", "user", "assistant")

_LINE = re.compile(rf"^({'|'.join(ROLES)}):$", re.MULTILINE)
_BLANK_LINES = f"{BLANKS}\n"
_VARIABLE = "\0"


def roles_named(prompt: Prompt) -> tuple[str, ...]:
    """Return what METADATA names as roles; () without the key."""
    named = (role.strip() for role in prompt.metadata.get(MESSAGES_KEY, "").split(","))
    return tuple(filter(None, named))


def are_messages(text: str, roles: Sequence[str]) -> bool:
    """Tell whether a text without variables is messages of these roles."""
    return bool(_ranges(text, roles))


def messages(prompt: Prompt) -> tuple[tuple[str, tuple[str | Variable, ...]], ...]:
    """Return role and parts of each message; () if METADATA does not name those of CONTENT."""
    parts = [part for part in dotprompt.parts(prompt) if part]
    text = "".join(part if isinstance(part, str) else _VARIABLE for part in parts)
    return tuple(_cut(parts, _ranges(text, roles_named(prompt))))


def _ranges(text: str, roles: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return role, start and end of each message, without blank lines around it."""
    if not set(roles) <= {*ROLES}:
        return []
    if len(roles) <= 1:
        return [(role, 0, len(text)) for role in roles]
    lines = [*_LINE.finditer(text)]
    if [line[1] for line in lines] != [*roles] or text[: lines[0].start()].strip(_BLANK_LINES):
        return []
    ends = [*(line.start() for line in lines[1:]), len(text)]
    return [
        (line[1], *_trimmed(text, line.end(), end)) for line, end in zip(lines, ends, strict=True)
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    blank = len(piece) - len(piece.lstrip(_BLANK_LINES))
    return start + piece.rfind("\n", 0, blank) + 1, start + len(piece.rstrip(_BLANK_LINES))


def _cut(
    parts: Sequence[str | Variable], ranges: Sequence[tuple[str, int, int]]
) -> Iterator[tuple[str, tuple[str | Variable, ...]]]:
    """Yield what of `parts`, of which a variable is one character, is in each of the ranges."""
    rest = iter(parts)
    part: str | Variable = ""
    at = after = 0
    for role, start, end in ranges:
        found: list[str | Variable] = []
        while True:
            if isinstance(part, str):
                found.append(part[max(start - at, 0) : max(end - at, 0)])
            elif start <= at < end:
                found.append(part)
            if after >= end:
                break
            part = next(rest)
            at, after = after, after + (len(part) if isinstance(part, str) else 1)
        yield role, tuple(filter(None, found))
