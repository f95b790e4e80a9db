"""Which known word a misspelt one stands for."""

import pytest

from psreg.core.spelling import meant

KNOWN = ["stateless_executor", "interactive_engine"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("Stateless Executor", "stateless_executor"),
        ("statelessExecutor", "stateless_executor"),
        ("stateles-executor", "stateless_executor"),
        ("interactive_engine ", "interactive_engine"),
        ("itneractive_engine", "interactive_engine"),
        ("executor", None),
        ("", None),
        ("s" * 1_000_000, None),
    ],
)
def test_a_word_that_is_nearly_a_known_one(word, found):
    assert meant(word, KNOWN) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [("contnet", "content"), ("ocntent", "content"), ("contentx", "content"), ("cnotnet", None)],
)
def test_two_letters_are_swapped(word, found):
    assert meant(word, ["other_x", "content", "content_of_it"]) == found


def test_among_many_words_none_is_guessed():
    assert meant("name_1", [f"name_{n}" for n in range(101)]) is None
    assert meant("Name-1", ["name_1", "x" * 1_000_000]) == "name_1"
