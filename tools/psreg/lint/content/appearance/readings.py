"""Other ways to read a text: backwards, in other letters, without what divides its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from psreg.core.regex import lazy
from psreg.lint.content.appearance.layers import (
    BACKWARDS,
    BROKEN,
    DIVIDED,
    MISSPELT,
    ROT13,
    ROTATED,
    RUN_ON,
    Edit,
    Layer,
    layer,
    replaced,
)
from psreg.lint.content.appearance.words import (
    ALPHABETS,
    LETTERS,
    LONG_NAME,
    any_suspicious,
    in_run,
    in_words,
    mirrored,
    misspellings,
    rotated,
    runs,
    shifted,
    suspicious_words,
    well_spelt,
    words_of,
)
from psreg.lint.content.pattern_tables import table

_FEW = 3
_ROT13 = 13
_UPSIDE_DOWN = frozenset("ɐɔǝɟɥɯɹʇʌʍʎ")
_ITEM = r"(?:(?:[-*+>]|[0-9]{1,2}[.)])[ ])?"
_DIVIDED = {
    "-\n": (lazy(r"-\n(?<=[^\W\d_]-\n)[ \t]{0,8}(?=[^\W\d_])"), None),
    "\n": (
        lazy(rf"\n(?:\n?{_ITEM}\S{{1,60}}(?:\n|\Z)){{4,40}}"),
        lazy(rf"\n{{1,2}}{_ITEM}"),
    ),
    ".": (lazy(r"\.(?<=[^\W\d_]\.)[ ]?(?:[^\W\d_]{1,20},?\.[ ]?){2,40}"), lazy(r"\.[ ]?")),
    "-": (lazy(r"-(?<=[^\W\d_]-)(?:[^\W\d_]{1,20},?-){2,40}"), lazy("-")),
    "+": (lazy(r"\+(?<=[^\W\d_]\+)(?:[^\W\d_]{1,20},?\+){2,40}"), lazy(r"\+")),
    "\\n": (lazy(r"\\n(?<=[^\W\d_]..)(?:[^\W\d_]{1,20},?\\n){2,40}"), lazy(r"\\n")),
    "=\n": (lazy(r"=\n"), None),
    "\\\n": (lazy(r"\\\n"), None),
    " ": (
        lazy(r"[ ](?P<sign>[^\w\s,.]{1,3})[ ](?:\S{1,60}[ ](?P=sign)[ ]?){3,40}"),
        lazy(r"[ ]\W{1,3}[ ]?"),
    ),
}
"""Where a sentence is divided, and what is there between its words: lines, cells, signs."""

_WIDE = lazy(r"[ \t]{5,40}(?=[^\W\d_])")
_IN_CHINESE = lazy(
    r"(?<=[\u3400-\u9fff])(?:\s{0,4}[0-9]{1,2}[.)\u3001][ ]?|"
    r"\s|[^\w\u3001-\u303f\uff00-\uffef]){1,12}(?=[\u3400-\u9fff])"
)
"""What is between words of Chinese, which has no blanks between words; not its punctuation."""

_ITEMS = lazy(r"\n(?:[-*+>]|[0-9]{1,2}[.)])[ ](\S{1,60})(?=\n|\Z)")
_NAMES = lazy(
    r"(?<![^\W_])(?:[^\W\d_]{1,20}+(?:_[^\W\d_]{1,20}+){2,30}"
    r"|[A-Z][a-z]{0,20}+(?:[A-Z][a-z]{0,20}+){2,30}|[A-Za-z]{16,100})(?![^\W_])"
)
_IN_SNAKE = lazy(r"_[^\W\d_]{1,20}+_")
"""What names of several words contain, and few texts: it is found much faster."""

_NAME = 40
"""The characters of a name before and after a word in it that are looked at first."""

_ANY_WORD = lazy(r"[A-Za-z]{1,24}")
_WORD = lazy(r"[A-Za-z]{3,24}")
_INDENT = "     "
_SMALL = bytes.maketrans(LETTERS.upper().encode(), LETTERS.encode())
_NO_LETTERS = bytes(code for code in range(0x100) if chr(code) not in ALPHABETS)


def turned(
    below: Layer, words: frozenset[str] | None, characters: frozenset[str]
) -> Iterator[Layer]:
    """Yield other readings of a text, if its `words` include suspicious ones when read so."""
    if words is None:
        words = frozenset(words_of(below.text))
    if len(_UPSIDE_DOWN & characters) >= _FEW:
        yield _backwards(below, below.text[::-1].translate(str.maketrans("qbpdun", "bqdpnu")))
    if not mirrored().isdisjoint(words):
        yield _backwards(below, below.text[::-1])
        yield replaced(below, BACKWARDS, _WORD, lambda word: word[::-1])
    shifts = Counter(shift for word in rotated().keys() & words for shift in rotated()[word])
    for shift, number in shifts.items():
        if number > 1 or shift == _ROT13:
            alphabet = str.maketrans(ALPHABETS, shifted(shift))
            how = ROT13 if shift == _ROT13 else ROTATED
            yield replaced(below, how, _ANY_WORD, _reader(alphabet))
    yield from _divided(below, words)
    yield from _respelt(below, words)


def _divided(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text with divided sentences in one."""
    suspicious = suspicious_words() & words
    if len(suspicious) > 1 or "-\n" in below.text:
        pieces = replaced(below, DIVIDED, _WIDE, lambda _: " ") if _INDENT in below.text else below
        for sign, (pattern, between) in _DIVIDED.items():
            whole = suspicious if pieces is below else suspicious_words()
            if _may_divide(sign, pieces.text, whole):
                pieces = replaced(pieces, DIVIDED, pattern, _reader_of(between))
        if pieces is not below:
            yield pieces
    if not below.text.isascii():
        chinese = replaced(below, DIVIDED, _IN_CHINESE, lambda _: "")
        if chinese is not below:
            yield chinese


