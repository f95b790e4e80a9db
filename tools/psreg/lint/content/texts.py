"""The texts of a file that content rules judge, each with the way back to its source.

A PBE has one passage for each text value and each member name, escapes decoded. A `.prompt`, a
README and a TOML file are one passage each, comments included: a reader sees all of it. What is
costly (places, code spans, sets of characters) is computed when a rule asks for it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Any

from psreg.core.diagnostics import Span
from psreg.formats import toml_document
from psreg.formats.dotprompt import Prompt
from psreg.formats.json import json_document
from psreg.formats.json.json_document import Escaped, JsonTree, escaped
from psreg.formats.markdown import code_spans, fences
from psreg.formats.pbe import Pbe
from psreg.formats.toml_document import TomlTree

HEAD = 3
"""Letters of the beginning of a word by which patterns are chosen; see `Content.heads`."""

_NO_LETTERS = {code: " " for code in range(0x80) if not chr(code).isalnum()}
_WORD = re.compile(r"[a-z0-9]++")

_ASCII_BLANKS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_BLANKS = _ASCII_BLANKS + (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What `\\s` matches beside the blank itself."""

_SAME_LETTER = {"ſ": "s", "ı": "i", "İ": "i"}
"""Letters that a pattern takes for others where case is ignored, and `lower` does not."""


class Kind(StrEnum):
    """What a passage is: a text value or a member name of a PBE, or one whole file."""

    VALUE = "value"
    KEY = "key"
    PROMPT = "prompt"
    README = "readme"
    TOML = "toml"


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached_property
class Passage:
    """One text. `pointer` names the value it is, or whose name it is, in a PBE; else ""."""

    text: str
    kind: Kind
    pointer: str = ""
    source: str | JsonTree = ""
    """Of a decoded text, what it was decoded from; else ""."""

    def span(self, start: int, end: int) -> Span:
        """Return where `text[start:end]` stands in the source, from escape to escape."""
        if not self.source:
            return Span(start, end)
        return Span(self._escaped.origin(start), self._escaped.origin(end))

    @cached_property
    def fences(self) -> tuple[Span, ...]:
        """The fenced code blocks, as stretches of `text`, ascending, fence lines included."""
        return fences(self.text)

    @cached_property
    def code(self) -> tuple[Span, ...]:
        """Fenced blocks and `inline code`, as stretches of `text`, ascending."""
        return tuple(sorted((*self.fences, *code_spans(self.text, self.fences))))

    def in_fence(self, offset: int) -> bool:
        """Tell whether the character at `offset` of `text` stands in a fenced code block."""
        return _inside(self.fences, offset)

    def in_code(self, offset: int) -> bool:
        """Tell whether the character at `offset` of `text` stands in code of either kind."""
        return _inside(self.code, offset)

    @cached_property
    def _escaped(self) -> Escaped:
        if isinstance(self.source, str):
            return escaped(self.source, 0, len(self.source), toml_document.ESCAPE)
        place = (self.source.key_span if self.kind is Kind.KEY else self.source.span)(self.pointer)
        # NOTE: the quotes are not part of the text.
        return escaped(self.source.text, place.start + 1, place.end - 1, json_document.ESCAPE)


def _inside(spans: tuple[Span, ...], offset: int) -> bool:
    """Tell whether `offset` is in one of `spans`, which are ascending and apart."""
    before = bisect_right(spans, Span(offset + 1, 0))
    return before > 0 and offset < spans[before - 1].end


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached_property
class Content:
    """The texts of one file, what content rules judge.

    `source` is the file's text. `capabilities` is what release.toml declares, None where nobody
    could declare anything (a file without a release). `prompt` is the `.prompt`, if it is one.
    """

    passages: tuple[Passage, ...]
    source: str
    kind: Kind
    capabilities: tuple[str, ...] | None = None
    prompt: Prompt | None = None

    @cached_property
    def ascii(self) -> bool:
        """Whether no passage has a character beyond ASCII; then no Unicode rule has a say."""
        return self.source.isascii() and ("\\" not in self.source or self.text.isascii())

    @cached_property
    def text(self) -> str:
        """All passages, a line break between two."""
        return "\n".join([passage.text for passage in self.passages])

    @cached_property
    def lower(self) -> str:
        """`text` in lower case, in which words are looked for quickly."""
        return self.text.lower()

    @cached_property
    def flat(self) -> str:
        """`lower` as patterns read it, a blank for each white space; as long as `text`."""
        # NOTE: a few letters are longer in lower case; offsets must stay those of `text`.
        lower = self.lower
        if len(lower) != len(self.text):
            lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in self.text)
        blanks = _BLANKS
        if lower.isascii():
            blanks = _ASCII_BLANKS
        else:
            for letter, same in _SAME_LETTER.items():
                lower = lower.replace(letter, same)
        for blank in blanks:
            lower = lower.replace(blank, " ")
        return lower

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in `flat`, words being letters and digits."""
        if self.text.isascii():
            return frozenset(self.flat.translate(_NO_LETTERS).split())
        return frozenset(_WORD.findall(self.flat))

    @cached_property
    def heads(self) -> frozenset[str]:
        """The first `HEAD` letters of every word."""
        return frozenset([word[:HEAD] for word in self.words])

    @cached_property
    def longest(self) -> int:
        """The length of the longest stretch without white space."""
        return max(map(len, self.text.split()), default=0)

    def passage_at(self, offset: int) -> tuple[Passage, int]:
        """Return the passage in which `text[offset]` stands, and where in `text` it starts."""
        index = bisect_right(self._offsets, offset) - 1
        return self.passages[index], self._offsets[index]

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        lengths = (len(passage.text) + 1 for passage in self.passages)
        return tuple(accumulate(lengths, initial=0))[:-1]

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters that occur."""
        return frozenset(self.text)

    def find(
        self, pattern: re.Pattern[str], *needles: str
    ) -> Iterator[tuple[Passage, re.Match[str]]]:
        r"""Yield every match of `pattern` with the passage it is in.

        If `needles` are given, one of them (lower case) is part of every match; a file without
        them is not searched. Of anchors the pattern has only `\b` and, with MULTILINE, `^` and `$`:
        the passages are searched together first, and one by one only if there is something.
        """
        if needles and not any(needle in self.lower for needle in needles):
            return
        if pattern.search(self.text) is None:
            return
        for passage in self.passages:
            for match in pattern.finditer(passage.text):
                yield passage, match


