"""Short texts in codes: numbers of characters, Morse code, squares, spelling alphabets."""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from string import ascii_lowercase
from typing import NamedTuple

from psreg.core.regex import lazy
from psreg.lint.content.appearance.words import BACON, spelling_words
from psreg.lint.content.pattern_tables import table
from psreg.lint.content.texts import FEWEST_WORDS, Content
from psreg.lint.segments import Segment

_SHORTEST, _SEVERAL, _DECIMALS, _WIDTHS = 24, 10, range(2, 7), (4, 6, 8)
_FEW = 6
_BITS = 7

_HEXADECIMAL = lazy(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :,\n#-]{0,2}){12,400}(?![0-9A-Za-z])")
_BINARY = lazy(
    r"(?<![0-9])(?:(?:[01]{8}[ ,\n]?){12,400}|(?:[01]{7}[ ,\n]){12,400}(?:[01]{7}|(?![0-9])))"
    r"(?![0-9])"
)
_DECIMAL = lazy(r"(?<![0-9])(?:[0-9]{2,6}[ ,;\n]{1,2}){12,400}[0-9]{2,6}(?![0-9])")
_CALLED = lazy(
    r"(?<!\w)(?:(?:[A-Za-z]{1,9}\.){0,2}[A-Za-z]{2,9}\((?:0x)?[0-9A-Fa-f]{2,6}\)[^\w\n]{0,5}){12,400}"
)
_OCTAL_NUMBERS = lazy(r"(?<![0-9])(?:[01]?[0-7]{2}[ ,;]{1,2}){12,400}[01]?[0-7]{2}(?![0-9])")
_OCTAL = lazy(r"(?:\\[0-3]?[0-7]{2}){12,400}")
_CSS = lazy(r"(?:\\[0-9A-Fa-f]{2,6}[ ]?){12,400}")
_MARKED = {
    mark: lazy(rf"(?:{re.escape(mark)}[0-9a-f]{{2,6}}\}}?[ ,;]{{0,2}}){{12,400}}", re.IGNORECASE)
    for mark in ("0x", "u+", "%u", "\\u{", "=")
}
"""Short runs, which are reported only if what they say breaks another rule."""

_MIXED = lazy(r"(?:(?:\\x|%|=|0x)[0-9A-Fa-f]{2}){12,400}")
_NOTATION = lazy(r"\\x|%|=|0x")
_DUMP = lazy(
    r"(?<![^\n])(?:[0-9A-Fa-f]{4,8}[:]?[ \t]{1,3}(?:[0-9A-Fa-f]{2,4}[ ]{1,2}){1,16}[^\n]{0,40}\n?)"
    r"{2,200}"
)
_DUMPED = lazy(r"[0-9A-Fa-f]{4,8}[:]?[ \t]{1,3}((?:[0-9A-Fa-f]{2,4}[ ]{1,2}){1,16})[^\n]*")
_BASE32 = lazy(r"(?<![A-Za-z0-9])(?:[A-Z2-7]{24,800}|[a-z2-7]{24,800})={0,6}(?![A-Za-z0-9=])")
_ASCII85 = lazy(r"<~[!-u\s]{20,1000}~>")
_BASE85 = lazy(r"(?<!\S)[!-~]{25,1000}(?!\S)")
_UTF7 = lazy(r"(?:\+[A-Za-z0-9+/]{3,400}-?[^\w+]{0,2}){3,200}")
_UTF7_RUN = lazy(r"\+([A-Za-z0-9+/]{3,400})-?")
_UU = lazy(r"begin [0-7]{3}[^\n]{0,40}\n((?:[!-`]{2,61}[ ]?\n){1,40})")
_ALPHABET_NUMBERS = lazy(r"(?<![0-9])(?:[012]?[0-9][-., /|]{1,3}){14,400}[012]?[0-9](?![0-9])")
_SQUARE = lazy(r"(?<![0-9])(?:[1-5]{2}[-., /|]{1,3}){12,400}[1-5]{2}(?![0-9])")
_LEFT_OUT = "jkqz"
"""Letters that a square of 25 leaves out."""
_MORSE = lazy(r"(?:[.·•∙*_−–—-]{1,5}[ /|]{1,3}){16,800}")
_DOT, _DASH = dict.fromkeys("·•∙*", "."), dict.fromkeys("_−–—", "-")
_MORSE_NEEDLES = (".- ", "-. ")
_ODD_SIGNS = frozenset("·•∙−–—")
_ODD_NEEDLES = tuple(f"{sign} " for sign in sorted(_ODD_SIGNS))
_SAID_SIGNS = frozenset(("dah", "dash"))
_MORSE_SIGNS = str.maketrans(_DOT | _DASH | {"|": "/"})
_SOUNDS = lazy(r"\bdi?t\b|\bdot\b|\bdi\b|\bdah?\b|\bdash\b", re.IGNORECASE)
_SPOKEN_MORSE = lazy(
    r"(?:\b(?:di|dit|dot|da|dah|dash)\b[- ]{0,2}[,./|]{0,2}[ ]{0,2}){16,2000}", re.IGNORECASE
)
_BACON = lazy(r"(?<![A-Za-z])(?:[AaBb]{5}[ ,\n]{0,2}){12,400}(?![A-Za-z])")
_NUMBER = lazy(r"[0-9A-Fa-f]+")
_DIGITS = lazy("[0-9]+")
_SIGNS = lazy(r"[-., /|]+")
_LAST_LETTER = 26
_SQUARES = frozenset(f"{row}{column}" for row in range(1, 6) for column in range(1, 6))
_BIT_WORD = lazy("[01]{7,}+")
_CALLED_WORD = lazy(r"(?:0x)?[0-9a-f]{2,6}")
_BACON_WORD = lazy("[ab]{5,}+")
_OFFSETS = frozenset(("0000", "00000000", "00000010", "0010"))


class Code(NamedTuple):
    """A text in a code: its name, where it is, and what it says."""

    name: str
    segment: Segment
    match: re.Match[str]
    said: str


def codes(content: Content) -> Iterator[Code]:
    """Yield what may be texts in codes, and what they say."""
    # NOTE: the words of a text tell quickly what need not be searched.
    words = content.words
    digits = list(filter(str.isdigit, words))
    yield from _bytes(content, words, digits)
    yield from _escapes(content, words)
    yield from _letters(content, words, digits)
    yield from _spoken(content, words)
    yield from _signs(content, words)


def _bytes(content: Content, words: frozenset[str], digits: list[str]) -> Iterator[Code]:
    long = [word for word in words if len(word) >= _SHORTEST]
    pairs = [word for word in words if len(word) == len("ff")]
    octets = len(list(filter(_NUMBER.fullmatch, pairs)))
    mixed = [word for word in content.mixed if len(word) in _WIDTHS and _NUMBER.fullmatch(word)]
    if octets >= _SEVERAL or any(map(_NUMBER.fullmatch, long)) or len(mixed) >= _FEW:
        among = [word for word in words if _NUMBER.fullmatch(word)] + long * FEWEST_WORDS
        yield from _numbers(content.find_among(_HEXADECIMAL, among), "hexadecimal digits", 16)
    if any(len(word) >= _BITS for word in digits):
        among = list(filter(_BIT_WORD.fullmatch, digits)) * FEWEST_WORDS
        yield from _numbers(content.find_among(_BINARY, among), "binary digits", 2)
    if sum(len(word) in _DECIMALS for word in digits) >= _SEVERAL:
        yield from _numbers(content.find_among(_DECIMAL, digits), "numbers", 10)
        yield from _numbers(content.find_among(_OCTAL_NUMBERS, digits), "octal numbers", 8)
        among = list(filter(_CALLED_WORD.fullmatch, words))
        yield from _numbers(content.find_among(_CALLED, among), "numbers", 10)
    for segment, match in content.find_among(_BASE32, long * FEWEST_WORDS) if long else ():
        run = match[0].rstrip("=").upper()
        with suppress(binascii.Error):
            data = base64.b32decode(run + "=" * (-len(run) % 8))
            yield Code("base32", segment, match, _text(data))


def _escapes(content: Content, words: frozenset[str]) -> Iterator[Code]:
    for mark, pattern in _MARKED.items():
        if mark[0] in content.marks or mark[0].isalnum():
            for segment, match in content.find(pattern, mark):
                read = match[0].lower().split(mark)[1:]
                numbers = [int(code.rstrip("} ,;"), 16) for code in read]
                yield Code("character codes", segment, match, _encoded(numbers))
    if "\\" in content.marks:
        yield from _numbers(content.find(_OCTAL), "escaped bytes", 8)
        yield from _numbers(content.find(_CSS), "escapes", 16, of_any_size=True)
        for segment, match in content.find(_MIXED, "\\x"):
            # NOTE: PS031 itself reports a run of one notation.
            if len(set(_NOTATION.findall(match[0]))) > 1:
                data = bytes.fromhex(_NOTATION.sub("", match[0]))
                yield Code("escaped bytes", segment, match, _text(data))
    if not _OFFSETS.isdisjoint(words):
        for segment, match in content.find(_DUMP):
            rows = "".join(_DUMPED.findall(match[0])).replace(" ", "")
            yield Code("a dump", segment, match, _text(bytes.fromhex(rows[: len(rows) // 2 * 2])))


def _letters(content: Content, words: frozenset[str], digits: list[str]) -> Iterator[Code]:
    if len(digits) >= _SEVERAL:
        for segment, match in content.find_among(_ALPHABET_NUMBERS, digits):
            yield Code("numbers of letters", segment, match, _parted(match[0], _numbered))
    if len(_SQUARES & words) >= _FEW:
        for segment, match in content.find_among(_SQUARE, _SQUARES & words):
            for other in _LEFT_OUT:
                read = _parted(match[0], partial(_in_square, other))
                yield Code("a square of letters", segment, match, read)
    if len(BACON & words) >= _FEW:
        for segment, match in content.find_among(_BACON, filter(_BACON_WORD.fullmatch, words)):
            runs = match[0].lower().split()
            numbers = [int(run.replace("a", "0").replace("b", "1"), 2) for run in runs]
            said = "".join(ascii_lowercase[min(number, _LAST_LETTER - 1)] for number in numbers)
            yield Code("Bacon's cipher", segment, match, said)


def _spoken(content: Content, words: frozenset[str]) -> Iterator[Code]:
    if len(spelling_words() & words) < _FEW:
        return
    for known, pattern in _spelling_alphabets():
        if len(known.keys() & words) >= _FEW:
            for segment, match in content.find_among(pattern, known.keys() & words, fewest=2):
                yield Code("a spelling alphabet", segment, match, _spelled(match[0], known))


def _signs(content: Content, words: frozenset[str]) -> Iterator[Code]:
    marks = content.marks
    # NOTE: asterisks and low lines alone are lists and names.
    needles = _MORSE_NEEDLES if _ODD_SIGNS.isdisjoint(marks) else (*_MORSE_NEEDLES, *_ODD_NEEDLES)
    spoken = content.find(_SPOKEN_MORSE) if not _SAID_SIGNS.isdisjoint(words) else ()
    for segment, match in chain(content.find(_MORSE, *needles), spoken):
        letters = table("disguises")["morse"]
        signs = match[0]
        if signs[0].isalpha():
            signs = _SOUNDS.sub(lambda found: "-" if "a" in found[0].lower() else ".", signs)
            signs = signs.replace(" ", "").replace(",", " ")
        every = signs.translate(_MORSE_SIGNS).replace(" /", "/").split("/")
        read = " ".join("".join(letters.get(sign, "") for sign in word.split()) for word in every)
        yield Code("Morse code", segment, match, read)
    for segment, match in content.find(_ASCII85, "<~"):
        with suppress(ValueError):
            yield Code("base85", segment, match, _text(base64.a85decode(match[0], adobe=True)))
    if "+" in marks and "-" in marks and "+A" in content.text:
        for segment, match in content.find(_UTF7):
            yield Code("UTF-7", segment, match, _UTF7_RUN.sub(_of_utf7, match[0]))
    for segment, match in content.find(_UU, "begin "):
        with suppress(binascii.Error):
            data = b"".join(map(binascii.a2b_uu, match[1].splitlines()))
            yield Code("uuencoded text", segment, match, _text(data))
    if len(content.mixed) > 1:
        for segment, match in content.find(_BASE85):
            for decode in (base64.b85decode, base64.a85decode):
                with suppress(ValueError):
                    yield Code("base85", segment, match, _text(decode(match[0])))


def _numbers(
    found: Iterator[tuple[Segment, re.Match[str]]],
    what: str,
    base: int,
    *,
    of_any_size: bool = False,
) -> Iterator[Code]:
    digit = ".{1,6}" if of_any_size else {16: "..", 2: ".{7,8}"}.get(base, ".{1,6}")
    for segment, match in found:
        runs = (_NUMBER if base > 10 else _DIGITS).findall(match[0])  # noqa: PLR2004
        numbers = [int(each, base) for run in runs for each in re.findall(digit, run)]
        yield Code(what, segment, match, _encoded(numbers))


def _encoded(numbers: list[int]) -> str:
    """Return the text of which `numbers` are the bytes, or else the code points."""
    with suppress(ValueError):
        return bytes(numbers).decode()
    return "".join(chr(min(number, sys.maxunicode)) for number in numbers)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _of_utf7(run: re.Match[str]) -> str:
    plain = run[1] + "=" * (-len(run[1]) % 4)
    return base64.b64decode(plain).decode("utf-16-be", "replace") if len(run[1]) % 4 != 1 else ""


def _parted(text: str, letter: Callable[[int], str]) -> str:
    """Return the letters of which `text` has the numbers; between words is another sign."""
    numbers, signs = _NUMBER.findall(text), _SIGNS.findall(text)
    ((inside, _),) = Counter(signs).most_common(1)
    letters = (letter(int(number)) for number in numbers)
    return "".join(
        each + " " * (sign != inside) for each, sign in zip(letters, (*signs, ""), strict=True)
    )


def _numbered(number: int) -> str:
    return chr(ord("a") - 1 + number) if 0 < number <= _LAST_LETTER else " "


def _in_square(left_out: str, number: int) -> str:
    row, column = divmod(number, 10)
    return ascii_lowercase.replace(left_out, "")[5 * row + column - 6]


@cache
def _spelling_alphabets() -> list[tuple[dict[str, str], re.Pattern[str]]]:
    """Return the words for letters, and what finds several of them in a row."""
    found = []
    for words in table("disguises")["spelling"]:
        known = {word: word[0] for word in words.split()}
        each = "|".join(sorted(known, key=len, reverse=True))
        found.append(
            (known, re.compile(rf"\b(?:(?:{each})\b[^\w]{{0,4}}){{8,400}}", re.IGNORECASE))
        )
    return found


_WORD_OR_SIGNS = lazy(r"([^\W_]+)([\W_]*)")


def _spelled(text: str, known: dict[str, str]) -> str:
    """Return the letters that `text` spells; what is rare between its words is between theirs."""
    parts = _WORD_OR_SIGNS.findall(text)
    ((inside, _),) = Counter(signs for _, signs in parts).most_common(1)
    return "".join(known[word.lower()] + " " * (signs != inside) for word, signs in parts)
