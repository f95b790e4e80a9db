"""Where rules meet: one cause, one finding; what tells nothing; what came before in the run."""

import pytest

from psreg.conversations.conform_pb2s import evidence_of, notes_of
from psreg.formats.conversation.conversation import Conversation, Exchange
from psreg.formats.conversation.json_lines import Kind
from psreg.protocols.pb2s import PB2S
from psreg.protocols.pb2s.trace import prompt_hash
from psreg.protocols.pb2s.units import exchange_of, replies_of
from psreg.protocols.protocol import Options
from support.exchanges import (
    MESSAGE,
    QUESTIONS,
    REF,
    codes,
    exchange,
    judged,
    proof,
    reflecting,
    text,
)


def test_nothing_is_said_of_what_is_right():
    assert codes(exchange()) == []
    right = exchange(text(reflect="- contradiction: A", clarify=QUESTIONS))
    right["pb2s_proof"] = proof(decision="CLARIFY", cycles=2)
    assert codes(right) == []


@pytest.mark.parametrize("answer", [None, [], "DRAFT", 5, True])
def test_an_answer_that_is_no_object_has_neither_text_nor_proof(answer):
    assert codes(exchange_of(MESSAGE, answer)) == ["PB2S012", "PB2S013"]


def test_one_cause_has_one_finding():
    assert codes(exchange("")) == ["PB2S012"]
    assert codes(exchange(None, None, pb2s_proof=None)) == ["PB2S013"]
    assert codes(exchange(None, proof(decision="DENY", cycles=5))) == ["PB2S014", "PB2S015"]
    # A proof without a decision says nothing about questions.
    assert codes(exchange(text(clarify=QUESTIONS), proof(decision=1))) == ["PB2S014"]
    assert codes(exchange("", proof(decision="CLARIFY", cycles=2))) == ["PB2S012"]
    assert codes(exchange(None, proof(decision="CLARIFY", cycles=7))) == [
        "PB2S015", "PB2S019", "PB2S022",
    ]  # fmt: skip


def test_a_text_without_sections_lacks_all_four():
    assert codes(exchange("At 100 °C.")) == ["PB2S001"] * 4 + ["PB2S006"]
    asking = exchange("At 100 °C.", proof(decision="CLARIFY", cycles=2))
    assert codes(asking)[-1] == "PB2S019"


def test_headings_are_complained_of_only_so_often():
    assert codes(exchange("## DRAFT\n" * 100)).count("PB2S004") == 20


@pytest.mark.parametrize(
    "revise",
    [
        "Resolved bullet 1.",
        "Point no. 1 is settled.",
        "Bullets #1 and #2 hold.",
        "(1) is settled",
        "As [2] says",
        "#1: done",
        "The second point is settled.",
        "Both points are settled.",
        "All of the bullets resolved.",
        "Points addressed.",
        "This bullet is resolved.",
    ],
)
def test_ways_to_name_a_point(revise):
    assert reflecting("- missing evidence: a\n- b", revise=revise) == []


@pytest.mark.parametrize("revise", ["Bullet 3 is settled.", "The third point.", "It boils."])
def test_ways_not_to(revise):
    assert reflecting("- missing evidence: a\n- b", revise=revise) == ["PB2S010"]


def test_prose_has_no_points_to_name():
    assert reflecting("There is missing evidence.", revise="It boils.") == ["PB2S008"]


def test_a_temperature_may_be_documented():
    hot = exchange(None, proof(sampler={"temperature": 0.9}))
    assert codes(hot) == ["PB2S023"]
    assert codes(hot, documented=True) == []
    for waiver, excused in (
        (True, True),
        ("why", True),
        ({"by": "me"}, True),
        (" ", False),
        (1, False),
    ):
        assert codes({**hot, "waiver": waiver}) == ([] if excused else ["PB2S023"])


def test_one_temperature_told_twice_is_one():
    twice = exchange(None, proof(temperature=0.9), sampler={"temperature": 0.9})
    assert codes(twice) == ["PB2S023"]


@pytest.mark.parametrize("value", [None, "0.9", True, [0.9]])
def test_what_is_no_number_tells_nothing(value):
    reply = next(replies_of([(0, exchange(None, proof(temperature=value, sampler=5)))]))
    assert codes(exchange(None, proof(temperature=value))) == []
    assert any(note.startswith("temperature: not verifiable") for note in notes_of(reply))


def test_notes_say_what_cannot_be_verified():
    told = exchange(None, proof(sampler={"temperature": 0.1, "seed": 7}), trace={})
    assert list(notes_of(next(replies_of([(0, told)])))) == []
    assert len(list(notes_of(next(replies_of([(0, exchange())]))))) == 3


def test_references_and_seeds_are_compared_with_those_before():
    other = proof(audit_ref=REF[:-1] + "b")
    assert judged(exchange(), exchange(None, other), exchange()) == [[], [], ["PB2S018"]]
    bad = exchange(None, proof(audit_ref=""))
    assert judged(bad, bad) == [["PB2S016"], ["PB2S016"]]
    seeds = [
        exchange(None, {**proof(seed=seed), "audit_ref": f"{REF}{number}"})
        for number, seed in enumerate((7, 7, 8, 7))
    ]
    assert judged(*seeds) == [[], [], ["PB2S024"], []]


def test_a_log_without_a_record_is_noticed_only_if_there_is_a_log():
    assert codes(exchange()) == []
    assert codes(exchange(), traced=True) == ["PB2S025"]


