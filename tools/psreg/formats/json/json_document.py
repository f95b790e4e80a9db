"""JSON documents with the source position of every value.

`parse` never raises. A valid text costs one decoding and one `json.loads`; a second, iterative
scan gives precise positions, and runs only when a position is needed or something is wrong.
Nesting costs memory, never the interpreter's stack. What Python's parser accepts silently is an
issue here: duplicate names, NaN, byte order
marks, lone surrogates, boundless nesting (PBE-01, PBE-A14).
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NoReturn

from psreg.core.dataclass import dataclass, field
from psreg.core.diagnostics import Change, Issue, LineIndex, Span
from psreg.core.regex import lazy
from psreg.formats.json import pointer, syntax_error

__all__ = ["MAX_BYTES", "MAX_DEPTH", "Issue", "JsonTree", "parse"]

MAX_BYTES = 1_048_576
"""Size of the largest JSON file psreg reads: 1 MiB."""

MAX_DEPTH = 64
"""Levels of nested objects and arrays (PBE-A14)."""

MAX_VALUES = 20_000
"""Values in a file, members and items counted. A large PBE has a few thousand."""

MAX_NAMES = 6_400
"""Characters of all the names that lead to a value, so that its pointer stays short."""

_LONG_NAME = MAX_NAMES // MAX_DEPTH
"""The longest name that cannot break the limit, whatever is around it."""

MAX_NUMBER = 640
"""Characters of a number. Every Python converts so many digits; JavaScript rounds far earlier."""

MAX_ISSUES = 200
"""Duplicate names and surrogates reported of one text; a hostile one holds 100,000."""

_BOM = "\ufeff"
_SURROGATE_ESCAPE = lazy(r"\\u[dD][89a-fA-F]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*"'

_NAME = lazy(_STRING)

_SCALAR = lazy(
    rf"(?P<string>{_STRING})"
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![\w.+-])"
    r"|(?:true|false|null)\b"
)

_BLANK = lazy(r"[ \t\n\r]*+")

_SURROGATE = lazy(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)

ESCAPE = lazy(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|\\u[0-9a-fA-F]{4}"
    r"|\\."
)


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the scan in __dict__
class JsonTree:
    """A JSON text, its value, its issues, and the position of everything in it.

    `text` is all of the file, a byte order mark included, undecodable bytes replaced; "" if the
    file is too large. `parsed` is False if the text is not JSON: then `value` is None, `issues`
    holds the one reason, and every place is the start. Of duplicate names the last one counts.
    `scanned` is what the scanner found, if parsing needed it.
    """

    text: str
    value: Any
    parsed: bool
    issues: tuple[Issue, ...] = ()
    scanned: Node | None = field(default=None, repr=False, compare=False)

    def span(self, pointer: str) -> Span:
        """Return where the value at `pointer` (RFC 6901) is, from bracket to bracket.

        A pointer to nothing resolves to its nearest existing ancestor.
        """
        if self._root is None:
            return Span(0, 0)
        node = self._root.find(pointer)
        return Span(node.start, node.end)

    def key_span(self, pointer: str) -> Span:
        """Return where the member name of the value at `pointer` is, with its quotes.

        The value's own place for the root and for the items of an array.
        """
        node = self._root and self._root.find(pointer)
        return node.name if node and node.name else self.span(pointer)

    @cached_property
    def _root(self) -> Node | None:
        if self.scanned or not self.parsed:
            return self.scanned
        return scan(self.text, _start(self.text)).root


def parse(data: bytes, largest: int = MAX_BYTES) -> JsonTree:
    """Read a JSON file of at most `largest` bytes; never raises."""
    if len(data) > largest:
        message = f"the file has {len(data):,} bytes; the limit is {largest:,}"
        hint = "Keep the instructions; let the user upload reference material when it is needed."
        return _refused("", Issue(code="JSON009", message=message, span=Span(0, 0), hint=hint))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _undecodable(data, error.start)
    start = _start(text)
    value = _plain(text[start:])
    if value is not _DOUBTFUL:
        return JsonTree(text=text, value=value, parsed=True, issues=_byte_order_mark(start))
    found = scan(text, start)
    if found.root is None:
        return _refused(text, *found.issues)
    return JsonTree(
        text=text,
        value=json.loads(text[start:]),
        parsed=True,
        issues=_byte_order_mark(start) + found.issues,
        scanned=found.root,
    )


_DOUBTFUL = object()


class _DoubtError(ValueError):
    """The quick parser found something that only the scanner can check."""


def _plain(text: str) -> Any:
    """Return the value of a JSON text beyond doubt, else `_DOUBTFUL`."""
    if _SURROGATE_ESCAPE.search(text):
        return _DOUBTFUL
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _DOUBTFUL
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_DEPTH and _too_deep(value):
        return _DOUBTFUL
    most = text.count(",") + brackets + 1
    return _DOUBTFUL if most > MAX_VALUES and _number_of_values(value) > MAX_VALUES else value


def _number_of_values(value: Any) -> int:
    """Return how many values there are in `value`, itself included."""
    number, row = 0, [value]
    while row:
        number += len(row)
        row = _children(row)
    return number


def _too_deep(value: Any) -> bool:
    """Tell whether objects and arrays are nested too deep; level by level."""
    row = [value]
    for _ in range(MAX_DEPTH):
        row = _children(row)
    return any(isinstance(node, (dict, list)) for node in row)


def _children(row: list[Any]) -> list[Any]:
    """Return the members and items of all objects and arrays in `row`."""
    return [
        child
        for node in row
        if isinstance(node, (dict, list))
        for child in (node.values() if isinstance(node, dict) else node)
    ]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs) or max(map(len, members), default=0) > _LONG_NAME:
        raise _DoubtError
    return members


def _int(literal: str) -> int:
    if len(literal) > MAX_NUMBER:
        raise _DoubtError
    return int(literal)


def _float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number) or len(literal) > MAX_NUMBER:
        raise _DoubtError
    return number


def _constant(_literal: str) -> NoReturn:
    raise _DoubtError


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant
)


def _start(text: str) -> int:
    """Return the offset at which the JSON starts: after a byte order mark."""
    return 1 if text.startswith(_BOM) else 0


def _byte_order_mark(start: int) -> tuple[Issue, ...]:
    if not start:
        return ()
    message = "the file starts with a byte order mark"
    hint = "Save the file as 'UTF-8', not as 'UTF-8 with BOM'."
    mark = Span(0, len(_BOM))
    title = "delete the byte order mark"
    return (
        Issue(
            code="JSON004",
            message=message,
            span=mark,
            hint=hint,
            fix=(Change(mark, ""),),
            fix_title=title,
        ),
    )


def _undecodable(data: bytes, at: int) -> JsonTree:
    offset = len(data[:at].decode())
    message = f"byte 0x{data[at]:02x} at offset {at} is not UTF-8"
    hint = "Save the file with the encoding UTF-8."
    if data.startswith(_UTF16):
        hint = "Save the file as UTF-8; it looks like UTF-16, which Windows calls 'Unicode'."
    issue = Issue(code="JSON001", message=message, span=Span(offset, offset + 1), hint=hint)
    return _refused(data.decode(errors="replace"), issue)


def _refused(text: str, *issues: Issue) -> JsonTree:
    return JsonTree(text=text, value=None, parsed=False, issues=issues)


@dataclass(slots=True, kw_only=True)
class Node:
    """Where one value is: `[start, end)`, the span of its member name, its children.

    `children` is None for a scalar; an array's are under "0", "1", … in order.
    """

    start: int
    end: int = -1
    name: Span | None = None
    children: dict[str, Node] | None = None

    def find(self, place: str) -> Node:
        """Return the node that the JSON pointer `place` names, or its nearest existing ancestor."""
        node = self
        for token in pointer.split(place):
            child = node.children.get(token) if node.children else None
            if child is None:
                break
            node = child
        return node


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The result of a scan: the root, or None and one issue if the text is not JSON."""

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
        self.values = 0
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
            opening = f"'{self.text[container.start]}' on line {line}"
            raise _Refused(syntax_error.no_comma(self.text, comma, closing, opening))
        self.at += 1
        if self.text[self._skip_blanks() : self.at + 1] == closing:
            raise _Refused(syntax_error.trailing_comma(comma, closing))

    def _name(self, children: dict[str, Node], *, first: bool) -> tuple[str, Span]:
        """Read a member name and its colon; report a duplicate."""
        match = _NAME.match(self.text, self.at)
        if match is None:
            expected = """a name in "…" or '}'""" if first else 'a name in "…"'
            raise _Refused(syntax_error.unexpected(self.text, self.at, expected))
        place = Span(*match.span())
        name: str = json.loads(match[0]) if "\\" in match[0] else match[0][1:-1]
        self._surrogates(place)
        if len(name) > _LONG_NAME:
            self._judge_length(place)
        before = children.get(name)
        if before and before.name:
            self._duplicate(name, before.name, place)
        self.at = match.end()
        if self.text[self._skip_blanks() : self.at + 1] != ":":
            hint = "Put a colon between a name and its value."
            raise _Refused(syntax_error.unexpected(self.text, self.at, "':'", hint))
        self.at += 1
        self._skip_blanks()
        return name, place

    def _judge_length(self, place: Span) -> None:
        """Refuse a name that is too long together with the names around it."""
        around = [container.name for container, _, _ in self.open if container.name]
        if sum(name.end - name.start for name in (*around, place)) > MAX_NAMES:
            message = f"the names that lead to this value have more than {MAX_NAMES:,} characters"
            hint = "Shorten the name; long text belongs in the value."
            raise _Refused(Issue(code="JSON009", message=message, span=place, hint=hint))

    def _value(self, expected: str) -> Node:
        """Read a whole scalar, but of a container only the opening bracket."""
        start = self.at
        found = self.text[start : start + 1]
        self.values += 1
        if self.values > MAX_VALUES:
            message = f"the file has more than {MAX_VALUES:,} values"
            hint = "Write long lists as text, or let the user upload them when they are needed."
            raise _Refused(
                Issue(code="JSON009", message=message, span=Span(start, start), hint=hint)
            )
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
            message = f"objects and lists are nested more than {MAX_DEPTH} levels deep"
            hint = "Flatten the structure."
            place = Span(start, start + 1)
            raise _Refused(Issue(code="JSON008", message=message, span=place, hint=hint))
        children: dict[str, Node] = {}
        node = Node(start=start, children=children)
        self.open.append((node, children, closing))
        self.at += 1
        return node

    def _number(self, literal: str, place: Span) -> None:
        if len(literal) > MAX_NUMBER:
            message = f"the number has {len(literal)} characters; the limit is {MAX_NUMBER}"
        elif math.isinf(float(literal)):
            message = f"{syntax_error.shown(literal)[1:-1]} is too large for a floating-point value"
        else:
            return
        hint = "Write it as a string, in double quotes, if its digits matter."
        raise _Refused(Issue(code="JSON010", message=message, span=place, hint=hint))

    def _surrogates(self, place: Span) -> None:
        """Report the first escape in a string that is an unpaired surrogate."""
        if "\\u" not in self.text[place.start : place.end]:
            return
        for escape in _SURROGATE.finditer(self.text, place.start, place.end):
            if escape["lone"]:
                message = f"{escape[0]} is half of a character; the other half is missing"
                hint = "Write the character itself, or both halves (\\ud83d\\ude00)."
                self._notice(
                    Issue(code="JSON006", message=message, span=Span(*escape.span()), hint=hint)
                )
                return

    def _duplicate(self, name: str, before: Span, place: Span) -> None:
        position = self.lines.position(before.start)
        message = (
            f"{syntax_error.shown(name)} appears twice in one object: "
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


@dataclass(frozen=True, slots=True)
class Escaped:
    """Leads from offsets in a decoded text to offsets in its source.

    `afters[i]` is the decoded offset behind escape number i, `origins[i]` the source's; the first
    pair is the start of the text.
    """

    afters: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Return where in the source the decoded character at `offset` begins."""
        piece = bisect_right(self.afters, offset) - 1
        return self.origins[piece] + offset - self.afters[piece]


def escaped(source: str, start: int, end: int, escape: re.Pattern[str]) -> Escaped:
    """Return the map of the text that `source[start:end]` spells with escapes like `escape`."""
    afters, origins, surplus = [0], [start], start
    for match in escape.finditer(source, start, end):
        surplus += match.end() - match.start() - 1
        afters.append(match.end() - surplus)
        origins.append(match.end())
    return Escaped(tuple(afters), tuple(origins))


def strings_in(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value at any depth, including the names of members."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += [*item, *item.values()]
        elif isinstance(item, list):
            todo += item
