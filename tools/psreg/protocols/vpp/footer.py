"""Reads and writes the footer that closes an assistant's turn (VPP-10 to 13, VPP-A9 to A21).

A footer with all six fields is read in any order, spacing and case; a difference from the schema
is an issue with a fix. Values are kept as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psreg.core.diagnostics import Change, Issue, Span
from psreg.protocols.vpp.vocabulary import CYCLE_LENGTH, FIELDS, USER_TAGS

_TAGS = "|".join(sorted(USER_TAGS, key=len, reverse=True))
_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_VERSION = re.compile(rf"v({_NUMBER}\.{_NUMBER})")
_TAG = re.compile(rf"(<?)({_TAGS})(?:_([0-9]{{1,9}}))?(>?)")
_COUNT = re.compile("[0-9]{1,9}")
_CYCLE = re.compile(rf"([1-{CYCLE_LENGTH}])/{CYCLE_LENGTH}")
_KEY = re.compile(rf"[ \t]*\[[ \t]*(?:{'|'.join(FIELDS)})[ \t]*=", re.IGNORECASE)
_MENTION = re.compile(rf"\b({'|'.join(FIELDS)})[ \t]*[=:]", re.IGNORECASE)
_MIN_MENTIONS = 3
"""Field names in the last line that make it a footer, however it is written."""

_EXPECTED: Mapping[str, str] = {
    "Version": "`v` and two numbers, such as `v1.4`",
    "Tag": "the tag and its number, such as `q_1`",
    "Sources": "some text, such as `none`",
    "Assumptions": "a number in digits",
    "Cycle": "`1/3`, `2/3` or `3/3`",
}
_BY_LOWER = {name.lower(): name for name in FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """The fields of a footer as written, without surrounding blanks, and the spans of their values.

    Only fields that occur once are members. `whole` means that it has all six fields and nothing
    else.
    """

    span: Span
    values: Mapping[str, str]
    spans: Mapping[str, Span]
    whole: bool

    @property
    def version(self) -> str:
        """The version without its `v`, "" if it is malformed."""
        found = _VERSION.fullmatch(_normalized(self.values.get("Version", "")))
        return found[1] if found else ""

    @property
    def tag(self) -> str:
        """The tag without brackets and number, "" if it is malformed."""
        found = self._tag()
        return found[2] if found else ""

    @property
    def number(self) -> int | None:
        """The number after the tag, None if there is none."""
        found = self._tag()
        return int(found[3]) if found and found[3] else None

    @property
    def numbered(self) -> bool:
        """Whether the tag has the form of the schema, `t_n`."""
        found = self._tag()
        return bool(found and found[3] and not found[1])

    @property
    def assumptions(self) -> int | None:
        """The number of assumptions, None if it is malformed."""
        value = self.values.get("Assumptions", "")
        return int(value) if _COUNT.fullmatch(value) else None

    @property
    def cycle(self) -> int | None:
        """The position in the cycle, None if it is malformed."""
        found = _CYCLE.fullmatch(_normalized(self.values.get("Cycle", "")))
        return int(found[1]) if found else None

    def _tag(self) -> re.Match[str] | None:
        found = _TAG.fullmatch(_normalized(self.values.get("Tag", "")))
        return found if found and bool(found[1]) == bool(found[4]) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FooterLine:
    """A line that is, or should be, a footer: its content and its issues."""

    footer: Footer
    issues: tuple[Issue, ...] = ()


def is_footer(line: str) -> bool:
    """Tell whether `line` is a footer between brackets, well-formed or not."""
    return _KEY.match(line) is not None and line.rstrip().endswith("]")


def resembles_footer(line: str) -> bool:
    """Tell whether `line` is meant as a footer, in any form."""
    if _KEY.match(line):
        return True
    return len({found.lower() for found in _MENTION.findall(line)}) >= _MIN_MENTIONS


def read_footer(text: str, line: Span) -> FooterLine:
    """Return the footer in the line of `text` at the span `line`."""
    written = text[line.start : line.end].rstrip()
    body = written.strip()
    span = Span(line.start + len(written) - len(written.lstrip()), line.start + len(written))
    if not (body.startswith("[") and body.endswith("]")):
        footer = Footer(span=span, values={}, spans={}, whole=False)
        issue = _malformed(span, ["the fields are not between square brackets"])
        return FooterLine(footer=footer, issues=(issue,))
    footer, faults = _fields(body[1:-1], span)
    if faults:
        return FooterLine(footer=footer, issues=(_malformed(span, faults), *_value_issues(footer)))
    return FooterLine(
        footer=footer,
        issues=(*_value_issues(footer), *_spelling_issues(footer, written, line.start)),
    )


def write_footer(values: Mapping[str, str]) -> str:
    """Return the footer of `values`, one for each of `FIELDS`.

    Raises:
        ValueError: a value is malformed, or contains a character that separates or closes the
            fields; the message says which.
    """
    line = f"[{' | '.join(f'{name}={values[name]}' for name in FIELDS)}]"
    read = read_footer(line, Span(0, len(line)))
    if "\n" in line or read.issues:
        raise ValueError(read.issues[0].message if read.issues else "a footer must be one line")
    return line


def _fields(inner: str, span: Span) -> tuple[Footer, list[str]]:
    """Return the fields between the brackets, and why they are not a footer."""
    values: dict[str, str] = {}
    spans: dict[str, Span] = {}
    faults: list[str] = []
    twice: set[str] = set()
    at = span.start + 1
    for part in inner.split("|"):
        key, sign, value = part.partition("=")
        name = _BY_LOWER.get(key.strip().lower(), "") if sign else ""
        if not name:
            faults.append(_unknown_field(part.strip(), key.strip() if sign else ""))
        elif name in values:
            twice.add(name)
        else:
            begin = at + len(part) - len(value.lstrip())
            values[name] = value.strip()
            spans[name] = Span(begin, begin + len(values[name]))
            if "]" in value:
                faults.append(f"`{name}` contains `]`, which closes a footer")
        at += len(part) + 1
    faults += [f"`{name}` occurs twice" for name in FIELDS if name in twice]
    if missing := [f"`{name}`" for name in FIELDS if name not in values]:
        faults.append(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    once = {name: value for name, value in values.items() if name not in twice}
    return Footer(span=span, values=once, spans=spans, whole=not faults), faults


def _unknown_field(part: str, key: str) -> str:
    if key:
        return f"unknown field `{key}`"
    return f"`{part}` is not a field with a value; a value cannot contain `|`"


_MAX_FAULTS = 6
"""Faults of one footer that are listed."""


def _malformed(span: Span, faults: list[str]) -> Issue:
    more = [] if len(faults) <= _MAX_FAULTS else [f"{len(faults) - _MAX_FAULTS} more"]
    return Issue(
        code="VPP023",
        message=f"the footer cannot be read: {'; '.join([*faults[:_MAX_FAULTS], *more])}",
        span=span,
        hint=f"Write `[{' | '.join(f'{name}=…' for name in FIELDS)}]`.",
    )


def _value_issues(footer: Footer) -> Iterator[Issue]:
    """Yield the issues of values, except one that contains the fields after it."""
    sound = {
        "Version": bool(footer.version),
        "Tag": bool(footer.tag),
        "Sources": bool(footer.values.get("Sources")),
        "Assumptions": footer.assumptions is not None,
        "Cycle": footer.cycle is not None,
    }
    for name, good in sound.items():
        value = footer.values.get(name)
        if value is not None and not good and (footer.whole or not _MENTION.search(value)):
            yield Issue(
                code="VPP025",
                message=f"`{name}` is `{value}`" if value else f"`{name}` is empty",
                span=footer.spans[name],
                hint=f"Write {_EXPECTED[name]}.",
            )


def _spelling_issues(footer: Footer, written: str, start: int) -> Iterator[Issue]:
    # NOTE: another rule reports a malformed value; its spelling does not matter.
    sound = {"Version": footer.version, "Tag": footer.tag, "Cycle": footer.cycle}
    values = {
        name: _normalized(value) if sound.get(name) else value
        for name, value in footer.values.items()
    }
    expected = f"[{' | '.join(f'{name}={values[name]}' for name in FIELDS)}]"
    if written != expected:
        span = Span(start, start + len(written))
        yield Issue(
            code="VPP024",
            message=f"the footer differs from the schema: {_difference(footer, values)}",
            span=span,
            hint=f"Write `{expected}`.",
            fix=(Change(span, expected),),
            fix_title="Write the footer as in the schema",
        )


def _difference(footer: Footer, values: Mapping[str, str]) -> str:
    if tuple(footer.values) != FIELDS:
        return "the order of the fields"
    if any(values[name] != value for name, value in footer.values.items()):
        return "spaces or capitals in a value"
    return "spaces or capitals"


def _normalized(value: str) -> str:
    """Return a version, tag or cycle as in the schema: lower case, no blanks."""
    return re.sub(r"[ \t]+", "", value).lower()
