"""Names near given ones are found without comparing each, and none is missed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.tree import Tree
from psreg.lint.names.all_names import Names, similar_candidates, words
from psreg.lint.names.name_rules import NAME_RULES
from psreg.lint.names.similarity import FAR, distance, within_two
from support.registry_trees import tree

NAMES = ["quiz_master", "quizmaster", "quiz_rnaster", "trip_packer", "pub_quiz_host", "a"]

letters = st.text(alphabet="abm1_", max_size=9)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("quiz_master", {"quiz_master", "quizmaster", "quiz_rnaster"}),
        ("qu1z_master", {"quiz_master", "quizmaster", "quiz_rnaster"}),
        ("quiz_master_official", {"quiz_master"}),
        ("official_quiz_master", {"quiz_master"}),
        ("trip_pakcre", {"trip_packer"}),
        ("trip_pakrce_x", set()),
        ("b", set()),  # too short to be compared
        ("a", {"a"}),
    ],
)
def test_names_that_are_near(text, near):
    assert similar_candidates([text], NAMES) == near


def test_a_longer_name_with_an_affix_is_near():
    others = ["quiz_official", "the_quiz", "quiz_lite", "quiz_app", "quiz_night"]
    assert similar_candidates(["quiz"], others) == {*others} - {"quiz_night"}


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("socratic_tutor", "tutor_socratic"),
        ("socratic_tutor", "the_best_socratic_tutors"),
        ("quiz_master", "masters_of_the_quiz"),
        ("email_reply", "email_replies"),
        ("cookie_box", "boxes_cookies"),
        ("quiz_case", "quizzes_cases"),
        ("class_phrase", "classes_phrases"),
    ],
)
def test_names_of_the_same_words_are_near(name, other):
    others = ["refund_email", "socratic_method", other]
    assert similar_candidates([name], others) == {other}
    assert words(name) == words(other)


def test_names_with_line_breaks_are_names_of_their_own():
    assert similar_candidates(["trip_packer"], ["trip_\npacker", "xyz\ntrip_packer"]) == {
        "trip_\npacker"
    }
    assert similar_candidates(["x"], []) == set()


@given(letters, st.sets(letters, max_size=30))
def test_within_two_edits_is_what_the_distance_says(text, others):
    near = [other for other in sorted(others) if distance(text, other) < FAR]
    assert list(within_two(text, sorted(others))) == near


stems = st.text(alphabet="abm1", min_size=3, max_size=5)
affixed = st.sampled_from(["{}", "a_{}", "{}_core", "the_{}", "{}w"])
names = st.builds(str.format, affixed, stems)


@given(names, st.sets(names, min_size=1, max_size=8))
def test_no_name_that_a_rule_mentions_is_missed(text, others):
    known = others - {text}
    listed = {text, *known}
    found = Names(Tree(tree(*(_entry(name, at) for at, name in enumerate(sorted(listed))))))
    mentioned = set()
    for finding in (finding for rule in NAME_RULES for finding in rule.check(found)):
        subject, *said = re.findall(r"`(\w+)`", finding.message)
        if subject == text:
            mentioned.update(said)
        elif text in said:
            mentioned.add(subject)
    assert mentioned & known <= similar_candidates([text], known)


def test_names_of_other_owners_by_the_edits_between():
    listed = ["quiz_master", "quiz_mastr", "quizmaster", "quiz_mister", "trip_packer"]
    found = Names(Tree(tree(*(_entry(name, at) for at, name in enumerate(listed)))))
    first = next(name for name in found if name.text == "quiz_master")
    assert found.at_distance(first, 1) == ["quiz_mastr", "quiz_mister"]
    assert found.at_distance(first, 2) == []


def _entry(name, owner):
    toml = f'owners = [{{forge = "github", id = {owner + 1}, login = "x"}}]\n'
    return {f"pbes/prompt/{name}/entry.toml": toml}
