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
        ("contradiction:\n  A and not A", [CONTRADICTION]),
        ("contradiction: no (reliable) source agrees", [CONTRADICTION]),
        ("[x] contradiction", [CONTRADICTION]),
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
        ("10 contradictions", [CONTRADICTION]),
        ("version 1.0 contradictions", [CONTRADICTION]),
        ("contradiction: 0 °C and 5 °C", [CONTRADICTION]),
        ("contradictions: 0.5 and 0.7", [CONTRADICTION]),
        ("contradictions: 0,5", [CONTRADICTION]),
        ("contradiction: the draft lacks any source", [CONTRADICTION]),
        ("lacks a source: a contradiction", [CONTRADICTION]),
        ("contradiction 0 of the list", [CONTRADICTION]),
        ("a contradiction that cannot be ruled out", [CONTRADICTION]),
        ("contradictions are not ruled out", [CONTRADICTION]),
        ("the text avoids naming the contradiction", [CONTRADICTION]),
        ("contradiction: zero and one", [CONTRADICTION]),
        ("contradiction: not A, but B", [CONTRADICTION]),
        ("contradiction, not found in the source", [CONTRADICTION]),
        ("nothing but contradictions", [CONTRADICTION]),
        ("100 contradictions", [CONTRADICTION]),
        ("contradiction count 0.5", [CONTRADICTION]),
    ],
)
def test_what_is_named(text, terms):
    assert named(text) == terms


@pytest.mark.parametrize(
    "text",
    [
        "no contradiction",
        "contradictions: 00",
        "00 contradictions",
        "\uff10 contradictions",
        "0\ufe0f\u20e3 contradictions",
        "contradiction: not found",
        "contradictions: not detected.",
        "contradictions, zero",
        "Contradictions, none found.",
        "contradiction count 0",
        "I found nothing that is a contradiction",
        "contradictions ×0",
        "contradictions: ∅",
        "contradictions: 0 (checked twice)",
        "contradiction: –",
        "contradiction: nope",
        "[ ] contradiction",
        "I looked for a contradiction and found none.",
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
        "0 contradictions",
        "- 0 contradictions found",
        "The draft lacks any contradiction.",
        "lacks contradictions",
        "it lacks missing evidence",
        "Contradictions: 0",
        "Contradictions: zero",
        "contradiction count: 0",
        "Number of contradictions: 0",
        "no evidence of contradiction",
        "no evidence of any contradictions",
        "not a single contradiction",
        "not one contradiction",
        "nil contradictions",
        "devoid of contradiction",
        "lacking contradictions",
        "without a single contradiction",
        "zero (0) contradictions",
        "Contradictions = none",
        "contradictions - none.",
        "contradictions → none",
        "Contradictions? None.",
        "Contradictions? No.",
        "contradictions are ruled out",
        "contradictions do not exist",
        "contradictions don't exist",
        "there exist no contradictions",
        "no known contradictions",
        "no (new) contradictions",
        "Contradictions [none]",
        "Contradictions: None found, missing evidence: none.",
        "Contradictions do not occur",
        "I could find no contradiction",
        "absent contradictions",
        "rules out any contradiction",
        "avoids contradiction",
        "0 contradictions, 0 unjustified assumptions, 0 missing evidence",
        "No contradictions and no missing evidence",
        "Contradictions: not any",
        "contradictions: 0 / 3",
        "**0** contradictions",
        "0x contradictions",
        "contradictions | 0",
        "Neither contradictions nor missing evidence",
        "hardly any contradiction",
        "free of any contradiction",
        "contradiction-free",
        "Contradictions (0)",
        "contradictions none",
        "None (no contradiction)",
        "no more contradictions",
        "contradictions have been excluded",
        "There are 0 remaining contradictions",
        "Zero remaining contradictions",
        "I see no contradictions, unjustified assumptions, or missing evidence.",
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
