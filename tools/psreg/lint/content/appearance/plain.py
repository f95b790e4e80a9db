"""A text as a reader takes it.

Comments of a `.prompt` are gone and defaults are filled in, entities are decoded, markup inside
words is removed, and letters are plain. `data/disguises.toml` has the tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from psreg.core.regex import lazy
from psreg.lint.content import text_folding
from psreg.lint.content.appearance.layers import (
    CHARACTERS,
    COMMENTS,
    DEFAULTS,
    DIGITS,
    ENTITIES,
    ESCAPES,
    LETTERS,
    MARKUP,
    PERCENT,
    SIGNS,
    Edit,
    Layer,
    layer,
    replaced,
)
from psreg.lint.content.appearance.words import without_any_digits, without_digits

if TYPE_CHECKING:
    from psreg.formats.dotprompt import Prompt
    from psreg.lint.content.texts import Content

LARGEST = 500_000
"""The most characters of defaults that are filled in."""

MOST = 20_000
"""The most comments and uses of defaults; more are an error."""

_ENTITY = lazy(r"&(?:#[0-9]{2,12};?|#[xX][0-9a-fA-F]{2,12};?|#[0-9];|[A-Za-z]{2,31}[0-9]{0,2};)")
_ESCAPE = lazy(r"\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2})")
_TAG = r"(?:/?[A-Za-z][A-Za-z-]{0,12}(?:\s[^<>\n]{0,60})?/?|!--[^<>\n]{0,60}--)>"
_IN_WORD = lazy(
    r"[*~`<\\](?<=[^\W\d_].)"  # first what is rare: most texts are searched for this alone
    rf"(?:(?<=[*~`])[*~`]{{0,2}}|(?<=<){_TAG}|(?<=\\))(?:[*~`]{{1,3}}|<{_TAG}){{0,3}}(?=[^\W\d_])"
)
_NOT_INDIA = f"(?![{text_folding.INDIA}])"
"""Vowels of India and Thailand are marks, which `\\w` does not match."""

_LONE, _ANY_LONE = ("[A-Za-z]", r"[\W_]"), (rf"{_NOT_INDIA}[^\W\d_]", rf"{_NOT_INDIA}[\W_]")


def _letter_by_letter(alone: tuple[str, str], fewest: int) -> re.Pattern[str]:
    letter, sign = alone
    two = rf"(?<![^\W_]){letter}(?P<between>(?:{sign}){{1,{6 if fewest else 1}}}){letter}"
    return lazy(rf"{two}(?:(?P=between){letter}){{{fewest},200}}(?![^\W_])")


_SPELLED, _SPELLED_SHORT = _letter_by_letter(_LONE, 2), _letter_by_letter(_LONE, 0)
_ANY_SPELLED, _ANY_SPELLED_SHORT = _letter_by_letter(_ANY_LONE, 2), _letter_by_letter(_ANY_LONE, 0)
_ITEM = r"[^\w\n]{0,6}(?:[0-9]{1,3}[^\w\n]{1,4})?[^\W\d_][^\w\n]{0,4}"
_COLUMN = lazy(rf"(?<![^\n]){_ITEM}(?:\n{{1,2}}{_ITEM}){{5,200}}(?![^\n])")
_EMPHASIS = lazy(r"[*`~]{1,3}")
_PERCENTS = lazy(r"(?:%(?:25){0,2}[0-9A-Fa-f]{2}){1,400}")
_LINES_IN_WORD = lazy(r"(?:__|==)(?<=[^\W\d_]..)(?=[^\W\d_]|__|==)")
_LINES = lazy("__|==")
_NOISE = lazy(
    r"<(del|s|strike|rt|rp)(?:\s[^<>\n]{0,60})?>[^<>\n]{0,24}</\1>|(?<=[^\W\d_])~~[^~\n]{1,24}~~(?=[^\W\d_])"
    r"|<(\w{1,8})\s(?=[^<>\n]{0,60}(?:hidden|display:\s?none|font-size:\s?0))[^<>\n]{1,80}>"
    r"[^<>\n]{0,24}</\2>",
    re.IGNORECASE,
)
"""What a page strikes out, sets in small print beside a word, or does not show."""

_TWICE = lazy(r"&amp;(?=(?:amp;){0,2}#?\w{2,12};)")
_WRITTEN = lazy(r"\\(?:x1b|033|e|u001b)\[[0-9;]{0,8}m|\\0(?![0-9A-Fa-f])")
_LETTERS_OF_STRING = lazy(r"(?<![^\W_])[^\W\d_](?:\\[nrt][^\W\d_]){2,60}(?![^\W_])")
_MARKUP = frozenset("*~`<\\")
"""What `_IN_WORD` begins with."""

ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEW = 3
"""So many different single letters may be a word that is spelled."""

_MASKED_RUN = lazy(r"[^\W\d_][\u0300-\u036f]{1,8}")
_MASKED = lazy(r"[^\x00-\x7f]")
_AFTER_OTHERS = lazy(rf"(?<=[^\W\d_])(?<![{text_folding.INDIA}])[{text_folding.INDIA}]{{1,80}}")
_AS_LETTERS = frozenset("@$|")
_SIGN = lazy(r"[@$|](?<=[A-Za-z].)(?=[A-Za-z])")
_SHORT_DIGITS = lazy(r"[A-Za-z0-9@$!|]{2,24}")
_DIGITS = lazy(r"[A-Za-z0-9@$!|]{4,24}")


def filled_in(below: Layer, prompt: Prompt) -> Layer | None:
    """Return the text of `prompt` without comments, with the defaults of its variables.

    None if there are too many of them.
    """
    edits, done, size = [], 0, 0
    comments = ((Edit(start, end, ""), COMMENTS) for start, end in _comments(below.text))
    defaults = (
        (Edit(span.start, span.end, variable.default), DEFAULTS)
        for variable in prompt.variables
        if variable.default is not None
        for span in variable.spans
    )
    pairs = sorted(islice(chain(comments, defaults), MOST + 1), key=_start)
    if len(pairs) > MOST:
        return None
    kinds = sorted({how for _, how in pairs}, reverse=True)
    for edit, _ in pairs:
        size += len(edit.instead)
        if size > LARGEST:
            return None
        if edit.start >= done:
            edits.append(edit)
            done = edit.end
    return layer(below, ", and ".join(kinds), edits)


def _start(pair: tuple[Edit, str]) -> tuple[int, int]:
    return pair[0].start, pair[0].end


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("(%")
    while start >= 0 and (end := text.find("%)", start + 2)) >= 0:
        yield start, end + 2
        start = text.find("(%", end + 2)


def plain(below: Layer, content: Content, *, fold: bool = True) -> Layer:
    """Return a text of `content` as a reader takes it: see the module's text."""
    # NOTE: what is known of an ASCII text tells quickly what need not be searched.
    text = below.text
    words = content.words if content.ascii and "&" not in text else None
    below = _decoded(below, content)
    if ("<" in content.marks and "</" in text) or "~~" in text:
        below = replaced(below, MARKUP, _NOISE, lambda _: "")
    if not below.text.isascii():
        below = _in_plain_letters(below) if fold else _visible(below)
    if words is None or not _MARKUP.isdisjoint(content.marks):
        marked, below = below, replaced(below, MARKUP, _IN_WORD, lambda _: "")
        if below is not marked:
            below = replaced(below, MARKUP, _EMPHASIS, lambda _: "")
    if below.how in (ENTITIES, SIGNS, ESCAPES, MARKUP, PERCENT):
        words = None
    if ("__" in below.text or "==" in below.text) and _LINES_IN_WORD.search(below.text):
        below = replaced(below, MARKUP, _LINES, lambda _: "")
    if words is None or len(ALPHABET & words) >= _FEW:
        below = spelled(below)
    signs = not _AS_LETTERS.isdisjoint(content.marks) and _SIGN.search(text)
    mixed = words is None or any(without_digits(word) != word for word in content.mixed)
    if signs or mixed:
        read = replaced(below, DIGITS, _DIGITS, without_digits)
        if read is not below and len(read.starts) >= _FEW:
            read = replaced(read, DIGITS, _SHORT_DIGITS, without_any_digits)
        below = read
    return below


