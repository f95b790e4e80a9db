"""The loop of the gateway: which phases, how often, and that nothing is made up."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.conversations.gateway import (
    MAX_CALLS,
    NO_SEED,
    Gateway,
    GatewayError,
    Roles,
    Settings,
    arranged,
)
from psreg.conversations.model import ChatReply, EndpointError, Message
from psreg.protocols.pb2s.sections import answer_of
from psreg.protocols.pb2s.trace import prompt_hash
from support.exchanges import MESSAGE, codes
from support.upstream import CONTRADICTION, EVIDENCE, FINE, Model

NOW = datetime(2026, 1, 31, 10, 15, 0, 5, tzinfo=UTC)
TOKEN = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"


def gateway(upstream, **settings):
    def ask(request):
        sent = {"messages": [{"role": m.role, "content": m.content} for m in request.messages]}
        given = {"seed": request.seed, "temperature": request.temperature, "model": request.model}
        status, document = upstream.answer(sent | {k: v for k, v in given.items() if v is not None})
        if status != 200:
            raise EndpointError("ENDPOINT_REFUSED", f"status {status}", status=status)
        text = document["choices"][0]["message"]["content"]
        return ChatReply(text=text, model=document["model"])

    return Gateway(ask=ask, now=lambda: NOW, token=lambda: TOKEN, settings=Settings(**settings))


def answered(**script):
    model = Model(**script)
    return gateway(model).answer(MESSAGE), model


def sections(answer):
    found = answer_of(answer.reply["text"])
    return {section.name: found.body(section) for section in found.sections}


def phases(model):
    return [phase for phase, times in model.said.items() for _ in range(times)]


def test_one_cycle_where_nothing_contradicts():
    answer, model = answered()
    assert sections(answer) == {name: FINE[name] for name in FINE if name != "CLARIFY"}
    assert answer.reply["pb2s_proof"] == {
        "decision": "APPROVE",
        "cycles": 1,
        "audit_ref": f"run-20260131-101500-{TOKEN}",
        "sampler": {"temperature": 0.2, "seed": 7},
    }
    assert answer.calls == len(model.requests) == 4
    assert codes({"message": MESSAGE, **answer.reply, "trace": answer.trace}) == []


def test_the_trace_record_tells_no_text():
    answer, _ = answered()
    assert answer.trace == {
        "timestamp": "2026-01-31T10:15:00+00:00",
        "model_id": "tiny-1",
        "prompt_hash": prompt_hash(MESSAGE),
        "pb2s_proof": answer.reply["pb2s_proof"],
    }


def test_a_contradiction_is_examined_again_and_may_be_gone():
    answer, model = answered(REFLECT=[CONTRADICTION, "There are no contradictions left."])
    assert sections(answer)["REFLECT"] == CONTRADICTION
    assert sections(answer)["DRAFT"] == FINE["DRAFT"]
    assert answer.reply["pb2s_proof"]["cycles"] == 2
    assert answer.reply["pb2s_proof"]["decision"] == "APPROVE"
    assert answer.calls == 5
    assert len(model.requests) == 5


def test_what_is_left_after_it_is_revised_again():
    first, second = "Bullet 1: it depends.", "Bullet 1: at sea level."
    answer, _ = answered(REFLECT=[CONTRADICTION, EVIDENCE], REVISE=[first, second])
    shown = sections(answer)
    assert (shown["DRAFT"], shown["REFLECT"], shown["REVISE"]) == (first, EVIDENCE, second)
    assert "CLARIFY" not in shown
    assert answer.calls == 6


def test_a_contradiction_that_stays_is_a_question_to_the_user():
    answer, model = answered(REFLECT=CONTRADICTION)
    assert sections(answer)["CLARIFY"] == FINE["CLARIFY"]
    assert answer.reply["pb2s_proof"]["decision"] == "CLARIFY"
    assert answer.reply["pb2s_proof"]["cycles"] == 2
    assert answer.calls == len(model.requests) == 7
    assert codes({"message": MESSAGE, **answer.reply}) == []


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        ("DRAFT", "  \n"),
        ("REFLECT", "The draft looks good."),
        ("REFLECT", "- no contradictions"),
        ("REFLECT", "- missing evidence\n- b\n- c\n- d"),
        ("REFLECT", "missing evidence, in prose"),
        ("REVISE", ""),
        ("LEARNED", ""),
        ("LEARNED", "LEARNED\n- a\nCLARIFY\nWhy? How?"),
        ("DRAFT", "Sure:\nDRAFT\nIt boils."),
        ("DRAFT", "REVISE\nIt boils."),
    ],
)
def test_what_cannot_be_used_is_asked_for_once_more_and_then_refused(phase, words):
    answer, model = answered(**{phase: [words, FINE[phase]]})
    assert sections(answer)[phase] == FINE[phase]
    assert answer.calls == 5
    asked = [request["messages"][-1]["content"] for request in model.requests]
    assert sum("That cannot be used: " in text for text in asked) == 1
    with pytest.raises(GatewayError, match=f"{phase} cannot be used") as caught:
        answered(**{phase: words})
    assert caught.value.code == "UPSTREAM_UNUSABLE"


@pytest.mark.parametrize("words", ["Why?", "Why? How? When?", "Please say more."])
def test_questions_are_the_models_own_or_there_is_no_answer(words):
    with pytest.raises(GatewayError, match="CLARIFY cannot be used"):
        answered(REFLECT=CONTRADICTION, CLARIFY=words)


def test_a_second_reflection_is_held_to_three_points():
    many = "\n".join([CONTRADICTION] * 4)
    answer, _ = answered(REFLECT=[CONTRADICTION, many, CONTRADICTION])
    assert answer.calls == 8
    with pytest.raises(GatewayError, match="4 bullets; 3 are the most"):
        answered(REFLECT=[CONTRADICTION, many])


def test_a_heading_of_the_phase_itself_is_taken_away():
    answer, _ = answered(REFLECT=f"## REFLECT\n{EVIDENCE}\n", DRAFT="DRAFT: It boils.")
    assert sections(answer)["REFLECT"] == EVIDENCE
    assert sections(answer)["DRAFT"] == "It boils."


def test_it_never_asks_more_than_eight_times():
    assert MAX_CALLS == 8
    two_faults = {"REFLECT": ["x", CONTRADICTION], "LEARNED": ["", "- a"]}
    with pytest.raises(GatewayError, match="after 8 calls") as caught:
        answered(**two_faults)
    assert caught.value.code == "UPSTREAM_CALLS"


SAID = st.sampled_from(["", "It boils.", EVIDENCE, CONTRADICTION, "- a\n- b\n- c\n- d", "Why? How?",
                        "No contradictions.", "DRAFT\nx", "LEARNED\n- x", "Bullet 1: x."])  # fmt: skip


@given(
    script=st.fixed_dictionaries({name: st.lists(SAID, min_size=1, max_size=3) for name in FINE}),
    refuses=st.sampled_from([(), ("seed",), ("temperature",)]),
)
def test_whatever_a_model_says_what_leaves_is_its_own_and_conforms(script, refuses):
    model = Model(refuses, **script)
    try:
        answer = gateway(model).answer(MESSAGE)
    except (GatewayError, EndpointError):
        assert len(model.requests) <= 8
        return
    assert answer.calls == len(model.requests) <= 8
    everything = "\n".join(words for said in script.values() for words in said)
    assert all(body in everything for body in sections(answer).values())
    found = codes({"message": MESSAGE, **answer.reply, "trace": answer.trace})
    assert not set(found) - {"PB2S008", "PB2S010", "PB2S011", "PB2S022"}, "warnings at most"


def test_a_seed_that_is_refused_is_left_out_and_said_so():
    model = Model(refuses=("seed",))
    made = gateway(model)
    first = made.answer(MESSAGE)
    assert first.calls == 5
    assert first.reply["pb2s_proof"]["sampler"] == {"temperature": 0.2, "seed": NO_SEED}
    assert made.answer(MESSAGE).calls == 4
    assert ["seed" in request for request in model.requests] == [True] + [False] * 8


def test_a_temperature_that_is_refused_is_not_left_out():
    model = Model(refuses=("temperature",))
    made = gateway(model)
    with pytest.raises(EndpointError):
        made.answer(MESSAGE)
    assert len(model.requests) == 2
    assert not made.seed_refused


def test_other_refusals_are_not_about_the_seed():
    model = Model(refuses=("messages",), status=401)
    with pytest.raises(EndpointError):
        gateway(model).answer(MESSAGE)
    assert len(model.requests) == 1


def test_settings_are_sent_and_told():
    model = Model()
    answer = gateway(model, model="big-2", temperature=0.0, seed=None).answer(MESSAGE)
    assert {request["model"] for request in model.requests} == {"big-2"}
    assert {request["temperature"] for request in model.requests} == {0.0}
    assert answer.reply["pb2s_proof"]["sampler"] == {"temperature": 0.0, "seed": None}


def test_an_answer_that_would_break_a_rule_does_not_leave():
    model = Model()

    def named_like_the_message(request):
        status, document = Model.answer(model, request)
        return status, {**document, "model": MESSAGE}

    model.answer = named_like_the_message
    with pytest.raises(GatewayError, match="PB2S029") as caught:
        gateway(model).answer(MESSAGE)
    assert caught.value.hint == "Run `psreg explain PB2S029` for details."


def test_an_answer_with_a_warning_leaves():
    answer, _ = answered(REVISE="At sea level, water boils at 100 °C.")
    assert codes({"message": MESSAGE, **answer.reply, "trace": answer.trace}) == ["PB2S010"]


def test_a_model_without_a_name_is_unknown():
    model = Model()

    def nameless(request):
        status, document = Model.answer(model, request)
        return status, {**document, "model": ""}

    model.answer = nameless
    assert gateway(model).answer(MESSAGE).trace["model_id"] == "unknown"
    assert gateway(model, model="big-2").answer(MESSAGE).trace["model_id"] == "big-2"


@pytest.mark.parametrize(
    ("roles", "found"),
    [
        (Roles.ANY, ["system", "user", "user"]),
        (Roles.ALTERNATING, ["system", "user"]),
        (Roles.NO_SYSTEM, ["user"]),
    ],
)
def test_messages_are_arranged_for_the_model(roles, found):
    messages = [Message(role=role, content=role) for role in ("system", "user", "user")]
    arranged_messages = arranged(messages, roles)
    assert [message.role for message in arranged_messages] == found
    assert "\n\n".join(m.content for m in arranged_messages) == "system\n\nuser\n\nuser"


def test_a_text_that_a_limit_cut_off_is_not_used():
    whole = gateway(Model())
    cut = Gateway(
        ask=lambda request: replace(whole.ask(request), finish="length"),
        now=whole.now,
        token=whole.token,
    )
    with pytest.raises(GatewayError, match="it was cut off"):
        cut.answer(MESSAGE)


def test_a_documented_temperature_is_in_the_proof():
    sampler = (
        gateway(Model(), temperature=0.9, documented=True)
        .answer(MESSAGE)
        .reply["pb2s_proof"]["sampler"]
    )
    assert sampler["temperature"] == 0.9
    assert sampler["waiver"]
    with pytest.raises(GatewayError, match="PB2S023"):
        gateway(Model(), temperature=0.9).answer(MESSAGE)
