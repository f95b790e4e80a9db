"""Explains a JSON syntax error at one position, in words a prompt author understands.

The scanner knows the position and what it expected; this module looks at what is there instead
and names the usual cause: a comment, a curly quote, a trailing comma.
"""

from __future__ import annotations

import json
import re

from psreg.core.diagnostics import Issue, Span
from psreg.core.regex import lazy

_LONGEST_QUOTE = 40

_CONSTANT = lazy(r"(?:NaN|-?Infinity)\b")

Causes = tuple[tuple[re.Pattern[str], str, str], ...]

_ANYWHERE: Causes = (
    (
        lazy(r"```\w*"),
        "a Markdown code fence is not JSON",
        "Remove the ``` lines before and after the object.",
    ),
    (
        lazy(r"//[^\n]*|/\*(?s:.*?)\*/|/\*|#[^\n]*|<!--"),
        "comments are not allowed in JSON",
        "Remove the comment, or turn it into a field.",
    ),
    (
        lazy(r"[“”„‟«»‘’‚′″＂]"),
        "this is a typographic quotation mark; JSON needs a straight one",
        'Replace it with a straight double quote (").',
    ),
    (
        lazy(r"[\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]+"),
        "an invisible character that is not a plain space",
        "Delete it; it often comes with text that is copied from a web page.",
    ),
)
"""What people write between the parts of an object: (pattern, message, hint)."""

_IN_PLACE_OF_VALUE: Causes = (
    *_ANYWHERE,
    (
        lazy(r"['`]"),
        "a JSON string needs double quotes, not single quotes",
        'Write "…" around it.',
    ),
    (
        lazy(r"(?:True|TRUE|False|FALSE|None|NULL|Null|nil|undefined)\b"),
        "JSON writes true, false and null in lower case",
        "Write true, false or null.",
    ),
    (
        lazy(r"[+-]?(?:\d[\w.+-]*|\.\d[\w.+-]*)|[+-]"),
        "this is not a JSON number such as 5, -5, 0.5 or 5e3",
        'If it is a string, put it in double quotes: "1.0.0".',
    ),
    (
        lazy(r"[^\W\d][\w.-]*"),
        "a JSON string needs double quotes",
        'Write "…" around it.',
    ),
)
"""What people write where a value or a name is expected."""

_VALUE_START = lazy(r'["{\[]|-?[0-9]|(?:true|false|null)\b')
_SOUND = lazy(
    r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*', re.ASCII
)


def unexpected(text: str, at: int, expected: str, hint: str = "") -> Issue:
    """Return the issue that `expected` is missing at offset `at` of `text`.

    The code is JSON005 for a NaN or an infinity in place of a value, else JSON002.
    """
    if at >= len(text):
        return _cut_off(text, expected)
    constant = _CONSTANT.match(text, at)
    if constant and "value" in expected:
        return Issue(
            code="JSON005",
            message=f"{constant[0]} is not a JSON number",
            span=Span(*constant.span()),
            hint='Write null, or a string such as "unknown".',
        )
    broken = _broken_string(text, at) if text[at] == '"' else None
    if broken:
        return broken
    separator = expected.startswith("'")
    for pattern, message, advice in _ANYWHERE if separator else _IN_PLACE_OF_VALUE:
        cause = pattern.match(text, at)
        if cause:
            return _invalid(f"expected {expected}: {message}", *cause.span(), advice)
    return _invalid(f"expected {expected}, found {shown(text[at])}", at, at + 1, hint)


def no_comma(text: str, at: int, closing: str, opening: str) -> Issue:
    """Return the issue that neither a comma nor the bracket `closing` is at `at`.

    `opening` says which bracket is still open.
    """
    if _VALUE_START.match(text, at):
        message = f"expected ',' or '{closing}': a comma is missing before this"
        return _invalid(message, at, at + 1, "Put a comma before it.")
    if at < len(text) and text[at - 1] == '"' and text[at] not in "]}:":
        message = f"expected ',' or '{closing}': the string ended at the quote before this"
        hint = r"Write \" for a double quote inside a string, or use single quotes inside it."
        return _invalid(message, at, at + 1, hint)
    return unexpected(text, at, f"',' or '{closing}' for the {opening}")


def trailing_comma(comma: int, closing: str) -> Issue:
    """Return the issue that nothing but the bracket `closing` follows the comma at `comma`."""
    message = f"trailing comma before '{closing}'"
    return _invalid(message, comma, comma + 1, "Remove the comma.")


def trailing_data(text: str, at: int) -> Issue:
    """Return the issue that text follows the end of the JSON value, from `at` on."""
    end = len(text.rstrip(" \t\r\n"))
    return Issue(
        code="JSON007",
        message=f"unexpected {shown(text[at:end])} after the end of the JSON",
        span=Span(at, end),
        hint="Remove everything after the object.",
    )


def shown(text: str) -> str:
    """Return `text` in quotes for a message: shortened, with controls and surrogates escaped."""
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 1] + "…"
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def _cut_off(text: str, expected: str) -> Issue:
    if not text.strip():
        return _invalid("the file is empty", 0, 0, "Write one JSON object: { … }.")
    message = f"expected {expected}, found the end of the file"
    end = len(text.rstrip())
    return _invalid(message, end, end, "Add the missing end; the file may be cut off.")


def _broken_string(text: str, at: int) -> Issue | None:
    """Say why the string that opens at `at` cannot be read; None if it can."""
    sound = _SOUND.match(text, at)
    end = sound.end() if sound else at + 1
    found = text[end : end + 1]
    if found == '"':
        return None
    if not found:
        hint = 'Put " at the end of the string.'
        return _invalid("this string has no closing quote", at, at + 1, hint)
    if found == "\\":
        escape = text[end : end + 2]
        hint = r"Write \\ for a backslash; the escapes are \" \\ \/ \b \f \n \r \t and \u0000."
        return _invalid(
            f"{escape if escape.isprintable() else shown(escape)} is not a JSON escape",
            end,
            end + len(escape),
            hint,
        )
    if found in "\r\n":
        hint = r"Write \n for a line break inside a string, or add the missing closing quote."
        return _invalid("a line break inside a string", end, end + 1, hint)
    if found == "\t":
        return _invalid("a tab inside a string", end, end + 1, r"Write \t or spaces instead.")
    hint = f"Delete it, or write \\u{ord(found):04x} instead."
    return _invalid("a control character inside a string", end, end + 1, hint)


def _invalid(message: str, start: int, end: int, hint: str) -> Issue:
    return Issue(code="JSON002", message=message, span=Span(start, end), hint=hint)
