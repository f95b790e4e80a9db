"""The rules about the exchange itself and its proof."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.pb2s.proof import json_shown, kind_of_json
from psreg.protocols.pb2s.reply import PROOF, TEXT, Reply

_REF = re.compile(
    r"run-(?P<date>[0-9]{8})-(?P<time>[0-9]{6})-[0-9a-fA-F][0-9a-fA-F-]{6,34}[0-9a-fA-F]"
)


@rule("PB2S012", spec="pb2s-0.2/PB2S-A2", severity=ERROR)
def exchange_incomplete(reply: Reply) -> Iterator[Finding]:
    r"""An exchange has no message, or no text of an answer.

    ## Why
    A message goes out as `{"message": …}`, and `{"text": …, "pb2s_proof": {…}}` comes back. If
    the text is not there, or is no text, there is nothing to examine and nothing to read.

    ## Fix
    Send the answer as a text under `text`; in a recorded exchange keep the message, too.

    ```json
    {"message": "Do loops end?", "text": "DRAFT\n…", "pb2s_proof": {"decision": "APPROVE", …}}
    ```
    """
    for name, value in (("message", reply.message), ("text", reply.written)):
        at = TEXT if name == "text" else f"/{name}"
        if name in reply.missing:
            yield Finding(message=f"`{name}` is missing", at=at, hint=_SHAPE)
        elif name in reply.record and not isinstance(value, str):
            message = f"`{name}` must be a text, not {kind_of_json(value)}"
            yield Finding(message=message, at=at, hint=_SHAPE)
        elif name == "text" and isinstance(value, str) and not value.strip():
            yield Finding(message="`text` is empty", at=at, hint=_SHAPE)


_SHAPE = 'An exchange is {"message": …, "text": …, "pb2s_proof": {…}}.'


@rule("PB2S013", spec="pb2s-0.2/PB2S-06", severity=ERROR)
def proof_missing(reply: Reply) -> Iterator[Finding]:
    """An answer has no proof, or one that is no object.

    ## Why
    The proof goes with every answer, also with one that only asks back: it is what a program can
    keep and compare without reading the text.

    ## Fix
    Attach the object.

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
            hint="Every answer carries decision, cycles and audit_ref.",
        )


@rule("PB2S014", spec="pb2s-0.2/PB2S-07 pb2s-0.2/PB2S-A1 pb2s-0.2/PB2S-A17", severity=ERROR)
def decision_unknown(reply: Reply) -> Iterator[Finding]:
    """The proof's `decision` is missing, or neither APPROVE nor CLARIFY.

    ## Why
    The decision says what became of the loop: an answer, or two questions. Version 0.2 knows no
    third; `DENY` belongs to a later one, and a program for 0.2 would not know what to do with it.

    ## Fix
    Write one of the two words in capitals.

    ```json
    "decision": "APPROVE"
    ```
    """
    yield from _at_fault(reply, "decision", "It is APPROVE or CLARIFY.")


@rule(
    "PB2S015",
    spec="pb2s-0.2/PB2S-01 pb2s-0.2/PB2S-07 pb2s-0.2/PB2S-A7 pb2s-0.2/PB2S-A8",
    severity=ERROR,
)
def cycles_out_of_range(reply: Reply) -> Iterator[Finding]:
    """The proof's `cycles` is missing, no whole number, or beyond two.

    ## Why
    The loop is bounded: it runs twice at most, before the user sees anything. `0` is allowed, and
    so is `1.0`, which is a whole number in JSON Schema; `true` is not, though some programs take
    it for 1.

    ## Fix
    Write 0, 1 or 2.

    ```text
    before   "cycles": true
    after    "cycles": 1
    ```
    """
    yield from _at_fault(reply, "cycles", "It is 0, 1 or 2.")


