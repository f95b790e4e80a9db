"""A trace cycle by cycle, and an endpoint put through a program."""

import json

import pytest

from psreg.conversations import conform_plsp
from psreg.conversations.conform_run import Prompt, Run
from psreg.conversations.model import ChatReply, ChatRequest
from psreg.conversations.plsp.inspect import (
    INSPECT_SCHEMA,
    Change,
    Verdict,
    inspect,
    inspect_document,
    inspect_lines,
)
from psreg.core.diagnostics import ERROR, INFO, Mode
from psreg.core.errors import FindingsError
from psreg.formats.conversation.reader import read_conversation
from support.stub_answers import plsp

TRACE = b"""\
{"imf": "psreg-1", "instr": "INSTR: @set:$a=1;@set:$b=2;", "previous": "S{}S", "next": "S{$a:1;$b:2;}S"}
{"instr": "INSTR: @upd:$a=3;@sig:!wait,5;", "previous": "S{$a:1;$b:2;}S", "next": "S{$a:4;>$a,\\"x\\";}S"}
{"instr": "INSTR: @fetch:s,$c;", "previous": "S{$a:4;}S", "next": "S{$a:4.0;$c:1;}S"}
{"previous": "S{$a:4.0;$c:1;}S", "next": "S{$a:4;"}
{"next": "S{!stop;}S"}
"""

SHORT_TRACE = b"""\
{"imf": "psreg-1", "instr": "INSTR: @set:$a=1;@set:$b=2;", "previous": "S{}S", "next": "S{$a:1;$b:2;}S"}
{"instr": "INSTR: @upd:$a=3;@sig:!wait,5;", "previous": "S{$a:1;$b:2;}S", "next": "S{$a:4;>$a,\\"x\\";}S"}
{"previous": "S{$a:4.0;$c:1;}S", "next": "S{$a:4;"}
{"previous": "S{$a:1;}S", "next": "S{$a:1;!stop;}S"}
"""


def steps(data=TRACE, imf=""):
    return inspect(read_conversation(data, "t.jsonl"), "t.jsonl", imf=imf, mode=Mode.STRICT)


def test_what_each_cycle_changed_said_and_asked_for():
    first, second, third, fourth, fifth = steps()
    assert first.changes == (
        Change(name="a", before="", after="1"),
        Change(name="b", before="", after="2"),
    )
    assert (first.verdict, first.why) == (Verdict.RIGHT, "")
    assert second.changes == (
        Change(name="a", before="1", after="4"),
        Change(name="b", before="2", after=""),
    )
    assert second.logs == (("4", '"x"'),)
    assert (second.verdict, second.expected) == (Verdict.WRONG, "S{$a:3;$b:2;}S")
    assert [d.code for d in second.diagnostics if d.severity is ERROR] == ["PLSP044"] * 3
    assert third.changes == (Change(name="c", before="", after="1"),)
    assert (third.verdict, third.why) == (Verdict.OPEN, "the result of fetching s is not recorded")
    assert (fourth.readable, fourth.changes, fourth.verdict) == (False, (), Verdict.OPEN)
    assert (fifth.actions, fifth.instr, fifth.line) == ((("stop",),), None, 5)


def test_notes_are_not_among_the_lines():
    data = b'{"instr": "@set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}'
    (step,) = steps(data)
    assert {d.severity for d in step.diagnostics} == {INFO}
    assert not [line for line in inspect_lines([step]) if "PLSP0" in line]


def test_a_dialect_may_be_said():
    data = b'{"instr": "INSTR: @set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}'
    assert [step.verdict for step in steps(data)] == [Verdict.OPEN]
    assert [step.verdict for step in steps(data, "psreg-1")] == [Verdict.RIGHT]


def test_what_is_no_trace():
    with pytest.raises(FindingsError):
        steps(b'{"role": "user", "content": "hi"}')


def probes(change=lambda text: text, *, prompts=(), finish="stop", asked=None):
    def ask(request):
        if asked is not None:
            asked.append(request)
        return ChatReply(text=change(plsp(request.messages[-1].content)), finish=finish)

    run = Run(
        ask=ask, post=lambda _: None, settings=ChatRequest(messages=(), model="m"), prompts=prompts
    )
    return list(conform_plsp.probes(run))


