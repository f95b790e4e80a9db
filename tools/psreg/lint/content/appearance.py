"""What a model reads: a text without its disguises, and where each part of it came from.

Comments of a `.prompt` are gone and defaults are filled in, entities are decoded, markup inside
words is removed, and letters are plain. `data/disguises.toml` has the tables.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.lint.content import text_folding
from psreg.lint.content.pattern_tables import table

if TYPE_CHECKING:
    from psreg.formats.dotprompt import Prompt
    from psreg.lint.content.texts import Content

COMMENTS, DEFAULTS = "is split by comments", "is put together from defaults"
SIGNS = "has entities for signs"
ENTITIES, MARKUP = "is written with entities", "is cut up by markup"
CHARACTERS = "is disguised with other characters"
LETTERS, DIGITS = "is spelled letter by letter", "is written with digits for letters"
BACKWARDS, ROT13 = "is written backwards", "is written in ROT13"
ROTATED = "is written in other letters of the alphabet"
DIVIDED, RUN_ON = "is divided into lines or sentences", "is written as one word"
PERCENT = "is written with percent signs"

JOINED = "is split over several values"

EXCUSED = "is harmless only beside text that no model reads"

PERHAPS = frozenset(
    (EXCUSED, SIGNS, JOINED, LETTERS, DIGITS, BACKWARDS, ROT13, ROTATED, DIVIDED, RUN_ON, PERCENT)
)
"""Disguises that can be an accident, or an example in a text about attacks."""

LARGEST = 1_000_000
"""The most characters of defaults that are filled in."""

MOST = 20_000
"""The most comments and uses of defaults; more are an error."""

_ENTITY = lazy(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31}[0-9]{0,2});")
_TAG = r"(?:/?[A-Za-z]{1,8}(?:\s[^<>\n]{0,60})?/?|!--[^<>\n]{0,60}--)>"
_IN_WORD = lazy(
    r"[*~`<\\](?<=[^\W\d_].)"  # first what is rare: most texts are searched for this alone
    rf"(?:(?<=[*~`])[*~`]{{0,2}}|(?<=<){_TAG}|(?<=\\))(?:[*~`]{{1,3}}|<{_TAG}){{0,3}}(?=[^\W\d_])"
)
_LONE, _ANY_LONE = "[A-Za-z]", r"[^\W\d_]"


def _letter_by_letter(letter: str, fewest: int) -> re.Pattern[str]:
    alone = rf"(?<![^\W_]){letter}(?P<between>[ .*_|/·\n-]){letter}"
    return lazy(rf"{alone}(?:(?P=between){letter}){{{fewest},30}}(?![^\W_])")


_SPELLED, _SPELLED_SHORT = _letter_by_letter(_LONE, 2), _letter_by_letter(_LONE, 0)
_ANY_SPELLED, _ANY_SPELLED_SHORT = _letter_by_letter(_ANY_LONE, 2), _letter_by_letter(_ANY_LONE, 0)
_EMPHASIS = lazy(r"[*`~]{1,3}")
_PERCENTS = lazy(r"(?:%[0-9A-Fa-f]{2}){1,400}")
_DIVIDED = {
    "-\n": lazy(r"-\n(?<=[^\W\d_]-\n)[ \t]{0,8}(?=[^\W\d_])"),
    "\n": lazy(r"\n(?:\n?(?:[-*+>][ ])?\S{1,40}(?:\n|\Z)){4,40}"),
    ". ": lazy(r"\.[ ](?<=[^\W\d_]\.[ ])(?:[^\W\d_]{1,20}\.[ ]){2,40}"),
    " | ": lazy(r"[ ]\|[ ](?:[^\s|]{1,20}[ ]\|[ ]?){3,40}"),
}
"""Where a sentence is divided: a hyphen, lines or sentences or cells of one word each."""

_BETWEEN = lazy(r"\n{1,2}(?:[-*+>][ ])?|\.[ ]|[ ]\|[ ]?")
_NAMES = lazy(
    r"(?<![^\W_])(?:[^\W\d_]{1,20}+(?:_[^\W\d_]{1,20}+){2,30}"
    r"|[A-Z][a-z]{0,20}+(?:[A-Z][a-z]{1,20}+){2,30})(?![^\W_])"
)
_IN_SNAKE, _IN_CAMEL = lazy(r"_[^\W\d_]{1,20}+_"), lazy(r"[A-Z][a-z]{1,20}+[A-Z]")
"""What every match of `_NAMES` contains one of, and few texts: it is found much faster."""

_HUMP = lazy(r"(?<=[a-z])(?=[A-Z])|_")
_MARKUP = frozenset("*~`<\\")
"""What `_IN_WORD` begins with."""

_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEW = 3
"""So many different single letters may be a word that is spelled."""

_MASKED_RUN = lazy(r"[^\W\d_][\u0300-\u036f]{1,8}")
_MASKED = lazy(r"[^\x00-\x7f]")
_AS_LETTERS = frozenset("@$|")
_SIGN = lazy(r"[@$|](?<=[A-Za-z].)(?=[A-Za-z])")
_SHORT_DIGITS = lazy(r"[A-Za-z0-9@$!|]{2,24}")
_DIGITS = lazy(r"[A-Za-z0-9@$!|]{4,24}")
_ASCII_WORD = lazy(r"[a-z0-9]++")
_ANY_WORD = lazy(r"[A-Za-z]{1,24}")
_WORD = lazy(r"[A-Za-z]{3,24}")


class Edit(NamedTuple):  # a text may have very many
    """The characters `[start, end)` of a text, and what to read instead."""

    start: int
    end: int
    instead: str


@dataclass(slots=True, kw_only=True)
class Layer:
    """A text after edits of one kind; `below` is the text before them.

    The edits are `[starts[i], ends[i])` of this text and `origins[i]` of the one below.
    """

    text: str
    how: str = ""
    below: Layer | None = None
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    origins: list[Edit] = field(default_factory=list)

    def span(self, start: int, end: int) -> Span:
        """Return the characters of the lowest text that became `[start, end)` of this one."""
        if self.below is None:
            return Span(start, end)
        return self.below.span(self._below(start).start, self._below(end - 1).end)

    def _below(self, offset: int) -> Span:
        before = bisect_right(self.starts, offset) - 1
        if before >= 0 and offset < self.ends[before]:
            return Span(self.origins[before].start, self.origins[before].end)
        if before >= 0:
            offset += self.origins[before].end - self.ends[before]
        return Span(offset, offset + 1)

    def disguises(self, start: int, end: int) -> list[str]:
        """Return the kinds of edits within `[start, end)`, the lowest first."""
        if self.below is None:
            return []
        if not self.starts:  # letter for letter
            here = self.text[start:end] != self.below.text[start:end]
        else:
            first = bisect_right(self.ends, start)
            here = first < len(self.starts) and self.starts[first] < end
        around = Span(self._below(start).start, self._below(end - 1).end)
        return [*self.below.disguises(around.start, around.end), *[self.how] * here]


def layer(below: Layer, how: str, edits: Iterable[Edit]) -> Layer:
    """Return `below` after `edits`, which are ascending and do not overlap."""
    found = Layer(text="", how=how, below=below)
    parts, done, size = [], 0, 0
    for edit in edits:
        parts += [below.text[done : edit.start], edit.instead]
        size += edit.start - done
        found.starts.append(size)
        size += len(edit.instead)
        found.ends.append(size)
        found.origins.append(edit)
        done = edit.end
    if not done:
        return below
    found.text = "".join([*parts, below.text[done:]])
    return found


def _replaced(
    below: Layer, how: str, pattern: re.Pattern[str], read: Callable[[str], str]
) -> Layer:
    edits = (
        Edit(match.start(), match.end(), instead)
        for match in pattern.finditer(below.text)
        if (instead := read(match[0])) != match[0]
    )
    return layer(below, how, edits)


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
    if "&" in text:
        below = _replaced(below, ENTITIES, _ENTITY, _letter)
        below = _replaced(below, SIGNS, _ENTITY, _sign)
    if "%" in content.marks and text.count("%") >= _FEW:
        below = _replaced(below, PERCENT, _PERCENTS, _without_percent)
    if not below.text.isascii():
        below = _in_plain_letters(below) if fold else _visible(below)
    if words is None or not _MARKUP.isdisjoint(content.marks):
        marked, below = below, _replaced(below, MARKUP, _IN_WORD, lambda _: "")
        if below is not marked:
            below = _replaced(below, MARKUP, _EMPHASIS, lambda _: "")
    if below.how in (ENTITIES, SIGNS, MARKUP, PERCENT):
        words = None
    if words is None or len(_ALPHABET & words) >= _FEW:
        below = _spelled(below)
    signs = not _AS_LETTERS.isdisjoint(content.marks) and _SIGN.search(text)
    mixed = words is None or any(_is_mixed(w) for w in words if not w.isalpha())
    if signs or mixed:
        read = _replaced(below, DIGITS, _DIGITS, _without_digits)
        if read is not below and len(read.starts) >= _FEW:
            read = _replaced(read, DIGITS, _SHORT_DIGITS, _without_any_digits)
        below = read
    return below


def _spelled(below: Layer) -> Layer:
    """Join letters that are written one by one; short words, too, if there are many such words."""
    ascii_only = below.text.isascii()
    words = _SPELLED if ascii_only else _ANY_SPELLED
    long = sum(1 for _ in islice(words.finditer(below.text), _FEW))
    column = "\n" in below.text and long and 2 * below.text.count("\n") > len(below.text) - _HEAD
    if long >= _FEW or column:
        words = _SPELLED_SHORT if ascii_only else _ANY_SPELLED_SHORT
    return _replaced(below, LETTERS, words, lambda spelled: spelled[::2]) if long else below


_HEAD = 100
"""Characters that a file may have before a column of letters."""


def _without_percent(text: str) -> str:
    try:
        read = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return text
    return read if read.isprintable() else text


def _visible(below: Layer) -> Layer:
    """Return a text without marks and invisible characters, in the letters that it is in."""
    composed = _replaced(below, CHARACTERS, _MASKED_RUN, text_folding.composed)
    return _replaced(composed, CHARACTERS, _MASKED, text_folding.visible)


@lru_cache(maxsize=4096)
def _letter(entity: str) -> str:
    """Return what `entity` stands for, unless it is a sign that a page must not take for markup."""
    read = _sign(entity)
    return read if read.isalnum() else entity


@lru_cache(maxsize=4096)
def _sign(entity: str) -> str:
    from html import unescape  # noqa: PLC0415 - few texts have entities

    return unescape(entity)


def _in_plain_letters(below: Layer) -> Layer:
    letters = {c: text_folding.folded(c) for c in set(below.text) if not c.isascii()}
    single = {ord(c): plain for c, plain in letters.items() if len(plain) == 1 and plain != c}
    if single:
        below = Layer(text=below.text.translate(single), how=CHARACTERS, below=below)
    if all(len(letter) == 1 for letter in letters.values()):
        return below
    for letter in set(below.text) - letters.keys():
        letters[letter] = text_folding.folded(letter)
    return _replaced(below, CHARACTERS, _MASKED, letters.__getitem__)


def _is_mixed(word: str) -> bool:
    return not word.isalpha() and not word.isdigit() and _without_digits(word) != word


def turned(
    below: Layer, words: frozenset[str] | None, characters: frozenset[str]
) -> Iterator[Layer]:
    """Yield other readings of a text, if its `words` include suspicious ones when read so."""
    if words is None:
        words = frozenset(_ASCII_WORD.findall(below.text.lower()))
    if len(_UPSIDE_DOWN & characters) >= _FEW:
        yield _backwards(below, below.text[::-1].translate(str.maketrans("qbpdun", "bqdpnu")))
    if not _mirrored().isdisjoint(words):
        yield _backwards(below, below.text[::-1])
        yield _replaced(below, BACKWARDS, _WORD, lambda word: word[::-1])
    shifts = Counter(shift for word in _rotated().keys() & words for shift in _rotated()[word])
    for shift, number in shifts.items():
        if number > 1 or shift == _ROT13:
            alphabet = str.maketrans(_ALPHABETS, _shifted(shift))
            how = ROT13 if shift == _ROT13 else ROTATED
            yield _replaced(below, how, _ANY_WORD, _reader(alphabet))
    yield from _divided(below, words)


def _divided(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text with divided sentences in one, and with names of many words as these."""
    suspicious = _words() & words
    if len(suspicious) > 1 or "-\n" in below.text:
        pieces = below
        for sign, pattern in _DIVIDED.items():
            whole = suspicious if pieces is below else _words()
            if sign in pieces.text and (sign != "\n" or _has_lines_of(whole, pieces.text)):
                pieces = _replaced(pieces, DIVIDED, pattern, _in_one)
        if pieces is not below:
            yield pieces
    if _may_have_names(below.text, words, suspicious):
        names = _replaced(below, RUN_ON, _NAMES, _in_words)
        if names is not below:
            yield names


