"""The middleware of a loop: what is said, what an assistant can make it do, where it ends."""

import json
import string
from dataclasses import replace

import pytest

from psreg.conversations.model import ChatReply
from psreg.conversations.plsp.actions import HANDLERS, MAX_WAIT_MS, ActionPorts, plan
from psreg.conversations.plsp.run import (
    RUN_SCHEMA,
    WHY_ENDED,
    Cycle,
    Loop,
    Start,
    conversation_of,
    program_of,
    run_document,
    start_after,
    trace_line,
)
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.formats.conversation.reader import read_conversation
from psreg.lint.transcript import check_transcript
from psreg.protocols.plsp.reader import read_block
from support.stub_answers import plsp


class World:
    """An ports that keeps what was done to it."""

    def __init__(self, **sources):
        self.done = []
        self.ports = ActionPorts(
            wait=lambda seconds: self.done.append(("wait", seconds)),
            page=lambda text: self.done.append(("page", text)),
            log=lambda values: self.done.append(("log", *values)),
            sources={name: lambda text=text: text for name, text in sources.items()},
        )

    def notes(self, block):
        steps = list(plan(read_block(block), self.ports))
        assert self.done == []
        for step in steps:
            if step.carry_out is not None:
                step.carry_out()
        return [step.note for step in steps]


def program(*lines, imf="psreg-1"):
    return program_of("\n".join(lines).encode(), "p.txt", imf=imf)


def run(lines, cycles, world=None, *, start=None, change=str, asked=None):
    def ask(request):
        if asked is not None:
            asked.append(request)
        return ChatReply(text=change(plsp(request.messages[-1].content)))

    loop = Loop(program=program(*lines), ask=ask, ports=(world or World()).ports)
    return list(loop.run(start or Start(), cycles))


def test_a_program_is_a_line_a_cycle_and_the_last_one_repeats():
    found = program("\ufeff# a watch", "", "INSTR: @set:$a=1;", "  @upd:$a=2; ")
    assert found.instructions == ("@set:$a=1;", "@upd:$a=2;")
    assert [found.instruction(n) for n in (0, 1, 7)] == [
        "INSTR: @set:$a=1;", "INSTR: @upd:$a=2;", "INSTR: @upd:$a=2;",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "# nothing", "set a to 1"])
def test_no_program(text):
    with pytest.raises(UsageError) as caught:
        program(text)
    assert caught.value.code == "BAD_PROGRAM"


def test_a_program_in_a_language_of_its_own():
    asked = []
    loop = Loop(
        program=program("set a to 1", imf=""),
        ask=lambda request: asked.append(request) or ChatReply(text="S{$a:1;}S"),
        ports=World().ports,
        imf="",
        model="m",
    )
    (cycle,) = loop.run(Start(), 1)
    assert cycle.record("") == {
        "instr": "INSTR: set a to 1", "previous": "S{}S", "next": "S{$a:1;}S",
    }  # fmt: skip
    assert "@set" not in asked[0].messages[0].content
    assert asked[0].model == "m"


def test_only_the_last_block_is_remembered():
    asked = []
    found = run(["@set:$a=1;", "@upd:$a=$a+1;"], 3, asked=asked)
    assert [cycle.previous for cycle in found] == ["S{}S", "S{$a:1;}S", "S{$a:2;}S"]
    assert [cycle.ended for cycle in found] == ["", "", "max-cycles"]
    assert all(len(request.messages) == 2 for request in asked)
    assert asked[2].messages[1].content == "INSTR: @upd:$a=$a+1;\nS{$a:2;}S"
    report = check_transcript(conversation_of(found, "psreg-1"), "plsp").report
    assert report.diagnostics == ()


@pytest.mark.parametrize(
    ("change", "ended"),
    [
        (lambda text: text[:-2], "unreadable"),
        (lambda text: f"So:\n{text}", "text-around-block"),
        (lambda text: f"```\n{text}\n```", "text-around-block"),
    ],
)
def test_an_answer_that_is_refused_ends_the_loop_and_does_nothing(change, ended):
    world = World()
    found = run(["@sig:!page,1;"], 5, world, change=change)
    assert [(cycle.ended, cycle.notes) for cycle in found] == [(ended, ())]
    assert world.done == []


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_ends_the_loop_and_says_so(finish):
    world = World()
    loop = Loop(
        program=program("@sig:!page,1;"),
        ask=lambda _: ChatReply(text="S{!page,1;}S", finish=finish),
        ports=world.ports,
    )
    (cycle,) = loop.run(Start(), 5)
    assert (cycle.ended, cycle.notes, world.done) == ("cut-off", (), [])
    assert cycle.record("psreg-1")["finish_reason"] == finish


def test_an_assistant_may_stop_the_loop():
    found = run(["@sig:!stop;"], 5)
    assert [(cycle.ended, cycle.notes) for cycle in found] == [("stopped", ("stop",))]


def test_what_was_fetched_is_set_by_the_next_instruction():
    world = World(temp=" 75\n", note='say "hi"')
    found = run(['@sig:!fetch,"temp","t";@sig:!fetch,"note","n";', "@set:$a=1;"], 2, world)
    assert found[0].fetched == {"t": "75", "n": "\"say 'hi'\""}
    assert found[1].instr == "INSTR: @set:$t=75;@set:$n=\"say 'hi'\";@set:$a=1;"
    assert found[1].next == "S{$t:75;$n:\"say 'hi'\";$a:1;}S"
    assert check_transcript(conversation_of(found, "psreg-1"), "plsp").report.diagnostics == ()


