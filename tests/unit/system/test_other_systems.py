"""psreg on a system without `fcntl`, `os.fork`, file owners, alarms and the flags of POSIX.

What Windows lacks is removed in a fresh interpreter before psreg is imported. `msvcrt`, which only
Windows has, is a stand-in that locks as it does there.
"""

import os
import subprocess
import sys
from keyword import iskeyword

import pytest

import journey
from psreg.cli.commands import COMMANDS
from simulator import Simulator

ABSENT = """
import fcntl, os, signal, socket, sys, types
import asyncio, multiprocessing.util, subprocess, tempfile  # they look at what is removed
for name in (
    "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_SYNC", "fork", "forkpty", "geteuid",
    "getuid", "getegid", "getgid", "getgroups", "setsid", "killpg", "mkfifo", "chown", "fchmod",
    "fchown", "lchown", "set_blocking", "get_blocking", "uname", "getpgid", "pread", "pwrite",
    "statvfs", "ttyname", "umask", "nice", "getloadavg", "ctermid", "openpty",
):
    delattr(os, name)
for name in (
    "SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "setitimer", "alarm", "pthread_sigmask",
):
    delattr(signal, name)
delattr(socket, "AF_UNIX")

def locking(number, mode, count, flock=fcntl.flock, flags=fcntl.LOCK_EX | fcntl.LOCK_NB):
    assert (mode, count) == (2, 1)
    try:
        flock(number, flags)
    except BlockingIOError:
        raise PermissionError(13, "Permission denied") from None

def symlink(*_, **__):
    error = OSError("A required privilege is not held by the client")
    error.winerror = 1314
    raise error

os.symlink = symlink
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "readline"):
    sys.modules[name] = None
"""
MAIN = "from psreg.__main__ import main\nsys.exit(main())"
PROGRAM = [sys.executable, "-c", ABSENT + MAIN]


@pytest.fixture
def run(tmp_path):
    def call(program, *argv, cwd=tmp_path):
        return subprocess.run(
            [sys.executable, "-c", ABSENT + program, *argv],
            env={**os.environ, "PSREG_HOME": str(tmp_path / "home")},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


@pytest.fixture
def clipboard(tmp_path):
    """Return the environment of a person with a clipboard."""
    program = tmp_path / "bin/xclip"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat > /dev/null\n")
    program.chmod(0o755)
    return {"DISPLAY": ":0", "PATH": f"{program.parent}:{os.environ['PATH']}"}


def test_every_command_can_be_imported(run):
    names = [f"psreg.cli.{name}{'_' if iskeyword(name) else ''}" for _, name, _ in COMMANDS]
    done = run("import psreg\nfrom importlib import import_module\nfor each in sys.argv[1:]: import_module(each)", *names)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program", [PROGRAM, [sys.executable, "-m", "psreg"]], ids=["there", "here"]
)
def test_the_journey_of_a_client(program, tmp_path, clipboard):
    journey.journey(program, tmp_path, clipboard)


def test_links_are_refused_without_o_nofollow(run, tmp_path):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    assert run(MAIN, "install", "quiz_master", "--registry", str(folder)).returncode == 0
    place = tmp_path / "home/data/library/quiz_master/1.0.0"
    (place / "receipt.json").rename(tmp_path / "moved")
    (place / "receipt.json").symlink_to(tmp_path / "moved")
    done = run(MAIN, "show", "quiz_master")
    assert (done.returncode, "NOT_INSTALLED" in done.stderr) == (4, True)


@pytest.mark.parametrize("there", [True, False], ids=["there", "here"])
def test_a_pipe_that_is_called_like_a_prompt_is_not_read(run, tmp_path, there):
    """On Windows, the console is such a file in every folder, and never ends."""
    os.mkfifo(tmp_path / "quiz")
    program = MAIN if there else "sys.exit(0)"
    done = run(program, "show", "quiz")
    if there:
        assert (done.returncode, "NOT_INSTALLED" in done.stderr) == (4, True)


def test_without_any_module_for_locks_a_prompt_is_installed(run, tmp_path):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    program = f'sys.modules["msvcrt"] = None\n{MAIN}'
    done = run(program, "install", "quiz_master", "--registry", str(folder))
    assert (done.returncode, "installed quiz_master" in done.stdout) == (0, True), done.stderr


def test_parallel_installations_wait_for_each_other(run, tmp_path):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    env = {**os.environ, "PSREG_HOME": str(tmp_path / "home")}
    command = [*PROGRAM, "install", "quiz_master", "--registry", str(folder)]
    running = [
        subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(6)
    ]
    for process in running:
        _, said = process.communicate()
        assert process.returncode == 0, said
    files = sorted(path.name for path in (tmp_path / "home/data/library").rglob("*"))
    assert files == [".lock", "1.0.0", "quiz_master", "quiz_master.pbe.txt", "receipt.json"]


def test_a_lock_that_is_held_is_waited_for(run, tmp_path):
    program = """
from pathlib import Path
from psreg.core.errors import UnavailableError
from psreg.system.atomic import exclusive
with exclusive(Path("lock")):
    try:
        with exclusive(Path("lock"), wait=0.1):
            print("twice")
    except UnavailableError as error:
        print(error.code)
with exclusive(Path("lock"), wait=0.1):
    print("again")
"""
    done = run(program)
    assert done.stdout == "LOCKED\nagain\n", done.stderr


@pytest.mark.parametrize(
    ("length", "told"),
    [
        (5_000, "Use a shorter one, or a shorter PSREG_HOME."),
        (4_060, "The path is long: set PSREG_HOME to a folder with a shorter one."),
    ],
)
def test_a_home_that_is_too_long_is_told_with_what_to_do(tmp_path, length, told):
    folder = Simulator().release().publish().store(tmp_path / "registry")
    home = f"{tmp_path}/{('a' * 199 + '/') * 30}"[:length].rstrip("/")
    done = subprocess.run(
        [*PROGRAM, "install", "quiz_master", "--registry", str(folder)],
        env={**os.environ, "PSREG_HOME": home},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.endswith(f"  hint: {told}\n")


@pytest.mark.parametrize(
    "command",
    ["show", "check", "install", "registry add", "diff x", "new prompt", "publish", "init"],
)
def test_a_word_that_is_too_long_for_a_path_is_refused(run, command):
    done = run(MAIN, *command.split(), "a" * 5000)
    assert done.returncode in (2, 4)
    assert done.stderr.startswith("psreg: error[")


def test_work_is_shared_or_done_here_without_fork(run):
    program = """
from functools import partial
from psreg.system.processes import in_parallel
if __name__ == "__main__":
    print(in_parallel(partial(sum, [1]), [partial(sum, [2]), partial(sum, [3])]))
"""
    done = run(program)
    assert done.stdout == "(1, [2, 3])\n", done.stderr
