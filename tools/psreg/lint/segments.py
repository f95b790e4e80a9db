"""One text of a file, with its positions in the source, from which it may have been decoded."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from enum import StrEnum
from functools import cached_property
from typing import Any

from psreg.core.dataclass import dataclass
from psreg.core.diagnostics import Span
from psreg.core.regex import lazy
from psreg.formats.json import json_document
from psreg.formats.json.json_document import Escaped, JsonTree, escaped
from psreg.formats.markdown import code_spans, fences


class Kind(StrEnum):
    """What a segment is: a text value or a member name of a PBE, or one whole file.

    `RECORDS` is JSON or JSON Lines other than a PBE, for instance a transcript.
    """

    VALUE = "value"
    KEY = "key"
    PROMPT = "prompt"
    README = "readme"
    TOML = "toml"
    RECORDS = "records"


@dataclass(eq=False)  # not frozen, without keywords: a file has hundreds
class Segment:
    """One text. `pointer` names the value of a PBE, or the member whose name it is; else ""."""

    text: str
    kind: Kind
    pointer: str = ""
    source: str | JsonTree = ""
    """The source of a decoded text; else ""."""

    def span(self, start: int, end: int) -> Span:
        """Return the position of `text[start:end]` in the source; escapes are included whole."""
        if not self.source:
            return Span(start, end)
        return Span(self._escaped.origin(start), self._escaped.origin(end))

    @cached_property
    def fences(self) -> tuple[Span, ...]:
        """The fenced code blocks, as ranges of `text`, ascending, fence lines included."""
        return fences(self.text)

    @cached_property
    def code(self) -> tuple[Span, ...]:
        """Fenced blocks and `inline code`, as ranges of `text`, ascending."""
        return tuple(sorted((*self.fences, *code_spans(self.text, self.fences))))

    def in_fence(self, offset: int) -> bool:
        """Tell whether the character at `offset` of `text` is in a fenced code block."""
        return _inside(self.fences, offset)

    def in_code(self, offset: int) -> bool:
        """Tell whether the character at `offset` of `text` is in code of either kind."""
        return _inside(self.code, offset)

    @cached_property
    def _escaped(self) -> Escaped:
        if isinstance(self.source, str):
            from psreg.formats import toml_document  # noqa: PLC0415 - see `content.blocking`

            escape = _JSON_ESCAPE if self.kind is Kind.RECORDS else toml_document.ESCAPE
            return escaped(self.source, 0, len(self.source), escape)
        span = (self.source.key_span if self.kind is Kind.KEY else self.source.span)(self.pointer)
        # NOTE: the quotes are not part of the text.
        return escaped(self.source.text, span.start + 1, span.end - 1, json_document.ESCAPE)


def _inside(spans: tuple[Span, ...], offset: int) -> bool:
    """Tell whether `offset` is in one of `spans`, which are ascending and do not touch."""
    before = bisect_right(spans, Span(offset + 1, 0))
    return before > 0 and offset < spans[before - 1].end


_JSON_ESCAPE = lazy(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r'|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]'
)


def of_escaped(text: str) -> Segment:
    """Return `text`, which is JSON or JSON Lines, with its escapes decoded."""
    if "\\" not in text:
        return Segment(text=text, kind=Kind.RECORDS)
    decoded = _JSON_ESCAPE.sub(_json_character, text)
    return Segment(text=decoded, kind=Kind.RECORDS, source=text)


def _json_character(match: re.Match[str]) -> str:
    character = json.loads(f'"{match[0]}"')
    return "\ufffd" if "\ud800" <= character <= "\udfff" else str(character)


def of_document(tree: JsonTree) -> list[Segment]:
    """Return the names and texts of a JSON document in source order."""
    found: list[Segment] = []

    def take(value: Any, pointer: str) -> None:
        # NOTE: recursion is bounded, the parser refuses deep nesting.
        if isinstance(value, str):
            found.append(Segment(value, Kind.VALUE, pointer, tree))
        elif isinstance(value, dict):
            for name, item in value.items():
                member = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
                found.append(Segment(name, Kind.KEY, member, tree))
                take(item, member)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                take(item, f"{pointer}/{index}")

    take(tree.value, "")
    return found
