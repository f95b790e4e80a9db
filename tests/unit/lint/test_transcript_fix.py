"""Fixed copies of conversations, and a conversation that is checked while it takes place."""

import json

import pytest

from psreg.core.diagnostics import ERROR, Mode
from psreg.formats.conversation.reader import read_conversation
from psreg.lint.transcript import check_transcript, fixed_conversation, json_lines_of, shortened
from psreg.lint.transcript_live import live_turns
from psreg.protocols.protocol import Options

FOOTER = "[Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=a]"


def fixed(text, protocol):
    conversation = read_conversation(text.encode(), "x.jsonl", protocol)
    copy, report, number = fixed_conversation(
        conversation, lambda each: check_transcript(each, protocol)
    )
    assert report == check_transcript(copy, protocol)
    return json_lines_of(copy), number


@pytest.mark.parametrize(
    ("protocol", "record", "member", "text", "number"),
    [
        ("vpp", {"role": "assistant"}, "content", f"!<q>\nbody\n{FOOTER}", 1),
        ("plsp", {}, "next", "```\nS{$a:1;;$b:2}S\n```", 3),
        ("pb2s", {"message": "Why?", "note": 1}, "text", "## DRAFT\nx\n\nREFLECT: y", 2),
    ],
)
def test_every_offered_fix_is_applied(protocol, record, member, text, number):
    copy, done = fixed(json.dumps({**record, member: text}) + "\n", protocol)
    changed = json.loads(copy)
    assert changed.pop(member) != text
    assert changed == record
    assert done == number
    assert fixed(copy, protocol) == (copy, 0)


def test_plain_text_and_the_run_header_are_kept():
    copy, done = fixed(f"User: !<q>\nWhat?\nAssistant: !<q>\nbody\n{FOOTER}\n", "vpp")
    assert [json.loads(line)["role"] for line in copy.splitlines()] == ["user", "assistant"]
    assert done == 1
    assert fixed("S{$a:1}S", "plsp") == ('{"next": "S{$a:1;}S"}\n', 1)
    header = '{"run": {"platform": "jan"}}\n'
    assert fixed(header + copy, "vpp")[0] == header + copy


def test_half_a_character_is_not_rewritten():
    line = json.dumps({"role": "user", "content": "\ufeff \ud800 !<q>"}) + "\n"
    copy, _ = fixed(line, "vpp")
    assert json.loads(copy)["content"].endswith("!<q>")


def live(*records, mode=Mode.STRICT):
    lines = (
        record if isinstance(record, bytes) else json.dumps(record).encode() for record in records
    )
    options = Options(version="1.4", declared="1.4", mode=mode)
    return list(live_turns(lines, options, color=False))


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def test_each_turn_is_reported():
    found = live(
        {"role": "system", "content": "Use VPP."}, b"\n", user("!<q>"),
        assistant(f"<q>\nbody\n{FOOTER}"), user("!<o>"), assistant("Sure!"),
    )  # fmt: skip
    assert [turn.broken for turn in found] == [False, False, False, True]
    assert found[0].lines == ("turn 1 (user): sound", "expected: <q>", "")
    assert found[1].lines == ("turn 2 (assistant): sound", "")
    assert found[3].lines[0] == "turn 4 (assistant): errors"
    assert found[3].lines[-2].startswith("next: !<q> --incorrect (")


def test_a_line_that_is_not_a_turn_is_reported():
    found = live(b"no json", {"next": "S{}S"}, {"role": "nobody", "content": "x"})
    assert [turn.lines[0] for turn in found] == [
        "line 1: the line is not JSON",
        "line 2: this is not a turn",
        "line 3: `role` must be user, assistant or system",
    ]
    assert all(turn.broken for turn in found)


def test_a_live_session_may_be_read_leniently():
    (strict,), (lenient,) = live(user("!<q> --x")), live(user("!<q> --x"), mode=Mode.READ)
    assert (strict.broken, lenient.broken) == (True, False)


def test_a_fixed_conversation_is_reported_in_short():
    lines = (json.dumps({"role": "assistant", "content": "x"}) + "\n") * 400
    conversation = read_conversation(lines.encode(), "x.jsonl", "vpp")
    whole = check_transcript(conversation, "vpp", room=10_000)
    short = shortened(whole)
    assert short == check_transcript(conversation, "vpp")
    assert len(short.report.diagnostics) < len(whole.report.diagnostics)
    assert short.report.count(ERROR) == whole.report.count(ERROR) >= 400
    assert any("more of VPP" in d.message for d in short.report.diagnostics)
