"""The words of a release besides those that its author chose."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from psreg.registry.build import build
from psreg.registry.search.own_words import MOST, own_words
from support.registry_trees import entry, tree, version


def test_words_are_those_of_text_and_readme_that_say_something():
    text = "You are a lawyer for tenants. Explain each clause of the {contract-type} to me. 2026"
    readme = "# Tenancy\n\nFor Clauses and deposits, with an example.\n"
    assert own_words([], text, readme) == "clauses contract deposits lawyer tenancy tenants"
    assert own_words(["contract_lawyer"], text, readme) == "clauses deposits tenancy tenants"
    assert own_words([], "", "") == ""


def test_variables_and_headings_say_more_than_sentences():
    often = " ".join(f"{a}{b}word " * 6 for a in "xyz" for b in "abcdefghijklmnopqrstuvwxyz")
    words = own_words([], often + "{mortgage} volcano", "# Budget\n# Budget\nglacier").split()
    assert len(words) == MOST
    assert [word for word in words if len(word) > 6] == ["mortgage"]
    assert "budget" in words


@pytest.mark.parametrize("word", ["of", "é", "x" * 33, "20261121", "answer", "beispiel"])
def test_what_says_nothing_is_left_out(word):
    assert own_words([], f"{word} tenancy", word) == "tenancy"


def test_a_record_lists_them():
    files = tree(entry("a"), version("a", prompt="[METADATA]\n[CONTENT]\nHail the {volcano}.\n"))
    record = build(files, {}, datetime(2026, 11, 21, tzinfo=UTC)).records["a"].to_json()
    assert record["releases"][0]["words"] == "hail volcano"
