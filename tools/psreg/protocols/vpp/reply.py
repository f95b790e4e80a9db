"""Reads an assistant's turn: the tag on its first line, its body, the footer on its last line.

What is wrong whatever was asked is an issue here (READINGS VPP-A8, A14, A16, A18); what depends on
the command is a matter of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Change, Span
from psreg.formats.issue import Issue
from psreg.protocols.vpp.command import first_line, leading, of_blanks, read_command
from psreg.protocols.vpp.footer import Footer, is_footer, read_footer, resembles_footer
from psreg.protocols.vpp.vocabulary import USER_TAGS

_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9_]*)>")
_LINE = re.compile(r"[^\n]+")

HEADER_FORM = "The first line is the tag of the command in angle brackets and nothing else: `<q>`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An assistant's turn. `header` is its first line that is not blank.

    `written` is the tag there, "" if there is none; `tag` is the same if VPP has it. `body` is what
    stands between the first line and the footer. `footer` is None where no line is meant as one.
    """

    header: Span
    body: Span
    written: str = ""
    footer: Footer | None = None
    issues: tuple[Issue, ...] = ()

    @property
    def tag(self) -> str:
        """The tag of the first line, "" if it is none of VPP."""
        return self.written if self.written in USER_TAGS else ""


def read_reply(text: str) -> Reply:
    """Return the parts of an assistant's turn."""
    start = leading(text)
    header = first_line(text, start)
    lines = [Span(*found.span()) for found in _LINE.finditer(text, start) if not found[0].isspace()]
    if len(lines) <= 1:
        issue = Issue(
            code="VPP019",
            message="the answer has fewer than two lines",
            span=header,
            hint="The first line is the tag alone, the last line is the footer alone.",
        )
        return Reply(header=header, body=Span(header.end, header.end), issues=(issue,))
    written, of_header = _header(text, start, header)
    last, of_footer = _closing(text, lines[1:])
    footer = None
    if last is not None:
        closing = read_footer(text, last)
        footer, of_footer = closing.footer, (*of_footer, *closing.issues)
    body_end = last.start if last is not None else len(text)
    return Reply(
        header=header,
        written=written,
        body=Span(header.end, max(body_end, header.end)),
        footer=footer,
        issues=(*of_header, *of_footer),
    )


def _header(text: str, start: int, header: Span) -> tuple[str, tuple[Issue, ...]]:
    blanks = (of_blanks(start, "tag"),) if start else ()
    alone = _TAG.fullmatch(text, header.start, header.end)
    if alone:
        return alone[1], blanks
    command = read_command(text).command
    if command is not None and command.whole:
        return command.tag, (*blanks, _bang(command.tag, header))
    opening = _TAG.match(text, header.start, header.end)
    if opening and opening[1] in USER_TAGS:
        rest = Span(opening.end(), header.end)
        return opening[1], (*blanks, _no_echo("the tag does not stand alone on its line", rest))
    return "", (_no_echo("the first line is no tag", header),)


def _no_echo(message: str, span: Span) -> Issue:
    return Issue(code="VPP011", message=message, span=span, hint=HEADER_FORM)


def _bang(tag: str, header: Span) -> Issue:
    return Issue(
        code="VPP012",
        message="the answer repeats the command, not its tag",
        span=header,
        hint=f"The exclamation mark is the user's; an answer begins with `<{tag}>`.",
        fix=(Change(header, f"<{tag}>"),),
        fix_title="Repeat the tag alone",
    )


def _closing(text: str, lines: list[Span]) -> tuple[Span | None, tuple[Issue, ...]]:
    """Return the line that is meant as the footer, and what its place or company is worth."""
    footers = [line for line in lines if is_footer(text[line.start : line.end])]
    last = lines[-1]
    if resembles_footer(text[last.start : last.end]):
        more = [line for line in footers if line is not last]
        return last, tuple(_seconds(more))
    if not footers:
        issue = Issue(
            code="VPP020",
            message="the last line is no footer",
            span=Span(last.start, last.end),
            hint="It is `[Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | "
            "Locus=assistant]`.",
        )
        return None, (issue,)
    after = lines[lines.index(footers[-1]) + 1]
    issue = Issue(
        code="VPP021",
        message="text follows the footer",
        span=Span(after.start, last.end),
        hint="Only blank lines may follow it; move the text above the footer.",
    )
    return footers[-1], (*_seconds(footers[:-1]), issue)


def _seconds(lines: list[Span]) -> Iterator[Issue]:
    for line in lines:
        yield Issue(
            code="VPP022",
            message="a second footer stands above the last line",
            span=line,
            hint="An answer has one footer; put backticks around an example of one.",
        )