def test_a_loop_is_resumed_where_it_was():
    lines = ['@set:$a=1;@sig:!fetch,"temp","t";', "@upd:$a=2;", "@upd:$a=3;"]
    whole = run(lines, 3, World(temp="7"))
    first = run(lines, 1, World(temp="7"))
    text = "".join(f"{json.dumps(cycle.record('psreg-1'))}\n" for cycle in first)
    start = start_after(read_conversation(text.encode(), "t.jsonl"), "t.jsonl")
    assert start.fetched == {"t": "7"}
    assert [*first[:1], *run(lines, 2, start=start)][1:] == whole[1:]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"role": "user", "content": "hi"}', "NO_TRACE"),
        ('{"next": 5}', "NO_TRACE"),
        ("", "NO_TRACE"),
        ('{"next": "S{$a:1;"}', "NO_STATE"),
    ],
)
def test_what_cannot_be_resumed(text, code):
    with pytest.raises(FindingsError) as caught:
        start_after(read_conversation(text.encode(), "t.jsonl"), "t.jsonl")
    assert caught.value.code == code


def test_forged_results_of_a_trace_are_not_taken():
    forged = {"a": "1", "b": "2;@sig:!x", "c;": "1", "d": 5}
    for fetched, taken in ((forged, {"a": "1"}), (["x"], {})):
        text = json.dumps({"next": "S{}S", "fetched": fetched})
        assert start_after(read_conversation(text.encode(), "t.jsonl"), "t").fetched == taken


def test_every_kind_of_command():
    world = World(temp="75")
    block = 'S{$m:"CPU High";>"T",$m,5;>1;!page,"op",$m;!wait,1500;!launch,"missiles";}S'
    assert world.notes(block) == [
        "log 3 values", "log 1 value", "page", "wait 1500 ms", "!launch: unknown action, ignored",
    ]  # fmt: skip
    assert world.done == [
        ("log", "T", "CPU High", "5"), ("log", "1"), ("page", "op CPU High"), ("wait", 1.5),
    ]  # fmt: skip


def test_one_block_waits_a_minute_at_most():
    world = World()
    assert world.notes("S{!wait,50000.5;!wait,999999999;!wait,1;}S") == [
        "wait 50000.5 ms", "wait 9999.5 ms (a longer wait was requested)",
        "wait 0.0 ms (a longer wait was requested)",
    ]  # fmt: skip
    assert sum(seconds for _, seconds in world.done) == MAX_WAIT_MS / 1000


@pytest.mark.parametrize("given", ["", ',"x"', ",1,2", ",-5"])
def test_what_nobody_waits_for(given):
    world = World()
    assert world.notes(f"S{{!wait{given};}}S") == [
        "!wait: refused, expected one number of milliseconds"
    ]
    assert world.done == []


@pytest.mark.parametrize(
    ("action", "note"),
    [
        ('!fetch,"/etc/passwd","a"', "!fetch: refused, `/etc/passwd` is not allowed"),
        ("!fetch", "!fetch: refused, `` is not allowed"),
        ('!fetch,"temp"', "fetched `temp` for $a"),
        ('!fetch,"temp","a;@sig:!x"', "fetched `temp` for $a"),
        ('!fetch,"temp",$b;$a:1;$b:7', "fetched `temp` for $b"),
        ('!fetch,"temp";$a:1;$b:7', "fetched `temp` for $c"),
        ("!fetch,temp,a", "fetched `temp` for $a"),
    ],
)
def test_only_what_was_allowed_is_fetched(action, note):
    assert World(temp="75").notes(f"S{{{action};}}S") == [note]


def test_fetches_of_one_block_do_not_share_a_variable():
    block = 'S{!fetch,"temp";!fetch,"temp";!fetch,"temp","a";}S'
    assert World(temp="75").notes(block) == [
        "fetched `temp` for $b", "fetched `temp` for $c", "fetched `temp` for $a",
    ]  # fmt: skip


def test_a_fetch_without_a_free_letter_is_refused():
    state = "".join(f"${letter}:1;" for letter in string.ascii_letters)
    notes = World(temp="75").notes(f'S{{{state}!fetch,"temp";}}S')
    assert notes == ["!fetch: refused, no letter is free for `temp`"]


def test_a_source_that_cannot_be_read_is_an_error_once_the_cycle_is_recorded():
    def fails():
        raise UnavailableError("CANNOT_READ", "cannot read temp")

    world = World()
    world.ports = replace(world.ports, sources={"temp": fails})
    loop = Loop(
        program=program('@sig:!fetch,"temp";'),
        ask=lambda request: ChatReply(text=plsp(request.messages[-1].content)),
        ports=world.ports,
    )
    cycles = loop.run(Start(), 2)
    assert next(cycles).notes == ("!fetch: cannot read temp",)
    with pytest.raises(UnavailableError):
        next(cycles)


def test_the_table_says_what_each_does():
    assert [(h.sign, h.name) for h in HANDLERS] == [
        (">", ""), ("!", "wait"), ("!", "page"), ("!", "fetch"), ("!", "stop"),
    ]  # fmt: skip
    assert all(handler.about for handler in HANDLERS)


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