@rule("PB2S016", spec="pb2s-0.2/PB2S-07", severity=ERROR)
def audit_ref_missing(reply: Reply) -> Iterator[Finding]:
    """The proof's `audit_ref` is missing, empty, or no text.

    ## Why
    The reference ties an answer to the record that was kept of it. Without one, a log and a
    conversation cannot be brought together again.

    ## Fix
    Make one reference for each answer.

    ```json
    "audit_ref": "run-20260131-101500-1b4e28ba"
    ```
    """
    yield from _at_fault(reply, "audit_ref", "Give each answer a reference of its own.")


def _at_fault(reply: Reply, key: str, hint: str) -> Iterator[Finding]:
    fault = reply.fault(key)
    if fault:
        yield Finding(message=fault.message, at=f"{PROOF}/{key}", hint=hint)


@rule("PB2S017", spec="pb2s-0.2/PB2S-A9", severity=WARNING)
def audit_ref_shape(reply: Reply) -> Iterator[Finding]:
    """The proof's `audit_ref` is not of the form `run-YYYYMMDD-HHMMSS-…`.

    ## Why
    The specification shows the form and does not demand it. References in one form sort by time,
    and whoever looks for an answer in a log finds the day at once.

    ## Fix
    Write date and time of the run, and a random part of 8 to 36 hexadecimal digits or a UUID.

    ```text
    before   "audit_ref": "run-1"
    after    "audit_ref": "run-20260131-101500-1b4e28ba"
    ```
    """
    ref = reply.audit_ref
    if ref is not None and not _well_formed(ref):
        yield Finding(
            message=f"`audit_ref` is {json_shown(ref)}, not of the form run-YYYYMMDD-HHMMSS-…",
            at=f"{PROOF}/audit_ref",
            hint="The date must exist; the end is hexadecimal or a UUID.",
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
    A reference that names two answers leads to neither: the log cannot say which of them it is
    about.

    ## Fix
    Make a new reference for each answer.

    ```text
    before   run-20260131-101500-1b4e28ba   run-20260131-101500-1b4e28ba
    after    run-20260131-101500-1b4e28ba   run-20260131-101507-9c0f3a11
    ```
    """
    first = reply.refs.get(reply.audit_ref or "", reply.index)
    if first < reply.index:
        yield Finding(
            message=f"`audit_ref` is that of exchange {first + 1}, too",
            at=f"{PROOF}/audit_ref",
            hint="Make a new reference for each answer.",
        )


HIGHEST_TEMPERATURE = 0.2


@rule("PB2S023", spec="pb2s-0.2/PB2S-09 pb2s-0.2/PB2S-A13", severity=ERROR)
def temperature_too_high(reply: Reply) -> Iterator[Finding]:
    """The temperature that the exchange tells is above 0.2, and nothing says why.

    ## Why
    The same question should get the same examination. A higher temperature is allowed where it is
    documented. An endpoint that tells no temperature cannot be judged, and is not.

    ## Fix
    Lower the temperature. Where it has to be higher, say so in the README, and put a `waiver` with
    the reason into the reply, the proof or its `sampler`.

    ```text
    before   "sampler": {"temperature": 0.9}
    after    "sampler": {"temperature": 0.2, "seed": 7}
    ```
    """
    for pointer, value in reply.temperatures:
        if value > HIGHEST_TEMPERATURE and not reply.waived:
            yield Finding(
                message=f"the temperature is {value:g}; the highest is {HIGHEST_TEMPERATURE}",
                at=pointer,
                hint="Lower it, or document it and say so in `waiver`.",
            )
            return  # a sampler is told in more than one place, and is the same one


@rule("PB2S024", spec="pb2s-0.2/PB2S-09", severity=WARNING)
def seed_not_fixed(reply: Reply) -> Iterator[Finding]:
    """The seed differs from that of an earlier answer in the same run.

    ## Why
    A fixed seed is what makes an answer repeatable where the model allows it. One that changes
    from answer to answer is told, but fixed it is not.

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
                message=f"the seed is {value}; an earlier answer had {reply.seed}",
                at=pointer,
                hint="Use one seed for all answers.",
            )
            return
