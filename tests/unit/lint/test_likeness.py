"""How alike two texts are: the estimate against the exact share, and what a sketch depends on."""

import random
import re
import statistics
from pathlib import PurePosixPath

import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.tree import Tree
from psreg.lint.likeness import FEWEST, LONGEST, SIZE, START, hashes, likeness, prompt_text, sketch
from support.registry_trees import entry, tree, version

WORDS = [f"{one}{other}" for one in ("ba", "cu", "do", "fi") for other in "bcdfghjklmnpqrst"]


def sequences(text):
    words = text.split()
    return {*zip(words, words[1:], words[2:], strict=False)}


def exact(one, other):
    first, second = sequences(one), sequences(other)
    return len(first & second) / len(first | second)


def datasketch(text):
    found = MinHash(num_perm=SIZE, seed=1)
    found.update_batch([" ".join(each).encode() for each in sequences(text)])
    return found


def edited(pick, words, share):
    return " ".join(pick.choice(WORDS) if pick.random() < share else word for word in words)


def test_the_estimate_is_as_near_to_the_exact_share_as_that_of_datasketch():
    pick, ours, theirs = random.Random(7), [], []
    for n in range(60):
        words = pick.choices(WORDS, k=pick.randrange(100, 1200))
        one, other = " ".join(words), edited(pick, words, n / 150)
        right = exact(one, other)
        ours.append(abs(likeness(sketch(one), sketch(other)) - right))
        theirs.append(abs(datasketch(one).jaccard(datasketch(other)) - right))
    assert statistics.mean(ours) < min(0.05, 1.25 * statistics.mean(theirs))
    assert max(ours) < 0.2


TEXTS = st.lists(st.sampled_from(WORDS[:7]), min_size=20, max_size=34).map(" ".join)


@given(TEXTS, TEXTS)
def test_law_texts_with_few_sequences_are_compared_exactly(one, other):
    if min(map(len, map(sequences, (one, other)))) >= FEWEST:
        assert likeness(sketch(one), sketch(other)) == pytest.approx(exact(one, other))
        assert likeness(sketch(one), sketch(one)) == 1


@given(st.text(max_size=400))
def test_law_a_sketch_is_short_ascii_and_ascending(text):
    found = sketch(text)
    assert re.fullmatch(r"([-0-9A-Z_a-z]{5}){0,64}", found, re.ASCII)
    assert hashes(found) == sorted(set(hashes(found)))


TEXT = " ".join(WORDS)


def test_a_sketch_is_the_same_everywhere_and_forever():
    assert sketch(TEXT)[:START] == "16MYK3X35H5ayQ38IFD7"
    assert sketch("はじめに要点を三つ挙げ、次に理由を説明する。")[:START] == "0GJwu0rJCz2QHii5aRmp"
    assert len(hashes(sketch(TEXT))) == len(WORDS) - 2
    assert len(sketch(TEXT * 9)) == 5 * SIZE


def test_case_punctuation_and_compatible_forms_do_not_count():
    wide = "".join(chr(ord(letter) + 0xFEE0) if letter != " " else " " for letter in TEXT)
    for same in (TEXT.upper(), TEXT.replace(" ", ",\n- "), wide):
        assert sketch(same) == sketch(TEXT)
    assert sketch(TEXT.replace("bab", "bag")) != sketch(TEXT)


def test_a_short_text_is_like_nothing():
    assert sketch(" ".join(WORDS[: FEWEST + 1])) == ""
    assert sketch(" ".join(WORDS[: FEWEST + 2])) != ""
    assert likeness("", "") == likeness("", sketch(TEXT)) == 0


def test_a_lone_surrogate_is_a_character():
    assert sketch(TEXT + " \ud800") != ""


def text_of(files):
    (submission,) = Tree(files).submissions
    return prompt_text(submission)


def test_what_a_model_reads_is_the_content_of_a_prompt_or_the_values_of_a_pbe():
    prompt = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n(% Not %)Say {x}.\n"
    assert text_of(tree(version(prompt=prompt))) == "Say {x}."
    folder = "pbes/stateless_executor/z/1.0.0"
    for data, text in ((b'{"a": ["b", {"c": "d"}], "e": 1}', "b\nd"), (b"{", "")):
        assert text_of({PurePosixPath(folder, "z.pbe.txt"): data}) == text
    assert text_of({PurePosixPath(folder, "README.md"): b"-"}) == ""
    assert text_of(tree(entry())) == "Say hello."


@given(st.text(st.characters(max_codepoint=0x7F), max_size=200))
def test_law_ascii_is_read_as_other_text_is(text):
    """A letter beyond ASCII, in a word of its own, must only add the sequences around it."""
    alone, beside = (hashes(sketch(f"{TEXT} {text}{more}")) for more in ("", " é é é"))
    if len(beside) < SIZE:
        assert {*alone} <= {*beside}


@pytest.mark.parametrize("word", ["word", "wörd"])
def test_of_a_long_text_the_beginning_is_read(word):
    long = " ".join(f"{word}{n}" for n in range(LONGEST))
    assert sketch(f"{long} and more") == sketch(long)
    assert sketch(long) != sketch(long[: len(long) // 2])
