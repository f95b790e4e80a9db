"""A conformance run of PB2S: prompts, trace logs, evidence; without a network."""

import json

import pytest

from psreg.conversations.conform import CONFORMANCES, conform
from psreg.conversations.conform_pb2s import own_prompts, probes
from psreg.conversations.conform_run import Prompt, Run
from psreg.conversations.model import ChatRequest, DuplicateKeyError, EndpointError
from support.exchanges import MESSAGE, exchange, proof, text

PROMPTS = (Prompt(id="boil", message=MESSAGE), Prompt(id="ice", message="And ice?"))


def run(*answers, **options):
    """Return the probes of a run in which the endpoint gives these answers, and what it was sent."""
    posted, left = [], list(answers)

    def post(value):
        posted.append(value)
        return left.pop(0)

    found = list(probes(Run(ask=None, post=post, **{"prompts": PROMPTS, **options})))
    return found, posted


def reply(said=None, proven=None):
    record = exchange(said, proven)
    del record["message"]
    return record


def other(**members):
    return proof(audit_ref="run-20260131-101501-1b4e28bb", **members)


def test_each_prompt_is_posted_as_a_message():
    found, posted = run(reply(), reply(None, other()))
    assert posted == [{"message": MESSAGE}, {"message": "And ice?"}]
    assert [(probe.id, probe.prompt) for probe in found] == [("boil", MESSAGE), ("ice", "And ice?")]
    assert found[0].answer == text()
    assert [probe.diagnostics for probe in found] == [(), ()]
    assert len(found[0].notes) == 3


def test_findings_have_their_evidence():
    found, _ = run(reply(None, proof(cycles=True)), reply("DRAFT\nx\n", other()))
    (cycles,) = found[0].diagnostics
    assert (cycles.code, cycles.path, cycles.excerpt) == ("PB2S015", "boil", '"cycles": true')
    assert {d.excerpt for d in found[1].diagnostics} == {"x"}
    assert {d.path for d in found[1].diagnostics} == {"ice"}


def test_the_same_reference_in_two_answers_is_noticed():
    found, _ = run(reply(), reply())
    assert [[d.code for d in probe.diagnostics] for probe in found] == [[], ["PB2S018"]]


def test_the_log_is_read_when_all_is_said():
    posted = []

    def log():
        assert len(posted) == 2
        return b'{"timestamp": "2026-01-31"}\n\xff\n'

    def post(value):
        posted.append(value)
        return reply()

    found = list(probes(Run(ask=None, post=post, prompts=PROMPTS, trace=log)))
    codes = [{d.code for d in probe.diagnostics} for probe in found]
    assert codes == [{"PB2S025"}, {"PB2S025", "PB2S018"}]


def test_a_documented_temperature_is_none_of_our_business():
    hot = [reply(None, proof(temperature=1)), reply(None, other(temperature=1))]
    assert [d.code for probe in run(*hot)[0] for d in probe.diagnostics] == ["PB2S023"] * 2
    assert [d for probe in run(*hot, documented=True)[0] for d in probe.diagnostics] == []


def test_three_prompts_are_our_own():
    assert [prompt.id for prompt in own_prompts()] == ["concept", "history", "technical"]
    found, posted = run(reply(), reply(), reply(), prompts=())
    assert [probe.id for probe in found] == ["concept", "history", "technical"]
    assert len(json.dumps(posted)) < 1000


def test_it_is_in_the_table():
    (row,) = (row for row in CONFORMANCES if row.name == "pb2s")
    report = conform(row, Run(ask=None, post=lambda _: reply(), prompts=PROMPTS[:1]), "http://x")
    assert report.passed
    assert row.script().startswith(b"#!/usr/bin/env python3\n")


def failing(*outcomes):
    left = list(outcomes)

    def post(_value):
        outcome = left.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return probes(Run(ask=None, post=post, prompts=PROMPTS))


def test_a_reply_before_a_failure_is_checked():
    for error in (EndpointError("ENDPOINT_CUT", "broken"), KeyboardInterrupt()):
        found = failing(reply(), error)
        assert next(found).proof == proof()
        with pytest.raises(type(error)):
            next(found)


def test_a_key_that_occurs_twice_is_a_finding():
    first, second = failing(DuplicateKeyError("decision"), reply())
    (finding,) = first.diagnostics
    assert (finding.code, finding.path) == ("PROTO001", "boil")
    assert "duplicate key `decision`" in finding.message
    assert first.records == ({"message": MESSAGE},)
    assert second.diagnostics == ()


def test_settings_are_sent_and_the_exchange_is_kept():
    settings = ChatRequest(messages=(), temperature=0.1, seed=7)
    found, posted = run(reply(), reply(None, other()), settings=settings)
    assert posted[0] == {"message": MESSAGE, "temperature": 0.1, "seed": 7}
    assert found[0].records[0]["pb2s_proof"] == found[0].proof
