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
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from psreg.core.regex import lazy

if TYPE_CHECKING:
    from psreg.formats.tree import Submission

SIZE = 64
"""The most hashes in a sketch."""

FEWEST = 16
"""The sequences of the shortest text that has a sketch: shorter ones are alike by chance."""

_WORDS = 3
_DIGITS = 5

START = 4 * _DIGITS
"""The length of the beginning of a sketch by which texts that may be alike are found."""

_ORDERED = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
)

_ONE_BY_ONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = lazy(rf"[^\W{_ONE_BY_ONE}]+|\w")
"""A word; in scripts without blanks between words, a character."""


def sketch(text: str) -> str:
    """Return the sketch of a text, at most 320 ASCII characters; "" if the text is too short.

    Case, punctuation, white space, and forms of a character that are compatible do not count.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    sequences = {*zip(*(words[at:] for at in range(_WORDS)), strict=False)}
    if len(sequences) < FEWEST:
        return ""
    spelled = (" ".join(each).encode("utf-8", "surrogatepass") for each in sequences)
    smallest = sorted({blake2b(each, digest_size=4).digest() for each in spelled})
    numbers = dict.fromkeys(b64encode(digest)[:_DIGITS] for digest in smallest[: 2 * SIZE])
    return b"".join([*numbers][:SIZE]).translate(_ORDERED).decode()


def hashes(sketch: str) -> list[str]:
    """Return the hashes in a sketch, or in the beginning of one, ascending."""
    return [sketch[at : at + _DIGITS] for at in range(0, len(sketch), _DIGITS)]


def likeness(one: str, other: str) -> float:
    """Return the share, 0 to 1, of their sequences that two texts have in common.

    It is estimated from their sketches, and exact if they have at most 64 sequences together.
    """
    first, second = {*hashes(one)}, {*hashes(other)}
    sample = sorted(first | second)[:SIZE]
    return sum(each in first and each in second for each in sample) / max(len(sample), 1)


def prompt_text(submission: Submission) -> str:
    """Return the text that a model reads: the values of a PBE, or the content of a `.prompt`."""
    if submission.prompt is not None:
        return submission.prompt.content
    pbe = submission.pbe
    return "\n".join(_texts(pbe.tree.value)) if pbe is not None and pbe.tree.parsed else ""


def _texts(value: Any) -> Iterator[str]:
    # NOTE: recursion is bounded, the parser refuses deep nesting.
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
