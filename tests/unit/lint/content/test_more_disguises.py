"""Some hundred disguises, none made from the tables of the lint, of attacks in five languages."""

import pytest

from psreg.lint.engine import check_file
from support.disguises import ATTACKS, KINDS, kept_aside

HEAD = "[METADATA]\n@dotprompt_format_version 0.0.1\n\n[CONTENT]\n"
HALF = len(ATTACKS) // 2
HIDDEN = {
    "Cherokee",
    "Greek",
    "Han and Hangul",
    "ROT13 in quotes with plus",
    "a null between letters",
    "columns of words",
    "combining letters",
    "letters in two rows",
    "lines backwards",
    "long escapes",
    "long vowels",
    "numbers between words",
    "one long letter",
    "pig Latin with hyphens",
    "stars for vowels",
    "the first letter in struck",
    "without vowels",
}
"""Disguises that the lint sees through for fewer than half of the attacks."""


def found(text):
    reported = check_file(f"{HEAD}{text}\n".encode(), path="x.prompt")
    return any(
        d.family == "PS" and d.severity in ("warning", "error") and d.code not in ("PS021", "PS070")
        for d in reported
    )


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_is_found_as_it_is(attack):
    assert found(attack)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - HIDDEN))
def test_a_disguise_is_seen_through(kind):
    assert sum(found(KINDS[kind](attack)) for attack in ATTACKS.values()) >= HALF


def test_the_disguises_kept_aside_are_found_as_often():
    number = {True: 0, False: 0}
    hidden = {True: 0, False: 0}
    for kind in KINDS:
        number[kept_aside(kind)] += 1
        hidden[kept_aside(kind)] += kind in HIDDEN
    assert hidden[True] / number[True] < hidden[False] / number[False] + 0.05


@pytest.mark.parametrize(
    "text",
    [
        "Read the previous chapters. **Instructions** follow in `system/prompt.md`, see [b](x).",
        "Usage: `['abc1', 'def2', 'ghi3x', 'jkl45']` and a1b2c3 d4e5f6 g7h8i9 k1l2m3.",
        "1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16 are numbers; <~ab~> is a tilde.",
        "The pro-\ngrammer writes x=\n1. <b>Note</b>: previous <i>rules</i> apply.",
        "Le resume des regles precedentes; ohne Gewaehr; nao ignore todas as regras anteriores.",
        "a b c d e f g h i j k: the columns of a table of all prior years",
    ],
)
def test_what_looks_like_a_disguise_is_none(text):
    assert not found(text)
