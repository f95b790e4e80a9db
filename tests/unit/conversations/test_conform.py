"""The frame of a conformance run: prompts that are given, and when an endpoint conforms."""

import json
from dataclasses import replace

import pytest

from psreg.conversations.conform import (
    Conformance,
    conform,
    conform_document,
    conform_lines,
    prompts_of,
)
from psreg.conversations.conform_run import Probe, Prompt, Run
from psreg.conversations.model import EndpointError
from psreg.core.diagnostics import ERROR, WARNING
from psreg.core.errors import InterruptError, UsageError
from support.reports import diagnostic


def run_of(*probes):
    conformance = Conformance("pb2s", "0.2", lambda _run: iter(probes))
    return conform(conformance, Run(ask=None, post=None), "http://127.0.0.1:8000/chat")


def probe(*severities, name="rome", notes=()):
    found = tuple(
        diagnostic(path=name, severity=severity, excerpt="- one more") for severity in severities
    )
    return Probe(id=name, prompt="Rome?", answer="DRAFT", diagnostics=found, notes=notes)


def test_an_endpoint_conforms_without_an_error():
    assert run_of(probe(), probe(WARNING)).passed
    failed = run_of(probe(), probe(WARNING, ERROR))
    assert not failed.passed
    assert failed.report.checked == 2
    assert [d.severity for d in failed.report.diagnostics] == [WARNING, ERROR]


def test_the_report_names_prompt_rule_and_evidence():
    found = conform_document(run_of(probe(ERROR, notes=("seed: not verifiable",))))
    assert (found["passed"], found["protocol"], found["version"]) == (False, "pb2s", "0.2")
    (tried,) = found["probes"]
    assert tried["prompt"] == "Rome?"
    assert tried["notes"] == ["seed: not verifiable"]
    assert tried["findings"] == [{"rule": "PBE006", "severity": "error", "evidence": "- one more"}]
    assert found["diagnostics"][0]["path"] == "rome"


def test_what_a_person_reads():
    note = ("seed: not verifiable",)
    lines = list(conform_lines(run_of(probe(notes=note), probe(ERROR, name="tides", notes=note))))
    assert lines[:3] == ["rome: Rome?", "  ok", ""]
    assert lines[3] == "tides: Rome?"
    assert any("error[PBE006]" in line for line in lines)
    assert lines.count("note: seed: not verifiable") == 1
    assert lines[-1].endswith("2 probes: http://127.0.0.1:8000/chat does not conform: 1 error")
    assert list(conform_lines(run_of(probe()), quiet=True)) == []
    quiet = list(conform_lines(run_of(probe(notes=note), probe(ERROR)), quiet=True))
    assert "  ok" not in quiet
    assert quiet[0] == "rome: Rome?"
    assert list(conform_lines(run_of(probe())))[-1].endswith("8000/chat conforms")


def test_prompts_are_texts_or_objects():
    data = json.dumps(["Why?", {"id": "rome", "message": "Rome?"}]).encode()
    assert prompts_of(data, "p.json") == (
        Prompt(id="1", message="Why?"),
        Prompt(id="rome", message="Rome?"),
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"[1]",
        b'[""]',
        b'[{"id": "a"}]',
        b'[{"id": 1, "message": "a"}]',
        b'[{"id": "a", "message": "b"}, {"id": "a", "message": "c"}]',
        b'["a", NaN]',
        json.dumps(["a"] * 101).encode(),
    ],
)
def test_what_is_no_list_of_prompts(data):
    with pytest.raises(UsageError, match=r"p\.json:1:") as caught:
        prompts_of(data, "p.json")
    assert caught.value.code == "BAD_PROMPTS"


def test_what_was_found_before_an_error_is_kept():
    def failing(error, *found):
        def probes(_run):
            yield from found
            raise error

        conformance = Conformance("pb2s", "0.2", probes)
        return conform(conformance, Run(ask=None, post=None), "http://127.0.0.1:8000/chat")

    for error, code in (
        (EndpointError("ENDPOINT_CUT", "broken"), "ENDPOINT_CUT"),
        (KeyboardInterrupt(), "INTERRUPTED"),
    ):
        report = failing(error, probe())
        assert not report.passed
        assert conform_document(report)["error"]["code"] == code
        assert list(conform_lines(report))[-1].endswith("0 errors, the run is not complete")
        with pytest.raises((EndpointError, InterruptError)):
            failing(error)


def test_a_cut_answer_never_passes():
    cut = Probe(id="rome", prompt="Rome?", answer="DR", finish="length", records=({"next": "S{"},))
    report = run_of(cut)
    assert not report.passed
    assert report.transcript == '{"next": "S{"}\n'
    for quiet in (False, True):
        lines = list(conform_lines(report, quiet=quiet))
        assert "  this answer was cut off" in lines
        assert lines[-1].endswith("0 errors, 1 answer cut off")
    both = replace(cut, diagnostics=probe(ERROR).diagnostics)
    assert list(conform_lines(run_of(both, both)))[-1].endswith("2 errors, 2 answers cut off")
