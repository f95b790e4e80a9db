"""The rules about sections: which there are, how often, in what order, how they are headed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding, Span
from psreg.core.rule import rule
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.sections import PHASES, SECTION_NAMES, Section

_MOST = 20
"""Headers that are looked at; an answer has five, and nobody reads a hundred findings."""


@rule("PB2S001", spec="pb2s-0.2/PB2S-02", severity=ERROR)
def section_missing(reply: Reply) -> Iterator[Finding]:
    """One of the four sections DRAFT, REFLECT, REVISE and LEARNED is not there.

    ## Why
    The four steps are what PB2S is: an answer that shows no REFLECT may have examined itself or
    not, and nobody can tell. A word such as `Draft` or `DRAFTING` heads no section, because a
    program has to find the steps without guessing.

    ## Fix
    Head each step by its name in capitals, alone on a line; a colon may follow it.

    ```text
    before   Draft                after   DRAFT
             The loop ends.               The loop ends.
    ```
    """
    for name in PHASES:
        if reply.text.strip() and not reply.answer.named(name):
            yield Finding(
                message=f"there is no section {name}",
                at=_place_of(reply, name),
                hint=f"Put {name} alone on a line before what belongs to it.",
            )


def _place_of(reply: Reply, name: str) -> Span:
    """Return where the section `name` should stand: after the one before it, else the start."""
    earlier = SECTION_NAMES[: SECTION_NAMES.index(name)]
    ends = [section.body.end for section in reply.answer.sections if section.name in earlier]
    return Span(max(ends, default=0), max(ends, default=0))


@rule("PB2S002", spec="pb2s-0.2/PB2S-02", severity=ERROR)
def section_twice(reply: Reply) -> Iterator[Finding]:
    """A section occurs more than once.

    ## Why
    Each step comes once. With two sections REVISE it is open which of them is the answer, and a
    loop that ran twice is told by `cycles` in the proof, not by showing everything again.

    ## Fix
    Show the steps of the last cycle only. Where a text has to quote the name of a step, put other
    words on the same line.

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
                hint="Show each section once; `cycles` says how often the loop ran.",
            )


@rule("PB2S003", spec="pb2s-0.2/PB2S-02 pb2s-0.2/PB2S-A4", severity=ERROR)
def sections_out_of_order(reply: Reply) -> Iterator[Finding]:
    """The sections do not stand in the order DRAFT, REFLECT, REVISE, LEARNED, then CLARIFY.

    ## Why
    The order is the method: nothing can be examined before it is drafted, nor revised before it
    is examined. Questions to the user come last, after the loop has run, since the loop runs
    before anything is said.

    ## Fix
    Bring the sections into order.

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
                hint=f"The order is {', '.join(SECTION_NAMES)}.",
            )
            return  # one section in a wrong place puts others there, too


@rule("PB2S004", spec="pb2s-0.2/PB2S-A3", severity=WARNING)
def header_decorated(reply: Reply) -> Iterator[Finding]:
    """The header of a section carries Markdown.

    ## Why
    Many models write `## DRAFT` or `**DRAFT**`. psreg reads that, and other programs that look
    for a line with the bare name do not find the section at all.

    ## Fix
    Write the name alone. `psreg` offers the change.

    ```text
    before   ## DRAFT          **REFLECT:**
    after    DRAFT             REFLECT
    ```
    """
    for section in reply.answer.sections[:_MOST]:
        if section.decorated:
            name = f"{section.name}:" if section.inline else section.name
            yield Finding(
                message=f"the header {section.name} carries Markdown",
                at=section.header,
                hint="Write the name alone, without # or *.",
                fix=(Change(section.header, name),),
                fix_title=f"write {name}",
            )


@rule("PB2S005", spec="pb2s-0.2/PB2S-A3", severity=ERROR, read=WARNING)
def text_beside_header(reply: Reply) -> Iterator[Finding]:
    """Text stands on the line of a section's header.

    ## Why
    "Once each" has to be countable. If `REVISE: see above` were a header like any other, a
    sentence that happens to begin so would open a section in the middle of an answer.

    ## Fix
    Begin the text on the next line. `psreg` offers the change.

    ```text
    before   DRAFT: The loop ends.        after   DRAFT
                                                  The loop ends.
    ```
    """
    for section in reply.answer.sections[:_MOST]:
        if section.inline:
            gap = Span(section.header.end, section.inline.start)
            yield Finding(
                message=f"text stands on the line of the header {section.name}",
                at=section.inline,
                hint="Begin the text on the next line.",
                fix=(Change(gap, "\n"),),
                fix_title="begin the text on a line of its own",
            )


@rule("PB2S006", spec="pb2s-0.2/PB2S-02", severity=WARNING)
def text_before_sections(reply: Reply) -> Iterator[Finding]:
    """Text stands before the first section.

    ## Why
    The steps come first: what is said before DRAFT has been through none of them. Often it is a
    greeting, and sometimes the heading of a section that was misspelled.

    ## Fix
    Leave it out, or move it into the section to which it belongs.

    ```text
    before   Sure, here is my answer.     after   DRAFT
             DRAFT                                The loop ends.
             The loop ends.
    ```
    """
    at = reply.answer.preamble
    if at.start < at.end:
        yield Finding(
            message="text stands before the first section",
            at=at,
            hint="Nothing comes before DRAFT.",
        )
