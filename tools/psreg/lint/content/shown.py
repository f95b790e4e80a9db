"""Writing what a text hides so that a person can see it in a message."""

from __future__ import annotations

import unicodedata

MOST = 100
"""Findings of one rule in one file; a hostile file has a hundred thousand places."""

_CONTROLS = {
    "\x00": "NULL",
    "\x07": "BELL",
    "\x08": "BACKSPACE",
    "\x0b": "LINE TABULATION",
    "\x0c": "FORM FEED",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\x9b": "CONTROL SEQUENCE INTRODUCER",
}
"""Unicode gives controls no names, only these aliases."""
_LONGEST_QUOTE = 80
_MANY_CHARACTERS = 4


def quoted(text: str) -> str:
    """Return `text` in typographic quotes: shortened, everything invisible as an escape."""
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 1] + "…"
    visible = (c if c.isprintable() else f"\\u{{{ord(c):04x}}}" for c in text)
    return f"“{''.join(visible)}”"


def code_point(character: str) -> str:
    """Return a character's number and name, for instance `U+200B ZERO WIDTH SPACE`."""
    name = unicodedata.name(character, "") or _CONTROLS.get(character, "")
    return f"U+{ord(character):04X}{' ' if name else ''}{name}"


def code_points(text: str) -> str:
    """Return the numbers of the first characters of `text`: `U+200B U+200C and 7 more`."""
    numbers = " ".join(f"U+{ord(c):04X}" for c in text[:_MANY_CHARACTERS])
    more = len(text) - _MANY_CHARACTERS
    return f"{numbers} and {more} more" if more > 0 else numbers


def hidden_bytes(data: bytes) -> str:
    """Return what hidden bytes spell, in quotes, or their hexadecimal digits if no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if text and sum(c.isprintable() for c in text) * 2 > len(text):
        return quoted(text)
    digits = data[: _LONGEST_QUOTE // 2].hex()
    return f"the bytes {digits}{'…' if len(data) > _LONGEST_QUOTE // 2 else ''}"
