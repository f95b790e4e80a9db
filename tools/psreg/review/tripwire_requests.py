"""Requests for tools, files, memory, messages and secrets in other languages than English.

The words are in `data/requests.toml`; English has patterns of its own, in `tripwire_patterns`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from psreg.core.regex import lazy

_NAMES = {
    "tool": "a request to use a tool",
    "files": "a request about files",
    "memory": "a request to use memory",
    "send": "a request to send something",
    "secret": "a request for a password or a key",
}

_APART = r"[^.!?\n\u3002\uff01\uff1f\u061f\u0964]{0,40}?"
_AFTER_CYRILLIC = "\u0530"
"""In the scripts before this character, a word begins after one that is not of a word."""


def _requests() -> Iterator[tuple[str, re.Pattern[str], tuple[str, ...]]]:
    """Yield the rows."""
    text = (files("psreg.review") / "data/requests.toml").read_text(encoding="utf-8")
    for kind, rows in tomllib.loads(text).items():
        for row in rows:
            pattern = noun = _any_of(row["nouns"])
            if "verbs" in row:
                verb = _any_of(row["verbs"])
                pattern = f"{verb}{_APART}{noun}|{noun}{_APART}{verb}"
            yield _NAMES[kind], lazy(pattern, re.IGNORECASE), _signs(row["nouns"])


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(map(_word, words.split()))})"


def _word(word: str) -> str:
    plain = re.escape(word.removesuffix(".")).replace("_", r"\s")
    if word[0] >= _AFTER_CYRILLIC:
        return plain
    return rf"(?<!\w){plain}" + (r"(?!\w)" if word.endswith(".") else r"\w{0,12}")


def _signs(words: str) -> tuple[str, ...]:
    """Return what every match has one of, in lower case: the words up to a blank or a dotless i."""
    return tuple(re.split("[_ı]", word.removesuffix("."))[0].lower() for word in words.split())


REQUESTS = tuple(_requests())
"""Rows as in `tripwire_patterns.WAYS_OUT`."""
