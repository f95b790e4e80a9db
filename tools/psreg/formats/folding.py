"""What a text looks like to a reader, as plain letters: the text behind a disguise.

Compatibility forms become their letters (NFKD), marks and invisible characters vanish, and a
letter of another script becomes the ASCII letter it looks like. The look-alikes are those of
Unicode (UTS 39) in the package confusable_homoglyphs, which this module alone imports, and only
for a text beyond ASCII.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_VANISHING = ("Cf", "Mn", "Me", "Cc", "Cs", "Co", "Cn")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_SPACES = ("Zs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `origins[i]` is where its character i comes from, the last item the end."""

    text: str
    origins: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the original text that `text[start:end]` was folded from."""
        return self.origins[start], self.origins[end - 1] + 1 if end > start else self.origins[end]


def fold(text: str) -> Folded:
    """Return `text` as plain letters, with the way back."""
    parts: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        folded = character if character.isascii() else folded_character(character)
        parts.append(folded)
        origins.extend([at] * len(folded))
    return Folded("".join(parts), (*origins, len(text)))


class _Table(dict[int, str]):
    """A table for `str.translate` that fills itself."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        folded = character if number < 0x80 else folded_character(character)  # noqa: PLR2004
        self[number] = folded
        return folded


def folded_text(text: str) -> str:
    """Return `fold(text).text`, quickly."""
    return text.translate(_Table())


@lru_cache(maxsize=4096)
def folded_character(character: str) -> str:
    """Return what `character`, which is not ASCII, looks like: "" if nothing."""
    if character in _FILLERS:
        return ""
    return "".join(map(_plain, unicodedata.normalize("NFKD", character)))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category in _VANISHING or character in _FILLERS:
        return ""
    return " " if category in _SPACES else lookalike(character) or character


@lru_cache(maxsize=4096)
def lookalike(character: str) -> str:
    """Return the ASCII character that `character` looks like, or ""."""
    # NOTE: its tables take 40 ms to load, which a text in ASCII must not pay.
    from confusable_homoglyphs import confusables  # noqa: PLC0415

    found = confusables.is_confusable(character, greedy=True) or ()
    twins = [twin["c"] for row in found for twin in row["homoglyphs"] if twin["c"].isascii()]
    twins.sort(key=lambda twin: (len(twin), not twin.isalpha(), twin))
    if not twins:
        return ""
    # Unicode's table writes every upright stroke as `l`; among capitals it is an I.
    return "I" if twins[0] == "l" and character.isupper() else twins[0]
