"""A release would like to be run: by a shell, by Python, or by what fills in its variables.

There is nothing to run in one: a command that installs it or shows it starts no program.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import Simulator
from support.paths import ROOT
from support.pipelines import git

RUNS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty")
HOOK = f"""\
import os
import sys

LOG = os.open(os.environ["STARTED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def heard(event, arguments):
    if event in {RUNS!r}:
        os.write(LOG, f"{{event}} {{arguments}}\\n".encode())


sys.addaudithook(heard)
"""
TEXT = """\
[METADATA]
@format_version 0.0.1
@version 1.0.0
[CONTENT]
$(touch ran) `touch ran` {{ ''.__class__.__mro__ }} {% import os %} %(x)s ${x}
#!/bin/sh
touch ran
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs psreg, and returns its exit code and what it started."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/sitecustomize.py").write_text(HOOK)
    place, log = tmp_path / "place", tmp_path / "started"
    place.mkdir()

    def run(*words):
        environ = {key: value for key, value in os.environ.items() if key != "PSREG_HOME"}
        path = os.pathsep.join((str(tmp_path / "hooks"), str(ROOT / "tools")))
        environ |= {"PYTHONPATH": path, "PSREG_HOME": str(tmp_path / "home"), "STARTED": str(log)}
        command = [sys.executable, "-m", "psreg", *map(str, words)]
        done = subprocess.run(command, cwd=place, env=environ, capture_output=True, check=False)
        assert {path.name for path in place.rglob("*")} <= {"quiz_master.prompt"}
        return done.returncode, Path(log).read_text()

    return run


def test_the_hook_hears_a_program(run, tmp_path):
    """So that the other test can fail: a review starts Git."""
    git("init", "--quiet", str(tmp_path / "repository"), cwd=tmp_path)
    assert run("--version") == (0, "")
    assert "git" in run("review", "--base", "HEAD", tmp_path / "repository")[1]


@pytest.mark.attack("T18", (0, ""))
def test_nothing_of_it_runs(attack, run, tmp_path):
    made = Simulator(registry_id="e" * 32)
    made.release("quiz_master", entry_class="prompt", data=TEXT.encode())
    folder = made.publish().store(tmp_path / "registry")
    for words in (
        ("install", "quiz_master", "--registry", folder),
        ("install", "quiz_master", "--registry", folder, "--to", "."),
        ("show", "quiz_master"),
        ("render", "quiz_master", "--allow-missing"),
        ("list",),
        ("verify", "quiz_master"),
        ("uninstall", "quiz_master"),
    ):
        assert run(*words) == (0, "")
    assert attack.client.run("install", "quiz_master").code == 0
