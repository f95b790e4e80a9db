"""A registry sends its readers to another host, or off TLS."""

from __future__ import annotations

import pytest

from simulator import METADATA
from support.loopback import answer, serving

ARTIFACT = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"


@pytest.mark.attack("T17", (4, "NETWORK_REFUSED"))
@pytest.mark.parametrize("path", [f"{METADATA}timestamp.json", f"{METADATA}2.root.json", ARTIFACT])
def test_another_origin_is_never_asked(attack, path):
    with serving(attack.registry.files) as elsewhere:
        there = f"{elsewhere.url}/{path}"
        attack.tricks[path] = lambda h: answer(h, 302, b"", Location=there)
        assert attack.install() == (4, "NETWORK_REFUSED")
        assert elsewhere.asked == []
        assert attack.server.asked.count(path) == 1
    assert attack.client.installed() == []