def test_an_assistant_that_speaks_plsp_conforms():
    asked = []
    found = probes(asked=asked)
    exercises = (*conform_plsp.PROGRAM, *conform_plsp.ERROR_PATH)
    assert [probe.id for probe in found] == [exercise.id for exercise in exercises]
    assert [probe.id for probe in found if probe.diagnostics or probe.notes] == []
    assert {(request.model, len(request.messages)) for request in asked} == {("m", 2)}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: text.replace("80", "81"), "PLSP044"),
        (lambda text: text.replace("$l:70;", ""), "PLSP044"),
        (lambda text: text.replace("}S", "!stop;}S"), "PLSP044"),
        (lambda _: "I am fine.", "PLSP001"),
        (lambda text: f"{text} Done.", "PLSP003"),
    ],
)
def test_an_assistant_that_does_not(change, code):
    found = [d for probe in probes(change) for d in probe.diagnostics if d.severity is ERROR]
    assert code in {d.code for d in found}


def test_the_error_path_keeps_the_state():
    found = {probe.id: probe for probe in probes(lambda _: "S{}S")}
    for name in ("unknown", "talk"):
        assert [(d.code, d.severity, d.path) for d in found[name].diagnostics] == [
            ("PLSP030", ERROR, name)
        ]


def test_prompts_of_the_caller():
    prompts = (
        Prompt(id="mine", message="INSTR: @set:$z=1;"),
        Prompt(id="words", message="Remember that it rains."),
    )
    found = probes(prompts=prompts, finish="length")
    assert [probe.id for probe in found] == ["mine", "words", "unknown", "talk"]
    assert found[0].prompt == "INSTR: @set:$z=1;\nS{}S"
    assert found[0].diagnostics == ()
    assert [(d.code, d.severity) for d in found[1].diagnostics] == [("PLSP045", INFO)]
    assert found[0].cut


def test_a_trace_is_told_as_differences_of_states():
    first, second, third, fourth = (
        "\n".join(inspect_lines(steps(SHORT_TRACE))).rstrip("\n").split("\n\n")
    )
    assert first.splitlines()[:3] == [
        "cycle 1, line 1: INSTR: @set:$a=1;@set:$b=2;",
        "  + $a: 1",
        "  + $b: 2",
    ]
    assert "  ~ $a: 1 → 4" in second
    assert "  - $b: 2" in second
    assert '  > 4, "x"' in second
    assert "  PLSP044 error: " in second
    assert third.splitlines()[:2] == [
        "cycle 3, line 3: (no instruction)",
        "  the block cannot be read",
    ]
    assert "  = the state is unchanged\n  ! stop" in fourth


def test_a_trace_is_one_document():
    document = inspect_document(steps(SHORT_TRACE), "t.jsonl")
    assert (document["schema"], document["trace"]) == (INSPECT_SCHEMA, "t.jsonl")
    first, second, *_ = document["cycles"]
    assert first["changes"][0] == {"variable": "a", "before": None, "after": "1"}
    assert second["expected"] == "S{$a:3;$b:2;}S"
    assert document["counts"]["error"] == len(
        [d for d in document["diagnostics"] if d["severity"] == "error"]
    )
    json.dumps(document)


def test_of_a_long_trace_not_all_is_shown():
    logs = 'S{$a:"' + "x" * 400 + '";' + ">$a;" * 1_000 + "}S"
    long = {"instr": "INSTR: " + "y" * 100, "previous": "S{}S", "next": logs}
    bare = {"next": logs}
    lines = "".join(f"{json.dumps(each)}\n" for each in (long, bare)).encode() + SHORT_TRACE
    first, second, third, *_ = found = steps(lines)
    assert (first.omitted, first.logs, first.changes) == (True, (), ())
    assert len(first.instr) == 60
    assert (second.omitted, second.instr) == (True, None)
    assert (third.omitted, len(third.changes)) == (False, 2)
    assert "  (changes, logs and actions are left out" in "\n".join(inspect_lines(found))
    omitted = [cycle["omitted"] for cycle in inspect_document(found, "t.jsonl")["cycles"]]
    assert omitted[:3] == [True, True, False]
