"""A trace and a run, for machines and for a terminal."""

import json

from psreg.conversations.plsp.inspect import inspect
from psreg.conversations.plsp.plsp_report import (
    INSPECT_SCHEMA,
    RUN_SCHEMA,
    WHY_ENDED,
    inspect_document,
    inspect_lines,
    run_document,
    trace_line,
)
from psreg.conversations.plsp.run import Cycle
from psreg.core.diagnostics import Mode, Report
from psreg.formats.conversation.reader import read_conversation

TRACE = b"""\
{"imf": "psreg-1", "instr": "INSTR: @set:$a=1;@set:$b=2;", "previous": "S{}S", "next": "S{$a:1;$b:2;}S"}
{"instr": "INSTR: @upd:$a=3;@sig:!wait,5;", "previous": "S{$a:1;$b:2;}S", "next": "S{$a:4;>$a,\\"x\\";}S"}
{"previous": "S{$a:4.0;$c:1;}S", "next": "S{$a:4;"}
{"previous": "S{$a:1;}S", "next": "S{$a:1;!stop;}S"}
"""


def steps():
    return inspect(read_conversation(TRACE, "t.jsonl"), "t.jsonl", imf="", mode=Mode.STRICT)


def test_a_trace_is_told_as_differences_of_states():
    first, second, third, fourth = "\n".join(inspect_lines(steps())).rstrip("\n").split("\n\n")
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
    assert "  = the state is what it was\n  ! stop" in fourth


def test_a_trace_is_one_document():
    document = inspect_document(steps(), "t.jsonl")
    assert (document["schema"], document["trace"]) == (INSPECT_SCHEMA, "t.jsonl")
    first, second, *_ = document["cycles"]
    assert first["changes"][0] == {"variable": "a", "before": None, "after": "1"}
    assert second["expected"] == "S{$a:3;$b:2;}S"
    assert document["counts"]["error"] == len(
        [d for d in document["diagnostics"] if d["severity"] == "error"]
    )
    json.dumps(document)


def test_a_run_is_one_document_and_a_trace_of_lines():
    cycle = Cycle(
        instr="INSTR: @set:$a=1;", previous="S{}S", next="S{$a:1;}S", fetched={"b": '"ü"'}
    )
    document = run_document([cycle], Report(checked=0), imf="psreg-1", ended="stopped", trace=None)
    assert (document["schema"], document["state"]) == (RUN_SCHEMA, "S{$a:1;}S")
    assert document["cycles"][0]["fetched"] == {"b": '"ü"'}
    assert document["ended"] in WHY_ENDED
    nothing = run_document([], Report(checked=0), imf="", ended="interrupted", trace="t.jsonl")
    assert (nothing["state"], nothing["cycles"]) == (None, [])
    line = trace_line(cycle, "psreg-1")
    assert json.loads(line) == cycle.record("psreg-1")
    assert "ü" in line
