"""Patterns that are compiled when they are first used."""

import re

import pytest

from psreg.core.regex import lazy


def test_a_lazy_pattern_behaves_like_a_compiled_one():
    pattern = lazy("a(B)", re.IGNORECASE)
    assert pattern.search("xAb")[1] == "b"
    assert pattern.sub("-", "ab ab") == "- -"
    assert pattern.pattern == "a(B)"


def test_a_lazy_pattern_is_compiled_when_it_is_used():
    pattern = lazy("(")
    with pytest.raises(re.error):
        pattern.match("")
