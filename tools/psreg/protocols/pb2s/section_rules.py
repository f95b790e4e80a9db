"""Rules about sections: which ones there are, how often, in what order, and their headers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding, Span
from psreg.core.rule import rule
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.sections import PHASES, SECTION_NAMES, Section

_MAX_HEADERS = 20
"""Headers that are checked; an answer has at most five."""


@rule("PB2S001", spec="pb2s-0.2/PB2S-02", severity=ERROR)
def section_missing(reply: Reply) -> Iterator[Finding]:
    """One of the sections DRAFT, REFLECT, REVISE and LEARNED is missing.

    ## Why
    PB2S consists of these four steps. Without REFLECT, for example, a reader does not know whether
    the assistant examined its draft. `Draft` and `DRAFTING` are not headers, because programs must
    find the steps without guessing.

    ## Fix
    Begin each step with its name in capitals, alone on a line; a colon may follow it.

    ```text
    before   Draft                after   DRAFT
             The loop ends.               The loop ends.
    ```
    """
    for name in PHASES:
        if reply.text.strip() and not reply.answer.named(name):
            yield Finding(
                message=f"the section {name} is missing",
                at=_expected_position(reply, name),
                hint=f"Put {name} alone on a line before its text.",
            )


def _expected_position(reply: Reply, name: str) -> Span:
    """Return where the section `name` should be: after the sections that precede it."""
    earlier = SECTION_NAMES[: SECTION_NAMES.index(name)]
    ends = [section.body.end for section in reply.answer.sections if section.name in earlier]
    return Span(max(ends, default=0), max(ends, default=0))


@rule("PB2S002", spec="pb2s-0.2/PB2S-02", severity=ERROR)
def section_twice(reply: Reply) -> Iterator[Finding]:
    """A section occurs more than once.

    ## Why
    Each step occurs once. With two REVISE sections, it is unclear which of them is the answer. If
    the loop ran twice, `cycles` in the proof says so; the answer does not show both cycles.

    ## Fix
    Show only the steps of the last cycle. If the text quotes the name of a step, put other words on
    the same line.

    ```text
    before   DRAFT … REFLECT … REVISE … LEARNED … DRAFT … REFLECT … REVISE … LEARNED …
    after    DRAFT … REFLECT … REVISE … LEARNED …          "cycles": 2
    ```
    """
    for name in SECTION_NAMES:
        for again in reply.answer.named(name)[1:2]:
            count = len(reply.answer.named(name))
            yield Finding(
                message=f"{name} occurs {count} times",
                at=again.header,
                hint="Show each section once, and say in `cycles` how often the loop ran.",
            )


@rule("PB2S003", spec="pb2s-0.2/PB2S-02 pb2s-0.2/PB2S-A4", severity=ERROR)
def sections_out_of_order(reply: Reply) -> Iterator[Finding]:
    """The sections are not in the order DRAFT, REFLECT, REVISE, LEARNED, CLARIFY.

    ## Why
    The order is the method: a draft is written, examined, and then revised. Questions to the user
    come last, because the loop ends before they are asked.

    ## Fix
    Put the sections into this order.

    ```text
    before   REFLECT … DRAFT … REVISE … LEARNED …
    after    DRAFT … REFLECT … REVISE … LEARNED …
    ```
    """
    firsts: dict[str, Section] = {}
    for section in reply.answer.sections:
        firsts.setdefault(section.name, section)
    for one, other in pairwise(firsts.values()):
        if SECTION_NAMES.index(one.name) > SECTION_NAMES.index(other.name):
            yield Finding(
                message=f"{other.name} comes after {one.name}",
                at=other.header,
                hint=f"Put them into the order {', '.join(SECTION_NAMES)}.",
            )
            return  # one misplaced section makes others look misplaced as well


@rule("PB2S004", spec="pb2s-0.2/PB2S-A3", severity=WARNING)
def header_decorated(reply: Reply) -> Iterator[Finding]:
    """The header of a section has Markdown.

    ## Why
    Many models write `## DRAFT` or `**DRAFT**`. psreg reads such headers, but a program that looks
    for a line with the bare name does not find the section.

    ## Fix
    Write the name alone. `psreg` offers the change.

    ```text
    before   ## DRAFT          **REFLECT:**
    after    DRAFT             REFLECT
    ```
    """
    for section in reply.answer.sections[:_MAX_HEADERS]:
        if section.decorated:
            name = f"{section.name}:" if section.inline else section.name
            yield Finding(
                message=f"the header {section.name} has Markdown",
                at=section.header,
                hint="Write the name alone, without `#` or `*`.",
                fix=(Change(section.header, name),),
                fix_title=f"Write {name}",
            )


@rule("PB2S005", spec="pb2s-0.2/PB2S-A3", severity=ERROR, read=WARNING)
def text_beside_header(reply: Reply) -> Iterator[Finding]:
    """There is text on the same line as the header of a section.

    ## Why
    Programs count the headers. If `REVISE: see above` were a valid header, a sentence that begins
    like this would start a section in the middle of an answer.

    ## Fix
    Begin the text on the next line. `psreg` offers the change.

    ```text
    before   DRAFT: The loop ends.        after   DRAFT
                                                  The loop ends.
    ```
    """
    for section in reply.answer.sections[:_MAX_HEADERS]:
        if section.inline:
            gap = Span(section.header.end, section.inline.start)
            yield Finding(
                message=f"there is text on the line of the header {section.name}",
                at=section.inline,
                hint="Begin the text on the next line.",
                fix=(Change(gap, "\n"),),
                fix_title="Begin the text on the next line",
            )


@rule("PB2S006", spec="pb2s-0.2/PB2S-02", severity=WARNING)
def text_before_sections(reply: Reply) -> Iterator[Finding]:
    """There is text before the first section.

    ## Why
    Text before DRAFT has not been examined. Often it is a greeting, and sometimes the misspelled
    header of a section.

    ## Fix
    Remove it, or move it into the section that it belongs to.

    ```text
    before   Sure, here is my answer.     after   DRAFT
             DRAFT                                The loop ends.
             The loop ends.
    ```
    """
    at = reply.answer.preamble
    if at.start < at.end:
        yield Finding(
            message="there is text before the first section",
            at=at,
            hint="Begin the answer with DRAFT.",
        )
