"""`psreg transcript`: every vector through the command line, every form, every way to go wrong."""

import json
from pathlib import Path

import pytest

from clients import Client
from psreg.protocols import PROTOCOLS

VECTORS = Path(__file__).parents[4] / "shared/vectors"

KINDS = {
    "E-CMD": {"VPP001", "VPP009"},
    "E-LINE": {"VPP003"},
    "E-MOD-UNKNOWN": {"VPP004"},
    "E-CONFLICT": {"VPP005"},
    "E-HEAD": {"VPP011", "VPP012", "VPP013", "VPP014"},
    "E-FOOTER-MALFORMED": {"VPP023", "VPP025"},
    "E-FOOTER-VERSION": {"VPP026"},
    "W-FOOTER-TAG-FORM": {"VPP027"},
    "W-FOOTER-DUP": {"VPP022"},
    "E-NUMBER": {"PLSP015"},
    "E-IDENT": {"PLSP011"},
    "E-OPEN": {"PLSP001", "PLSP003"},
    "E-CLOSE": {"PLSP002"},
    "E-VALUE": {"PLSP014"},
    "E-ASSIGN": {"PLSP010"},
    "E-STMT": {"PLSP006"},
    "E-MISSING-DRAFT": {"PB2S001"},
    **{f"E-TWICE-{name}": {"PB2S002"} for name in ("DRAFT", "REFLECT", "REVISE", "LEARNED")},
    "E-REFLECT-BULLETS": {"PB2S007"},
    "E-DECISION": {"PB2S014"},
    "E-CYCLES": {"PB2S015"},
    "E-AUDIT": {"PB2S016"},
    "E-CLARIFY-DECISION": {"PB2S020"},
    "E-TEMPERATURE": {"PB2S023"},
    "W-PREAMBLE": {"PB2S006"},
}
"""The rules that may report each kind of finding of the vectors."""


def vectors(name):
    path = VECTORS / f"{name}.json"
    if not path.is_file():
        reason = pytest.mark.skip(reason="the vectors are not beside this checkout")
        return [pytest.param({}, marks=reason, id=name)]
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_bytes())]


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Write the records as JSON Lines, judge the file, and return the document."""
    client = Client(tmp_path_factory.mktemp("transcripts"))

    def run(protocol, *records, code, form="jsonl"):
        path = client.place / f"x.{form}"
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        done = client.run("transcript", path, "--protocol", protocol, "--format", "json")
        assert (done.code, done.err) == (code, "")
        return done.json

    return run


def findings(document, severity):
    return [d["code"] for d in document["diagnostics"] if d["severity"] == severity]


def agree(codes, kinds):
    assert len(codes) == len(kinds)
    left = list(codes)
    for kind in kinds:
        left.remove(next(code for code in left if code in KINDS[kind]))


@pytest.mark.parametrize("case", vectors("vpp_commands"))
def test_commands_of_vpp(judge, case):
    expected, line = case["expect"], {"role": "user", "content": case["line"]}
    if isinstance(expected, str):
        agree(findings(judge("vpp", line, code=1), "error"), [expected])
        return
    found = judge("vpp", line, code=0)
    assert found["diagnostics"] == []
    assert found["parsed"] == [{"tag": expected[0], "modifiers": expected[1], "footer": None}]


@pytest.mark.parametrize("case", vectors("vpp_replies"))
def test_replies_of_vpp(judge, case):
    asked = {"role": "user", "content": case["user"]}
    said = {"role": "assistant", "content": case["reply"]}
    found = judge("vpp@1.4", asked, said, code=int(bool(case["errors"])))
    agree(findings(found, "error"), case["errors"])
    agree(findings(found, "warning"), case["warnings"])
    assert [d["pointer"] for d in found["diagnostics"]] == ["/1/content"] * len(
        case["errors"] + case["warnings"]
    )
    if not case["errors"]:
        assert found["parsed"][1]["footer"]["version"] == "v1.4"


@pytest.mark.parametrize("case", vectors("plsp"))
def test_blocks_of_plsp(judge, case):
    expected, block = case["expect"], {"next": case["block"]}
    if isinstance(expected, str):
        agree(findings(judge("plsp", block, code=1), "error"), [expected])
        return
    variables, commands, warnings = expected
    found = judge("plsp@0.5", block, code=0)
    agree(findings(found, "warning"), warnings)
    assert found["parsed"] == [{"variables": variables, "commands": commands}]


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.parametrize("case", vectors("pb2s"))
def test_replies_of_pb2s(judge, case, form):
    reply = case["reply"]
    found = judge("pb2s", reply, code=int(bool(case["errors"])), form=form)
    agree(findings(found, "error"), case["errors"])
    agree(findings(found, "warning"), case["warnings"])
    (parsed,) = found["parsed"]
    assert parsed["decision"] == reply["pb2s_proof"]["decision"]
    assert parsed["sections"]["LEARNED"].startswith("- ")
