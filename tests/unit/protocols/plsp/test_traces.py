"""Traces: the dialect, what follows from an instruction, what a cycle takes from its neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.conversation.conversation import Conversation, CycleRecord, Turn
from psreg.formats.conversation.json_lines import Kind
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.block import state_text
from psreg.protocols.plsp.dialect import MAX_DEPTH, read_instruction, variables_read
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.stats import METHOD, estimated_tokens, stats
from psreg.protocols.plsp.trace import cycles
from psreg.protocols.plsp.transition import ImpossibleError, interpret, results_of
from psreg.protocols.protocol import Options

IMF = Options(version="0.5", imf="psreg-1")


def trace(*records):
    blocks = (
        CycleRecord(
            index=index,
            line=index + 1,
            instr=record.get("instr"),
            previous=record.get("previous"),
            next=record["next"],
            record=record,
        )
        for index, record in enumerate(records)
    )
    return Conversation(kind=Kind.PLSP, cycles=tuple(blocks))


def after(instruction, before="S{}S", **results):
    found = read_instruction(instruction)
    assert found.fault == ""
    return interpret(found.directives, read_block(before).state, results_of({"results": results}))


@pytest.mark.parametrize(
    ("instruction", "before", "state"),
    [
        ("", "S{$a:1;}S", "S{$a:1;}S"),
        ("INSTR:@set:$a=1", "S{}S", "S{$a:1;}S"),
        ("@set:$a=1;@set:$b=$a;@upd:$a=2", "S{}S", "S{$a:2;$b:1;}S"),
        ('@set:$dest1="x y";', "S{}S", 'S{$dest1:"x y";}S'),
        ("@set:$a=$a+0.10;", "S{$a:1.1;}S", "S{$a:1.20;}S"),
        ("@set:$a=3-3.0;", "S{}S", "S{$a:0.0;}S"),
        ("@set:$a=99999999999999999999999999999999+1;", "S{}S", "S{$a:100000000000000000000000000000000;}S"),
        ("@if:$a?@set:$b=1:@set:$b=2;", "S{}S", "S{$b:2;}S"),
        ("@if:$a?@set:$b=1;", "S{}S", "S{}S"),
        ('@if:$a&$a>1|$c="x"?(@set:$b=1;@set:$d=2;):();', 'S{$a:1;$c:"x";}S', 'S{$a:1;$c:"x";$b:1;$d:2;}S'),
        ("@if:$a>=2?@set:$b=1:(@if:$a<2?@set:$b=3);", "S{$a:1;}S", "S{$a:1;$b:3;}S"),
        ("@if:$a!=1?@set:$b=1;@if:$a<=1?@set:$c=1", "S{$a:1.0;}S", "S{$a:1.0;$c:1;}S"),
        ('@if:1="1"?@set:$a=1;@if:"a"="a"?@set:$b=1', "S{}S", "S{$b:1;}S"),
        ("@fetch:src,$a;@set:$b=$a;", "S{}S", "S{$a:?;$b:?;}S"),
        ("@fetch:src,$a;@set:$b=$a+1;", "S{}S", "S{$a:?;$b:?;}S"),
    ],
)  # fmt: skip
def test_what_follows(instruction, before, state):
    assert state_text(after(instruction, before).state) == state


def test_signals_carry_the_values_of_their_time():
    found = after('@set:$a=1;@sig:!wait,$a;@set:$a=2;@sig:!page,"x",$a;@fetch:s,$f;@sig:!x,$f;')
    actions = [(name, [v and v.lexeme for v in values]) for name, values in found.actions]
    assert actions == [("wait", ["1"]), ("page", ['"x"', "2"]), ("x", [None])]
    assert found.unknown == ("s",)


def test_what_was_fetched_is_what_was_recorded():
    found = after('@fetch:src,$a;@fetch:"a b",$b;', **{"$a": 7, "b": '"x"', "c": "no", "d": None})
    assert state_text(found.state) == 'S{$a:7;$b:"x";}S'
    assert results_of({"results": [1]}) == {}


@pytest.mark.parametrize(
    ("instruction", "before", "message"),
    [
        ("@set:$a=1;@upd:$c=1;", "S{}S", "`@upd:` updates `$c`, which does not exist"),
        ("@set:$a=$c;", "S{}S", "`$c` does not exist"),
        ('@set:$a="x"+1;', "S{}S", '`"x"` is not a number'),
        ('@if:1<"x"?();', "S{}S", '`"x"` is not a number'),
        ("@set:$a=1-2;", "S{}S", "1 - 2 is negative, which a state cannot contain"),
    ],
)
def test_what_cannot_be_done(instruction, before, message):
    with pytest.raises(ImpossibleError) as caught:
        after(instruction, before)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("instruction", "at", "wanted"),
    [
        ("set a", 0, "expected `@if:`, `@set:`, `@upd:`, `@fetch:` or `@sig:`, found `set`"),
        ("@set:a=1", 5, "expected a variable, found `a`"),
        ("@set:$a:1", 7, "expected `=`, found `:`"),
        ("@set:$a=", 8, "expected a value, found the end of the instruction"),
        ("@set:$a=1 @set:$b=1", 10, "expected `;`, found `@set:`"),
        ("@fetch:7,$a", 7, "expected a source, found `7`"),
        ("@fetch:a $a", 9, "expected `,`, found `$a`"),
        ("@sig:wait", 5, "expected `!`, found `wait`"),
        ("@sig:!7", 6, "expected the name of an action, found `7`"),
        ("@if:1?();", 5, "expected a relation such as `=` or `<`, found `?`"),
        ("@if:$a+1?();", 8, "expected a relation such as `=` or `<`, found `?`"),
        ("@if:$a:();", 6, "expected `?`, found `:`"),
        ("@if:$a?@if:$b?();", 7, "expected `@set:`, `@upd:`, `@fetch:`, `@sig:` or a bracket, found `@if:`"),
        ("@if:$a?(@set:$a=1", 17, "expected `;`, found the end of the instruction"),
        ("@if:$a?(", 8, "expected `@if:`, `@set:`, `@upd:`, `@fetch:` or `@sig:`, found the end of the instruction"),
        ('@set:$a="x', 8, 'expected a value, found `"`'),
        ("@set:$a=1.5.2", 8, "expected a value, found `1`"),
    ],
)  # fmt: skip
def test_what_is_not_in_the_dialect(instruction, at, wanted):
    found = read_instruction(instruction)
    assert (found.fault, found.span.start, found.directives) == (wanted, at, ())


def test_brackets_have_a_limit():
    def nested(depth):
        return "@if:$a?(" * depth + ")" * depth

    assert read_instruction(nested(MAX_DEPTH)).fault == ""
    assert read_instruction(nested(MAX_DEPTH + 1)).fault.startswith(
        "brackets are nested more than 32"
    )


@given(st.text('@set:$a=1;()?"!|&<>+-fetchig,') | st.text())
def test_whatever_an_instruction_is_it_is_read(text):
    found = read_instruction(text)
    assert 0 <= found.span.start <= found.span.end <= len(text)
    assert not (found.fault and found.directives)


def test_what_directives_look_at():
    found = read_instruction(
        "@set:$a=$b+$c;@upd:$d=1;@fetch:s,$e;@sig:!x,$f,1;@if:$g=1|$h?@set:$i=$j:@sig:!y,$k;"
    )
    assert set(variables_read(found.directives)) == set("bcdfghjk")


def units(conversation, options=IMF):
    return list(PLSP.units(conversation, options))


def test_every_text_of_a_cycle_is_a_part():
    parts = units(trace({"instr": "INSTR: @set:$a=1", "previous": "S{}S", "next": "S{$a:1;}S"}))
    assert [(part.index, part.pointer) for part in parts] == [
        (0, "/instr"), (0, "/previous"), (0, "/next"),
    ]  # fmt: skip
    assert [PLSP.parsed(part) for part in parts] == [
        None, None, {"variables": {"a": "1"}, "commands": []},
    ]  # fmt: skip
    assert parts[2].span("") == parts[2].key_span("") == Span(0, 9)
    assert parts[2].transition.as_instructed


def test_answers_of_a_conversation_are_judged_alone():
    turns = (
        Turn(index=0, line=1, role="user", content="INSTR: go\nS{}S"),
        Turn(index=1, line=2, role="assistant", content="S{$a:1;}S"),
    )
    (part,) = units(Conversation(kind=Kind.TRANSCRIPT, turns=turns))
    assert (part.index, part.pointer) == (1, "/content")
    assert PLSP.parsed(part)["variables"] == {"a": "1"}


def test_a_trace_names_its_dialect_from_there_on():
    record = {"instr": "INSTR: @set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}
    found = cycles(
        trace(record, {**record, "imf": "psreg-1"}, record, {**record, "imf": 5}),
        Options(version="0.5"),
    )
    assert [cycle.imf for cycle in found] == ["", "psreg-1", "psreg-1", "psreg-1"]


def test_a_variable_that_comes_back_was_not_needed():
    found = cycles(
        trace(
            {"previous": "S{$a:1;$b:2;}S", "next": "S{$c:1;}S"},
            {"previous": "S{$c:1;}S", "next": "S{$a:5;$c:1;}S"},
            {"previous": "S{$a:5;$c:1;}S", "next": "S{$a:5;$c:1;>$a,$b;}S"},
        ),
        IMF,
    )
    assert [(each.name, each.needed_by) for each in found[0].vanished] == [
        ("a", ""), ("b", "the block of line 3"),
    ]  # fmt: skip


def test_a_new_start_needs_no_variables_of_before():
    found = cycles(
        trace(
            {"previous": "S{$a:1;}S", "next": "S{}S"},
            {"previous": "S{$x:1;}S", "next": "S{>$a;}S", "instr": "INSTR: $a"},
        ),
        IMF,
    )
    assert [each.needed_by for each in found[0].vanished] == [""]


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"instr": "x", "previous": "S{}S", "next": "S{}S"}, "the instruction is not in the declared dialect"),
        ({"instr": "", "next": "S{}S"}, "the previous block is not recorded"),
        ({"instr": "", "previous": "S{", "next": "S{}S"}, "the previous block cannot be read"),
        ({"imf": "other", "instr": "", "previous": "S{}S", "next": "S{}S"}, "unknown dialect `other`"),
        ({"imf": "", "instr": "", "previous": "S{}S", "next": "S{}S"}, "no dialect of instructions is declared"),
    ],
)  # fmt: skip
def test_why_a_transition_is_not_checked(record, why):
    (cycle,) = cycles(trace(record), IMF)
    assert cycle.transition.unchecked == why
    assert not cycle.transition.as_instructed


def test_no_variable_vanishes_whatever_a_condition_decides():
    instruction = "@set:$n=1;@fetch:s,$a;@if:$a>3?(@set:$b=1;@sig:!x):@set:$d=2"
    previous, vanished = "S{$b:2;$c:1;}S", "S{$a:4;$n:1;$b:1;!x;}S"
    found = cycles(
        trace(
            {"instr": instruction, "previous": previous, "next": vanished},
            {"instr": instruction, "previous": previous, "next": "S{$a:9;$n:1;$b:1;$c:7;!x;}S"},
        ),
        IMF,
    )
    (missing,) = found[0].transition.mismatches
    assert (missing.what, missing.expected, missing.found) == ("$c", "`$c:?`", "nothing")
    assert found[0].transition.expected == "S{$b:?;$c:?;$n:?;$a:?;}S"
    assert found[1].transition.mismatches == ()
    why = "a condition depends on a fetched value that is not recorded"
    assert {each.transition.unchecked for each in found} == {why}


def test_there_is_no_step_without_an_instruction_or_an_answer():
    found = cycles(trace({"next": "S{}S"}, {"instr": "", "previous": "S{}S", "next": "S{"}), IMF)
    assert [cycle.transition for cycle in found] == [None, None]


def test_numbers_of_a_block():
    instruction, _, part = units(
        trace({"instr": "INSTR: x", "previous": "S{}S", "next": 'S{ $t : 75 ; >"é", $t }S'})
    )
    assert stats(instruction) is None
    found = stats(part)
    assert (found.index, found.statements, found.variables) == (0, 2, 1)
    assert found.raw.bytes == 25
    assert found.canonical.bytes == 19
    assert found.canonical.tokens < found.raw.tokens
    assert stats(units(trace({"next": "S{"}))[0]).canonical is None
    assert METHOD == "pieces"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("temperature", 2), ("12345", 2), (" a", 1), ("    ", 1), ('";$', 2), ("éé", 2)],
)  # fmt: skip
def test_estimated_tokens(text, tokens):
    assert estimated_tokens(text) == tokens
