"""What no pattern may use, because Python 3.11.0 to 3.11.4 get it wrong (CPython gh-106052)."""

import re

import pytest

from support.paths import SOURCE

POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.stem)
def test_no_group_is_repeated_possessively(path):
    # NOTE: a body that fails halfway leaves the match there. Repeated single characters are fine.
    lines = enumerate(path.read_text().splitlines(), 1)
    assert not [number for number, line in lines if POSSESSIVE_GROUP.search(line)]