def record(**members):
    return {
        "timestamp": "2026-01-31T10:15:00Z",
        "model_id": "stub-1",
        "prompt_hash": prompt_hash(MESSAGE),
        "pb2s_proof": proof(),
        **members,
    }


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, []),
        ({"timestamp": 1769854500}, []),
        ({"timestamp": 0}, ["PB2S026"]),
        ({"timestamp": None}, ["PB2S025"]),
        ({"timestamp": ""}, ["PB2S025"]),
        ({"timestamp": {"a": 1}}, ["PB2S026"]),
        ({"prompt_hash": "md5"}, ["PB2S027"]),
        ({"prompt_hash": ""}, ["PB2S025"]),
        ({"pb2s_proof": {}}, ["PB2S028"]),
        ({"pb2s_proof": None}, ["PB2S025"]),
        ({"model_id": MESSAGE}, ["PB2S029"]),
        ({MESSAGE: 1}, []),
        ({"x": {MESSAGE: 1}}, ["PB2S029"]),
        ({"x": [1, None, ["ana@example.org"]]}, ["PB2S029"]),
        ({"model_id": "vendor/model@20260101"}, []),
    ],
)
def test_a_trace_record(members, expected):
    assert codes(exchange(trace=record(**members))) == expected


def test_a_short_message_is_told_only_by_a_member_of_its_own():
    short = {**exchange(), "message": "stub-1"}
    fine = record(prompt_hash=prompt_hash("stub-1"))
    assert codes({**short, "trace": fine}) == []
    assert codes({**short, "trace": {**fine, "prompt": "stub-1"}}) == ["PB2S029"]


def test_a_record_that_is_a_text_tells_too_much_by_itself():
    assert codes(exchange(trace=f"asked: {MESSAGE}")) == ["PB2S025", "PB2S029"]


def test_a_hash_cannot_be_judged_without_a_message():
    lone = {k: v for k, v in exchange(trace=record(prompt_hash="x")).items() if k != "message"}
    assert codes(lone) == ["PB2S012"]


def test_evidence_is_the_line_or_the_member():
    reply = next(replies_of([(0, exchange(text(draft="a" * 300)))]))
    (draft,) = reply.answer.named("DRAFT")
    assert evidence_of(reply, draft.header) == "DRAFT"
    assert evidence_of(reply, draft.body) == "a" * 199 + "…"
    assert evidence_of(reply, "/text") == "DRAFT"
    assert evidence_of(reply, "/pb2s_proof/cycles") == '"cycles": 1'
    assert evidence_of(reply, "/pb2s_proof/seed") == ""
    assert evidence_of(reply, "/text/x") == ""


def conversation(*records, missing=frozenset()):
    exchanges = tuple(
        Exchange(
            index=2 * number,
            line=number,
            message=r.get("message"),
            text=r.get("text"),
            proof=r.get("pb2s_proof"),
            missing=missing,
            record=r,
        )
        for number, r in enumerate(records)
    )
    return Conversation(kind=Kind.PB2S, exchanges=exchanges)


def test_units_are_numbered_as_the_records_of_the_file():
    options = Options(version="0.2")
    found = list(PB2S.units(conversation(exchange(), exchange()), options))
    assert [(unit.index, unit.pointer) for unit in found] == [(0, "/text"), (2, "/text")]
    assert (found[0].span("/pb2s_proof"), found[0].key_span("/x")) == (found[0].span(""),) * 2
    lone = {k: v for k, v in exchange().items() if k != "message"}
    (unit,) = PB2S.units(conversation(lone), options)
    assert [rule.code for rule in PB2S.rules for _ in rule.check(unit)] == []


def test_parsed_are_sections_and_decision():
    def parsed(record):
        return PB2S.parsed(next(replies_of([(0, record)])))

    found = parsed(exchange(text(learned="- one") + "DRAFT\ntwo"))
    assert list(found["sections"]) == ["DRAFT", "REFLECT", "REVISE", "LEARNED"]
    assert found["sections"]["LEARNED"] == "- one"
    assert found["decision"] == "APPROVE"
    assert parsed(exchange(None, proof(decision=5)))["decision"] is None
    assert parsed(exchange(None, [])) == {**parsed(exchange()), "decision": None}
    assert parsed(exchange(" ")) is None
    assert parsed(exchange(5)) is None


def test_an_empty_phase():
    assert codes(exchange(text(draft=""))) == ["PB2S030"]
    assert codes(exchange(text(revise=" "))) == ["PB2S010", "PB2S030"]
    assert codes(exchange(text(learned=""))) == ["PB2S011"]
    for said in ("...", "\u200b", "```\n```", "---", "<!-- an answer -->", "&nbsp;\n\u3164\u2800"):
        assert codes(exchange(text(draft=said))) == ["PB2S030"], said
    for said in ("42", "&amp;c", "≠", "\U0001f642", "да"):
        assert codes(exchange(text(draft=said))) == [], said
    assert codes(exchange(text(learned="- x\n" * 8))) == ["PB2S011"]
    assert codes(exchange(text(reflect=""))) == ["PB2S009"]


def test_an_answer_that_a_limit_cut_off_is_not_approved():
    assert codes(exchange(finish_reason="length")) == ["PB2S031"]
    asking = text(reflect="- contradiction: A", clarify=QUESTIONS)
    asked = exchange(asking, proof(decision="CLARIFY", cycles=2), finish_reason="length")
    assert codes(asked) == []
