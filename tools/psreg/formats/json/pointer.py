"""JSON pointers (RFC 6901) as text: split, joined, and written for people."""

from __future__ import annotations

from collections.abc import Iterable


def split(pointer: str) -> list[str]:
    """Return the tokens of `pointer`, unescaped; the root pointer "" has none."""
    if not pointer:
        return []
    tokens = pointer.removeprefix("/").split("/")
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens]


def join(tokens: Iterable[str | int]) -> str:
    """Return the pointer whose tokens, before escaping, are `tokens`."""
    return "".join(
        "/" + str(token).replace("~", "~0").replace("/", "~1")
        if isinstance(token, str)
        else f"/{token}"
        for token in tokens
    )


def dotted(tokens: Iterable[str | int]) -> str:
    """Return a pointer as people write it: `game_structure.phases[0].name`."""
    path = ""
    for token in tokens:
        if isinstance(token, int):
            path += f"[{token}]"
        else:
            path += f".{token}" if path else token
    return path
