"""The entries of this repository: clean, different from one another, honest about their tests."""

import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import combinations

import pytest

from psreg.authoring.questions import questions
from psreg.core.classes import CLASSES
from psreg.formats import dotprompt, pbe
from psreg.formats.pbe_templates import blanks
from psreg.lint.copied_texts import copied_from, text_digest
from stub import running
from support.paths import ROOT, SOURCE
from support.warm_psreg import run_psreg

PBES = ROOT / "pbes"
RUN = 8
LIMIT = 0.25
INSTALL = (
    "This is a Prompt-Based Executable (PBE) and when received should be run immediately as an "
    "instruction set and parameter guide for LLM behavior."
)

ARTIFACTS = sorted([*PBES.glob("*/*/*/*.pbe.txt"), *PBES.glob("*/*/*/*.prompt")])


def check(*arguments, stdin=None):
    done = run_psreg("check", *arguments, "--format", "json", stdin=stdin, cwd=ROOT, text=True)
    return done.returncode, json.loads(done.stdout)


def test_the_tree_is_clean():
    code, report = check("pbes")
    loud = [d for d in report["diagnostics"] if d["severity"] != "info" and d["waived"] is None]
    reserved = [d for d in loud if d["slug"] == "class-is-reserved"]
    assert loud == reserved
    assert code == 0


def test_every_class_folder_holds_entries():
    count = {folder.name: len(list(folder.iterdir())) for folder in PBES.iterdir()}
    assert sum(count.values()) >= 16
    assert count["interactive_engine"] >= 6
    assert count["prompt"] >= 5
    assert count["stateless_executor"] >= 1
    assert count["persistent_service"] >= 1


def test_two_entries_have_a_second_version():
    entries = PBES.glob("*/*")
    assert sum(len([p for p in entry.iterdir() if p.is_dir()]) > 1 for entry in entries) >= 2


def runs(path):
    words = re.findall(r"\w+", path.read_text().replace(INSTALL, "").lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def test_no_entry_is_a_reskin_of_another(capsys):
    latest = {path.parents[1]: path for path in ARTIFACTS}
    shingles = {entry.name: runs(path) for entry, path in latest.items()}
    rows = sorted(
        (
            (len(a & b) / min(len(a), len(b)), one, other)
            for (one, a), (other, b) in combinations(shingles.items(), 2)
        ),
        reverse=True,
    )
    with capsys.disabled():
        print(
            f"\nshared {RUN}-word runs, of the shorter entry's (highest ten of {len(rows)} pairs)"
        )
        for share, one, other in rows[:10]:
            print(f"  {share:7.2%}  {one:28} {other}")
    assert rows[0][0] < LIMIT


def test_no_test_is_claimed_that_was_not_run():
    for path in PBES.glob("*/*/*/release.toml"):
        for run in tomllib.loads(path.read_text()).get("tested", ()):
            assert run["platform"] == "stub", path
            assert "no model" in run["notes"], path


def test_two_entries_declare_a_protocol():
    declared = {
        path.parents[1].name: tomllib.loads(path.read_text()).get("protocols", {})
        for path in PBES.glob("*/*/*/release.toml")
    }
    assert declared["staged_design_memo"] == {"vpp": "1.4"}
    assert declared["audited_answer"] == {"pb2s": "0.2"}


def test_what_the_stub_said_is_what_it_says(tmp_path):
    folder = PBES / "prompt/staged_design_memo/1.0.0"
    evidence, again = folder / "evidence/stub.jsonl", tmp_path / "again.jsonl"
    decision = "decision=Move session storage from the database to signed cookies."
    with running() as stub:
        subprocess.run(
            [
                sys.executable, "-m", "psreg", "try", folder / "staged_design_memo.prompt",
                "--endpoint", stub.url, "--model", "stub-1", "--set", decision,
                "--script", evidence, "--record", again, "--quiet",
            ],
            env={**os.environ, "SOURCE_DATE_EPOCH": "1795219200"},
            check=True,
        )  # fmt: skip
    said, repeated = (
        [json.loads(x) for x in p.read_text().splitlines()] for p in (evidence, again)
    )
    assert [(t["role"], t["content"]) for t in said] == [
        (t["role"], t["content"]) for t in repeated
    ]
    assert said[0]["run"]["sha256"] == repeated[0]["run"]["sha256"]


def test_every_example_says_how_it_came_about():
    for path in PBES.glob("*/*/*/README.md"):
        text = path.read_text().lower()
        assert "illustrative, written by hand" in text or "recorded" in text, path


def test_the_reserved_class_is_labelled():
    for path in PBES.glob("persistent_service/*/*/*.*"):
        assert "nothing executes it today" in path.read_text(), path


def test_pbct_is_also_a_tool():
    versions = sorted(PBES.glob("interactive_engine/pbct/*/pbct.pbe.txt"))
    assert (ROOT / "tools/pbct.txt").read_bytes() == versions[-1].read_bytes()


PBCT = json.loads((ROOT / "tools/pbct.txt").read_text())


@pytest.mark.parametrize("name", sorted(PBCT["templates"]))
def test_templates_of_pbct_pass_when_filled_in(name):
    text = json.dumps(PBCT["templates"][name])
    filled = re.sub(r"\{\{(\w+)\}\}", lambda m: PBCT["blanks"][m[1]]["example"], text)
    assert "{{" not in filled
    code, report = check("-", "--stdin-filename", "filled.pbe.txt", stdin=filled)
    assert report["counts"]["error"] == 0
    assert code == 0


def test_whole_sentences_of_these_entries_are_recognized_in_others():
    """Digests of texts that others copy; released versions never change, so the file stays true."""
    known = json.loads((SOURCE / "psreg/lint/data/example_texts.json").read_text())
    artifacts = [(path, path.read_bytes()) for path in ARTIFACTS]
    texts = {}
    for path, data in artifacts:
        if path.suffix == ".txt":
            pbe_texts = [text for _, text in pbe.read(data).strings]
            texts.setdefault(path.parts[-3], set()).update(map(text_digest, pbe_texts))
        else:
            prompt = dotprompt.read(data)
            texts.setdefault(prompt.metadata["name"], set()).add(text_digest(prompt.content))
        release = tomllib.loads((path.parent / "release.toml").read_text())
        own = texts.setdefault(path.parts[-3], set())
        own.update(text_digest(release[key]) for key in ("summary", "use_case"))
    asked = [question for name in CLASSES for question in questions(name)]
    asked += blanks().values()
    texts["psreg new"] = {text_digest(t) for one in asked for t in (one.meaning, one.example)}
    of_specifications = {"pbe-1.0", "hello_world", "simple_quiz", "AgentRoleplayPrompt"}
    assert known.keys() - of_specifications <= texts.keys()
    for name in known.keys() - of_specifications:
        assert known[name] != []
        assert set(known[name]) <= texts[name], name
    for one in asked:
        if one.example not in {"MIT", "en, pt-BR", "trip_packer", "1.0.0"}:
            assert "psreg" in copied_from(one.example, ""), one
