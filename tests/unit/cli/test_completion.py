"""`psreg completion`, in the shells themselves."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from psreg.cli.commands import COMMANDS
from simulator import Simulator
from support.clients import Client
from support.loopback import serving

BIN = Path(sys.executable).parent
PATIENCE = 60.0
"""Seconds after which a shell that says nothing has failed."""


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """Somebody who has installed one prompt and searched for another."""
    client = Client(tmp_path)
    made = Simulator(mode="dev").release("quiz_master", "1.0.0").release("diary").publish()
    with serving(made.files) as server:
        client.trust(server.url, made.pin)
        assert client.run("search", "diary").code == 0
        assert client.run("install", "quiz_master").code == 0
    return client


@pytest.fixture
def words(client: Client):
    """Return what may follow words."""

    def run(*before: str, cwd: Path | None = None) -> list[str]:
        done = client.run("completion", "words", *before, cwd=cwd)
        assert (done.code, done.err) == (0, "")
        return [line.partition("\t")[0] for line in done.out.splitlines()]

    return run


def test_commands(words) -> None:
    assert words("") == [name for _, name, _ in COMMANDS]
    assert words() == words("")
    assert words("--v") == ["--version"]
    assert words("re") == ["render", "registry", "remove", "review", "revoke"]
    assert words("keys", "re") == ["renew", "remove", "revoke"]
    assert words("nothing", "") == []


def test_options(words) -> None:
    assert {"--help", "--raw", "--registry"} <= {*words("show", "-")}
    assert "--raw" not in words("show", "--raw", "-")
    assert words("show", "--format", "") == ["text", "json"]
    assert words("show", "--registry", "m") == ["main"]
    assert words("keys", "sign", "--y") == ["--yes"]
    assert words("completion", "b") == ["bash"]
    assert words("render", "--vars", "") == []  # a file, which the shell knows


def test_names(words, client) -> None:
    for command in ("show", "copy", "install", "info"):
        assert words(command, "") == ["diary", "quiz_master"]
        assert words(command, "--format", "json", "q") == ["quiz_master"]
    assert words("show", " ") == ["diary", "quiz_master"]
    assert words("check", "") == []
    (client.home / "config/config.toml").write_text("[[")
    assert words("show", "") == []


def test_names_of_a_project(client: Client, words, tmp_path: Path) -> None:
    made = Simulator(mode="dev", registry_id="f" * 32).release("team_letter").publish()
    place = made.store(tmp_path / "registry")
    assert words("show", "team") == []
    assert client.run("registry", "add", place, "--name", "team").code == 0
    assert client.run("add", "team_letter", "--registry", "team").code == 0
    for command in ("show", "update", "why", "remove"):
        assert words(command, "team") == ["team_letter"]
    (client.place / "psreg.lock").write_text("{")
    assert words("show", "team") == []


def test_names_of_all_registries(client: Client, words) -> None:
    made = Simulator(registry_id="f" * 32).release("team_plan").release("team_letter").publish()
    settings = client.home / "config/config.toml"
    with serving(made.files) as server:
        table = f'\n[registries.team]\nurl = "{server.url}"\nroot_sha256 = "{made.pin}"\n'
        settings.write_text(settings.read_text() + table)
        assert client.run("search").code == 0
        asked = len(server.asked)
        assert words("install", "") == ["diary", "quiz_master", "team_letter", "team_plan"]
        assert len(server.asked) == asked
    settings.write_text(settings.read_text() + 'names = ["team_p*"]\n')
    assert words("install", "team") == ["team_plan"]


def test_names_of_a_registry_in_a_folder(client: Client, words, tmp_path: Path) -> None:
    made = Simulator(registry_id="e" * 32).release("folder_letter").publish()
    place = made.store(tmp_path / "registry")
    assert client.run("registry", "add", place, "--name", "folder").code == 0
    assert words("install", "folder") == []
    assert client.run("search").code == 0
    assert words("install", "folder") == ["folder_letter"]
    shutil.rmtree(place)
    assert words("install", "") == ["diary", "folder_letter", "quiz_master"]


class Shell:
    """A shell in a terminal."""

    def __init__(self, client: Client, *command: str) -> None:
        self._main, other = pty.openpty()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PSREG_")}
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        home = {"PSREG_HOME": str(client.home), "HOME": str(client.place), "PATH": path}
        self._process = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=client.place,
            env={**clean, **home, "TERM": "dumb", "PS1": "> "},
            start_new_session=True,
        )
        os.close(other)
        self._seen = ""

    def type(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def wait_for(self, text: str) -> None:
        """Wait until the shell has written a text since the last one."""
        end = time.monotonic() + PATIENCE
        while text not in self._seen:
            ready, _, _ = select.select([self._main], [], [], max(0, end - time.monotonic()))
            assert ready, self._seen
            self._seen += os.read(self._main, 4096).decode(errors="replace")
        self._seen = self._seen.partition(text)[2]

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._main)


@pytest.mark.parametrize(
    ("command", "before"),
    [
        (("bash", "--norc", "--noprofile", "-i"), ""),
        (("zsh", "-f", "-i"), "autoload -U compinit; compinit -u -D; "),
    ],
    ids=["bash", "zsh"],
)
def test_a_shell_completes(client, command, before) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    shell = Shell(client, *command)
    try:
        shell.type(f"{before}source <(psreg completion {command[0]}); echo re''ady\n")
        shell.wait_for("ready\r")
        shell.type("psreg sho\t")
        shell.wait_for("psreg show ")
        shell.type("qui\t\n")
        shell.wait_for("quiz_master 1.0.0 ·")  # what `psreg show` prints of it
        shell.type("psreg show --for\t")
        shell.wait_for("--format ")
        shell.type("js\t")
        shell.wait_for("json")
    finally:
        shell.end()


def test_fish_completes(client) -> None:
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    ask = "psreg completion fish | source; complete -C 'psreg show '; complete -C 'psreg sho'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", ask],
        capture_output=True,
        text=True,
        check=True,
        cwd=client.place,
        env={**os.environ, "PSREG_HOME": str(client.home), "HOME": str(client.place), "PATH": path},
    )
    found = [line.split("\t") for line in done.stdout.splitlines()]
    assert {("diary", "A summary of diary."), ("quiz_master", "1.0.0")} <= {
        (w, t) for w, t, *_ in found
    }, found
    assert ["show", "show a prompt in readable form"] in found
