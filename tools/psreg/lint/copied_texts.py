"""Texts that are copied from a well-known example, in place of the author's own.

`data/example_texts.json` has digests of such texts: those of the specifications, of the other
questions of `psreg new`, and of the prompts that psreg comes with, by the name of the prompt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pkgutil import get_data
from zlib import crc32

from psreg.core.spelling import letters
from psreg.formats.pbe_templates import blanks

_GIVEN = ("pbe_name", "pbe_version")
"""The blanks whose examples anyone may use."""

_PSREG = "psreg new"
_OF_SPECIFICATION = ("pbe-1.0", "hello_world", "simple_quiz", "AgentRoleplayPrompt")
"""The prompts that the specifications show; `pbe-1.0` for what they say about a field."""


def copied_from(text: str, name: str) -> str:
    """Return whose example the whole of `text` is, in words; "" if it is none.

    Case, blanks and punctuation do not count. `name` is the name or the title of the prompt, which
    may use its own texts, however the name is spelled.
    """
    if not may_be_copied(only_letters(text)):
        return ""
    owners = _known_texts().get(text_digest(text), ())
    if not owners or letters(name) in map(letters, owners):
        return ""
    if _PSREG in owners:
        return "the example that psreg shows for such a field"
    if owners[0] in _OF_SPECIFICATION:
        return "copied from the specification of the format"
    return f"copied from the published prompt `{owners[0]}`"


def may_be_copied(letters_of_text: bytes) -> bool:
    """Tell whether a text with these letters and digits may be a known one; few texts are."""
    # NOTE: a checksum takes a tenth of the time of a digest.
    return crc32(letters_of_text) in _known_checksums()


def text_digest(text: str) -> str:
    """Return a checksum and the beginning of the digest of the letters and digits in `text`."""
    data = only_letters(text)
    return f"{crc32(data):08x}{hashlib.sha256(data).hexdigest()[:8]}"


def only_letters(text: str) -> bytes:
    """Return the letters and digits of `text`, case folded."""
    # NOTE: this is asked about every text of every PBE; most are ASCII.
    if text.isascii():
        return text.encode().translate(_SMALL, _NO_LETTERS)
    return letters(text).encode()


def letters_of_each(texts: Sequence[str]) -> list[bytes]:
    """Return `only_letters` of each text, of all at once if they are ASCII and of one line."""
    whole = "\n".join(texts)
    if texts and whole.isascii() and whole.count("\n") < len(texts):
        return whole.encode().translate(_SMALL, _NO_LETTERS.replace(b"\n", b"")).split(b"\n")
    return [*map(only_letters, texts)]


_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalnum())
_SMALL = bytes(range(0x80)).lower().ljust(0x100)


@cache
def _known_checksums() -> frozenset[int]:
    return frozenset(int(digest[:8], 16) for digest in _known_texts())


@cache
def _known_texts() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the prompts that have a text, by its digest."""
    examples = json.loads(get_data("psreg.lint", "data/example_texts.json") or b"")
    table: dict[str, tuple[str, ...]] = {}
    for name, digests in examples.items():
        for digest in digests:
            table[digest] = (*table.get(digest, ()), name)
    asked = (blank for key, blank in blanks().items() if key not in _GIVEN)
    for digest in (text_digest(text) for one in asked for text in (one.meaning, one.example)):
        table[digest] = (*table.get(digest, ()), _PSREG)
    return table
