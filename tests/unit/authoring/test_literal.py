"""Any text becomes a `.prompt` that renders to it, or is refused with the reason."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from psreg.authoring.literal import trimmed, wrapped
from psreg.formats import dotprompt

PIECES = (
    "{",
    "}",
    "{{",
    "}}",
    "{x}",
    "{{x}}",
    "{a b}",
    "a",
    " ",
    "\n",
    "\t",
    "@",
    "[CONTENT]\n",
    "é",
)


def test_a_default_that_no_prompt_can_have_is_refused():
    with pytest.raises(ValueError, match="cannot have a default that it states"):
        wrapped("{a}", {"a": ">"}, [])


def test_more_defaults_than_a_prompt_can_have_are_refused():
    many = {f"v{n}": "x" for n in range(10_001)}
    with pytest.raises(ValueError, match="the file has more than 10,000 entries"):
        wrapped("{v1}", many, [])


def rendered(made):
    prompt = dotprompt.read(made.data)
    return prompt, dotprompt.render(prompt, {})


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join).map(trimmed))
@example("{{x}} {x} {{{x}}}")
@example("  indented\n\n  text")
@settings(deadline=None, max_examples=400)
def test_any_text_renders_to_itself(text):
    try:
        made = wrapped(text, {}, [("name", "A title")])
    except ValueError:
        assert "[CONTENT]" in text or not text
        return
    prompt, said = rendered(made)
    assert said.text == text
    assert said.missing == made.unmeant
    assert prompt.metadata["name"] == "A title"


@given(st.text(st.characters(exclude_characters="{}(%[", exclude_categories=["Cs"]), min_size=1))
@settings(deadline=None)
def test_texts_without_braces_are_never_refused(text):
    text = trimmed(text.replace("\r", ""))
    if text:
        assert rendered(wrapped(text, {}, []))[1].text == text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("{x} {a b} }{", "{{x}} {a b} }{"),
        ("{{x}} {{ a {y} }}", "{{{{x}}}} {{{{ a {{y}} }}}}"),
        ("{{x} {y}", "{{x} {{y}}"),
    ],
)
def test_how_braces_are_written(text, content):
    made = wrapped(text, {}, [])
    assert made.data.decode().endswith(f"[CONTENT]\n{content}\n")
    assert rendered(made)[1].text == text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("{{v}} {v}", "{{{v}}} {v}"),
        ("{{{{v}}}} {{v}", "{{{{{{{v}}}}}}} {{v}"),
        ("{x: {{v}} {{x}} {x}}", "{x: {{{v}}} {{{{x}}}} {{x}}}"),
    ],
)
def test_a_variable_has_braces_around_it(text, content):
    made = wrapped(text, {"v": None}, [])
    assert made.data.decode().endswith(f"[CONTENT]\n{content}\n")
    prompt, said = rendered(made)
    assert said.text == text
    assert dotprompt.render(prompt, {"v": "1"}).text == text.replace("{v}", "1")


@given(st.lists(st.sampled_from((*PIECES, "{v}", "{w}")), max_size=14).map("".join).map(trimmed))
@settings(deadline=None, max_examples=400)
def test_each_variable_is_filled_in_or_the_text_is_refused(text):
    try:
        made = wrapped(text, {"v": None, "w": "default"}, [])
    except ValueError:
        assert "[CONTENT]" in text or not text or "{{" in text or "}}" in text
        return
    prompt = dotprompt.read(made.data)
    assert dotprompt.render(prompt, {}).text == text.replace("{w}", "default")
    filled = text.replace("{v}", "1").replace("{w}", "2")
    assert dotprompt.render(prompt, {"v": "1", "w": "2"}).text == filled


def test_variables_stay_variables_and_their_defaults_are_filled_in():
    made = wrapped("Dear {name}, {greeting} {other}", {"name": None, "greeting": "good day,"}, [])
    prompt, said = rendered(made)
    assert made.unmeant == ()
    assert [variable.name for variable in prompt.variables] == ["name", "greeting"]
    assert said.text == "Dear {name}, good day, {other}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\na\nb (% c %) d", "`(% … %)`, which is a comment in a `.prompt`: line 3 of it"),
        ("a\n[CONTENT]\nb", "it contains the header of a section"),
        ("x" * 262_144, "bytes; a `.prompt` has at most 262,144"),
        ("{{v} }}", "cannot have these braces around its variables"),
        ("{v}" * 20_001, "as a `.prompt`, the text has more than 20,000 variables and doubled"),
        ("{{v}}" * 20_001, "as a `.prompt`, the text has more than 20,000 variables and doubled"),
    ],
)
def test_the_reason_is_told(text, reason):
    with pytest.raises(ValueError, match=r"it |braces|text") as refused:
        wrapped(text, {"v": None}, [])
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("\n \n  a\n b \n\n", "  a\n b"), ("a", "a"), (" \n\t", ""), ("a\n\n\nb", "a\n\n\nb")],
)
def test_blank_lines_around_a_text_are_left_out(text, kept):
    assert trimmed(text) == kept
