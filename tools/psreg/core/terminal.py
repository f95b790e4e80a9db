"""Makes text safe for a terminal, and measures its width.

Text from files or the network must not control a terminal, hide in it or fake a line of ours.
"""

from __future__ import annotations

import unicodedata


def plain(text: str) -> str:
    """Return `text` with everything that a terminal might act on or hide as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or _visible(c) else _escape(c) for c in text)


def _visible(character: str) -> bool:
    # NOTE: str.isprintable() is False for controls, format characters (bidi, zero-width, tags),
    # surrogates, private use and every space but U+0020.
    return character.isprintable() or character == "\u00a0"


def _escape(character: str) -> str:
    return f"\\u{{{ord(character):04x}}}"


def control_in(text: str) -> str:
    """Return the first control character in `text`, or "": line breaks and separators are some."""
    if text.isascii() and text.isprintable():
        return ""
    return next((c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp")), "")


def one_line(text: str) -> str:
    """Return `plain(text)` on a single line, with tabs as four spaces."""
    return plain(text).replace("\t", "    ").replace("\n", " ")


def width(text: str) -> int:
    """Return the terminal columns `text` takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