def of_pbe(pbe: Pbe, capabilities: tuple[str, ...] | None = None) -> Content:
    """Return the texts of a PBE; of duplicate names the last one counts, as in its value."""
    tree = pbe.tree
    return Content(
        passages=tuple(_json(tree)) if tree.parsed else (),
        source=tree.text,
        kind=Kind.VALUE,
        capabilities=capabilities,
    )


def of_prompt(prompt: Prompt, capabilities: tuple[str, ...] | None = None) -> Content:
    """Return the text of a `.prompt`: all of the file, comments and metadata included."""
    return Content(
        passages=(Passage(text=prompt.text, kind=Kind.PROMPT),),
        source=prompt.text,
        kind=Kind.PROMPT,
        capabilities=capabilities,
        prompt=prompt,
    )


def of_readme(text: str) -> Content:
    """Return the text of a README.md."""
    return Content(passages=(Passage(text=text, kind=Kind.README),), source=text, kind=Kind.README)


def of_toml(tree: TomlTree) -> Content:
    """Return the text of a TOML file, escapes decoded, keys and comments included."""
    text = toml_document.decoded(tree.text)
    source = "" if text is tree.text else tree.text
    return Content(
        passages=(Passage(text=text, kind=Kind.TOML, source=source),),
        source=tree.text,
        kind=Kind.TOML,
    )


def _json(tree: JsonTree) -> list[Passage]:
    """Return the names and texts of a JSON document in the order in which they stand."""
    found: list[Passage] = []

    def take(value: Any, pointer: str) -> None:
        # NOTE: recursion is bounded, the parser refuses deep nesting.
        if isinstance(value, str):
            found.append(Passage(text=value, kind=Kind.VALUE, pointer=pointer, source=tree))
        elif isinstance(value, dict):
            for name, item in value.items():
                place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
                found.append(Passage(text=name, kind=Kind.KEY, pointer=place, source=tree))
                take(item, place)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                take(item, f"{pointer}/{index}")

    take(tree.value, "")
    return found


MOST = 100
"""Findings of one rule in one file; a hostile file has a hundred thousand places."""

_CONTROLS = {
    "\x00": "NULL",
    "\x07": "BELL",
    "\x08": "BACKSPACE",
    "\x0b": "LINE TABULATION",
    "\x0c": "FORM FEED",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\x9b": "CONTROL SEQUENCE INTRODUCER",
}
"""Unicode gives controls no names, only these aliases."""
_LONGEST_QUOTE = 80
_MANY_CHARACTERS = 4


def quoted(text: str) -> str:
    """Return `text` in typographic quotes: shortened, everything invisible as an escape."""
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 1] + "…"
    visible = (c if c.isprintable() else f"\\u{{{ord(c):04x}}}" for c in text)
    return f"“{''.join(visible)}”"


def code_point(character: str) -> str:
    """Return a character's number and name, for instance `U+200B ZERO WIDTH SPACE`."""
    name = unicodedata.name(character, "") or _CONTROLS.get(character, "")
    return f"U+{ord(character):04X}{' ' if name else ''}{name}"


def code_points(text: str) -> str:
    """Return the numbers of the first characters of `text`: `U+200B U+200C and 7 more`."""
    numbers = " ".join(f"U+{ord(c):04X}" for c in text[:_MANY_CHARACTERS])
    more = len(text) - _MANY_CHARACTERS
    return f"{numbers} and {more} more" if more > 0 else numbers


def hidden_bytes(data: bytes) -> str:
    """Return what hidden bytes spell, in quotes, or their hexadecimal digits if no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if text and sum(c.isprintable() for c in text) * 2 > len(text):
        return quoted(text)
    digits = data[: _LONGEST_QUOTE // 2].hex()
    return f"the bytes {digits}{'…' if len(data) > _LONGEST_QUOTE // 2 else ''}"
