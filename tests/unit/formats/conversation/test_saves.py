"""Saves: found in what an assistant says, compared with the template of the PBE."""

import json

import pytest

from psreg.formats.conversation.saves import Save, SaveSystem, save_in

TEMPLATE = {
    "quiz_save": {
        "pbe_version": "1.0.0",
        "score": 0,
        "ratio": 0.5,
        "done": False,
        "note": None,
        "history": [{"question": "", "right": True}],
        "tags": [],
        "more": {},
    }
}
SYSTEM = SaveSystem(key="quiz_save", template=TEMPLATE, triggers=("Save my  quiz", ""))


def save(**members):
    value = {"quiz_save": {**TEMPLATE["quiz_save"], **members}}
    return Save(text=json.dumps(value), value=value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a_save": 1}',
        ' \n{"a_save": 1}\n',
        'Here:\n```json\n{"a_save": 1}\n```\nKeep it.',
        'Here:\n~~~\n{"a_save": 1}\n~~~',
        'Two:\n```\nnot this\n```\n  ```json\n{"a_save": 1}\n  ```',
        'It is {"a_save": 1}, keep it.',
    ],
)
def test_a_save_is_found(text):
    found = save_in(text)
    assert found.text == '{"a_save": 1}'
    assert found.keys == ("a_save",)


@pytest.mark.parametrize("text", ["", "no save", "[1]", '{"a_save": ', "} {", '{"a": 1, "a": 2}'])
def test_no_save_is_found(text):
    assert save_in(text) is None


def test_who_asks_for_a_save():
    assert SYSTEM.is_trigger("Please SAVE my\nquiz now")
    assert not SYSTEM.is_trigger("Please save")
    assert not SYSTEM.is_trigger("")


def test_a_save_of_the_shape_of_the_template_has_no_faults():
    assert SYSTEM.faults(save()) == ()
    assert SYSTEM.faults(save(ratio=1, score=0.5, note=[], tags=[1], more={"x": 1}, new=1)) == ()
    assert SYSTEM.faults(save(history=[])) == ()


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"score": "7"}, "`quiz_save.score` is not a number"),
        ({"score": True}, "`quiz_save.score` is not a number"),
        ({"done": 1}, "`quiz_save.done` is not true or false"),
        ({"pbe_version": None}, "`quiz_save.pbe_version` is not a text"),
        ({"history": {}}, "`quiz_save.history` is not a list"),
        ({"history": [{"question": ""}]}, "`quiz_save.history[0].right` is missing"),
        ({"more": []}, "`quiz_save.more` is not an object"),
    ],
)
def test_what_differs_from_the_template_is_named(members, fault):
    assert SYSTEM.faults(save(**members)) == (fault,)


def test_what_is_missing_is_named():
    bare = Save(text="", value={"quiz_save": {}})
    assert len(SYSTEM.faults(bare)) == 8
    many = SaveSystem(key="a", template={"a": {f"k{n}": 0 for n in range(99)}}, triggers=())
    assert len(many.faults(Save(text="", value={"a": {}}))) == 20


def test_a_save_of_another_prompt_is_named():
    other = Save(text="", value={"chess_save": {}})
    assert SYSTEM.foreign_key(other) == "chess_save"
    assert SYSTEM.faults(other) == ("the root key is not `quiz_save` but `chess_save`",)
    assert SYSTEM.foreign_key(save()) == ""
    empty = Save(text="{}", value={})
    assert SYSTEM.foreign_key(empty) == ""
    assert SYSTEM.faults(empty) == ("the root key is not `quiz_save`",)