def _respelt(below: Layer, words: frozenset[str]) -> Iterator[Layer]:
    """Yield the text with suspicious words spelt right, whole, and with blanks between them."""
    if not misspellings().isdisjoint(words) and len(misspellings() & words) > 1:
        yield replaced(below, MISSPELT, _WORD, well_spelt)
    if _has_broken_words(below.text):
        yield layer(below, BROKEN, _mended(below.text))
    if _may_have_names(below.text, words):
        names = replaced(below, RUN_ON, _NAMES, in_words)
        if names is not below:
            yield names


def _may_divide(sign: str, text: str, words: frozenset[str]) -> bool:
    """Tell quickly whether sentences of `text`, which has `words`, may be divided by `sign`."""
    if sign == " ":
        signs = (each for each in "|/+*~=>#&-" if each in text)
        return not text.isascii() or any(text.count(f" {each} ") > _FEW for each in signs)
    if sign == "\n":
        return _has_lines_of(words, text)
    # NOTE: one character is found much faster than two.
    return sign[0] in text and sign in text


def _has_lines_of(words: frozenset[str], text: str) -> bool:
    """Tell whether two of `words` are lines of their own, or items of a list."""
    lower = text.lower()
    return len(words.intersection(chain(lower.split("\n"), _ITEMS.findall(lower)))) > 1


def _may_have_names(text: str, words: frozenset[str]) -> bool:
    """Tell quickly whether `text` may have names that consist of suspicious words."""
    if max(map(len, words), default=0) >= LONG_NAME:
        long = (word for word in words if len(word) >= LONG_NAME)
        if any(len(set(any_suspicious().findall(word))) > 1 for word in long):
            return True
    near = (text[max(0, at.start() - _NAME) : at.end() + _NAME] for at in _IN_SNAKE.finditer(text))
    return any(len(suspicious_words().intersection(words_of(each))) > 1 for each in near)


def _has_broken_words(text: str) -> bool:
    """Tell quickly whether `text` has suspicious words only if all between letters is left out."""
    letters = text.encode("ascii", "replace").translate(_SMALL, _NO_LETTERS).decode()
    begun = [word for word in table("disguises")["begun"] if word in letters]
    lower = text.lower() if len(begun) > 1 else ""
    return sum(letters.count(word) > lower.count(word) for word in begun) > 1


def _mended(text: str) -> Iterator[Edit]:
    """Yield sentences of known words, of which some are broken, with a blank between words."""
    places = [at for at, letter in enumerate(text) if letter in ALPHABETS]
    letters = "".join(text[at] for at in places)
    for run in runs().finditer(letters):
        words = in_run().findall(run[0].lower())
        start, end = places[run.start()], places[run.end() - 1] + 1
        known = Counter(word for word in words if word in suspicious_words())
        if len(known) > 1 and known - Counter(words_of(text[start:end])):
            yield Edit(start, end, " ".join(words))


def _reader_of(between: re.Pattern[str] | None) -> Callable[[str], str]:
    def in_one(pieces: str) -> str:
        read = between.sub(" ", pieces) if between else ""
        return (
            read if not read or len(suspicious_words().intersection(words_of(read))) > 1 else pieces
        )

    return in_one


def _backwards(below: Layer, text: str) -> Layer:
    whole = Edit(0, len(text), text)
    return Layer(
        text=text, how=BACKWARDS, below=below, starts=[0], ends=[len(text)], origins=[whole]
    )


def _reader(alphabet: dict[int, int]) -> Callable[[str], str]:
    return lambda word: word.translate(alphabet)
