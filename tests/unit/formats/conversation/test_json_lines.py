"""Evidence is read by its content; whatever the bytes, there is an answer and no exception."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.conversation import json_lines
from psreg.formats.conversation.json_lines import Kind, kind_of


def faults(text):
    return [
        (text[: issue.span.start].count("\n") + 1, issue.message)
        for issue in json_lines.issues(text)
    ]


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"role": "user"}, Kind.TRANSCRIPT),
        ({"content": "x", "next": "y"}, Kind.TRANSCRIPT),
        ({"next": "S{}S"}, Kind.PLSP),
        ({"pb2s_proof": None}, Kind.PB2S),
        ({"other": 1}, None),
        ([], None),
    ],
)
def test_the_keys_tell_the_kind(record, kind):
    assert kind_of(record) is kind


@pytest.mark.parametrize(
    "text",
    [
        '{"role": "user", "content": "x"}',
        '\ufeff{"role": "system", "content": ""}\r\n\r\n{"role": "user", "content": "x"}\r\n',
        '{"next": "S{}S"}\n{"instr": "i", "previous": "", "next": "S{}S"}\n',
        '{"message": "m"}\n{"pb2s_proof": 3}\n',
    ],
)
def test_what_is_readable(text):
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        (" \n\t\n", 1, "empty"),
        (
            '{"role": "user", "content": "x"}\n{"role": "User", "content": "x"}',
            2,
            "`role` must be user, assistant or system",
        ),
        ('{"some": "thing"}', 1, "`role` is missing"),
        ('{"run": {"date": "a", "date": "b"}}\n{"next": "S{}S"}', 1, "appears twice"),
        ('{"run": {}, "run": {}}\n{"role": "user", "content": "x"}', 1, "appears twice"),
        ('{"role": 1, "content": "x"}', 1, "`role` is not a string"),
        ("3", 1, "not a JSON object"),
        ('{"role": "user", "role": "user", "content": "x"', 1, "not JSON"),
        ('{"next": "x"}\n{"text": "y"}', 2, "a pb2s record; the file begins as plsp"),
        ('{"next": null}', 1, "`next` is not a string"),
    ],
)
def test_what_is_not(text, line, words):
    ((at, message),) = faults(text)
    assert at == line
    assert words in message


def test_the_first_readable_line_decides():
    assert [line for line, _ in faults('{"next\n{"next": "x"}')] == [1]


@given(
    st.text()
    | st.lists(st.sampled_from(['{"role":', '"user"', "}", "\n", "[", "\ud800", "1"])).map("".join)
)
def test_every_text_has_an_answer(text):
    for issue in json_lines.issues(text):
        assert 0 <= issue.span.start <= issue.span.end <= len(text)
        assert issue.hint
