"""Which protocols a text names."""

import pytest

from psreg.formats.protocol_versions import PROTOCOLS
from psreg.protocols.named import named_protocols
from psreg.protocols.vpp.system_prompt import system_prompt


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (system_prompt("1.4"), {"vpp": "1.4"}),
        ("VPP_VERSION: 1.4", {"vpp": "1.4"}),
        ("You speak vpp v1.3. It is the Viable Prompt\u00a0Protocol.", {"vpp": "1.3"}),
        ("Use the viable prompt protocol.", {"vpp": ""}),
        ("Use the viable prompt protocol: VPP-1.4!", {"vpp": "1.4"}),
        ("End with [Version=v1.4 | Tag=<q_1> | …].", {"vpp": "1.4"}),
        ("Prompt Loop State Protocol (PLSP) v0.5", {"plsp": "0.5"}),
        ("PLSP 0.5, PB2S (version 0.2)", {"plsp": "0.5", "pb2s": "0.2"}),
        ('{"pb2s_proof": {}}', {"pb2s": ""}),
        ("VPP 24.02 forwards packets; a VPP joins power plants; MVPP 1.4.", {}),
        ("PLSP and PB2S without a version, and [Version=v1.4]", {}),
        ("VPP" + " " * 9 + "1.4", {}),
    ],
)
def test_a_protocol_is_named_by_what_only_it_has(text, named):
    assert dict(named_protocols(text)) == named


def test_each_protocol_is_found_by_its_versions():
    for name, versions in PROTOCOLS.items():
        for version in versions:
            assert list(named_protocols(f"{name} {version}")) == [(name, version)]
