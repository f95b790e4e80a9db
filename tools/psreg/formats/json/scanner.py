"""Finds where every value of a JSON text stands, and the first place where it is no JSON.

Iterative: nesting costs memory, never the interpreter's stack, and is refused past `MAX_DEPTH`.
Grammar: RFC 8259. Offsets are code points of the text.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

from psreg.core.diagnostics import LineIndex, Span
from psreg.formats.issue import Issue
from psreg.formats.json import pointer, syntax_error

MAX_DEPTH = 64
"""Levels of nested objects and arrays (READINGS PBE-A14)."""

MAX_NUMBER = 640
"""Characters of a number. Every Python converts so many digits; JavaScript rounds far earlier."""

MAX_ISSUES = 200
"""Duplicate names and surrogates reported of one text; a hostile one holds 100,000."""

_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*"'
_NAME = re.compile(_STRING)
_SCALAR = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![\w.+-])"
    r"|(?:true|false|null)\b"
)
_BLANK = re.compile(r"[ \t\n\r]*+")
_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)


@dataclass(slots=True, kw_only=True)
class Node:
    """Where one value stands: `[start, end)`, the span of its member name, its children.

    `children` is None for a scalar; an array's are under "0", "1", … in order.
    """

    start: int
    end: int = -1
    name: Span | None = None
    children: dict[str, Node] | None = None

    def find(self, place: str) -> Node:
        """Return the node the JSON pointer `place` names, or its nearest existing ancestor."""
        node = self
        for token in pointer.split(place):
            child = node.children.get(token) if node.children else None
            if child is None:
                break
            node = child
        return node


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a scan found: the root, or None and one issue if the text is no JSON at all."""

    root: Node | None
    issues: tuple[Issue, ...]


def scan(text: str, start: int = 0) -> Scan:
    """Scan the JSON value of `text` from offset `start` (1 after a byte order mark)."""
    scanner = _Scanner(text, start)
    try:
        root = scanner.document()
    except _Refused as refused:
        return Scan(root=None, issues=(refused.issue,))
    return Scan(root=root, issues=tuple(scanner.issues))


class _Refused(Exception):  # noqa: N818 - control flow inside this module, not an error
    def __init__(self, issue: Issue) -> None:
        self.issue = issue


class _Scanner:
    """One pass over one text; `open` holds the containers not yet closed, outermost first.

    An open container is its node, the children found so far, and the bracket that closes it.
    """

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.lines = LineIndex(text)
        self.open: list[tuple[Node, dict[str, Node], str]] = []
        self.issues: list[Issue] = []

    def document(self) -> Node:
        self._skip_blanks()
        root = self._value("a JSON value, usually '{'")
        while self.open:
            self._step(*self.open[-1])
        if self._skip_blanks() < len(self.text):
            raise _Refused(syntax_error.trailing_data(self.text, self.at))
        return root

    def _step(self, container: Node, children: dict[str, Node], closing: str) -> None:
        """Read the next member or item of the innermost container, or its closing bracket."""
        if self.text[self._skip_blanks() : self.at + 1] == closing:
            self.at += 1
            container.end = self.at
            self.open.pop()
            return
        if children:
            self._comma(container, closing)
        if closing == "}":
            name, place = self._name(children, first=not children)
            child = self._value("a value")
            child.name = place
        else:
            name, child = (
                str(len(children)),
                self._value("a value" if children else "a value or ']'"),
            )
        children[name] = child

    def _comma(self, container: Node, closing: str) -> None:
        comma = self.at
        if self.text[comma : comma + 1] != ",":
            line = self.lines.position(container.start).line
            opening = f"'{self.text[container.start]}' of line {line}"
            raise _Refused(syntax_error.no_comma(self.text, comma, closing, opening))
        self.at += 1
        if self.text[self._skip_blanks() : self.at + 1] == closing:
            raise _Refused(syntax_error.trailing_comma(comma, closing))

    def _name(self, children: dict[str, Node], *, first: bool) -> tuple[str, Span]:
        """Read a member name and its colon; notice one that was there before."""
        match = _NAME.match(self.text, self.at)
        if match is None:
            expected = """a name in "…" or '}'""" if first else 'a name in "…"'
            raise _Refused(syntax_error.unexpected(self.text, self.at, expected))
        place = Span(*match.span())
        name: str = json.loads(match[0]) if "\\" in match[0] else match[0][1:-1]
        self._surrogates(place)
        before = children.get(name)
        if before and before.name:
            self._duplicate(name, before.name, place)
        self.at = match.end()
        if self.text[self._skip_blanks() : self.at + 1] != ":":
            hint = "A colon stands between a name and its value."
            raise _Refused(syntax_error.unexpected(self.text, self.at, "':'", hint))
        self.at += 1
        self._skip_blanks()
        return name, place

    def _value(self, expected: str) -> Node:
        """Read a whole scalar, but of a container only the opening bracket."""
        start = self.at
        found = self.text[start : start + 1]
        if found in ("{", "["):
            return self._open(start, "}" if found == "{" else "]")
        match = _SCALAR.match(self.text, start)
        if match is None:
            raise _Refused(syntax_error.unexpected(self.text, start, expected))
        self.at = match.end()
        place = Span(start, self.at)
        if match.lastgroup == "string":
            self._surrogates(place)
        elif match.lastgroup == "number":
            self._number(match[0], place)
        return Node(start=start, end=self.at)

    def _open(self, start: int, closing: str) -> Node:
        if len(self.open) == MAX_DEPTH:
            message = f"objects and arrays are nested more than {MAX_DEPTH} deep"
            hint = "Flatten the structure: no assistant follows so many levels."
            place = Span(start, start + 1)
            raise _Refused(Issue(code="JSON008", message=message, span=place, hint=hint))
        children: dict[str, Node] = {}
        node = Node(start=start, children=children)
        self.open.append((node, children, closing))
        self.at += 1
        return node

    def _number(self, literal: str, place: Span) -> None:
        if len(literal) > MAX_NUMBER:
            message = f"a number of {len(literal)} characters; the longest allowed has {MAX_NUMBER}"
        elif math.isinf(float(literal)):
            message = f"{syntax_error.shown(literal)[1:-1]} is larger than computers can hold"
        else:
            return
        hint = "Write it as a text, in double quotes, if its digits matter."
        raise _Refused(Issue(code="JSON010", message=message, span=place, hint=hint))

    def _surrogates(self, place: Span) -> None:
        """Notice the first escape in a string that is half of a character."""
        if "\\u" not in self.text[place.start : place.end]:
            return
        for escape in _SURROGATE.finditer(self.text, place.start, place.end):
            if escape["lone"]:
                message = f"{escape[0]} is half of a character, without its other half"
                hint = "Write the character itself, or both halves (\\ud83d\\ude00)."
                self._notice(
                    Issue(code="JSON006", message=message, span=Span(*escape.span()), hint=hint)
                )
                return

    def _duplicate(self, name: str, before: Span, place: Span) -> None:
        position = self.lines.position(before.start)
        message = (
            f"{syntax_error.shown(name)} stands twice in one object: "
            f"first at {position.line}:{position.column}, again here"
        )
        hint = "Keep one of them: programs disagree about which one counts."
        self._notice(Issue(code="JSON003", message=message, span=place, hint=hint))

    def _notice(self, issue: Issue) -> None:
        if len(self.issues) < MAX_ISSUES:
            self.issues.append(issue)

    def _skip_blanks(self) -> int:
        """Move past blanks and return the offset reached."""
        blanks = _BLANK.match(self.text, self.at)
        self.at = blanks.end() if blanks else self.at
        return self.at
