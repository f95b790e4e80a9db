"""Reads and writes the command line that opens a user's turn (VPP-01 to 05, READINGS VPP-A1 to A4).

A line that cannot be read to its end still gives what was understood, plus issues. Offsets count
in the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from psreg.core.diagnostics import Change, Span
from psreg.formats.issue import Issue
from psreg.protocols.vpp.vocabulary import (
    ALTERNATIVES,
    ASSISTANT_TAGS,
    ASSUMPTIONS,
    FLAGS,
    LOCUS,
    USER_TAGS,
    VALUED,
)

_IDENTIFIER = "[A-Za-z][A-Za-z0-9_]*"
_LEADING = re.compile(r"[\s\ufeff]*")
_ATTEMPT = re.compile(r"![ \t]*<")
_START = re.compile(rf"!<({_IDENTIFIER})>")
_MODIFIER = re.compile(
    rf"[ \t]+(?P<all>--(?:<(?P<target>{_IDENTIFIER})>"
    rf'|(?P<name>{_IDENTIFIER})(?:=(?:"(?P<quoted>[^"]*)"|(?P<bare>[A-Za-z0-9_-]+)))?))'
    r"(?=[ \t]|$)"
)
_DIGITS = re.compile("[0-9]{1,9}")
_BARE = re.compile("[A-Za-z0-9_-]+")

FORM = "A command line is `!<tag>`, and behind it, each after a blank, modifiers such as `--minor`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Modifier:
    """One modifier. `target` is the tag of a branch; `value` is None where none is given."""

    span: Span
    name: str = ""
    value: str | None = None
    target: str = ""

    @property
    def text(self) -> str:
        """What it says behind its hyphens, a value without quotes: `minor`, `<q>`, `locus=me`."""
        if self.target:
            return f"<{self.target}>"
        return self.name if self.value is None else f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line: its tag as written, its modifiers in order, and whether it is sound.

    `whole` tells that the grammar derives the line to its end; `sound` that it breaks no rule.
    """

    tag: str
    span: Span
    modifiers: tuple[Modifier, ...] = ()
    whole: bool = True
    sound: bool = True

    @property
    def branch(self) -> str:
        """The tag that is asked for in the next cycle, "" for none (VPP-14)."""
        return next((m.target for m in self.modifiers if m.target in ASSISTANT_TAGS), "")

    @property
    def assumptions(self) -> int | None:
        """How many assumptions the footer is expected to count (VPP-13)."""
        value = next((m.value for m in self.modifiers if m.name == ASSUMPTIONS), None)
        return int(value) if value is not None and _DIGITS.fullmatch(value) else None

    @property
    def locus(self) -> str:
        """The locus that it names, "" for none (READINGS VPP-A4)."""
        return next((m.value for m in self.modifiers if m.name == LOCUS and m.value), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What the first line of a user's turn is: a command or none, and what is wrong with it."""

    command: Command | None
    issues: tuple[Issue, ...] = ()


def leading(text: str) -> int:
    """Return how much of `text` is blanks, line breaks and byte-order marks before its words."""
    blanks = _LEADING.match(text)
    return blanks.end() if blanks else 0


def first_line(text: str, start: int) -> Span:
    r"""Return where the line at `start` stands, without its `\r` and the blanks at its end."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end]
    return Span(start, start + len(line.rstrip(" \t\r")))


def of_blanks(start: int, what: str) -> Issue:
    """Return the issue that `what` does not stand at the very beginning of the message."""
    return Issue(
        code="VPP009",
        message=f"the {what} does not stand at the very beginning of the message",
        span=Span(0, start),
        hint="Nothing stands before it: no blank line, no blank, no byte-order mark.",
        fix=(Change(Span(0, start), ""),),
        fix_title=f"Remove what stands before the {what}",
    )


def read_command(text: str) -> Line:
    """Return the command line at the beginning of `text`; no issue if there is no trace of one."""
    start = leading(text)
    line = first_line(text, start)
    opening = _START.match(text, line.start, line.end)
    if opening is None:
        return Line(command=None, issues=tuple(_attempt(text, line)))
    issues = [of_blanks(start, "command line")] if start else []
    modifiers: list[Modifier] = []
    end = opening.end()
    while found := _MODIFIER.match(text, end, line.end):
        modifiers.append(_modifier(found))
        end = found.end()
    broken = [*_of_tag(opening), *_of_rest(text, end, line.end), *_of_modifiers(modifiers)]
    command = Command(
        tag=opening[1],
        span=line,
        modifiers=tuple(modifiers),
        whole=end == line.end,
        sound=all(issue.code == "VPP008" for issue in broken),
    )
    return Line(command=command, issues=(*issues, *broken))


def write_command(tag: str, modifiers: Sequence[str] = ()) -> str:
    """Return the command line of `tag` and `modifiers`, these without hyphens: `minor`, `<q>`.

    Raises:
        ValueError: the line would break a rule of VPP; the message says which.
    """
    line = " ".join([f"!<{tag}>", *(f"--{_quoted(modifier)}" for modifier in modifiers)])
    read = read_command(line)
    if read.issues:
        raise ValueError(read.issues[0].message)
    command = read.command
    said = (command.tag, [m.text for m in command.modifiers]) if command else None
    if said != (tag, list(modifiers)):
        raise ValueError(f"no command line says `{line}`")
    return line


def _quoted(modifier: str) -> str:
    name, sign, value = modifier.partition("=")
    return modifier if not sign or _BARE.fullmatch(value) else f'{name}="{value}"'


def _modifier(found: re.Match[str]) -> Modifier:
    value = found["quoted"] if found["quoted"] is not None else found["bare"]
    return Modifier(
        span=Span(*found.span("all")),
        name=found["name"] or "",
        value=value,
        target=found["target"] or "",
    )


def _attempt(text: str, line: Span) -> Iterator[Issue]:
    if _ATTEMPT.match(text, line.start, line.end):
        yield Issue(
            code="VPP001",
            message="the first line begins like a command, but `!<tag>` cannot be read",
            span=line,
            hint=FORM,
        )


def _of_tag(opening: re.Match[str]) -> Iterator[Issue]:
    if opening[1] not in USER_TAGS:
        yield Issue(
            code="VPP002",
            message=f"`<{opening[1]}>` is no tag of VPP",
            span=Span(opening.start() + 1, opening.end()),
            hint=f"The tags are {_listed(USER_TAGS)}.",
        )


def _of_rest(text: str, start: int, end: int) -> Iterator[Issue]:
    rest = text[start:end]
    if rest:
        span = Span(end - len(rest.lstrip(" \t")), end)
        yield Issue(
            code="VPP003",
            message="what stands behind the tag cannot be read as modifiers",
            span=span,
            hint=FORM,
        )


def _of_modifiers(modifiers: Sequence[Modifier]) -> Iterator[Issue]:
    for modifier in modifiers:
        yield from _of_target(modifier) if modifier.target else _of_name(modifier)
    yield from _of_pairs(modifiers)


def _of_target(modifier: Modifier) -> Iterator[Issue]:
    if modifier.target not in ASSISTANT_TAGS:
        yield Issue(
            code="VPP007",
            message=f"`--<{modifier.target}>` branches to a tag that assistants do not have",
            span=modifier.span,
            hint=f"A branch leads to {_listed(ASSISTANT_TAGS)}.",
        )


def _of_name(modifier: Modifier) -> Iterator[Issue]:
    name, value = modifier.name, modifier.value
    if name not in (*FLAGS, *VALUED):
        yield Issue(
            code="VPP004",
            message=f"`--{name}` is no modifier of VPP",
            span=modifier.span,
            hint=_meant(name),
        )
    elif name in FLAGS and value is not None:
        yield _value(modifier, f"`--{name}` takes no value")
    elif name == LOCUS and not value:
        yield _value(modifier, "`--locus` names no locus")
    elif name == ASSUMPTIONS and not (value and _DIGITS.fullmatch(value)):
        yield _value(modifier, "`--assumptions` needs a number in digits")


def _of_pairs(modifiers: Sequence[Modifier]) -> Iterator[Issue]:
    settled: dict[str, Modifier] = {}
    for modifier in modifiers:
        matter = "branch" if modifier.target else ALTERNATIVES.get(modifier.name, modifier.text)
        first = settled.setdefault(matter, modifier)
        if first.text != modifier.text:
            yield Issue(
                code="VPP005",
                message=f"`--{first.text}` and `--{modifier.text}` contradict each other",
                span=modifier.span,
                hint="Decide for one of the two before the command is sent.",
            )
        elif first is not modifier:
            yield Issue(
                code="VPP008",
                message=f"`--{modifier.text}` is said twice",
                span=modifier.span,
                hint="Say it once.",
            )


def _value(modifier: Modifier, message: str) -> Issue:
    return Issue(
        code="VPP006",
        message=message,
        span=modifier.span,
        hint="Write `--assumptions=2`, `--locus=draft`, and the other modifiers without a value.",
    )


def _meant(name: str) -> str:
    if name in USER_TAGS:
        return f"A branch is written with angle brackets: `--<{name}>`."
    if name.lower() in (*FLAGS, *VALUED):
        return f"Modifiers are written in small letters: `--{name.lower()}`."
    known = _listed([f"--{word}" for word in (*FLAGS, *VALUED)], plain=True)
    return f"The modifiers are {known}, and a tag in angle brackets."


def _listed(words: Iterable[str], *, plain: bool = False) -> str:
    return ", ".join(f"`{word}`" if plain else f"`<{word}>`" for word in words)
