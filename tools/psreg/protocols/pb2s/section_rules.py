"""Rules about the sections of an answer: which there are, in what order, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from unicodedata import category

from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding, Span
from psreg.core.rule import rule
from psreg.protocols.pb2s.flags import FLAG_TERMS, names_a_term
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.sections import (
    PHASES,
    SECTION_NAMES,
    Section,
    bullets_of,
)

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


MAX_BULLETS = 3
_MAX_TAKEAWAYS = 7
_FLAG_LIST = "a contradiction, an unjustified assumption or missing evidence"


@rule("PB2S007", spec="pb2s-0.2/PB2S-03 pb2s-0.2/PB2S-A10", severity=ERROR)
def too_many_bullets(reply: Reply) -> Iterator[Finding]:
    """REFLECT has more than three points.

    ## Why
    The limit makes the assistant decide which doubts matter; a list of ten does not. Points count
    with any mark (`-`, `*`, `+`, `•`, `–`, `1.`, `1)`), and so do nested points.

    ## Fix
    Keep the three points that matter most, or merge points about the same claim.

    ```text
    before   - contradiction …   - missing evidence …   - unjustified assumption …   - wording …
    after    - contradiction …   - missing evidence …   - unjustified assumption …
    ```
    """
    section = reply.first("REFLECT")
    bullets = bullets_of(reply.text, section.body) if section else ()
    if len(bullets) > MAX_BULLETS:
        yield Finding(
            message=f"REFLECT has {len(bullets)} points; the limit is three",
            at=bullets[MAX_BULLETS],
            hint="Keep the three points that matter most.",
        )


@rule("PB2S008", spec="pb2s-0.2/PB2S-A11", severity=WARNING)
def no_bullets(reply: Reply) -> Iterator[Finding]:
    """REFLECT is prose, not a list of points.

    ## Why
    Prose is allowed. But REVISE has to say which points it resolved, and a point without a number
    or mark is hard to refer to.

    ## Fix
    Write the findings of REFLECT as a list.

    ```text
    before   There is missing evidence for the date, and a contradiction in the second line.
    after    - missing evidence: the date
             - contradiction: the second line
    ```
    """
    section = reply.first("REFLECT")
    if section and reply.flags and not bullets_of(reply.text, section.body):
        yield Finding(
            message="REFLECT has no points",
            at=section.header,
            hint="Write its findings as a list of one to three points.",
        )


@rule("PB2S009", spec="pb2s-0.2/PB2S-04 pb2s-0.2/PB2S-A12 pb2s-0.2/PB2S-A22", severity=ERROR)
def nothing_flagged(reply: Reply) -> Iterator[Finding]:
    """REFLECT names no contradiction, no unjustified assumption and no missing evidence.

    ## Why
    Every draft relies on something that it does not prove; a review that finds nothing did not
    look. The three terms count in any case, in the plural, and with a hyphen or a space. A denied
    term does not count: "no contradiction" and "0 contradictions" name nothing. An empty REFLECT is
    allowed and only noted.

    ## Fix
    Say in these words what the draft assumes, contradicts or leaves unproven.

    ```text
    before   - The draft looks good; no contradictions.
    after    - unjustified assumption: every loop ends
    ```
    """
    section = reply.first("REFLECT")
    if section and not reply.flags:
        yield Finding(
            message=f"REFLECT does not name {_FLAG_LIST}",
            at=section.header,
            hint=f"Use one of the terms {', '.join(FLAG_TERMS)}; a denial does not count.",
            severity=INFO if _is_empty(reply.text, section) else None,
            # More ways to deny a term became known.
            since="0.2.0" if names_a_term(reply.text, section.body) else "",
        )


def _is_empty(text: str, section: Section) -> bool:
    """Tell whether a section has neither a letter, a digit nor a symbol: marks say nothing."""
    body = unescape(_COMMENT.sub("", text[section.body.start : section.body.end]))
    return not any(
        char.isalnum() or (not char.isascii() and category(char) in ("So", "Sm"))
        for char in body.translate(_BLANK_LETTERS)
    )


_BLANK_LETTERS = dict.fromkeys([0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0])
"""The fillers of Hangul and the empty Braille pattern: letters and a symbol that nobody sees."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


