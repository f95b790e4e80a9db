"""The vectors of PLSP, through `psreg transcript`: values, commands, warnings, errors."""

import json

import pytest

from psreg.cli.main import run
from support.paths import VECTORS

KINDS = {
    "E-NUMBER": {"PLSP015", "PLSP016"},
    "E-IDENT": {"PLSP011", "PLSP012"},
    "E-OPEN": {"PLSP001", "PLSP003"},
    "E-CLOSE": {"PLSP002"},
    "E-VALUE": {"PLSP014", "PLSP017"},
    "E-ASSIGN": {"PLSP010"},
    "E-STMT": {"PLSP006", "PLSP007"},
}


@pytest.mark.parametrize(
    "case", json.loads((VECTORS / "plsp.json").read_text()), ids=lambda case: case["id"]
)
def test_a_block(case, tmp_path, capsysbinary):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"next": case["block"]}) + "\n")
    code = run(["transcript", str(path), "--protocol", "plsp", "--format", "json"])
    found = json.loads(capsysbinary.readouterr().out)
    errors = {d["code"] for d in found["diagnostics"] if d["severity"] == "error"}
    if isinstance(case["expect"], str):
        assert code == 1
        assert errors <= KINDS[case["expect"]]
        assert errors
    else:
        variables, commands, warnings = case["expect"]
        assert (code, errors) == (0, set())
        assert found["parsed"] == [{"variables": variables, "commands": commands}]
        assert found["counts"]["warning"] == len(warnings)
