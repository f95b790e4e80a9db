"""Which record of a trace log belongs to which exchange."""

import json

from psreg.protocols.pb2s.trace import matched, prompt_hash, trace_records
from support.exchanges import MESSAGE, REF, exchange, proof


def record(message=MESSAGE, ref=REF, **members):
    return {"prompt_hash": prompt_hash(message), "pb2s_proof": proof(audit_ref=ref), **members}


def traces(exchanges, records):
    return [each.get("trace") for each in matched(exchanges, records)]


def test_a_log_has_a_record_a_line():
    text = '\ufeff{"a": 1}\n\n[2]\r\nno json\n' + "[" * 100_000
    assert trace_records(text)[:3] == [{"a": 1}, [2], "no json"]
    assert len(trace_records(text)) == 4
    assert trace_records("") == []


def test_a_record_is_found_by_its_reference_first():
    mine = record("another message", REF)
    assert traces([exchange()], [mine, record(ref="older")]) == [mine]


def test_then_by_the_message_the_latest_first():
    old, new = record(ref="a", n=1), record(ref="b", n=2)
    assert traces([exchange()], [old, new]) == [new]
    upper = {"prompt_hash": f"SHA256:{prompt_hash(MESSAGE).upper()}"}
    assert traces([exchange(None, [])], [upper, {"prompt_hash": 5}]) == [upper]


def test_then_by_its_place_from_the_end():
    records = [{"old": 1}, {"n": 1}, {"n": 2}]
    assert traces([exchange(), exchange()], records) == [{"n": 1}, {"n": 2}]


def test_the_same_message_twice_has_two_records():
    records = [record(ref="x", n=1), record(ref="y", n=2)]
    exchanges = [exchange(None, proof(audit_ref="p")), exchange(None, proof(audit_ref="q"))]
    assert traces(exchanges, records) == records


def test_a_log_that_is_too_short_leaves_exchanges_without():
    other = {**exchange(None, proof(audit_ref="other")), "message": "x"}
    found = matched([exchange(), other], [record()])
    assert [("trace" in each) for each in found] == [True, False]
    assert traces([exchange(), exchange()], []) == [None, None]


def test_half_a_character_has_a_digest():
    assert len(prompt_hash(json.loads('"\\ud800"'))) == 64


def test_a_record_with_a_key_twice_is_no_record():
    line = '{"model_id": "a", "pb2s_proof": {"cycles": 1, "cycles": 2}}'
    assert trace_records(line) == [line]
