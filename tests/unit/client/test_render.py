"""Filling in prompts: what is refused, what is only said."""

import pytest

from psreg.client.render import fill, pbe_text, quoted, values_of_assignments, values_of_json
from psreg.core.diagnostics import described
from psreg.core.errors import FindingsError, UsageError

PROMPT = b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{a}\n\n{b}\n"


def test_a_prompt_is_filled_in():
    filled = fill(PROMPT, path="p.prompt", values={"a": "1", "c": "2"}, squeeze=True)
    assert filled.rendering.text == "1\n{b}"
    assert filled.rendering.missing == ("b",)
    assert filled.rendering.unknown == ("c",)
    assert filled.flaws == ()


def test_what_does_not_stop_a_reader_is_told():
    filled = fill(b"[METADATA]\n[CONTENT]\nx", path="p.prompt", values={})
    told = [described(flaw) for flaw in filled.flaws]
    assert told == ["p.prompt:1:1: PROMPT010 [METADATA] has no `@dotprompt_format_version`"]
    assert filled.rendering.text == "x"


@pytest.mark.parametrize(
    ("data", "path", "code"),
    [
        (b"x", "p.prompt", "UNREADABLE"),
        (b"\xff", "p.prompt", "UNREADABLE"),
        (b"{}", "stdin", "NOT_A_PROMPT"),
        (PROMPT, "folder/p.pbe.txt", "NOT_A_PROMPT"),
    ],
)
def test_what_is_no_readable_prompt_is_refused(data, path, code):
    with pytest.raises(FindingsError) as caught:
        fill(data, path=path, values={})
    assert caught.value.code == code
    assert path in caught.value.message


def test_all_values_may_be_required():
    assert fill(PROMPT, path="p", values={"a": "", "b": ""}, require_all=True).rendering.text
    with pytest.raises(FindingsError) as caught:
        fill(PROMPT, path="p", values={"a": ""}, require_all=True)
    assert (caught.value.code, caught.value.message) == ("MISSING_VALUES", "no value for `b`")


def test_a_value_that_is_meant_for_the_prompt_must_be_of_a_variable():
    prompt = PROMPT + b"{{lit}} {{lit}}"
    for name, told in (("aa", ""), ("lit", "{{lit}} is a literal; a variable is {lit}.")):
        assert fill(prompt, path="p", values={name: ""}).rendering.unknown == (name,)
        with pytest.raises(UsageError) as caught:
            fill(prompt, path="p", values={name: ""}, named=[name])
        assert (caught.value.code, caught.value.hint) == ("UNKNOWN_VARIABLE", told)


def test_many_names_are_not_all_told():
    assert quoted(["a"] * 21).endswith("`a`, `a` and 1 more")


def test_assignments():
    assert values_of_assignments(["a=1", "b=x=y", "a=", "c-1=é"]) == {
        "a": "",
        "b": "x=y",
        "c-1": "é",
    }


@pytest.mark.parametrize("assignment", ["a", "=1", "a b=1", "a=\udcff"])
def test_an_assignment_that_is_none_is_refused(assignment):
    with pytest.raises(UsageError, match="--set"):
        values_of_assignments([assignment])


def test_json_values_count_as_they_are_written():
    data = b'{"a": "x", "b": 1.0, "c": -1e3, "d": false, "e": ""}'
    found = values_of_json(data, "v.json")
    assert found == {"a": "x", "b": "1.0", "c": "-1e3", "d": "false", "e": ""}
    assert values_of_json(b"{}", "v.json") == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", r"v\.json:1:1: the values are not an object"),
        (b"null", r"v\.json:1:1: the values are not an object"),
        (b'{\n "a": null}', r"v\.json:2:7: the value of `a` is not"),
        (b'{"a": []}', r"v\.json:1:7: the value of `a` is not"),
        (b'{"a": {}}', r"v\.json:1:7: the value of `a` is not"),
        (b'{"a.b": "c"}', r"v\.json:1:1: `a\.b` is not a valid name"),
        (b'{"a": 1, "a": 1}', r"v\.json:1:10: "),
        (b'{"a": Infinity}', r"v\.json:1:7: "),
        (b"\xff", r"v\.json:1:1: "),
    ],
)
def test_json_that_holds_no_values_is_refused_with_its_place(data, message):
    with pytest.raises(UsageError, match=message):
        values_of_json(data, "v.json")


def test_the_text_of_a_pbe_must_be_utf_8():
    with pytest.raises(FindingsError) as caught:
        pbe_text(b'{"pbe_class": "\xff"}', path="x.pbe.txt")
    assert caught.value.code == "UNREADABLE"
