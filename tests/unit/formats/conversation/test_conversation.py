"""Conversations are read from whatever form they were kept in; whatever the bytes, no exception."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.conversation.json_lines import MAX_ISSUES, Kind
from psreg.formats.conversation.reader import MAX_BYTES, MAX_RECORDS, read_conversation

ASKED = {"role": "user", "content": "!<g>\nWhy?"}
SAID = {"role": "assistant", "content": "<g>\nSo."}
BOM = "\ufeff"


def turns(text, *, name="chat.txt", protocol="vpp"):
    found = read_conversation(text if isinstance(text, bytes) else text.encode(), name, protocol)
    assert found.issues == ()
    return [(turn.role, turn.content) for turn in found.turns]


def faults(text, *, name="chat.jsonl", protocol=""):
    found = read_conversation(text if isinstance(text, bytes) else text.encode(), name, protocol)
    return [issue.message for issue in found.issues]


SPOKEN = [("user", "!<g>\nWhy?"), ("assistant", "<g>\nSo.")]


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(ASKED)}\n{json.dumps(SAID)}\n",
        f"{BOM}{json.dumps(ASKED)}\r\n\r\n{json.dumps(SAID)}",
        json.dumps([ASKED, SAID]),
        json.dumps({"messages": [ASKED, SAID]}, indent=1),
        "User: !<g>\nWhy?\n\nAssistant: <g>\nSo.\n",
        f"{BOM}human:\n!<g>\nWhy?\nAI: <g>\nSo.",
        "A chat of today\n\n### User\n\n!<g>\nWhy?\n\n### Assistant:\n<g>\nSo.\n\n\n",
        "**User:** !<g>\nWhy?\n**Assistant**:\n<g>\nSo.",
        "[User]\n!<g>\nWhy?\n[Assistant] <g>\nSo.",
    ],
)
def test_the_forms_of_a_dialogue(text):
    assert turns(text) == SPOKEN


def test_a_message_of_a_dialogue_keeps_its_line_breaks_and_blanks():
    assert turns("User: !<g>\r\n\r\nWhy? \r\n\r\nAssistant:\r\n\r\n<g>") == [
        ("user", "!<g>\r\n\r\nWhy? "),
        ("assistant", "\r\n<g>"),
    ]


def test_the_first_label_decides_how_labels_are_written():
    assert turns("### User\nUser: is a word\n**Assistant:** too\n### System\nx") == [
        ("user", "User: is a word\n**Assistant:** too"),
        ("system", "x"),
    ]


def test_turns_know_their_lines():
    found = read_conversation(b"Title\n\nUser: a\nb\n\nAssistant: c\nUser: d", "x", "vpp")
    assert [(turn.index, turn.line) for turn in found.turns] == [(0, 3), (1, 6), (2, 7)]
    listed = read_conversation(json.dumps([ASKED, SAID], indent=1).encode())
    assert [(turn.index, turn.line) for turn in listed.turns] == [(0, 2), (1, 6)]


SPLIT = {"role": "assistant", "raw_header": "<g>", "body": "So.", "footer": "[Version=v1.4]"}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "<g>\nSo.\n[Version=v1.4]"),
        ({"raw_header": None, "footer": None}, "So."),
        ({"body": ""}, "<g>\n[Version=v1.4]"),
        ({"content": "whole"}, "whole"),
    ],
)
def test_the_split_turns_of_a_session_are_joined(parts, message):
    session = {"id": "x", "protocol_version": "1.4", "turns": [SPLIT | parts]}
    found = read_conversation(json.dumps(session, indent=2).encode(), "x.json", "vpp")
    assert [turn.content for turn in found.turns] == [message]
    assert (found.declared, found.issues) == ("1.4", ())


@pytest.mark.parametrize("parts", [{"footer": 1}, {"role": "tool"}, {"body": 3}])
def test_a_turn_of_a_session_that_says_nothing_readable(parts):
    turn = {"role": "user", "raw_header": None, "body": "x", "footer": None} | parts
    found = read_conversation(
        json.dumps({"protocol_version": 1, "turns": [turn]}).encode(), "x.json"
    )
    assert (found.turns, found.declared, len(found.issues)) == ((), "", 1)


def test_a_trace_of_plsp():
    found = read_conversation(
        b'{"next": "S{}S"}\n{"instr": "go", "previous": "S{}S", "next": "S{$a:1;}S"}\n'
    )
    assert found.kind is Kind.PLSP
    first, second = found.cycles
    assert (first.instr, first.previous, first.next) == (None, None, "S{}S")
    assert (second.instr, second.index, second.line) == ("go", 1, 2)
    assert second.record["previous"] == second.previous == "S{}S"


@pytest.mark.parametrize(
    ("text", "protocol", "block"),
    [
        ('S{$a:1;\nUser: "x";}S\n', "", 'S{$a:1;\nUser: "x";}S'),
        ("\n S{}S\n\n", "plsp", "\n S{}S"),
        ("Here you go: S{}S", "plsp", "Here you go: S{}S"),
        ("{$a:1;}S", "plsp", "{$a:1;}S"),
    ],
)
def test_a_bare_block_of_plsp(text, protocol, block):
    found = read_conversation(text.encode(), "x.txt", protocol)
    assert (found.kind, [each.next for each in found.cycles]) == (Kind.PLSP, [block])


def test_exchanges_of_pb2s():
    found = read_conversation(
        b'{"message": "m", "text": null}\n{"text": "x", "pb2s_proof": {}, "trace": 1}\n'
    )
    first, second = found.exchanges
    assert (first.message, first.text, first.missing) == ("m", None, {"pb2s_proof"})
    assert (second.proof, second.missing, second.record["trace"]) == ({}, {"message"}, 1)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_single_reply_lacks_no_message(indent):
    reply = json.dumps({"text": "DRAFT", "pb2s_proof": {}}, indent=indent)
    (only,) = read_conversation(reply.encode(), "x.json").exchanges
    assert (only.text, only.missing) == ("DRAFT", frozenset())
    (mute,) = read_conversation(b'{"pb2s_proof": {}}', "x.json").exchanges
    assert mute.missing == {"text"}


def test_bare_messages():
    assert turns(f"{BOM}\n!<g>\n") == [("user", f"{BOM}\n!<g>")]
    (reply,) = read_conversation(b"DRAFT\nx\n", "x.txt", "pb2s").exchanges
    assert (reply.text, reply.missing) == ("DRAFT\nx\n", {"pb2s_proof"})


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "x.jsonl", "empty"),
        (f"{BOM}\n \n", "x.jsonl", "empty"),
        ("Hello?", "x.txt", "no label says who wrote"),
        ("[a, b]", "x.txt", "no label says who wrote"),
        ('{"role"', "x.jsonl", "not JSON"),
        ('{"role"\n"x"', "x.txt", "not JSON"),
        ('[\n{"role": }\n]', "x.json", "expected"),
        ("[3]", "x.json", "not a JSON object"),
        ('{"a": 1}', "x.json", "`role` is missing"),
        ('{"next": "x", "next": "y"}', "x.json", "appears twice"),
        ('{"next": "x", "next": "y"}\n{"next": "z"}', "x.jsonl", "appears twice"),
        ('[{"next": "x"}, {"text": "y"}]', "x.json", "a pb2s record; the file begins as plsp"),
        (b'{"next": "\xff"}', "x.jsonl", "byte 0xff at offset 10 is not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "x.jsonl", "the limit is 4,000,000"),
        ("[" * 2_000, "x.json", "nested"),
    ],
)
def test_what_cannot_be_read(text, name, words):
    said = faults(text, name=name)
    assert any(words in message for message in said), said


def test_the_first_of_very_many_records_are_read():
    for text in ('{"next":""}\n' * (MAX_RECORDS + 5), f"[{'{},' * (MAX_RECORDS + 4)}{{}}]"):
        found = read_conversation(text.encode(), "x.jsonl")
        assert len(found.cycles) <= MAX_RECORDS + 1
        assert len(found.issues) <= MAX_ISSUES
    assert "more than 1,000" in faults('{"next":""}\n' * (MAX_RECORDS + 5))[0]


@given(
    st.binary()
    | st.lists(
        st.sampled_from(['{"role":', '"user"', "}", "\n", "[", "User:", "### user\n", "S{", "\r"])
    ).map(lambda parts: "".join(parts).encode()),
    st.sampled_from(["", "vpp", "plsp", "pb2s"]),
)
def test_every_file_has_an_answer(data, protocol):
    found = read_conversation(data, "x.jsonl", protocol)
    records = (*found.turns, *found.cycles, *found.exchanges)
    assert found.issues or records
    lines = found.text.count("\n") + 1
    assert all(1 <= record.line <= lines for record in records)
    for issue in found.issues:
        assert 0 <= issue.span.start <= issue.span.end <= len(found.text)
        assert issue.hint
