"""The laws of the decision table: any two files are compared, and no byte changes unnoticed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.compatibility.compared_side import artifact_side, folder_side, submission_side
from psreg.compatibility.version_floor import FLOOR_TABLE, differences_of, floor_of
from psreg.core.classes import Format
from psreg.core.version import Step
from psreg.formats.tree import Tree
from support.floor_cases import cases
from support.registry_trees import PROMPT, entry, tree, update

KEYS = st.sampled_from(["name", "a", "b", "pbe_version", ""])
SCALARS = (
    st.none() | st.booleans() | st.integers(0, 3) | st.just(1.0) | st.sampled_from(["x", "X "])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
PBES = st.fixed_dictionaries(
    {},
    optional={
        "pbe_name": VALUES,
        "pbe_class": VALUES,
        "pbe_version": VALUES,
        "install_instructions": VALUES,
        "own": VALUES,
        "game_structure": st.fixed_dictionaries({}, optional={"phases": VALUES}),
        "facilitator_techniques": st.fixed_dictionaries({"techniques": st.lists(VALUES)}),
        "save_system": VALUES
        | st.fixed_dictionaries(
            {},
            optional={
                "trigger_phrases": VALUES,
                "save_template": VALUES,
                "load_detection": st.fixed_dictionaries({"recognition_key": VALUES}),
            },
        ),
    },
)


def pbe_side(value):
    return artifact_side(json.dumps(value).encode(), Format.PBE)


def prompt_side(text):
    return artifact_side(text.encode(), Format.PROMPT)


@given(PBES, PBES)
def test_no_change_of_a_pbe_goes_unnoticed(before, after):
    one, other = pbe_side(before), pbe_side(after)
    floor = floor_of(differences_of(one, other))
    assert (floor is Step.NONE) is (one.text == other.text)


@given(PBES)
def test_the_spelling_is_at_most_a_patch(value):
    loose = artifact_side(json.dumps(value, indent=4).encode(), Format.PBE)
    assert floor_of(differences_of(pbe_side(value), loose)) <= Step.PATCH


PROMPTS = st.builds(
    "[METADATA]\n@dotprompt_format_version 0.0.1\n{}[DEFAULTS]\n{}[CONTENT]\n{}\n".format,
    st.sampled_from(["", "@version 1.0.0\n", "@version 1.0.1\n", "@name a\n", "\n"]),
    st.sampled_from(["", "@x 1\n", "@x 2\n", "@y 1\n@x 1\n", "(% c %)\n"]),
    st.sampled_from(["{x} {y}", "{x}", "{{x}}", "a\n\nb", "a{y}\nb", "a(% {y} %)"]),
)


@given(PROMPTS, PROMPTS)
def test_no_change_of_a_prompt_goes_unnoticed(before, after):
    one, other = prompt_side(before), prompt_side(after)
    floor = floor_of(differences_of(one, other))
    assert (floor is Step.NONE) is (before == after)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.id)
def test_the_largest_steps_come_first_and_decide(case):
    diff = case.judge()
    steps = [difference.step for difference in diff.differences]
    assert steps == sorted(steps, reverse=True)
    assert diff.floor == max(steps, default=Step.NONE)
    table = {row.id: row for row in FLOOR_TABLE}
    for difference in diff.differences:
        row = table[difference.row]
        assert (difference.step, difference.reason) == (row.step, row.reason)
        assert difference.behaviour is row.behaviour


def test_wording_and_capabilities_are_to_be_read():
    read = {row.id for row in FLOOR_TABLE if row.behaviour}
    assert read == {
        "PBE-ORDER",
        "PBE-START-END",
        "PBE-WORDING",
        "PROMPT-ROLES",
        "PROMPT-WORDING",
        "CAPABILITY-ADDED",
    }


def test_what_cannot_be_understood_is_not_compared():
    good = pbe_side({"a": 1})
    for bad in (artifact_side(b"{", Format.PBE), artifact_side(b"x", Format.PROMPT)):
        assert (bad.format, bad.text) == (None, "")
        assert differences_of(good, bad) == differences_of(bad, good) == ()
    assert folder_side({"release.toml": b"=", "notes.md": b""}, "x.prompt", Format.PROMPT).files
    assert differences_of(good, prompt_side("[METADATA]\n@dotprompt_format_version 0.0.1\n")) == ()


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a" * 300, "a" * 300 + "b", ("…" + "a" * 40, "…" + "a" * 40 + "b")),
        ("a" * 300, "b" + "a" * 299, ("a" * 239 + "…", "b" + "a" * 238 + "…")),
        ("short", "shorter", ("short", "shorter")),
    ],
)
def test_long_values_are_shown_from_where_they_differ(before, after, shown):
    (found,) = differences_of(pbe_side({"own": before}), pbe_side({"own": after}))
    assert (found.before, found.after) == shown


def test_a_renamed_part_is_told_once_for_each():
    def engine(*names):
        parts = [{"name": name, "purpose": "the same"} for name in names]
        return pbe_side({"facilitator_techniques": {"techniques": parts}})

    found = differences_of(engine("a", "b", "c"), engine("d", "b", "e"))
    assert [d.message for d in found] == [
        "the technique `a` was renamed to `d`",
        "the technique `c` was renamed to `e`",
    ]


def test_two_releases_of_a_tree():
    def sides(files):
        return map(submission_side, next(iter(Tree(files).entries)).submissions())

    first, second = sides(tree(entry("hello", "1.0.0", "1.1.0")))
    assert differences_of(first, first) == ()
    assert differences_of(first, second) == ()  # `changes` alone is about the version itself
    other = tree(entry(), update("1.0.1", more='[requires]\ndiary = "*"\n'))
    found = differences_of(*sides(other))
    assert [(d.row, d.pointer) for d in found] == [
        ("REQUIRES-ADDED", "/requires/diary"),
        ("PROMPT-WORDING", ""),
    ]
    assert found[1].after == "Say hello, briefly."


def test_the_first_save_key_is_an_addition():
    before, after = (
        pbe_side({"save_system": {"save_template": template}})
        for template in ({}, {"quiz_save": {"score": 0}})
    )
    (found,) = differences_of(before, after)
    assert (found.row, found.step) == ("PBE-SAVE-FIELD-ADDED", Step.MINOR)
    assert found.pointer == "/save_system/save_template/quiz_save"


@pytest.mark.parametrize(
    "case", [b"text = 'Say hello'", b"text = 'Say hello.'\nmore = 1", b"text = '", b""]
)
def test_a_golden_case_that_did_not_hold_promises_nothing(case):
    files = {"x.prompt": PROMPT.encode(), "evidence/a.render.toml": case}
    before = folder_side(files, "x.prompt", Format.PROMPT)
    files = {**files, "x.prompt": PROMPT.replace("hello", "good morning").encode()}
    after = folder_side(files, "x.prompt", Format.PROMPT)
    assert [d.row for d in differences_of(before, after)] == ["PROMPT-WORDING"]