def _decoded(below: Layer, content: Content) -> Layer:
    """Return a text with characters for entities, escapes and percent signs."""
    text = below.text
    if "&amp;" in text:
        below = replaced(below, ENTITIES, _TWICE, lambda _: "&")
        below = replaced(below, ENTITIES, _TWICE, lambda _: "&")
    if "&" in text:
        below = replaced(below, ENTITIES, _ENTITY, _letter)
        below = replaced(below, SIGNS, _ENTITY, _sign)
    if "\\" in content.marks:
        below = replaced(below, ESCAPES, _WRITTEN, lambda _: "")
        below = replaced(below, ESCAPES, _LETTERS_OF_STRING, lambda run: run[::3])
    if "\\" in content.marks and ("\\u" in text or "\\x" in text):
        below = replaced(below, ESCAPES, _ESCAPE, _escaped)
    if "%" in content.marks and text.count("%") >= _FEW:
        below = replaced(below, PERCENT, _PERCENTS, _without_percent)
    return below


def spelled(below: Layer) -> Layer:
    """Join letters that are written one by one; short words, too, if there are many such words."""
    ascii_only = below.text.isascii()
    words = _SPELLED if ascii_only else _ANY_SPELLED
    long = sum(1 for _ in islice(words.finditer(below.text), _FEW))
    column = "\n" in below.text and long and 2 * below.text.count("\n") > len(below.text) - _HEAD
    if long >= _FEW or column:
        words = _SPELLED_SHORT if ascii_only else _ANY_SPELLED_SHORT
    if long:
        below = replaced(below, LETTERS, words, _letters_of)
    if "\n" in below.text:
        below = replaced(below, LETTERS, _COLUMN, _letters_of)
    return below


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalpha, text.replace("\n\n", " ")))


