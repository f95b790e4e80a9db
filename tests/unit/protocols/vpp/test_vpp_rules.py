"""The first line of an answer, and what an answer says of errors."""

import pytest

from psreg.core.diagnostics import Span
from psreg.protocols.vpp.units import parsed
from support.vpp import FOOTER, answer, conversation, fixed, judged, units


def of_answer(command, reply):
    return [(code, level, place) for turn, code, level, place in judged(command, reply) if turn]


@pytest.mark.parametrize(
    ("command", "tag", "codes"),
    [
        ("!<q>", "q", []),
        ("!<q>", "o", ["VPP014"]),
        ("!<q>", "e", ["VPP016"]),
        ("!<q>", "e_o", ["VPP013"]),
        ("!<q>", "x", ["VPP013", "VPP025"]),
        ("!<e> --<g>", "g", []),
        ("!<e> --<g>", "e", ["VPP015"]),
        ("!<e> --<g>", "q", ["VPP014"]),
        ("!<e>", "e", []),
        ("!<e>", "g", ["VPP015"]),
        ("!<e>", "q", ["VPP015"]),
        ("!<e>", "o", ["VPP015"]),
        ("!<e>", "c", ["VPP014"]),
        ("!<e_o>", "o", []),
        ("!<e_o>", "e", ["VPP015"]),
        ("!<e_o>", "e_o", ["VPP015"]),
        ("!<e_o>", "g", ["VPP014"]),
        ("!<o> --correct --<g>", "o", []),
        ("!<o> --correct --<g>", "g", ["VPP015"]),
        ("!<o> --correct --<g>", "c", ["VPP014"]),
        ("!<x>", "q", ["VPP018"]),
        ("!<x>", "e", ["VPP016"]),
        ("!<x>", "y", ["VPP013", "VPP025"]),
        ("!<c> --minor --major", "c", ["VPP018"]),
        ("!<c> --minor --major", "e", ["VPP016"]),
        ("!<c> --minor --minor", "c", []),
    ],
)
def test_which_tag_answers_which_command(command, tag, codes):
    assert [code for code, _, _ in of_answer(command, answer(tag))] == codes


@pytest.mark.parametrize(
    ("reply", "code", "place"),
    [
        (f"Sure.\n{FOOTER}", "VPP011", "Sure."),
        (f"**<q>**\n{FOOTER}", "VPP011", "**<q>**"),
        (f"<q> Sure.\n{FOOTER}", "VPP011", " Sure."),
        (f"!<q> Sure.\n{FOOTER}", "VPP011", "!<q> Sure."),
        (f"!<q>\nbody\n{FOOTER}", "VPP012", "!<q>"),
        (f"!<q> --minor\nbody\n{FOOTER}", "VPP012", "!<q> --minor"),
        (f"\n<q>\nbody\n{FOOTER}", "VPP009", "\n"),
        (f"\ufeff<q>\nbody\n{FOOTER}", "VPP009", "\ufeff"),
        ("", "VPP019", ""),
        ("<q>", "VPP019", "<q>"),
        (f"\n<q> body {FOOTER}\n", "VPP019", f"<q> body {FOOTER}"),
    ],
)
def test_one_mistake_is_one_error(reply, code, place):
    assert of_answer("!<q>", reply) == [(code, "error", place)]


@pytest.mark.parametrize(
    "reply", [f"!<q>\nbody\n{FOOTER}", f"!<q> --minor\nbody\n{FOOTER}", f" \n <q>\nbody\n{FOOTER}"]
)
def test_a_machine_puts_the_first_line_right(reply):
    assert fixed("!<q>", reply) == f"<q>\nbody\n{FOOTER}"


def test_blanks_and_a_bang_go_together():
    assert fixed("!<q>", f"\n!<q>\nbody\n{FOOTER}") == f"<q>\nbody\n{FOOTER}"


def test_an_error_is_described():
    found = of_answer("!<e>", answer("e", body=" "))
    assert found == [("VPP017", "error", "<e>")]


def test_only_the_first_turn_needs_a_command():
    assert judged("!<q>", answer(), "Go on.", f"Well.\n{FOOTER}".replace("q_1", "q_2")) == []
    assert [code for _, code, _, _ in judged("Hello", "Hi!\nBye.")] == ["VPP001", "VPP020"]


def test_a_later_line_that_looks_like_a_command_has_to_be_one():
    found = judged("!<q>", answer(), "!<q", answer(Tag="q_2"))
    assert found == [(2, "VPP001", "error", "!<q")]


def test_without_a_command_any_first_line_will_do():
    assert judged(("assistant", f"<p>\nbody\n{FOOTER}")) == []
    assert judged(("assistant", answer("e"))) == [(0, "VPP016", "warning", "<e>")]


def test_messages_of_the_system_are_no_turns():
    made = conversation(("system", "Speak VPP."), ("user", "!<q>"))
    assert [unit.index for unit in units(*((t.role, t.content) for t in made.turns))] == [1]


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["!<o>", answer("e"), "!<o>"], ["VPP016", "VPP010"]),
        (["!<o>", answer("e"), "!<q> --incorrect"], ["VPP016"]),
        (["!<o>", answer("e"), "!<e_o>", answer("o"), "!<c>"], ["VPP016", "VPP010"]),
        (["!<e_o>", answer("o"), "!<g>", answer("g"), "!<o>"], []),
        (["!<e_o>", answer("o"), "Go on.", answer("o", Tag="o_2"), "!<o>"], []),
        (["!<e_o>", answer("o"), "!<x>"], ["VPP002"]),
    ],
)
def test_where_a_conversation_goes_after_an_error(texts, codes):
    assert [code for _, code, _, _ in judged(*texts)] == codes


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Hi.\nBye.", None),
        ("<q>\nBye.", {"tag": "q", "modifiers": [], "footer": None}),
        ("<q>\n[Version=v1.4]", {"tag": "q", "modifiers": [], "footer": None}),
    ],
)
def test_what_is_parsed_of_an_answer(reply, expected):
    assert parsed(units("!<q>", reply)[1]) == expected


def test_values_are_parsed_as_they_are_written():
    value = parsed(units("!<q>", f"Hi.\n{FOOTER.replace('q_1', '<q>')}")[1])
    assert value["tag"] is None
    assert list(value["footer"].values()) == ["v1.4", "<q>", "none", "0", "1/3", "research"]


def test_a_message_has_no_parts_to_point_at():
    (unit,) = units("!<q>")
    assert unit.span("/x") == unit.key_span("/x") == Span(0, 4)
