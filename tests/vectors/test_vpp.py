"""The vectors of VPP, and files of its authors where they are, through the command line."""

import json
import subprocess
import sys

import pytest

from support.paths import ROOT, SHARED, VECTORS, needs
from support.warm_psreg import run_psreg

FILES = SHARED / "corpus/vpp"

HEADER = {"VPP009", "VPP011", "VPP012", "VPP013", "VPP014"}
KINDS = {
    "E-CMD": {"VPP001", "VPP009"},
    "E-LINE": {"VPP003"},
    "E-MOD-UNKNOWN": {"VPP004"},
    "E-CONFLICT": {"VPP005"},
    "E-HEAD": HEADER,
    "E-FOOTER-MALFORMED": {"VPP023", "VPP025"},
    "E-FOOTER-VERSION": {"VPP026"},
    "W-FOOTER-TAG-FORM": {"VPP027"},
    "W-FOOTER-DUP": {"VPP022"},
}


def load(name):
    return json.loads((VECTORS / name).read_text())


def lines(name):
    path = FILES / name
    return path.read_text().splitlines() if path.exists() else []


def transcript(path, protocol="vpp"):
    done = run_psreg("transcript", path, "--protocol", protocol, "--format", "json")
    return done.returncode, json.loads(done.stdout)


def judged(folder, *turns):
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps({"role": r, "content": c}) + "\n" for r, c in turns))
    return transcript(path, "vpp@1.4")


def codes(report, severity):
    return sorted(d["code"] for d in report["diagnostics"] if d["severity"] == severity)


def agree(kinds, found):
    assert len(found) == len(kinds), found
    assert all(any(code in KINDS[kind] for code in found) for kind in kinds), found


@pytest.mark.parametrize("case", load("vpp_commands.json"), ids=lambda case: case["id"])
def test_commands(case, tmp_path):
    code, report = judged(tmp_path, ("user", case["line"]))
    if isinstance(case["expect"], str):
        agree([case["expect"]], codes(report, "error"))
        assert code == 1
    else:
        tag, modifiers = case["expect"]
        assert (code, codes(report, "error")) == (0, [])
        assert report["parsed"] == [{"tag": tag, "modifiers": modifiers, "footer": None}]


@pytest.mark.parametrize("case", load("vpp_replies.json"), ids=lambda case: case["id"])
def test_replies(case, tmp_path):
    code, report = judged(tmp_path, ("user", case["user"]), ("assistant", case["reply"]))
    agree(case["errors"], codes(report, "error"))
    agree(case["warnings"], codes(report, "warning"))
    assert code == int(bool(case["errors"]))


@pytest.mark.parametrize("line", lines("good-first-lines.txt"))
def test_lines_that_the_authors_accept(line, tmp_path):
    assert judged(tmp_path, ("user", line))[0] == 0


@pytest.mark.parametrize("line", lines("bad-first-lines.txt"))
def test_lines_that_the_authors_refuse(line, tmp_path):
    code, report = judged(tmp_path, ("user", line))
    assert (code, len(codes(report, "error"))) == (1, 1)


@needs("corpus/vpp")
@pytest.mark.parametrize(("name", "expected"), [("valid-01.txt", 0), ("invalid-01.txt", 1)])
def test_whole_messages_of_the_authors(name, expected):
    assert transcript(FILES / name)[0] == expected


def test_the_corpus_of_sessions_is_reported_and_not_expected(tmp_path):
    turns = [{"role": "user", "content": "!<q>\nHello"}, {"role": "assistant", "content": "Hi."}]
    for condition in ("vpp", "baseline"):
        session = {"meta": {"condition": condition}, "turns": turns}
        (tmp_path / f"{condition}.json").write_text(json.dumps(session))
    command = [sys.executable, str(ROOT / "tests/bench/vpp_corpus.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    rows = [line.split()[:5] for line in done.stdout.splitlines()[1:3]]
    assert rows == [[condition, "1", "0", "0", "1"] for condition in ("baseline", "vpp")]
