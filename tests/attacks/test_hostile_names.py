"""A name or a version is no name or version: nothing is asked, whatever it would lead to."""

from __future__ import annotations

import pytest

NAMES = ["../../etc/passwd", "/etc/passwd", "a\u200bb", "quiz\nmaster", "q" * 65, "%2e%2e", ".", ""]


@pytest.mark.attack("T15", (2, "BAD_NAME"), (2, "USAGE"))
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_none_asks_nothing(attack, name):
    before = len(attack.server.asked)
    assert attack.client.refused("install", name)[0] == 2
    assert len(attack.server.asked) == before


@pytest.mark.attack("T15", (2, "BAD_RANGE"))
@pytest.mark.parametrize("version", ["../1.0.0", "1.0.0/../..", "\u0661.0.0", "1.0.0\n2", "1" * 99])
def test_a_version_that_is_none_asks_nothing(attack, version):
    before = len(attack.server.asked)
    assert attack.client.refused("install", f"quiz_master@{version}") == (2, "BAD_RANGE")
    assert len(attack.server.asked) == before
