"""Rules about the exchange itself, its proof and its sampling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.proof import json_shown, kind_of_json
from psreg.protocols.pb2s.reply import PROOF, TEXT, Reply

APPROVE = "APPROVE"
CUT_OFF = ("length", "content_filter")
"""Why a model stopped, as OpenAI-compatible endpoints write it, if its answer is not whole."""

_REF = re.compile(
    r"run-(?P<date>[0-9]{8})-(?P<time>[0-9]{6})-[0-9a-fA-F][0-9a-fA-F-]{6,34}[0-9a-fA-F]"
)


@rule("PB2S012", spec="pb2s-0.2/PB2S-A2", severity=ERROR)
def exchange_incomplete(reply: Reply) -> Iterator[Finding]:
    r"""The message or the text of an exchange is missing, empty, or not a string.

    ## Why
    A request is `{"message": …}`, and its response `{"text": …, "pb2s_proof": {…}}`. Without the
    text, there is nothing to check.

    ## Fix
    Send the answer as a string under `text`. In a recorded exchange, keep the message as well.

    ```json
    {"message": "Do loops end?", "text": "DRAFT\n…", "pb2s_proof": {"decision": "APPROVE", …}}
    ```
    """
    for name, value in (("message", reply.message), ("text", reply.written)):
        at = TEXT if name == "text" else f"/{name}"
        if name in reply.missing:
            yield Finding(message=f"`{name}` is missing", at=at, hint=_SHAPE)
        elif name in reply.record and not isinstance(value, str):
            message = f"`{name}` must be a string, not {kind_of_json(value)}"
            yield Finding(message=message, at=at, hint=_SHAPE)
        elif name == "text" and isinstance(value, str) and not value.strip():
            yield Finding(message="`text` is empty", at=at, hint=_SHAPE)


_SHAPE = 'Write an exchange as {"message": …, "text": …, "pb2s_proof": {…}}.'


@rule("PB2S013", spec="pb2s-0.2/PB2S-06", severity=ERROR)
def proof_missing(reply: Reply) -> Iterator[Finding]:
    """The proof of an answer is missing, or is not an object.

    ## Why
    Every answer has a proof, even one that only asks questions. Programs store and compare it
    without reading the text.

    ## Fix
    Add the object.

    ```json
    "pb2s_proof": {"decision": "APPROVE", "cycles": 1, "audit_ref": "run-20260131-101500-1b4e28ba"}
    ```
    """
    fault = reply.fault("")
    if fault:
        missing = "pb2s_proof" in reply.missing
        yield Finding(
            message="`pb2s_proof` is missing" if missing else fault.message,
            at=PROOF,
            hint="Add an object with `decision`, `cycles` and `audit_ref`.",
        )


@rule("PB2S014", spec="pb2s-0.2/PB2S-07 pb2s-0.2/PB2S-A1 pb2s-0.2/PB2S-A17", severity=ERROR)
def decision_unknown(reply: Reply) -> Iterator[Finding]:
    """The `decision` of the proof is missing, or is not APPROVE or CLARIFY.

    ## Why
    The decision is the result of the loop: an answer, or two questions. Version 0.2 has no third
    one. `DENY` belongs to a later version, and a program for 0.2 does not know it.

    ## Fix
    Write one of the two words in capitals.

    ```json
    "decision": "APPROVE"
    ```
    """
    yield from _at_fault(reply, "decision", "Write `APPROVE` or `CLARIFY`.")


@rule(
    "PB2S015",
    spec="pb2s-0.2/PB2S-01 pb2s-0.2/PB2S-07 pb2s-0.2/PB2S-A7 pb2s-0.2/PB2S-A8",
    severity=ERROR,
)
def cycles_out_of_range(reply: Reply) -> Iterator[Finding]:
    """The `cycles` of the proof are missing, or are not an integer from 0 to 2.

    ## Why
    The loop runs at most twice before the user sees the answer. `0` is allowed, and so is `1.0`,
    which is an integer in JSON Schema. `true` is not, although some programs accept it as 1.

    ## Fix
    Write 0, 1 or 2.

    ```text
    before   "cycles": true
    after    "cycles": 1
    ```
    """
    yield from _at_fault(reply, "cycles", "Write `0`, `1` or `2`.")


@rule("PB2S016", spec="pb2s-0.2/PB2S-07", severity=ERROR)
def audit_ref_missing(reply: Reply) -> Iterator[Finding]:
    """The `audit_ref` of the proof is missing, empty, or not a string.

    ## Why
    The reference connects an answer to its record in the log. Without it, the record of an answer
    cannot be found.

    ## Fix
    Create a reference for each answer.

    ```json
    "audit_ref": "run-20260131-101500-1b4e28ba"
    ```
    """
    yield from _at_fault(reply, "audit_ref", "Write a new reference for each answer.")


def _at_fault(reply: Reply, key: str, hint: str) -> Iterator[Finding]:
    fault = reply.fault(key)
    if fault:
        yield Finding(message=fault.message, at=f"{PROOF}/{key}", hint=hint)


@rule("PB2S017", spec="pb2s-0.2/PB2S-A9", severity=WARNING)
def audit_ref_shape(reply: Reply) -> Iterator[Finding]:
    """The `audit_ref` of the proof does not have the form `run-YYYYMMDD-HHMMSS-…`.

    ## Why
    The specification shows this form but does not require it. References of one form sort by time,
    which makes an answer easy to find in a log.

    ## Fix
    Write the date and time of the run, and a random part of 8 to 36 hexadecimal digits or a UUID.

    ```text
    before   "audit_ref": "run-1"
    after    "audit_ref": "run-20260131-101500-1b4e28ba"
    ```
    """
    ref = reply.audit_ref
    if ref is not None and not _well_formed(ref):
        yield Finding(
            message=f"`audit_ref` is {json_shown(ref)}; expected run-YYYYMMDD-HHMMSS-…",
            at=f"{PROOF}/audit_ref",
            hint="Write an existing date and time, then hexadecimal digits or a UUID.",
        )


def _well_formed(ref: str) -> bool:
    found = _REF.fullmatch(ref)
    try:
        return bool(found and datetime.fromisoformat(f"{found['date']}T{found['time']}"))
    except ValueError:
        return False


@rule("PB2S018", spec="pb2s-0.2/PB2S-A9", severity=WARNING)
def audit_ref_reused(reply: Reply) -> Iterator[Finding]:
    """Two answers of one run have the same `audit_ref`.

    ## Why
    With one reference for two answers, it is unclear which of them a record in the log is about.

    ## Fix
    Create a new reference for each answer.

    ```text
    before   run-20260131-101500-1b4e28ba   run-20260131-101500-1b4e28ba
    after    run-20260131-101500-1b4e28ba   run-20260131-101507-9c0f3a11
    ```
    """
    first = reply.refs.get(reply.audit_ref or "", reply.index)
    if first < reply.index:
        yield Finding(
            message=f"exchange {first + 1} has the same `audit_ref`",
            at=f"{PROOF}/audit_ref",
            hint="Write a new reference for each answer.",
        )


MAX_TEMPERATURE = 0.2


@rule("PB2S031", spec="registry/PROTOCOLS", severity=ERROR, since="0.2.0")
def cut_answer_approved(reply: Reply) -> Iterator[Finding]:
    """The decision is APPROVE, but the model was stopped in the middle of its answer.

    ## Why
    `"finish_reason": "length"` says that the text ended because a limit was reached, and
    `"content_filter"` that a filter took a part away. What is missing was not examined, and the
    rest may say the opposite of the whole.

    ## Fix
    Allow longer answers and ask again. Keep the reply as it is if it is evidence of a run that
    failed.

    ```text
    before   "decision": "APPROVE", …   "finish_reason": "length"
    after    "decision": "APPROVE", …   "finish_reason": "stop"
    ```
    """
    if reply.record.get("finish_reason") in CUT_OFF and reply.decision == APPROVE:
        yield Finding(
            message="the decision is APPROVE, but the answer was cut off",
            at="/finish_reason",
            hint="Allow longer answers, and ask again.",
        )


@rule("PB2S023", spec="pb2s-0.2/PB2S-09 pb2s-0.2/PB2S-A13", severity=ERROR)
def temperature_too_high(reply: Reply) -> Iterator[Finding]:
    """The temperature of an exchange is above 0.2 without a waiver.

    ## Why
    The same question should get the same answer. A higher temperature is allowed if it is
    documented. psreg does not check an endpoint that does not report its temperature.

    ## Fix
    Lower the temperature. If it must be higher, document it in the README, and add a `waiver` with
    the reason to the reply, the proof or its `sampler`.

    ```text
    before   "sampler": {"temperature": 0.9}
    after    "sampler": {"temperature": 0.2, "seed": 7}
    ```
    """
    for pointer, value in reply.temperatures:
        if value > MAX_TEMPERATURE and not reply.waived:
            yield Finding(
                message=f"the temperature is {value:g}; the limit is {MAX_TEMPERATURE}",
                at=pointer,
                hint="Lower it, or document it and add a `waiver`.",
            )
            return  # the same sampler may be reported in several places


@rule("PB2S024", spec="pb2s-0.2/PB2S-09", severity=WARNING)
def seed_not_fixed(reply: Reply) -> Iterator[Finding]:
    """The seed differs from the one of an earlier answer in the same run.

    ## Why
    A fixed seed makes an answer repeatable if the model supports it. A seed that changes from
    answer to answer is not fixed.

    ## Fix
    Use one seed for all answers.

    ```text
    before   "seed": 7   "seed": 8
    after    "seed": 7   "seed": 7
    ```
    """
    for pointer, value in reply.seeds:
        if reply.seed is not None and value != reply.seed:
            yield Finding(
                message=f"the seed is {value}; an earlier answer has {reply.seed}",
                at=pointer,
                hint="Use one seed for all answers.",
            )
            return


PROOF_RULES = (
    exchange_incomplete,
    proof_missing,
    decision_unknown,
    cycles_out_of_range,
    audit_ref_missing,
    audit_ref_shape,
    audit_ref_reused,
    cut_answer_approved,
)

SAMPLING_RULES = (temperature_too_high, seed_not_fixed)