def _has_lines_of(words: frozenset[str], text: str) -> bool:
    """Tell whether two of `words` are lines of their own, or items of a list."""
    lower = f"{text.lower()}\n"
    last = [word for word in words if f"{word}\n" in lower]
    return sum(f"\n{word}\n" in lower or f" {word}\n" in lower for word in last) > 1


def _may_have_names(text: str, words: frozenset[str], suspicious: frozenset[str]) -> bool:
    """Tell quickly whether `text` may have names that consist of suspicious words."""
    # NOTE: bytes are translated much faster than a pattern is tried at every letter.
    if not _IN_SNAKE.search(text) and not (
        b"aA" in text.encode("ascii", "replace").translate(_CASES) and _IN_CAMEL.search(text)
    ):
        return False
    if sum(f"_{word}" in text or f"{word}_" in text for word in suspicious) > 1:
        return True
    long = (word for word in words if len(word) >= _LONG_NAME)
    return any(len(set(_within().findall(word))) > 1 for word in long)


_LONG_NAME = 16


@cache
def _within() -> re.Pattern[str]:
    return re.compile("|".join(word for word in _words() if len(word) > _FEW))


def _in_one(pieces: str) -> str:
    if pieces.startswith("-\n"):
        return ""
    read = str(_BETWEEN.sub(" ", pieces))
    return read if len(_words().intersection(read.lower().split())) > 1 else pieces


