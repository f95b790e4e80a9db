"""The grammar of an answer: headings, points, questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.protocols.pb2s.sections import SECTION_NAMES, answer_of, bullets_of, questions_of


def headed(line):
    """Return the one section that `line` heads, as (name, decorated, text beside it)."""
    text = f"{line}\nbody"
    found = answer_of(text).sections
    assert len(found) <= 1
    return next(
        (
            (s.name, s.decorated, text[s.inline.start : s.inline.end] if s.inline else "")
            for s in found
        ),
        None,
    )


@pytest.mark.parametrize(
    "line", ["DRAFT", "  DRAFT  ", "DRAFT:", "DRAFT :", "\tDRAFT:\t", "DRAFT\r"]
)
def test_a_bare_name_is_a_heading(line):
    assert headed(line) == ("DRAFT", False, "")


@pytest.mark.parametrize(
    "line",
    ["# DRAFT", "##DRAFT", "###### DRAFT:", "**DRAFT**", "**DRAFT:**", "**DRAFT**:", "## **DRAFT**",
     "__DRAFT__", "## DRAFT ##"],
)  # fmt: skip
def test_a_decorated_name_is_one_too(line):
    assert headed(line) == ("DRAFT", True, "")


@pytest.mark.parametrize(
    ("line", "decorated", "beside"),
    [
        ("DRAFT: It boils.", False, "It boils."),
        ("DRAFT:It boils.", False, "It boils."),
        ("**DRAFT:** It boils.", True, "It boils."),
        ("## DRAFT: **bold**", True, "**bold**"),
    ],
)
def test_text_beside_a_heading(line, decorated, beside):
    assert headed(line) == ("DRAFT", decorated, beside)


@pytest.mark.parametrize(
    "line",
    ["Draft", "DRAFTING", "DRAFT it", "DRAFT - x", "A DRAFT", "- DRAFT", "1. DRAFT", "> DRAFT",
     "[DRAFT]", "`DRAFT`", "####### DRAFT", "DRAFT：", "", "DRAFTREFLECT"],
)  # fmt: skip
def test_what_heads_nothing(line):
    assert headed(line) is None


def test_a_line_of_blanks_takes_no_time():
    assert headed(f"DRAFT{' ' * 400_000}x") is None
    assert headed(f"DRAFT{' #' * 200_000}x") is None


def test_a_body_goes_up_to_the_next_heading():
    answer = answer_of("Hello.\n\nDRAFT\n\n one\ntwo \n\nREFLECT: three\nfour\nREVISE\n\n\nLEARNED")
    assert [(s.name, answer.body(s)) for s in answer.sections] == [
        ("DRAFT", "one\ntwo"),
        ("REFLECT", "three\nfour"),
        ("REVISE", ""),
        ("LEARNED", ""),
    ]
    assert answer.text[answer.preamble.start : answer.preamble.end] == "Hello."
    headers = [answer.text[s.header.start : s.header.end] for s in answer.sections]
    assert headers == ["DRAFT", "REFLECT:", "REVISE", "LEARNED"]
    assert len(answer.named("DRAFT")) == 1
    assert answer.named("CLARIFY") == ()


def test_any_text_is_an_answer():
    assert answer_of("").sections == ()
    assert answer_of("only words").preamble == Span(0, 10)


@given(st.lists(st.sampled_from([*SECTION_NAMES, "DRAFT: x", "## DRAFT", "a", "", " ", "é"])))
def test_the_places_are_in_the_text_and_in_order(lines):
    text = "\n".join(lines)
    answer = answer_of(text)
    last = answer.preamble.end
    for section in answer.sections:
        assert last <= section.header.start <= section.header.end <= section.body.start
        assert section.body.start <= section.body.end <= len(text)
        assert section.name in text[section.header.start : section.header.end]
        last = section.body.end


def bullets(text):
    return [text[at.start : at.end] for at in bullets_of(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    "line",
    ["- a", "* a", "+ a", "• a", "•a", "– a", "–a", "1. a", "12) a", "   - a", "-a", "\t1)\ta"],
)
def test_a_point(line):
    assert bullets(f"words\n{line}\n") == [line.strip()]


@pytest.mark.parametrize(
    "line",
    ["a", "-", "- ", "---", "- - -", "* * *", "-5 °C", "--a", "1.5 times", "2024. A year", "*a* b",
     "**a**: b", "+1", "a) b", "1.a", "— a", ""],
)  # fmt: skip
def test_what_is_no_point(line):
    assert bullets(f"words\n{line}\n") == []


def test_points_are_looked_for_in_a_stretch_only():
    assert bullets_of("- a\n- b\n- c", Span(4, 7)) == (Span(4, 7),)


def asked(text):
    return len(questions_of(text, Span(0, len(text))))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Which? When?", 2),
        ("Which?\nWhen?", 2),
        ("何時ですか？どこですか？", 2),
        ("Really?! What??", 2),
        ("**Which?** (When?)", 2),
        ('"Which?" asked Ana.', 1),
        ("Which?When?", 2),
        ("Quelle heure est-il ?", 1),
        ("See https://example.org/?q=1 and a?.b", 0),
        ("No question! None at all.", 0),
        ("What!! Now!", 0),
        ("", 0),
    ],
)
def test_questions(text, count):
    assert asked(text) == count


def test_marks_elsewhere_do_not_count():
    assert questions_of("Why? DRAFT Why?", Span(5, 10)) == ()
