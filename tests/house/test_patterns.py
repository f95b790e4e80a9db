"""What no pattern may use, because Python 3.11.0 to 3.11.4 get it wrong (CPython gh-106052)."""

import re

from support.paths import SOURCE

POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")


def test_no_group_is_repeated_possessively():
    # NOTE: a body that fails halfway leaves the match there. Repeated single characters are fine.
    assert not [
        f"{path}:{number}"
        for path in SOURCE.rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if POSSESSIVE_GROUP.search(line)
    ]
