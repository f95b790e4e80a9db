"""What a model reads: a text without its disguises, and where each part of it came from.

Comments of a `.prompt` are gone and defaults are filled in, entities are decoded, markup inside
words is removed, and letters are plain. `data/disguises.toml` has the tables.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.lint.content import folding
from psreg.lint.content.patterns import table

if TYPE_CHECKING:
    from psreg.formats.dotprompt import Prompt
    from psreg.lint.content.texts import Content

COMMENTS, DEFAULTS = "is split by comments", "is put together from defaults"
SIGNS = "has entities for signs"
ENTITIES, MARKUP = "is written with entities", "is cut up by markup"
CHARACTERS = "is disguised with other characters"
LETTERS, DIGITS = "is spelled letter by letter", "is written with digits for letters"
BACKWARDS, ROT13 = "is written backwards", "is written in ROT13"

JOINED = "is split over several values"

EXCUSED = "is harmless only beside text that no model reads"

PERHAPS = frozenset((EXCUSED, SIGNS, JOINED, LETTERS, DIGITS, BACKWARDS, ROT13))
"""Disguises that can be an accident, or an example in a text about attacks."""

LARGEST = 1_000_000
"""The most characters of defaults that are filled in."""

MOST = 20_000
"""The most comments and uses of defaults; more are an error."""

_ENTITY = lazy(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31}[0-9]{0,2});")
_TAG = r"/?[A-Za-z]{1,8}(?:\s[^<>\n]{0,60})?/?>"
_IN_WORD = lazy(
    r"[*~`<\\](?<=[A-Za-z].)"  # first what is rare: most texts are searched for this alone
    rf"(?:(?<=[*~`])[*~`]{{0,2}}|(?<=<){_TAG}|(?<=\\))(?:[*~`]{{1,3}}|<{_TAG}){{0,3}}(?=[A-Za-z])"
)
_SPELLED = lazy(
    r"(?<![A-Za-z0-9])[A-Za-z](?P<between>[ .*_|/·-])[A-Za-z](?:(?P=between)[A-Za-z]){2,30}"
    r"(?![A-Za-z0-9])"
)
_MARKUP = frozenset("*~`<\\")
"""What `_IN_WORD` begins with."""

_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEW = 3
"""So many different single letters may be a word that is spelled."""

_MASKED = lazy(r"[^\x00-\x7f]")
_AS_LETTERS = frozenset("@$|")
_SIGN = lazy(r"[@$|](?<=[A-Za-z].)(?=[A-Za-z])")
_DIGITS = lazy(r"[A-Za-z0-9@$!|]{4,24}")
_WORD = lazy(r"[A-Za-z]{3,24}")


@dataclass(frozen=True, slots=True)
class Edit:
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
    origins: list[Span] = field(default_factory=list)

    def span(self, start: int, end: int) -> Span:
        """Return the characters of the lowest text that became `[start, end)` of this one."""
        if self.below is None:
            return Span(start, end)
        return self.below.span(self._below(start).start, self._below(end - 1).end)

    def _below(self, offset: int) -> Span:
        before = bisect_right(self.starts, offset) - 1
        if before >= 0 and offset < self.ends[before]:
            return self.origins[before]
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
        found.origins.append(Span(edit.start, edit.end))
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


def plain(below: Layer, content: Content) -> Layer:
    """Return a text of `content` as a reader takes it: see the module's text."""
    # NOTE: what is known of an ASCII text tells quickly what need not be searched.
    text = below.text
    words = content.words if content.ascii and "&" not in text else None
    if "&" in text:
        from html import unescape  # noqa: PLC0415 - few texts have entities

        below = _replaced(below, ENTITIES, _ENTITY, _letter)
        below = _replaced(below, SIGNS, _ENTITY, unescape)
    if not below.text.isascii():
        below = _in_plain_letters(below)
    if words is None or not _MARKUP.isdisjoint(content.marks):
        below = _replaced(below, MARKUP, _IN_WORD, lambda _: "")
        words = None if below.how == MARKUP else words
    if words is None or len(_ALPHABET & words) >= _FEW:
        below = _replaced(below, LETTERS, _SPELLED, lambda spelled: spelled[::2])
    signs = not _AS_LETTERS.isdisjoint(content.marks) and _SIGN.search(text)
    if words is None or signs or any(map(_is_mixed, words)):
        below = _replaced(below, DIGITS, _DIGITS, _without_digits)
    return below


def _letter(entity: str) -> str:
    """Return what `entity` stands for, unless it is a sign that a page must not take for markup."""
    from html import unescape  # noqa: PLC0415 - see `plain`

    read = unescape(entity)
    return read if read.isalnum() else entity


def _in_plain_letters(below: Layer) -> Layer:
    letters = {c: folding.folded(c) for c in set(below.text) if not c.isascii()}
    single = {ord(c): plain for c, plain in letters.items() if len(plain) == 1 and plain != c}
    if single:
        below = Layer(text=below.text.translate(single), how=CHARACTERS, below=below)
    if all(len(letter) == 1 for letter in letters.values()):
        return below
    return _replaced(below, CHARACTERS, _MASKED, folding.folded)


def _is_mixed(word: str) -> bool:
    return not word.isalpha() and not word.isdigit() and _without_digits(word) != word


def turned(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield a text backwards and in ROT13, if its `words` include suspicious ones turned so."""
    if not _mirrored().isdisjoint(words):
        size = len(below.text)
        yield Layer(
            text=below.text[::-1],
            how=BACKWARDS,
            below=below,
            starts=[0],
            ends=[size],
            origins=[Span(0, size)],
        )
    if not _rotated().isdisjoint(words):
        yield _replaced(below, ROT13, _WORD, lambda word: codecs.encode(word, "rot13"))


def _without_digits(word: str) -> str:
    if word.isalpha() or word.isdigit():
        return word
    for row in table("disguises")["digits"]:
        read = word.lower().translate(str.maketrans(row["signs"], row["letters"]))
        if read in _words():
            return str(read)
    return word


@cache
def _words() -> frozenset[str]:
    return frozenset(table("disguises")["words"])


@cache
def _mirrored() -> frozenset[str]:
    return frozenset(word[::-1] for word in _words() if len(word) > 4)  # noqa: PLR2004


@cache
def _rotated() -> frozenset[str]:
    return frozenset(codecs.encode(word, "rot13") for word in _words() if len(word) > 4)  # noqa: PLR2004
