"""Words that mean the same."""

from __future__ import annotations

import pytest

from psreg.registry.search.thesaurus import LONGEST, Thesaurus, psreg_thesaurus, synonyms
from psreg.registry.search.words import words_of

TEXT = """
# a comment, not a word
Email, mail, Correo electrónico > reply
reply, answers
salary, pay > negotiation, bargaining > a talk
! the a
"""


def meanings(*phrase):
    return [(" ".join(each), related) for each, related in Thesaurus(TEXT).meanings(phrase)]


def test_words_in_a_line_stand_for_each_other():
    assert meanings("mail") == [
        ("email", False),
        ("correo electronico", False),
        ("reply", True),
    ]
    assert meanings("correo", "electronico")[0] == ("email", False)


def test_related_words_are_found_and_not_the_reverse():
    assert meanings("reply") == [("answers", False)]
    assert [each for each, related in meanings("pay") if related] == [
        "negotiation", "bargaining", "a talk",
    ]  # fmt: skip
    assert meanings("negotiation") == []


def test_forms_of_words_mean_the_same():
    assert meanings("emails") == meanings("email")
    assert meanings("answer") == [("reply", False)]


def test_words_that_fit_everything_mean_nothing():
    thesaurus = Thesaurus(TEXT)
    assert thesaurus.weak == {"the", "a"}
    assert meanings("the") == meanings("comment") == []
    assert "the" not in thesaurus.words
    assert {"email", "salary", "bargaining"} <= thesaurus.words
    assert not {"correo", "talk", "comment"} & thesaurus.words


def test_the_file_of_psreg_is_as_its_header_says():
    written = (line.strip() for line in synonyms().decode().splitlines())
    lines = [line for line in written if line and line[0] not in "#!"]
    assert len(lines) > 150
    for line in lines:
        same, _, related = line.partition(">")
        assert len(same.split(",")) > 1 or related, line
        for part in line.replace(">", ",").split(","):
            assert 0 < len(words_of(part)) <= LONGEST, part


def test_a_registry_adds_lines():
    thesaurus = psreg_thesaurus(["Übergabe, shift report > ward"])
    assert [*thesaurus.meanings(("ubergabe",))] == [
        (("shift", "report"), False),
        (("ward",), True),
    ]
    assert (("translate",), False) in [*thesaurus.meanings(("ubersetzung",))]
    assert [*psreg_thesaurus().meanings(("ubergabe",))] == []


@pytest.mark.parametrize(
    ("word", "meant"),
    [("übersetzung", "translate"), ("protokoll", "minutes"), ("traducción", "translate")],
)
def test_psreg_knows_words_of_several_languages(word, meant):
    same = [each for each, related in psreg_thesaurus().meanings((*words_of(word),))]
    assert (meant,) in same
