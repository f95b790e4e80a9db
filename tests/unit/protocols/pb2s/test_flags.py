"""Which words of a reflection name something, and which deny it."""

import pytest

from psreg.core.diagnostics import Span
from psreg.protocols.pb2s.flags import FLAG_TERMS, flags_of

CONTRADICTION, ASSUMPTION, EVIDENCE = FLAG_TERMS


def named(text):
    return [flag.term for flag in flags_of(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("- contradiction: A and not A", [CONTRADICTION]),
        ("two Contradictions", [CONTRADICTION]),
        ("an unjustified-assumption", [ASSUMPTION]),
        ("UNJUSTIFIED\n  ASSUMPTIONS", [ASSUMPTION]),
        ("missing\u2011evidence", [EVIDENCE]),
        ("**Missing evidence**: x", [EVIDENCE]),
        ("self-contradiction(s) in line 1", [CONTRADICTION]),
        ("does not resolve the contradiction", [CONTRADICTION]),
        ("the contradiction is not resolved", [CONTRADICTION]),
        ("not only a contradiction", [CONTRADICTION]),
        ("No, there is a contradiction", [CONTRADICTION]),
        ("no source given: missing evidence", [EVIDENCE]),
        ("There is no source (missing evidence)", [EVIDENCE]),
        ("no contradiction, but missing evidence", [EVIDENCE]),
        ("no contradiction; missing evidence", [EVIDENCE]),
        ("no contradiction, missing evidence for the date", [EVIDENCE]),
        ("contradiction: no source says so", [CONTRADICTION]),
        ("contradiction: none of the lines agrees", [CONTRADICTION]),
        ("not free of contradiction", [CONTRADICTION]),
        ("- no\n- contradiction", [CONTRADICTION]),
        ("cannot see how this contradiction holds", [CONTRADICTION]),
        ("no reason for the contradiction", [CONTRADICTION]),
        ("missing evidence and contradiction", [EVIDENCE, CONTRADICTION]),
    ],
)
def test_what_is_named(text, terms):
    assert named(text) == terms


@pytest.mark.parametrize(
    "text",
    [
        "no contradiction",
        "No contradictions found.",
        "no\n contradiction",
        "no **contradiction**",
        "no glaring contradiction",
        "zero contradictions",
        "without contradiction",
        "free of contradictions",
        "The draft is contradiction-free.",
        "non-contradiction",
        "not a contradiction",
        "There are no unjustified assumptions",
        "I do not see any contradiction",
        "there isn't a contradiction",
        "it doesn’t contain contradictions",
        "no sign of any contradiction",
        "Contradictions: none",
        "contradiction: no.",
        "contradictions (none found)",
        "contradiction — none",
        "Contradictions were not found",
        "contradictions are absent",
        "no contradictions or unjustified assumptions",
        "no contradiction / missing evidence",
        "neither contradictions nor missing evidence",
        "No contradiction, unjustified assumption or missing evidence",
    ],
)
def test_what_is_denied(text):
    assert named(text) == []


@pytest.mark.parametrize(
    "text", ["evidence is missing", "an assumption", "contradictory", "", "unjustified claims"]
)
def test_what_is_none_of_the_terms(text):
    assert named(text) == []


def test_a_flag_knows_its_place():
    (flag,) = flags_of("So: missing evidence.", Span(2, 21))
    assert flag.at == Span(4, 20)
    assert list(flags_of("contradiction. So.", Span(13, 18))) == []
