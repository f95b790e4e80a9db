"""Words as a search compares them: folded, in forms, with typing errors."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.registry.search.words import (
    distance,
    errors_allowed,
    folded,
    spellings,
    stem,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Résumé", "resume"),
        ("Straße", "strasse"),
        ("ŒUVRE ørsted", "oeuvre orsted"),
        ("ＡＢＣ", "abc"),
        ("Plain", "plain"),
    ],
)
def test_case_and_accents_do_not_count(text, found):
    assert folded(text) == found


def test_words_are_runs_of_letters_and_digits():
    assert words_of("Post-mortem_of: l'été, x2!") == ["post", "mortem", "of", "l", "ete", "x2"]
    assert words_of("日本語のquiz") == ["日", "本", "語", "の", "quiz"]
    assert words_of("…") == []


def test_umlauts_have_two_spellings():
    assert spellings("Übersetzung") == [("ubersetzung", "uebersetzung")]
    assert spellings("uebersetzung") == [("uebersetzung", "ubersetzung")]
    assert spellings("quiz 2") == [("quiz",), ("2",)]


@given(st.text())
def test_each_word_has_spellings(text):
    assert [each[0] for each in spellings(text)] == words_of(text)


@pytest.mark.parametrize(
    "forms",
    [
        "code codes coding",
        "test tests tested testing tester",
        "quiz quizzes",
        "story stories",
        "copy copies copying",
        "plan plans planning planner",
        "debug debugging debugger",
        "translate translates translation translator translating",
        "summary summaries summarise summarize summarizer summarization",
        "negotiate negotiation negotiations",
        "anonymise anonymize anonymous anonymisieren anonymisierung",
        "answer answers answering",
        "class classes",
        "analyse analysis analyses",
        "Übersetzung übersetzen Übersetzer",
        "Lehrer Lehrerin Lehrerinnen lehren",
        "Vokabel Vokabeln",
        "Entscheidung Entscheidungen entscheiden",
        "réunion réunions reunión reuniones",
        "résumé résumer resumen resumir",
        "traduction traducteur traductrice",
        "traducir traducción traducciones",
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len({stem(word) for word in words_of(forms)}) == 1


@pytest.mark.parametrize(
    "words",
    ["data date", "test text", "meet met", "string strings2", "user use"],
)
def test_other_words_have_other_stems(words):
    one, other = words_of(words)
    assert stem(one) != stem(other)


@given(st.text(string.ascii_lowercase, min_size=1))
def test_a_stem_is_a_beginning(word):
    assert word.startswith(stem(word))
    assert stem(word) or not word


@pytest.mark.parametrize(
    ("one", "other", "errors"),
    [
        ("quiz", "quiz", 0),
        ("qiuz", "quiz", 1),
        ("quz", "quiz", 1),
        ("quiiz", "quiz", 1),
        ("quit", "quiz", 1),
        ("debuging", "debugging", 1),
        ("recieve", "receive", 1),
        ("quiz", "fizz", 3),
        ("quiz", "translation", 3),
        ("abcdef", "uvwxyz", 3),
    ],
)
def test_typing_errors_are_counted(one, other, errors):
    assert distance(one, other, 2) == distance(other, one, 2) == errors


def test_long_words_may_have_more_errors():
    assert [*map(errors_allowed, ("sql", "quiz", "reviews", "debugging"))] == [0, 1, 1, 2]
