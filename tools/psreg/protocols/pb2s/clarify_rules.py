"""The rules about CLARIFY, which ends a conversation with questions: PB2S019 to PB2S022."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.flags import CONTRADICTION
from psreg.protocols.pb2s.reply import PROOF, Reply
from psreg.protocols.pb2s.sections import (
    CLARIFY,
    questions_of,
)

QUESTIONS = 2
"""The number of questions in CLARIFY."""


MAX_CYCLES = 2


@rule("PB2S019", spec="pb2s-0.2/PB2S-05 pb2s-0.2/PB2S-A5", severity=ERROR)
def not_two_questions(reply: Reply) -> Iterator[Finding]:
    """CLARIFY does not ask exactly two questions, or it is missing.

    ## Why
    The user should be able to answer at once. One question is rarely enough, and five are a form to
    fill in. psreg counts the sentences in CLARIFY that end in a question mark, including several on
    one line.

    ## Fix
    After LEARNED, add a section with the two questions whose answers would resolve the
    contradiction.

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
                message=f"CLARIFY asks {asked}; expected exactly two",
                at=section.header,
                hint="Write two sentences that end in a question mark.",
            )
    elif reply.clarifies and reply.text.strip():
        yield Finding(
            message="the decision is CLARIFY, but the section CLARIFY is missing",
            at=f"{PROOF}/decision",
            hint="Add the section with two questions after LEARNED.",
        )


@rule("PB2S020", spec="pb2s-0.2/PB2S-08", severity=ERROR)
def clarify_without_decision(reply: Reply) -> Iterator[Finding]:
    """There is a section CLARIFY, but the decision is not CLARIFY.

    ## Why
    A program reads the decision, a person the text. If the decision approves the answer and the
    text asks questions, one of them is misled.

    ## Fix
    Set the decision to CLARIFY if a contradiction remains; otherwise remove the questions.

    ```text
    before   CLARIFY …   "decision": "APPROVE"
    after    CLARIFY …   "decision": "CLARIFY", "cycles": 2
    ```
    """
    section = reply.first(CLARIFY)
    if section and reply.decision not in (None, CLARIFY):
        yield Finding(
            message=f"there is a section CLARIFY, but the decision is {reply.decision}",
            at=section.header,
            hint="Set the decision to CLARIFY, or remove the section.",
        )


@rule("PB2S021", spec="pb2s-0.2/PB2S-A6", severity=ERROR, read=WARNING)
def clarify_too_early(reply: Reply) -> Iterator[Finding]:
    """The decision is CLARIFY after fewer than two cycles.

    ## Why
    Questions are for contradictions that the loop could not resolve. The assistant must use both
    cycles first, because a question costs the user more than a cycle costs the machine.

    ## Fix
    Run the second cycle first. If it resolves the contradiction, answer.

    ```text
    before   "decision": "CLARIFY", "cycles": 1
    after    "decision": "CLARIFY", "cycles": 2
    ```
    """
    if reply.clarifies and reply.cycles is not None and reply.cycles != MAX_CYCLES:
        yield Finding(
            message=f"the decision is CLARIFY after {reply.cycles} of {MAX_CYCLES} cycles",
            at=f"{PROOF}/cycles",
            hint="Run both cycles before you ask.",
        )


@rule("PB2S022", spec="pb2s-0.2/PB2S-08 pb2s-0.2/PB2S-A21", severity=ERROR)
def clarify_without_contradiction(reply: Reply) -> Iterator[Finding]:
    """The decision is CLARIFY, but REFLECT names no contradiction.

    ## Why
    Questions are only for contradictions that remain after the last cycle, the one that the reply
    shows. An answer can state an assumption or say that evidence is missing; the user does not have
    to decide for that.

    ## Fix
    Name the contradiction in REFLECT, or answer and say what is uncertain.

    ```text
    before   REFLECT   - missing evidence: the date          "decision": "CLARIFY"
    after    REFLECT   - contradiction: 1789 and 1791        "decision": "CLARIFY"
    ```
    """
    section = reply.first("REFLECT")
    if not reply.clarifies or section is None:
        return
    if CONTRADICTION not in reply.flags:
        yield Finding(
            message="the decision is CLARIFY, but REFLECT names no contradiction",
            at=section.header,
            hint="Name the contradiction that remains, or answer.",
            since="0.2.0",  # it was a warning
        )


CLARIFY_RULES = (
    not_two_questions,
    clarify_without_decision,
    clarify_too_early,
    clarify_without_contradiction,
)