_HEAD = 100
"""Characters that a file may have before a column of letters."""


def _without_percent(text: str) -> str:
    while "%25" in text:
        text = text.replace("%25", "%")
    try:
        read = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return text
    return read if read.isprintable() else text


def _visible(below: Layer) -> Layer:
    """Return a text without marks and invisible characters, in the letters that it is in."""
    composed = replaced(below, CHARACTERS, _MASKED_RUN, text_folding.composed)
    visible = replaced(composed, CHARACTERS, _MASKED, text_folding.visible)
    return replaced(visible, CHARACTERS, _AFTER_OTHERS, _without_vowels)


@lru_cache(maxsize=4096)
def _without_vowels(word: str) -> str:
    """Return `word` of India without the vowels at its beginning, which are after other letters."""
    return "".join(dropwhile(text_folding.is_vowel, word))


@lru_cache(maxsize=4096)
def _letter(entity: str) -> str:
    """Return what `entity` stands for, unless it is a sign that a page must not take for markup."""
    read = _sign(entity)
    return read if read.isalnum() else entity


@lru_cache(maxsize=4096)
def _sign(entity: str) -> str:
    from html import unescape  # noqa: PLC0415 - few texts have entities

    return unescape(entity)


def _escaped(escape: str) -> str:
    read = chr(min(int(escape.strip("\\ux{}"), 16), 0x10FFFF))
    return read if read.isalnum() or read == " " else escape


def _in_plain_letters(below: Layer) -> Layer:
    found = set(below.text)
    letters = {c: c if text_folding.is_plain(c) else text_folding.folded(c) for c in found}
    single = {ord(c): plain for c, plain in letters.items() if len(plain) == 1 and plain != c}
    if single:
        below = Layer(text=below.text.translate(single), how=CHARACTERS, below=below)
    if not all(len(letter) == 1 for letter in letters.values()):
        for letter in set(below.text) - letters.keys():
            letters[letter] = text_folding.folded(letter)
        below = replaced(below, CHARACTERS, _MASKED, letters.__getitem__)
    return replaced(below, CHARACTERS, _AFTER_OTHERS, _without_vowels)
