"""Makes text safe for a terminal, quotes it, and measures its width.

Text from files or the network must not control a terminal, hide in it or fake a line of ours.
"""

from __future__ import annotations


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
    import unicodedata  # noqa: PLC0415 - most texts are ASCII

    return next((c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp")), "")


def one_line(text: str) -> str:
    """Return `plain(text)` on a single line, with tabs as four spaces."""
    return plain(text).replace("\t", "    ").replace("\n", " ")


def width(text: str) -> int:
    """Return the terminal columns `text` takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415 - most texts are ASCII

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


_NARROW = 20
"""The text of a column that would be narrower goes on lines of its own."""


def hanging(head: str, text: str, columns: int) -> list[str]:
    """Return the lines of `head` and `text`, which is wrapped below its start.

    `columns` is the width of the terminal; with 0 there is one line. A word that is too long is not
    divided, so that it can be copied.
    """
    if not text or columns <= 0 or width(head) + width(text) <= columns:
        return [head + text]
    lines, line, indent = [], head, " " * width(head)
    needed = max([_NARROW, *map(width, text.split())])
    if columns - width(head) < needed:
        lines, line, indent = [head.rstrip()], "    ", "    "
    begun = False
    for word in text.split():
        if begun and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line, begun = indent, False
        line += f" {word}" if begun else word
        begun = True
    return [*lines, line]


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
"""Unicode gives control characters no names, only these aliases."""
_LONGEST_QUOTE = 80
_MANY_CHARACTERS = 4


def quoted(text: str) -> str:
    """Return `text` in typographic quotes, shortened, with invisible characters as escapes."""
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 1] + "…"
    visible = (c if c.isprintable() else _escape(c) for c in text)
    return f"“{''.join(visible)}”"


def code_point(character: str) -> str:
    """Return the number and name of a character, for instance `U+200B ZERO WIDTH SPACE`."""
    import unicodedata  # noqa: PLC0415 - most texts are ASCII

    name = unicodedata.name(character, "") or _CONTROLS.get(character, "")
    return f"U+{ord(character):04X}{' ' if name else ''}{name}"


def code_points(text: str) -> str:
    """Return the numbers of the first characters: `U+200B U+200C and 7 more`."""
    numbers = " ".join(f"U+{ord(c):04X}" for c in text[:_MANY_CHARACTERS])
    more = len(text) - _MANY_CHARACTERS
    return f"{numbers} and {more} more" if more > 0 else numbers


def hidden_bytes(data: bytes) -> str:
    """Return the text of hidden bytes in quotes, or their digits if they are not text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if text and sum(c.isprintable() for c in text) * 2 > len(text):
        return quoted(text)
    digits = data[: _LONGEST_QUOTE // 2].hex()
    return f"the bytes {digits}{'…' if len(data) > _LONGEST_QUOTE // 2 else ''}"
