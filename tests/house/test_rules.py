"""Every rule is complete: one code, a page that helps, a case it catches and one it lets pass."""

import re

import pytest

from psreg import __version__
from psreg.cli.rules import all_rules
from psreg.core.version import FIRST_PSREG, parse_version
from support.corpus_cases import CORPUS, cases
from support.paths import VECTORS

RULES = all_rules()

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_corpus(case):
    found = case.judge()
    codes = [d.code for d in found]
    if case.bad:
        assert case.code in codes
        assert case.lines(found) == case.expected
    else:
        assert case.code not in codes


def test_codes_are_unique_and_well_formed():
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[A-Z](?:[A-Z0-9]*[A-Z])?\d{3}", code) for code in codes)


def test_slugs_are_unique_in_their_family():
    slugs = [(rule.family, rule.slug) for rule in RULES]
    assert sorted(set(slugs)) == sorted(slugs)


def test_rule_is_complete():
    citation = "[a-z0-9.-]+/[A-Z0-9-]+[a-z]?"
    for rule in RULES:
        assert rule.summary.endswith("."), rule.code
        assert "## Why" in rule.body, rule.code
        assert "## Fix" in rule.body, rule.code
        assert len(rule.body) > 200, rule.code
        assert re.fullmatch(f"{citation}( {citation})*", rule.spec), rule.code


def test_each_rule_says_since_which_version_it_exists():
    """A new rule names the version that brings it; that of an old rule never changes."""
    first = {*(VECTORS / f"rules-{FIRST_PSREG}.txt").read_text().split()}
    assert {rule.code for rule in RULES if rule.since == FIRST_PSREG} == first
    for rule in RULES:
        assert parse_version(FIRST_PSREG) <= parse_version(rule.since) <= parse_version(__version__)


def test_rule_has_a_bad_and_a_good_case():
    for rule in RULES:
        begun = {path.name.partition("-")[0] for path in (CORPUS / rule.code).glob("*")}
        assert begun >= {"bad", "good"}, rule.code


def test_no_corpus_folder_without_a_rule():
    folders = {path.name for path in CORPUS.iterdir()}
    assert folders == {rule.code for rule in RULES}


def test_no_page_promises_what_no_command_does():
    """`check --fix` changes entries, but not transcripts: they are evidence."""
    about_transcripts = ("VPP", "PLSP", "PB2S", "PROTO")
    promising = [each.code for each in RULES if "--fix" in each.doc]
    assert promising
    assert not [code for code in promising if code.startswith(about_transcripts)]