_ORDINALS = ("first", "second", "third")
_POINT = r"(?:bullets?|points?|items?|findings?|issues?|concerns?|flags?|notes?)"
_NUMBERED = re.compile(
    rf"\b{_POINT}\b[^\w\n]{{0,4}}(?:no\.?|number)?[^\w\n]{{0,4}}[0-9]{{1,3}}"
    r"(?:\s*(?:,|and|&|to|[-–])\s*#?[0-9]{1,3})*"
    r"|[#(\[][0-9]{1,2}\b"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})\s+(?:and\s+\w+\s+)?{_POINT}\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    rf"\b(?:all|both|every|each|the|this|neither|none of the)\b(?:\s+(?:of|the|these|one|two|three"
    rf"|single|only))*\s+{_POINT}\b|\b{_POINT}\s+(?:above|resolved|addressed|fixed|settled)\b",
    re.IGNORECASE,
)


@rule("PB2S010", spec="pb2s-0.2/PB2S-11", severity=WARNING)
def revise_names_no_bullet(reply: Reply) -> Iterator[Finding]:
    """REVISE does not say which points of REFLECT it resolved, or names one that does not exist.

    ## Why
    A reader should be able to follow which doubt led to which change. Without the reference, the
    reader has to compare the texts.

    ## Fix
    Name the points by their numbers.

    ```text
    before   Loops end after at most two cycles.
    after    Resolved bullet 1: loops end after at most two cycles.
    ```
    """
    reflect, revise = reply.first("REFLECT"), reply.first("REVISE")
    bullets = bullets_of(reply.text, reflect.body) if reflect else ()
    if not bullets or not revise:
        return
    body = reply.answer.body(revise)
    numbers = [number for found in _NUMBERED.finditer(body) for number in _numbers(found)]
    beyond = [number for number in numbers if not 1 <= number <= len(bullets)]
    if not numbers and not _ALL.search(body):
        yield Finding(
            message="REVISE does not name a point of REFLECT",
            at=revise.header,
            hint="Say which points it resolved, such as `Resolved bullet 1: …`.",
        )
    elif numbers and len(beyond) == len(numbers):
        yield Finding(
            message=f"REVISE names point {beyond[0]}, but REFLECT has {len(bullets)}",
            at=revise.header,
            hint="Count the points of REFLECT from 1.",
        )


def _numbers(found: re.Match[str]) -> list[int]:
    if found["ordinal"]:
        return [_ORDINALS.index(found["ordinal"].lower()) + 1]
    return [int(n) for n in re.findall(r"[0-9]+", found[0])]


@rule("PB2S030", spec="pb2s-0.2/PB2S-12 pb2s-0.2/PB2S-A20", severity=ERROR, since="0.2.0")
def empty_answer(reply: Reply) -> Iterator[Finding]:
    """DRAFT or REVISE is empty.

    ## Why
    Without a draft there is nothing to examine, and the revision is the answer itself. A reply with
    four headers and no words has the form of an answer, but the user gets nothing.

    ## Fix
    Write at least one sentence in each of the two sections.

    ```text
    before   REVISE
             LEARNED …
    after    REVISE
             Resolved bullet 1: the loop ends after two cycles.
    ```
    """
    for name in ("DRAFT", "REVISE"):
        section = reply.first(name)
        if section and _is_empty(reply.text, section):
            yield Finding(
                message=f"{name} is empty", at=section.header, hint="Write at least one sentence."
            )


@rule("PB2S011", spec="pb2s-0.2/PB2S-12 pb2s-0.2/PB2S-A20", severity=WARNING)
def section_says_too_little_or_much(reply: Reply) -> Iterator[Finding]:
    """LEARNED is empty or too long.

    ## Why
    Takeaways are kept and tracked, which works only for a short list, and not at all for an empty
    one.

    ## Fix
    Keep one to seven takeaways, the ones that apply beyond this answer.

    ```text
    before   LEARNED
    after    LEARNED
             - A loop needs a bound.
    ```
    """
    learned = reply.first("LEARNED")
    if learned is None:
        return
    takeaways = len(bullets_of(reply.text, learned.body))
    if _is_empty(reply.text, learned):
        yield Finding(
            message="LEARNED is empty", at=learned.header, hint="Write at least one sentence."
        )
    elif takeaways > _MAX_TAKEAWAYS:
        yield Finding(
            message=f"LEARNED has {takeaways} points; the limit is {_MAX_TAKEAWAYS}",
            at=learned.header,
            hint=f"Keep at most {_MAX_TAKEAWAYS} points that apply beyond this answer.",
        )


SECTION_RULES = (
    section_missing,
    section_twice,
    sections_out_of_order,
    header_decorated,
    text_beside_header,
    text_before_sections,
    too_many_bullets,
    no_bullets,
    nothing_flagged,
    revise_names_no_bullet,
    empty_answer,
    section_says_too_little_or_much,
)
