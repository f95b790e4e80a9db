"""psreg on a system without `fcntl`, `os.fork`, `os.geteuid` and the flags of POSIX."""

import os
import subprocess
import sys

import pytest

from psreg.cli.commands import COMMANDS
from simulator import Simulator

ABSENT = """
import os, sys
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "fork", "forkpty", "geteuid"):
    delattr(os, name)
sys.modules["fcntl"] = sys.modules["pwd"] = sys.modules["resource"] = None
"""


@pytest.fixture
def run(tmp_path):
    def call(program, *argv):
        return subprocess.run(
            [sys.executable, "-c", ABSENT + program, *argv],
            env={**os.environ, "PSREG_HOME": str(tmp_path / "home")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_every_command_can_be_imported(run):
    names = [f"psreg.cli.{name}{'_' if name == 'try' else ''}" for _, name, _ in COMMANDS]
    done = run("import psreg\nfrom importlib import import_module\nfor each in sys.argv[1:]: import_module(each)", *names)  # fmt: skip
    assert done.returncode == 0, done.stderr


MAIN = "from psreg.__main__ import main\nsys.exit(main())"


def test_a_client_works(run, tmp_path):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    for command in (
        f"install quiz_master --registry {folder}",
        "install quiz_master",
        "list",
        "show --raw quiz_master",
        f"search --registry {folder}",
        f"verify --registry {folder}",
        f"registry add {folder}",
        "uninstall quiz_master",
    ):
        argv = command.split()
        env = [] if "--registry" in argv or argv[0] != "install" else ["--registry", str(folder)]
        done = run(MAIN, *argv, *env)
        assert done.returncode == 0, (command, done.stderr)


def test_links_are_refused_without_o_nofollow(run, tmp_path):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    assert run(MAIN, "install", "quiz_master", "--registry", str(folder)).returncode == 0
    place = tmp_path / "home/data/library/quiz_master/1.0.0"
    (place / "receipt.json").rename(tmp_path / "moved")
    (place / "receipt.json").symlink_to(tmp_path / "moved")
    done = run(MAIN, "show", "quiz_master")
    assert (done.returncode, "NOT_INSTALLED" in done.stderr) == (4, True)


def test_work_is_shared_or_done_here_without_fork(run):
    program = """
from functools import partial
from psreg.system.processes import in_parallel
if __name__ == "__main__":
    print(in_parallel(partial(sum, [1]), [partial(sum, [2]), partial(sum, [3])]))
"""
    done = run(program)
    assert done.stdout == "(1, [2, 3])\n", done.stderr
