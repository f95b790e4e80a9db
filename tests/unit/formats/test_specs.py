"""Every id of the five specifications is known, and psreg says what it does about it."""

import re

import pytest

from psreg.cli.rules import all_rules
from psreg.formats.specs import Clause, Reading, citing, specifications
from support.paths import beside

RULES = all_rules()

EXPECTED = {
    "pbe-1.0": ("PBE", 22, 16),
    "dotprompt-0.0.1": ("PROMPT", 14, 23),
    "vpp-1.4": ("VPP", 15, 21),
    "plsp-0.5": ("PLSP", 17, 17),
    "pb2s-0.2": ("PB2S", 13, 22),
}
SPECS = specifications()
OURS = {"registry", "toml-1.0.0"}
"""What rules cite and no specification of the five is."""

ROWS = [(spec, row) for spec in SPECS for row in spec.rows]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.cited)
def test_every_id_is_there_once_and_in_order(spec):
    prefix, rules, readings = EXPECTED[spec.cited]
    assert [row.id for row in spec.clauses] == [f"{prefix}-{n:02}" for n in range(1, rules + 1)]
    # A reading that was added later has a letter: A13b.
    numbered = dict.fromkeys(row.id.rstrip("bcdefgh") for row in spec.readings)
    assert list(numbered) == [f"{prefix}-A{n}" for n in range(1, readings + 1)]


def test_all_five_are_there():
    assert [spec.cited for spec in SPECS] == list(EXPECTED)
    assert [spec.page for spec in SPECS] == [
        "specs/pbe/1.0/", "specs/prompt/0.0.1/", "specs/vpp/1.4/", "specs/plsp/0.5/",
        "specs/pb2s/0.2/",
    ]  # fmt: skip


def test_the_ids_are_those_of_the_readings():
    text = beside("specs/READINGS.md").read_text(encoding="utf-8")
    ids = re.findall(r"^\| ((?:PBE|PROMPT|VPP|PLSP|PB2S)-A?\d+[a-z]?) \|", text, re.MULTILINE)
    assert sorted(ids) == sorted(row.id for _, row in ROWS)


def test_every_id_has_exactly_one_treatment_and_rules_go_first():
    cited = citing(RULES)
    for spec, row in ROWS:
        rules = cited.get(f"{spec.cited}/{row.id}", ())
        treatments = [rules, row.semantics, row.not_checkable, row.later]
        assert sum(map(bool, treatments)) == 1, f"cite {row.id} in a rule, or say why there is none"


def test_every_cited_id_exists():
    known = {f"{spec.cited}/{row.id}" for spec, row in ROWS}
    cited = {citation for rule in RULES for citation in rule.spec.split()}
    assert not {each for each in cited - known if each.partition("/")[0] not in OURS}


def test_every_row_is_said_in_sentences():
    for _, row in ROWS:
        match row:
            case Clause(text=text):
                sentences = [text]
            case Reading(unclear=unclear, ours=ours, why=why):
                sentences = [unclear, ours, why]
        assert all(re.fullmatch(r"[A-Z`].{10,260}\.", each) for each in sentences), row.id


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.cited)
def test_the_words_are_our_own(spec):
    """No run of nine words of the specification or of the readings is copied."""
    theirs = _runs(beside(f"specs/{spec.cited}.md").read_text(encoding="utf-8"))
    theirs |= _runs(beside("specs/READINGS.md").read_text(encoding="utf-8"))
    for row in spec.rows:
        for sentence in (getattr(row, name) for name in type(row).__slots__):
            assert not _runs(sentence) & theirs, sentence


def _runs(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[n : n + 9]) for n in range(len(words) - 8)}
