"""The rules about what the four sections hold: points, flags, references, takeaways."""

from __future__ import annotations

import re
from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.flags import FLAG_TERMS, flags_of
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.sections import Section, bullets_of

MAX_BULLETS = 3
_MOST_TAKEAWAYS = 7
_LOUD = "a contradiction, an unjustified assumption or missing evidence"


@rule("PB2S007", spec="pb2s-0.2/PB2S-03 pb2s-0.2/PB2S-A10", severity=ERROR)
def too_many_bullets(reply: Reply) -> Iterator[Finding]:
    """REFLECT has more than three points.

    ## Why
    Three is a limit on how much is examined at once: a list of ten doubts is a way not to decide
    which of them matters. Points count with any mark (`-`, `*`, `+`, `•`, `–`, `1.`, `1)`), and
    nested ones count, too.

    ## Fix
    Keep the three that matter most, or merge those that are about the same claim.

    ```text
    before   - contradiction …   - missing evidence …   - unjustified assumption …   - wording …
    after    - contradiction …   - missing evidence …   - unjustified assumption …
    ```
    """
    section = reply.first("REFLECT")
    bullets = bullets_of(reply.text, section.body) if section else ()
    if len(bullets) > MAX_BULLETS:
        yield Finding(
            message=f"REFLECT has {len(bullets)} points; three are the most",
            at=bullets[MAX_BULLETS],
            hint="Keep the three that matter most.",
        )


@rule("PB2S008", spec="pb2s-0.2/PB2S-A11", severity=WARNING)
def no_bullets(reply: Reply) -> Iterator[Finding]:
    """REFLECT names something, but not as points of a list.

    ## Why
    Nothing forbids prose. But REVISE has to say which points it resolved, and what has no number
    and no mark is hard to refer to.

    ## Fix
    Make a list of what REFLECT found.

    ```text
    before   There is missing evidence for the date, and a contradiction in the second line.
    after    - missing evidence: the date
             - contradiction: the second line
    ```
    """
    section = reply.first("REFLECT")
    if section and _flags(reply, section) and not bullets_of(reply.text, section.body):
        yield Finding(
            message="REFLECT has no points",
            at=section.header,
            hint="Write what it found as a list of one to three points.",
        )


@rule("PB2S009", spec="pb2s-0.2/PB2S-04 pb2s-0.2/PB2S-A12", severity=ERROR)
def nothing_flagged(reply: Reply) -> Iterator[Finding]:
    """REFLECT names no contradiction, no unjustified assumption and no missing evidence.

    ## Why
    Every draft rests on something that it does not prove. An examination that finds nothing was
    none. The three terms count in any case and in the plural, with a hyphen or a blank, and not
    where they are denied: "no contradiction" finds nothing.

    ## Fix
    Say what the draft assumes, contradicts or leaves unproven, in these words.

    ```text
    before   - The draft looks good; no contradictions.
    after    - unjustified assumption: every loop ends
    ```
    """
    section = reply.first("REFLECT")
    if section and not _flags(reply, section):
        yield Finding(
            message=f"REFLECT names none of {_LOUD}",
            at=section.header,
            hint=f"Use one of the terms: {', '.join(FLAG_TERMS)}; a denial does not count.",
        )


def _flags(reply: Reply, section: Section) -> bool:
    return any(True for _ in flags_of(reply.text, section.body))


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
    """REVISE does not say which points of REFLECT it resolved, or names one that is not there.

    ## Why
    The point of the method is that somebody can follow it: this doubt led to that change. Without
    the reference a reader has to compare the texts.

    ## Fix
    Name the points by number.

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
            message="REVISE names no point of REFLECT",
            at=revise.header,
            hint="Say which points it resolved: 'Resolved bullet 1: …'.",
        )
    elif numbers and len(beyond) == len(numbers):
        yield Finding(
            message=f"REVISE names point {beyond[0]}, and REFLECT has {len(bullets)}",
            at=revise.header,
            hint="The points of REFLECT count from 1.",
        )


def _numbers(found: re.Match[str]) -> list[int]:
    if found["ordinal"]:
        return [_ORDINALS.index(found["ordinal"].lower()) + 1]
    return [int(n) for n in re.findall(r"[0-9]+", found[0])]


@rule("PB2S011", spec="pb2s-0.2/PB2S-12", severity=WARNING)
def section_says_too_little_or_much(reply: Reply) -> Iterator[Finding]:
    """DRAFT, REVISE or LEARNED is empty, or LEARNED is a long list.

    ## Why
    A draft is the least that can be examined, a revision is the answer itself, and the takeaways
    are few: they are kept and tracked, and a list of ten is neither.

    ## Fix
    Put one sentence into an empty section. Keep the takeaways that hold beyond this answer, seven
    at most.

    ```text
    before   LEARNED
    after    LEARNED
             - A loop needs a bound.
    ```
    """
    for name in ("DRAFT", "REVISE", "LEARNED"):
        section = reply.first(name)
        if section and section.body.start == section.body.end:
            yield Finding(
                message=f"{name} is empty", at=section.header, hint="One sentence is enough."
            )
    learned = reply.first("LEARNED")
    takeaways = len(bullets_of(reply.text, learned.body)) if learned else 0
    if learned and takeaways > _MOST_TAKEAWAYS:
        yield Finding(
            message=f"LEARNED has {takeaways} points; it is a short list",
            at=learned.header,
            hint=f"Keep the ones that hold beyond this answer, {_MOST_TAKEAWAYS} at most.",
        )
