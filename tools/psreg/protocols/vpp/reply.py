"""Reads an assistant's turn: the tag on its first line, its body, the footer on its last line.

What is wrong under any command is an issue here (VPP-A8, A14, A16, A18); the rules check what
depends on the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import Change, Issue, Span
from psreg.formats.protocol_versions import latest_version
from psreg.protocols.vpp.command import first_line, leading, leading_blanks_issue, read_command
from psreg.protocols.vpp.footer import Footer, is_footer, read_footer, resembles_footer
from psreg.protocols.vpp.vocabulary import USER_TAGS

_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9_]*)>")
_LINE = re.compile(r"[^\n]+")

HEADER_FORM = "Begin with the tag of the command in angle brackets and nothing else, such as `<q>`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An assistant's turn. `header` is its first line that is not blank.

    `written` is the tag there, "" if there is none; `tag` is the same if VPP has it. `body` is the
    text between the first line and the footer. `footer` is None if no line is meant as one.
    """

    header: Span
    body: Span
    written: str = ""
    footer: Footer | None = None
    issues: tuple[Issue, ...] = ()

    @property
    def tag(self) -> str:
        """The tag of the first line, "" if it is unknown."""
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
            hint="Put the tag alone on the first line and the footer alone on the last line.",
        )
        return Reply(header=header, body=Span(header.end, header.end), issues=(issue,))
    written, header_issues = _header(text, start, header)
    last, footer_issues = _footer_line(text, lines[1:])
    footer = None
    if last is not None:
        line = read_footer(text, last)
        footer, footer_issues = line.footer, (*footer_issues, *line.issues)
    body_end = last.start if last is not None else len(text)
    return Reply(
        header=header,
        written=written,
        body=Span(header.end, max(body_end, header.end)),
        footer=footer,
        issues=(*header_issues, *footer_issues),
    )


def _header(text: str, start: int, header: Span) -> tuple[str, tuple[Issue, ...]]:
    blanks = (leading_blanks_issue(start, "tag"),) if start else ()
    alone = _TAG.fullmatch(text, header.start, header.end)
    if alone:
        return alone[1], blanks
    command = read_command(text).command
    if command is not None and command.whole:
        return command.tag, (*blanks, _exclamation_mark_issue(command.tag, header))
    opening = _TAG.match(text, header.start, header.end)
    if opening and opening[1] in USER_TAGS:
        rest = Span(opening.end(), header.end)
        return opening[1], (*blanks, _no_tag_issue("the tag is not alone on its line", rest))
    return "", (_no_tag_issue("the first line is not a tag", header),)


def _no_tag_issue(message: str, span: Span) -> Issue:
    return Issue(code="VPP011", message=message, span=span, hint=HEADER_FORM)


def _exclamation_mark_issue(tag: str, header: Span) -> Issue:
    return Issue(
        code="VPP012",
        message="the answer repeats the command instead of its tag",
        span=header,
        hint=f"Write `<{tag}>`; only users write the exclamation mark.",
        fix=(Change(header, f"<{tag}>"),),
        fix_title="Remove the exclamation mark",
    )


def _footer_line(text: str, lines: list[Span]) -> tuple[Span | None, tuple[Issue, ...]]:
    """Return the line that is meant as the footer, and the issues of its position."""
    footers = [line for line in lines if is_footer(text[line.start : line.end])]
    last = lines[-1]
    if resembles_footer(text[last.start : last.end]):
        more = [line for line in footers if line is not last]
        return last, tuple(_second_footer_issues(more))
    if not footers:
        issue = Issue(
            code="VPP020",
            message="the last line is not a footer",
            span=Span(last.start, last.end),
            hint=f"End with `[Version=v{latest_version('vpp')} | Tag=q_1 | Sources=none | "
            "Assumptions=0 | Cycle=1/3 | Locus=assistant]`.",
        )
        return None, (issue,)
    after = lines[lines.index(footers[-1]) + 1]
    issue = Issue(
        code="VPP021",
        message="text follows the footer",
        span=Span(after.start, last.end),
        hint="Move the text above the footer.",
    )
    return footers[-1], (*_second_footer_issues(footers[:-1]), issue)


def _second_footer_issues(lines: list[Span]) -> Iterator[Issue]:
    for line in lines:
        yield Issue(
            code="VPP022",
            message="there is a second footer above the last line",
            span=line,
            hint="Remove it, or put backticks around it if it is an example.",
        )
