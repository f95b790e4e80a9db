"""What the rules of protocols find since a later psreg must not fail the check of old releases."""

import json

import pytest

from psreg.formats.conversation.reader import read_conversation
from psreg.lint.transcript import check_transcript
from support.exchanges import QUESTIONS, REF, exchange, proof, text

FIRST, SECOND = "0.1.0", "0.2.0"
TRACE = {
    "timestamp": "2026-01-31T10:15:00Z",
    "prompt_hash": "f" * 64,
    "model_id": "tiny-1",
    "audit_ref": REF,
}
ASKS = proof(decision="CLARIFY", cycles=2)


def since(record, protocol, code, **options):
    """Return since when each finding with a code exists, about one record of a transcript."""
    conversation = read_conversation(f"{json.dumps(record)}\n".encode(), "x.jsonl")
    report = check_transcript(conversation, protocol, path="x.jsonl", **options)
    found = (d for message in report.messages for d in message.diagnostics)
    return {d.since for d in found if d.code == code}


@pytest.mark.parametrize(
    ("record", "code", "expected"),
    [
        (exchange(text(reflect="- all is well")), "PB2S009", FIRST),
        (exchange(text(reflect="- contradictions ×0")), "PB2S009", SECOND),
        (exchange(text(draft="...")), "PB2S030", SECOND),
        (exchange(text(reflect="- x", clarify=QUESTIONS), ASKS), "PB2S022", SECOND),
        (exchange(trace=TRACE | {"note": "ana@example.org"}), "PB2S029", FIRST),
        (exchange(trace=TRACE | {"note": "from 203.0.113.7"}), "PB2S029", SECOND),
    ],
)
def test_pb2s(record, code, expected):
    assert since(record, "pb2s", code) == {expected}


@pytest.mark.parametrize(
    ("record", "code", "expected"),
    [
        ({"next": "S{$b:$x-1;}S"}, "PLSP009", FIRST),
        ({"next": "S{$b:$x9-1;$x9:2;}S"}, "PLSP009", SECOND),
        ({"instr": "@set:$a=1;", "previous": "S{$a:2;}S", "next": "S{$a:3;}S"}, "PLSP044", FIRST),
        ({"instr": "@set:$a=1;", "previous": "S{$b:2;}S", "next": "S{$a:1;}S"}, "PLSP044", SECOND),
    ],
)
def test_plsp(record, code, expected):
    assert since(record, "plsp", code, imf="psreg-1") == {expected}
