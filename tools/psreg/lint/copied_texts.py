"""Texts that are copied from a well-known example, in place of the author's own.

`data/example_texts.json` has digests of such texts: those of the specifications, of the other
questions of `psreg new`, and of the prompts that psreg comes with, by the name of the prompt.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

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
    owners = _known_texts().get(text_digest(text), ())
    if not owners or letters(name) in map(letters, owners):
        return ""
    if _PSREG in owners:
        return "the example that psreg shows for such a field"
    if owners[0] in _OF_SPECIFICATION:
        return "copied from the specification of the format"
    return f"copied from the published prompt `{owners[0]}`"


def text_digest(text: str) -> str:
    """Return the beginning of the digest of the words in `text`."""
    # NOTE: this is asked about every text of every PBE; most are ASCII.
    if text.isascii():
        words = b" ".join(text.encode().translate(_ONLY_WORDS).split())
    else:
        words = " ".join(re.findall(r"\w+", text.casefold())).encode()
    return hashlib.sha256(words).hexdigest()[:16]


_ONLY_WORDS = (
    "".join(c.lower() if c.isalnum() or c == "_" else " " for c in map(chr, range(0x80)))
    .encode()
    .ljust(0x100)
)
"""A small letter, a digit or `_` for each ASCII character, or a blank."""


@cache
def _known_texts() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the prompts that have a text, by its digest."""
    examples = json.loads((files("psreg.lint") / "data/example_texts.json").read_text("utf-8"))
    table: dict[str, tuple[str, ...]] = {}
    for name, digests in examples.items():
        for digest in digests:
            table[digest] = (*table.get(digest, ()), name)
    asked = (blank for key, blank in blanks().items() if key not in _GIVEN)
    for digest in (text_digest(text) for one in asked for text in (one.meaning, one.example)):
        table[digest] = (*table.get(digest, ()), _PSREG)
    return table
