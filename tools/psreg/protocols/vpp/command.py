"""Reads and writes the command line that opens a user's turn (VPP-01 to 05, VPP-A1 to A4).

A line that cannot be read to its end gives what was understood, plus issues. Offsets count in the
message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from psreg.core.diagnostics import Change, Issue, Span
from psreg.protocols.vpp.vocabulary import (
    ALTERNATIVES,
    ASSISTANT_TAGS,
    ASSUMPTIONS,
    ERROR,
    FLAGS,
    LOCUS,
    OPERATOR_ERROR,
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

MAX_MODIFIERS = 50
"""Modifiers of one command line that are read; VPP has about a dozen."""

FORM = "Write `!<tag>`, then modifiers such as `--minor`, each after a space."


@dataclass(frozen=True, slots=True, kw_only=True)
class Modifier:
    """One modifier. `target` is the tag of a branch; `value` is None if there is no `=`."""

    span: Span
    name: str = ""
    value: str | None = None
    target: str = ""

    @property
    def text(self) -> str:
        """The modifier without hyphens and quotes: `minor`, `<q>`, `locus=me`."""
        if self.target:
            return f"<{self.target}>"
        return self.name if self.value is None else f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line: its tag as written, and its modifiers in order.

    `whole` means that the whole line matches the grammar, `sound` that it breaks no rule.
    """

    tag: str
    span: Span
    modifiers: tuple[Modifier, ...] = ()
    whole: bool = True
    sound: bool = True

    @property
    def branch(self) -> str:
        """The tag requested for the next cycle, "" for none (VPP-14)."""
        return next((m.target for m in self.modifiers if m.target in ASSISTANT_TAGS), "")

    @property
    def assumptions(self) -> int | None:
        """The number of assumptions that the user expects (VPP-13)."""
        value = next((m.value for m in self.modifiers if m.name == ASSUMPTIONS), None)
        return int(value) if value is not None and _DIGITS.fullmatch(value) else None

    @property
    def locus(self) -> str:
        """The locus that it names, "" for none (VPP-A4)."""
        return next((m.value for m in self.modifiers if m.name == LOCUS and m.value), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """The first line of a user's turn: its command, None if it has none, and its issues."""

    command: Command | None
    issues: tuple[Issue, ...] = ()


def leading(text: str) -> int:
    """Return the length of the white space and byte order marks at the beginning of `text`."""
    blanks = _LEADING.match(text)
    return blanks.end() if blanks else 0


def first_line(text: str, start: int) -> Span:
    r"""Return the span of the line at `start`, without its `\r` and trailing blanks."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end]
    return Span(start, start + len(line.rstrip(" \t\r")))


def leading_blanks_issue(start: int, what: str) -> Issue:
    """Return the issue that `what` is not at the beginning of the message."""
    return Issue(
        code="VPP009",
        message=f"the {what} is not at the beginning of the message",
        span=Span(0, start),
        hint=f"Remove the blank lines, spaces and byte order marks before the {what}.",
        fix=(Change(Span(0, start), ""),),
        fix_title=f"Remove the white space before the {what}",
    )


def read_command(text: str) -> CommandLine:
    """Return the command line at the beginning of `text`; no issues if there is no sign of one."""
    start = leading(text)
    line = first_line(text, start)
    opening = _START.match(text, line.start, line.end)
    if opening is None:
        return CommandLine(command=None, issues=tuple(_attempt_issues(text, line)))
    issues = [leading_blanks_issue(start, "command line")] if start else []
    modifiers: list[Modifier] = []
    end = opening.end()
    while len(modifiers) < MAX_MODIFIERS and (found := _MODIFIER.match(text, end, line.end)):
        modifiers.append(_modifier(found))
        end = found.end()
    broken = [
        *_tag_issues(opening),
        *_rest_issues(text, end, line.end, full=len(modifiers) == MAX_MODIFIERS),
        *_modifier_issues(modifiers),
    ]
    command = Command(
        tag=opening[1],
        span=line,
        modifiers=tuple(modifiers),
        whole=end == line.end,
        sound=all(issue.code == "VPP008" for issue in broken),
    )
    return CommandLine(command=command, issues=(*issues, *broken))


def write_command(tag: str, modifiers: Sequence[str] = ()) -> str:
    """Return the command line of `tag` and `modifiers`, written without hyphens: `minor`, `<q>`.

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
        raise ValueError(f"`{line}` is not a command line")
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


def _attempt_issues(text: str, line: Span) -> Iterator[Issue]:
    if _ATTEMPT.match(text, line.start, line.end):
        yield Issue(
            code="VPP001",
            message="the first line begins like a command, but has no `!<tag>`",
            span=line,
            hint=FORM,
        )


def _tag_issues(opening: re.Match[str]) -> Iterator[Issue]:
    if opening[1] not in USER_TAGS:
        yield Issue(
            code="VPP002",
            message=f"`<{opening[1]}>` is not a tag of VPP",
            span=Span(opening.start() + 1, opening.end()),
            hint=f"Use {_listed(USER_TAGS)}.",
        )


def _rest_issues(text: str, start: int, end: int, *, full: bool) -> Iterator[Issue]:
    rest = text[start:end]
    many = f"there are more than {MAX_MODIFIERS} modifiers"
    if rest:
        span = Span(end - len(rest.lstrip(" \t")), end)
        yield Issue(
            code="VPP003",
            message=many if full else "the text after the tag is not a list of modifiers",
            span=span,
            hint=FORM,
        )


def _modifier_issues(modifiers: Sequence[Modifier]) -> Iterator[Issue]:
    for modifier in modifiers:
        yield from _branch_issues(modifier) if modifier.target else _name_issues(modifier)
    yield from _conflict_issues(modifiers)


def _branch_issues(modifier: Modifier) -> Iterator[Issue]:
    if modifier.target not in ASSISTANT_TAGS:
        yield Issue(
            code="VPP007",
            message=f"`--<{modifier.target}>` branches to a tag that assistants do not have",
            span=modifier.span,
            hint=f"Branch to {_listed(ASSISTANT_TAGS)}.",
        )


def _name_issues(modifier: Modifier) -> Iterator[Issue]:
    name, value = modifier.name, modifier.value
    if name not in (*FLAGS, *VALUED):
        yield Issue(
            code="VPP004",
            message=f"unknown modifier `--{name}`",
            span=modifier.span,
            hint=_name_hint(name),
        )
    elif name in FLAGS and value is not None:
        yield _value_issue(modifier, f"`--{name}` takes no value")
    elif name == LOCUS and not value:
        yield _value_issue(modifier, "`--locus` has no value")
    elif name == ASSUMPTIONS and not (value and _DIGITS.fullmatch(value)):
        yield _value_issue(modifier, "`--assumptions` is not a number in digits")


def _conflict_issues(modifiers: Sequence[Modifier]) -> Iterator[Issue]:
    settled: dict[str, Modifier] = {}
    for modifier in modifiers:
        matter = "branch" if modifier.target else ALTERNATIVES.get(modifier.name, modifier.text)
        first = settled.setdefault(matter, modifier)
        if first.text != modifier.text:
            yield Issue(
                code="VPP005",
                message=f"`--{first.text}` and `--{modifier.text}` contradict each other",
                span=modifier.span,
                hint="Remove one of the two.",
            )
        elif first is not modifier:
            yield Issue(
                code="VPP008",
                message=f"`--{modifier.text}` occurs twice",
                span=modifier.span,
                hint="Remove the second one.",
            )


def _value_issue(modifier: Modifier, message: str) -> Issue:
    return Issue(
        code="VPP006",
        message=message,
        span=modifier.span,
        hint="Write `--assumptions=2`, `--locus=draft`, or another modifier without a value.",
    )


def _name_hint(name: str) -> str:
    if name in USER_TAGS:
        return f"Write `--<{name}>` for a branch."
    if name.lower() in (*FLAGS, *VALUED):
        return f"Write `--{name.lower()}`."
    known = _listed([f"--{word}" for word in (*FLAGS, *VALUED)], plain=True)
    return f"Use {known}, or a tag in angle brackets."


def _listed(words: Iterable[str], *, plain: bool = False) -> str:
    return ", ".join(f"`{word}`" if plain else f"`<{word}>`" for word in words)


class Echo(Enum):
    """How the tag of an answer compares with its command: expected, accepted, or wrong."""

    EXPECTED = auto()
    UNUSUAL = auto()
    WRONG = auto()


def expected_echo(command: Command) -> str:
    """Return the tag that answers `command`, "" if the tag of the command is unknown."""
    if command.tag == OPERATOR_ERROR:
        return "o"
    if command.tag == ERROR and command.branch:
        return command.branch
    return command.tag if command.tag in USER_TAGS else ""


def classify_echo(command: Command, tag: str) -> Echo:
    """Return how `tag` compares as the answer to `command`, whose own tag is known."""
    if tag == expected_echo(command):
        return Echo.EXPECTED
    return Echo.UNUSUAL if tag in _unusual(command) else Echo.WRONG


def _unusual(command: Command) -> tuple[str, ...]:
    """Return the tags that are accepted with a warning."""
    if command.tag == ERROR:
        return (ERROR,) if command.branch else ("g", "q", "o")
    if command.tag == OPERATOR_ERROR:
        return (ERROR, OPERATOR_ERROR, command.branch)
    return (ERROR, command.branch)
