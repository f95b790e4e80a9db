"""A registry made by the wheel alone, in a fresh virtual environment, works from end to end."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.authoring import ANSWERS, BESIDE, POLICY, tree_of
from support.paths import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
ISOLATED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def run(*command, cwd, env=os.environ, code=0):
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def psreg(wheel, tmp_path_factory):
    """Return the program in an environment that has the wheel; what it needs is our own."""
    folder = tmp_path_factory.mktemp("installed")
    environment = folder / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=folder)
    python = environment / "bin/python"
    install = ["--python", python, "install", "--no-index", "--no-deps", wheel]
    run(*PIP, *install, cwd=folder)
    places = json.loads(
        run(python, "-c", "import json, sys, sysconfig; print(json.dumps(sysconfig.get_paths()))",
            cwd=folder)
    )  # fmt: skip
    needed = Path(places["purelib"], "needed.pth")
    needed.write_text(sysconfig.get_path("purelib") + "\n")
    where = run(python, "-c", "import psreg; print(psreg.__file__)", cwd=folder)
    assert where.startswith(str(environment))
    return environment / "bin/psreg"


def test_from_an_empty_folder_to_an_installed_prompt(psreg, wheel, tmp_path):
    env = {**os.environ, **ISOLATED, "PSREG_HOME": str(tmp_path / "home")}
    env.pop("PYTHONPATH", None)
    place = tmp_path / "prompts"

    def do(*arguments, cwd=place, code=0):
        return run(psreg, *arguments, cwd=cwd, env=env, code=code)

    do("init", "prompts", "--name", "Our prompts", cwd=tmp_path)
    made = tree_of(place)
    assert {"registry/psreg.txt", f"registry/{wheel.name}"} <= set(made)  # what pip installed
    assert {".gitlab-ci.yml", ".github/workflows/review.yml", "registry/policy.toml"} <= set(made)
    for path in ROOT.glob(".github/ISSUE_TEMPLATE/s*.yml"):
        assert made[f".github/ISSUE_TEMPLATE/{path.name}"] == path.read_bytes()
    do("check")
    git = ["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    run(*git, "init", "--quiet", "--initial-branch", "main", cwd=place, env=env)
    with (place / "registry/policy.toml").open("a") as policy:
        policy.write(POLICY)
    run(*git, "add", ".", cwd=place, env=env)
    run(*git, "commit", "--quiet", "--message", "Create the registry", cwd=place, env=env)
    pipelines_install_psreg(place, tmp_path, env)

    (tmp_path / "answers.json").write_text(json.dumps({**BESIDE, **ANSWERS["prompt"]}))
    do("new", "prompt", "trip_packer", "--answers", tmp_path / "answers.json")
    do("check", "pbes", "--strict", "--ignore", "PROMPT014")
    run(*git, "switch", "--quiet", "--create", "trip_packer", cwd=place, env=env)
    run(*git, "add", ".", cwd=place, env=env)
    run(*git, "commit", "--quiet", "--message", "Add trip_packer", cwd=place, env=env)
    review = json.loads(do("review", "--base", "main", "--format", "json", code=42))
    assert review["verdict"] == "needs_human"

    released = json.loads(do("publish", "--format", "json"))["released"]
    assert [row["name"] for row in released] == ["trip_packer"]
    run(*git, "add", ".", cwd=place, env=env)  # the signed state belongs to the registry
    staged = run(*git, "diff", "--cached", "--name-only", cwd=place, env=env)
    assert "registry/metadata/timestamp.json" in staged
    do("site", "build", "--out", "_site")
    assert "Our prompts" in (place / "_site/index.html").read_text()
    assert (place / "_site/prompt/trip_packer/index.html").is_file()
    assert (place / "_site/rules/PS003/index.html").is_file()
    assert "_site" not in run(*git, "status", "--short", cwd=place, env=env)
    do("install", "trip_packer", "--registry", place / "_site", "--to", tmp_path / "out")
    installed = (tmp_path / "out/trip_packer.prompt").read_bytes()
    assert installed == (place / "pbes/prompt/trip_packer/0.1.0/trip_packer.prompt").read_bytes()


def pipelines_install_psreg(place, folder, env):
    """Run what both pipelines do before they install what psreg needs, and their lines for psreg."""
    lines = [
        (place / ".github/workflows/review.yml").read_text().splitlines(),
        (place / ".gitlab-ci.yml").read_text().splitlines(),
    ]
    for at, found in enumerate(lines):
        runner = folder / f"runner{at}"
        run(sys.executable, "-m", "venv", "--without-pip", runner / "psreg", cwd=folder)
        (runner / "psreg/bin/pip").symlink_to(Path(sys.executable).parent / "pip")
        tools = {**env, "tools": str(runner), "RUNNER_TEMP": str(runner), "TRUSTED": "HEAD"}
        tools["PIP_PYTHON"] = str(runner / "psreg/bin/python")
        for line in dict.fromkeys(map(str.strip, found)):
            if line.startswith("git archive") or "--no-build-isolation" in line:
                run("bash", "-euo", "pipefail", "-c", line, cwd=place, env=tools)
        run(tools["PIP_PYTHON"], "-c", "import psreg.__main__", cwd=folder)
