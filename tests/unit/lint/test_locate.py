"""Findings are listed a few times and counted; their places and hints suit a reader."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from psreg.core.diagnostics import ERROR, Finding, Mode, PlainText, Report
from psreg.core.rule import rule
from psreg.formats.conversation.reader import read_conversation
from psreg.formats.dotprompt_sections import MOST_ENTRIES
from psreg.formats.json import json_document
from psreg.lint import fix
from psreg.lint.engine import check_file
from psreg.lint.locate import ALIKE, LISTED, LISTED_IN_ALL, MOST, judge
from psreg.lint.transcript import check_transcript

HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n"
CONTENT = f"{HEAD}[CONTENT]\n"


def checked(text, code):
    found = check_file(text.encode(), path="x.prompt")
    return [d for d in found if d.code == code]


def test_equal_findings_are_listed_a_few_times():
    found = checked(CONTENT + "<iframe src=x> " * 321, "PS053")
    assert [d.more for d in found] == [0] * (ALIKE - 1) + [321 - ALIKE]
    assert found[-1].message.endswith(f"; and {321 - ALIKE} more like it")
    assert Report.of(1, found).count(ERROR) == 321


def test_different_findings_are_listed_up_to_a_limit():
    text = " ".join(f"![a](https://a.example/{number})" for number in range(700))
    found = checked(CONTENT + text, "PS021")
    assert len(found) == LISTED
    assert sum(1 + d.more for d in found) == 700


def test_too_many_findings_are_an_error():
    found = checked(CONTENT + "![a](https://a.example/b) " * (MOST + 1), "PS021")
    assert Counter(str(d.severity) for d in found)["error"] == 1


def test_the_pointer_of_a_long_name_is_that_of_its_object():
    text = json.dumps({"k" * 6_000: "x\u200by"}, ensure_ascii=False)
    found = check_file(text.encode(), path="x.pbe.txt")
    assert {d.pointer for d in found if d.code == "PS003"} == {""}


@rule("REG999", spec="registry/LIMITS", severity=ERROR)
def everything(pointers: list[str]) -> Iterator[Finding]:
    """Everything is wrong."""
    yield from (Finding(message="No.", at=pointer) for pointer in pointers)


def test_a_pointer_is_as_long_as_a_person_reads():
    around = "/" + "k" * 300
    found = judge([everything], [f"{around}/{'l' * 300}"], PlainText("x"), "x", Mode.STRICT)
    assert [d.pointer for d in found] == [around]


def test_fixes_of_a_large_text_are_not_tried_out():
    found = checked(CONTENT + "wo\u200brd\n" + "say it again\n" * (fix.LARGEST // 13), "PS003")
    assert found
    assert not any(d.fix for d in found)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([1] * json_document.MAX_VALUES),
        '{"a": ' * 30 + "[" + ",".join(["{}"] * json_document.MAX_VALUES) + "]" + "}" * 30,
        json.dumps({"k" * json_document.MAX_NAMES: 1}),
    ],
)
def test_json_of_many_values_or_long_names_is_refused(text):
    assert [issue.code for issue in json_document.parse(text.encode()).issues] == ["JSON009"]


def test_many_commas_are_not_many_values():
    assert json_document.parse(json.dumps(["," * 30_000]).encode()).parsed


def test_a_default_over_and_over_is_refused():
    text = f"{HEAD}[DEFAULTS]\n" + "@a b\n" * (MOST_ENTRIES + 2) + "[CONTENT]\n{a}\n"
    assert len(checked(text, "PROMPT024")) == 1


def test_a_long_transcript_has_a_short_report():
    record = {"message": "x", "text": "DRAFT:\nx", "pb2s_proof": {}}
    conversation = read_conversation(
        ((json.dumps(record) + "\n") * 900).encode(), "x.jsonl", "pb2s"
    )
    report = check_transcript(conversation, "pb2s").report
    assert LISTED_IN_ALL < len(report.diagnostics) <= LISTED_IN_ALL + 20
    assert any("more of PB2S" in d.message for d in report.diagnostics)