def _in_words(name: str) -> str:
    read = str(_HUMP.sub(" ", name))
    return read if len(_words().intersection(read.lower().split())) > 1 else name


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABETS = _LETTERS + _LETTERS.upper()
_CASES = bytes.maketrans(_ALPHABETS.encode(), b"a" * 26 + b"A" * 26)
_UPSIDE_DOWN = frozenset("ɐɔǝɟɥɯɹʇʌʍʎ")
_ROT13, _ATBASH = 13, 0


def _backwards(below: Layer, text: str) -> Layer:
    whole = Edit(0, len(text), text)
    return Layer(
        text=text, how=BACKWARDS, below=below, starts=[0], ends=[len(text)], origins=[whole]
    )


def _reader(alphabet: dict[int, int]) -> Callable[[str], str]:
    return lambda word: word.translate(alphabet)


def _shifted(shift: int) -> str:
    """Return the alphabets moved by `shift`, or backwards."""
    read = _LETTERS[::-1] if shift == _ATBASH else _LETTERS[shift:] + _LETTERS[:shift]
    return read + read.upper()


@lru_cache(maxsize=4096)
def _without_digits(word: str) -> str:
    if word.isalpha() or word.isdigit():
        return word
    for letters in _digits():
        read = word.lower().translate(letters)
        if read in _words():
            return read
    return word


@lru_cache(maxsize=4096)
def _without_any_digits(word: str) -> str:
    """Return a word of a text that has digits for letters throughout."""
    if word.isalpha():
        return word
    lower, words, digits = word.lower(), _words(), _digits()
    ways = (lower.translate(letters) for letters in digits)
    read = next((way for way in ways if way in words), "")
    return read or (word if word.isdigit() else lower.translate(digits[0])) or word


@cache
def _digits() -> list[dict[int, int]]:
    rows = table("disguises")["digits"]
    return [str.maketrans(row["signs"], row["letters"]) for row in rows]


@cache
def _words() -> frozenset[str]:
    return frozenset(table("disguises")["words"])


@cache
def _mirrored() -> frozenset[str]:
    return frozenset(word[::-1] for word in _words() if len(word) > 4)  # noqa: PLR2004


@cache
def _rotated() -> dict[str, list[int]]:
    """Return the shifts that make a word suspicious, by the word."""
    found: dict[str, list[int]] = {}
    for shift in range(len(_LETTERS)):
        back = str.maketrans(_shifted(shift), _ALPHABETS)
        for word in _words():
            if len(word) > 4:  # noqa: PLR2004
                found.setdefault(word.translate(back), []).append(shift)
    return found
