"""The vectors of both package formats, through the command line: errors, warnings, output."""

import base64
import json
import re

import pytest

from support.paths import VECTORS
from support.warm_psreg import run_psreg

MISSING = {"PBE003", "PBE008", "PBE009", "PBE010", "PBE011", "PBE012", "PBE015"}
SYNTAX = {"JSON002", "JSON003", "JSON005", "JSON006", "JSON007", "JSON008", "JSON009", "JSON010"}
KINDS = {
    "E-NAME": {"PBE004"},
    "E-VERSION": {"PBE006"},
    "E-CLASS": {"PBE007"},
    "E-TYPE": {"PBE021"},
    "E-MISSING": MISSING,
    "E-JSON": SYNTAX,
    "E-ENCODING": {"JSON001", "PROMPT001"},
    "W-PERSISTENT": {"PBE024"},
    "E-NOVERSION": {"PROMPT010"},
    "E-ORDER": {"PROMPT002"},
}


def load(name):
    return json.loads((VECTORS / name).read_text())


def diagnostics(path, severity):
    report = json.loads(run_psreg("check", str(path), "--format", "json").stdout)
    return [d for d in report["diagnostics"] if d["severity"] == severity]


def explains(kind, diagnostic):
    name, _, place = kind.partition(":")
    if diagnostic["code"] not in KINDS[name]:
        return False
    if not place:
        return True
    if name == "E-MISSING":
        return place.split(".")[-1] in diagnostic["message"]
    return diagnostic["pointer"].endswith(re.sub(r"\[(\d+)\]", r"/\1", place).replace(".", "/"))


def agree(kinds, found):
    assert len(found) == len(kinds), found
    assert all(any(explains(kind, d) for d in found) for kind in kinds), found


@pytest.mark.parametrize("case", load("pbe.json"), ids=lambda case: case["id"])
def test_pbe(case, tmp_path):
    path = tmp_path / "x.pbe.txt"
    if case["raw_base64"]:
        path.write_bytes(base64.b64decode(case["raw_base64"]))
    else:
        made = eval(case["make"]) if case["make"] else case["raw"]
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    agree(case["errors"], diagnostics(path, "error"))
    agree(case["warnings"], diagnostics(path, "warning"))


@pytest.mark.parametrize("case", load("prompt.json"), ids=lambda case: case["id"])
def test_prompt(case, tmp_path):
    path = tmp_path / "x.prompt"
    path.write_bytes(case["file"].encode())
    agree(case["errors"], diagnostics(path, "error"))
    given = [part for k, v in case["values"].items() for part in ("--set", f"{k}={v}")]
    done = run_psreg("render", str(path), "--allow-missing", *given)
    if case["output"] is None:
        assert (done.returncode, done.stdout) == (1, b"")
    else:
        assert (done.returncode, done.stdout.decode()) == (0, case["output"])
