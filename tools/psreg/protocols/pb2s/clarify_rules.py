"""The rules about asking back: when, after how many cycles, and with how many questions."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.flags import CONTRADICTION, flags_of
from psreg.protocols.pb2s.reply import PROOF, Reply
from psreg.protocols.pb2s.sections import CLARIFY, questions_of

QUESTIONS = 2
"""How many an answer asks that asks at all."""

MAX_CYCLES = 2


@rule("PB2S019", spec="pb2s-0.2/PB2S-05 pb2s-0.2/PB2S-A5", severity=ERROR)
def not_two_questions(reply: Reply) -> Iterator[Finding]:
    """CLARIFY does not ask exactly two questions, or is not there although the decision is CLARIFY.

    ## Why
    Whoever is asked back should be able to answer at once. One question rarely closes the gap, and
    five are a form to fill in. Counted are sentences that end in a question mark, inside the
    section CLARIFY; several on a line are several.

    ## Fix
    After LEARNED, put a section with the two questions whose answers would settle the matter.

    ```text
    CLARIFY
    1. Which of the two statements holds?
    2. What evidence supports it?
    ```
    """
    section = reply.first(CLARIFY)
    if section:
        count = len(questions_of(reply.text, section.body))
        if count != QUESTIONS:
            asked = "no question" if not count else f"{count} question{'s' * (count > 1)}"
            yield Finding(
                message=f"CLARIFY asks {asked}; it asks exactly two",
                at=section.header,
                hint="A question is a sentence that ends in a question mark.",
            )
    elif reply.clarifies and reply.text.strip():
        yield Finding(
            message="the decision is CLARIFY, and there is no section CLARIFY",
            at=f"{PROOF}/decision",
            hint="Put the section with two questions after LEARNED.",
        )


@rule("PB2S020", spec="pb2s-0.2/PB2S-08", severity=ERROR)
def clarify_without_decision(reply: Reply) -> Iterator[Finding]:
    """There is a section CLARIFY, and the decision is APPROVE.

    ## Why
    A program looks at the decision and a person at the text. If one says that all is well and the
    other asks back, one of them is misled.

    ## Fix
    Set the decision to CLARIFY if a contradiction remains; otherwise leave the questions out.

    ```text
    before   CLARIFY …   "decision": "APPROVE"
    after    CLARIFY …   "decision": "CLARIFY", "cycles": 2
    ```
    """
    section = reply.first(CLARIFY)
    if section and reply.decision not in (None, CLARIFY):
        yield Finding(
            message=f"there is a section CLARIFY, and the decision is {reply.decision}",
            at=section.header,
            hint="Set the decision to CLARIFY, or leave the section out.",
        )


@rule("PB2S021", spec="pb2s-0.2/PB2S-A6", severity=ERROR, read=WARNING)
def clarify_too_early(reply: Reply) -> Iterator[Finding]:
    """The decision is CLARIFY, and fewer than two cycles ran.

    ## Why
    Asking back is for what the loop could not settle. As long as a cycle is left, the assistant
    has to try: a question costs the user more than a cycle costs the machine.

    ## Fix
    Run the second cycle first; if it settles the matter, answer.

    ```text
    before   "decision": "CLARIFY", "cycles": 1
    after    "decision": "CLARIFY", "cycles": 2
    ```
    """
    if reply.clarifies and reply.cycles is not None and reply.cycles != MAX_CYCLES:
        yield Finding(
            message=f"the decision is CLARIFY after {reply.cycles} of {MAX_CYCLES} cycles",
            at=f"{PROOF}/cycles",
            hint="Ask back only after both cycles.",
        )


@rule("PB2S022", spec="pb2s-0.2/PB2S-08", severity=WARNING)
def clarify_without_contradiction(reply: Reply) -> Iterator[Finding]:
    """The decision is CLARIFY, and REFLECT names no contradiction.

    ## Why
    Questions are for contradictions that remain. Missing evidence can be said in the answer, and
    an assumption can be stated; neither needs the user to decide between two things.

    ## Fix
    Name the contradiction in REFLECT, or answer and say there what is not certain.

    ```text
    before   REFLECT   - missing evidence: the date          "decision": "CLARIFY"
    after    REFLECT   - contradiction: 1789 and 1791        "decision": "CLARIFY"
    ```
    """
    section = reply.first("REFLECT")
    flags = list(flags_of(reply.text, section.body)) if section else []
    # NOTE: where nothing is named, or nothing is asked, at all, another rule speaks.
    asks = reply.clarifies and reply.first(CLARIFY) is not None
    if asks and section and flags and not any(f.term == CONTRADICTION for f in flags):
        yield Finding(
            message="the decision is CLARIFY, and REFLECT names no contradiction",
            at=section.header,
            hint="Name the contradiction that remains, or answer.",
        )
