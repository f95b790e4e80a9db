"""How alike two texts are, estimated from a sketch of each: a bottom-k MinHash.

A text is the set of its sequences of three words. Each sequence has a hash of 30 bits, and the
sketch is the 64 smallest of them: a fair sample of the set, which is the same for every text that
contains the sequence. So two sketches tell what share of the sequences two texts have in common
(their Jaccard index), with a standard error of at most 6 %. A sketch depends on nothing but the
text: each hash is written as five digits of base 64 whose order is that of the numbers.
"""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from zlib import crc32

from psreg.core.regex import lazy

if TYPE_CHECKING:
    from psreg.formats.tree import Submission

SIZE = 64
"""The most hashes in a sketch."""

FEWEST = 16
"""The sequences of the shortest text that has a sketch: shorter ones are alike by chance."""

LONGEST = 20_000
"""The words of a text that are read, some 120 kB: a copy of a longer one also begins like it."""

_WORDS = 3
_DIGITS = 5

START = 4 * _DIGITS
"""The length of the beginning of a sketch by which texts that may be alike are found."""

_USED = 0xFFFFFFFC
"""The 30 bits of a hash."""

_MIX = 0x9E3779B1
"""What the sums are multiplied by, so that those of similar sequences are not in a row."""

_ORDERED = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
)

_SMALL = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == "_" else ord(" ")
    for code in range(0x80)
).ljust(0x100)
"""The small letter for each letter of ASCII, and a blank for what is not part of a word."""

_ONE_BY_ONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = lazy(rf"[^\W{_ONE_BY_ONE}]+|\w")
"""A word; in scripts without blanks between words, a character."""


def sketch(text: str) -> str:
    """Return the sketch of a text, at most 320 ASCII characters; "" if the text is too short.

    Case, punctuation, white space, and forms of a character that are compatible do not count.
    """
    words = [*islice(_words(text), LONGEST)]
    sequences = map(b" ".join, zip(*(words[at:] for at in range(_WORDS)), strict=False))
    found = {crc32(each) * _MIX & _USED for each in sequences}
    if len(found) < FEWEST:
        return ""
    smallest = sorted(found)[:SIZE]
    # NOTE: with six bytes for each, all are encoded at once, and each is the same eight digits.
    digits = b64encode(b"".join([each.to_bytes(4) + b"\0\0" for each in smallest]))
    digits = digits.translate(_ORDERED)
    return b"".join([digits[at : at + _DIGITS] for at in range(0, len(digits), 8)]).decode()


def _words(text: str) -> Iterable[bytes]:
    # NOTE: this takes a third of the time for ASCII, which most texts are.
    if text.isascii():
        return text.encode().translate(_SMALL).split(maxsplit=LONGEST)
    found = _WORD.finditer(unicodedata.normalize("NFKC", text).casefold())
    return (match[0].encode("utf-8", "surrogatepass") for match in found)


def hashes(sketch: str) -> list[str]:
    """Return the hashes in a sketch, or in the beginning of one, ascending."""
    return [sketch[at : at + _DIGITS] for at in range(0, len(sketch), _DIGITS)]


def likeness(one: str, other: str, least: float = 0) -> float:
    """Return the share, 0 to 1, of their sequences that two texts have in common.

    It is estimated from their sketches, and exact if they have at most 64 sequences together. If it
    is less than `least`, it may be returned as 0.
    """
    (first, known), (second, others) = _read(one), _read(other)
    common = known & others
    if not common or len(common) < least * max(len(first), len(second)):
        return 0
    # NOTE: to merge two sorted lists takes less than to sort.
    sample = [*dict.fromkeys(sorted(first + second))][:SIZE]
    return len(common.intersection(sample)) / len(sample)


@lru_cache(maxsize=2048)
def _read(sketch: str) -> tuple[list[str], frozenset[str]]:
    found = hashes(sketch)
    return found, frozenset(found)


def prompt_text(submission: Submission) -> str:
    """Return the text that a model reads: the values of a PBE, or the content of a `.prompt`."""
    if submission.prompt is not None:
        return submission.prompt.content
    pbe = submission.pbe
    found: list[str] = []
    if pbe is not None and pbe.tree.parsed:
        _add_texts(pbe.tree.value, found)
    return "\n".join(found)


def _add_texts(value: Any, found: list[str]) -> None:
    # NOTE: recursion is bounded, the parser refuses deep nesting.
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _add_texts(each, found)
