"""`psreg copy`, `path` and `open`: a prompt reaches the clipboard, a program or a browser."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator import Simulator
from support.clients import Client, Outcome
from support.loopback import serving
from support.paths import PBES
from support.terminals import END, read_until

ENGINE = (
    '{"pbe_name": "quiz_master", "pbe_class": "interactive_engine", "text": "é\\n"}\r\n'.encode()
)
RESERVED = b'{"pbe_name": "pbct", "pbe_class": "persistent_service"}'
PROMPT = b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nDear {name},\n"
BARE = ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION", "SSH_TTY", "TMUX", "WSL_DISTRO_NAME")


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


@pytest.fixture
def made() -> Simulator:
    made = Simulator(mode="dev").release("quiz_master", "1.0.0", ENGINE)
    made.release("pbct", entry_class="persistent_service", data=RESERVED)
    made.release("diary", entry_class="prompt", data=PROMPT)
    return made.publish()


@pytest.fixture
def registry(made: Simulator, tmp_path: Path) -> Path:
    return made.store(tmp_path / "registry")


@pytest.fixture
def use(client: Client, registry: Path) -> Callable[..., Outcome]:
    """Run a command where the registry is set, and no clipboard is there."""

    def run(*words: object, **environ: str) -> Outcome:
        bare = dict.fromkeys(BARE, "")
        return client.run(*words, **{**bare, "PSREG_REGISTRY": str(registry), **environ})

    return run


@pytest.fixture
def clipboard(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that puts a program for a clipboard first, and says where that writes."""

    def program(name: str, code: int = 0) -> Path:
        folder, taken = tmp_path / "bin", tmp_path / f"{name}.taken"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(
            f'#!/bin/sh\necho "$@" > {taken}.words\ncat > {taken}\nexit {code}\n'
        )
        (folder / name).chmod(0o755)
        return taken

    return program


def path_to(clipboard: Path) -> str:
    return f"{clipboard.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"


def test_an_installed_prompt_is_copied_exactly(use, clipboard) -> None:
    use("install", "quiz_master")
    taken = clipboard("xclip")
    done = use("copy", "quiz_master", PATH=path_to(taken), DISPLAY=":9")
    assert (done.code, taken.read_bytes()) == (0, ENGINE), done.err
    assert done.out.startswith("copied quiz_master to the clipboard: 79 characters\n")
    assert (taken.parent / "xclip.taken.words").read_text() == "-selection clipboard -in\n"


def test_what_is_not_installed_is_fetched_and_nothing_is_written(use, client, clipboard) -> None:
    taken = clipboard("wl-copy")
    done = use("copy", "quiz_master@^1", PATH=path_to(taken), WAYLAND_DISPLAY="w")
    assert (done.code, taken.read_bytes()) == (0, ENGINE), done.err
    assert client.installed() == []
    for command in (["show", "quiz_master"], ["render", "diary", "--set", "name=Ana"]):
        assert use(*command).code == 0
    assert use("render", "diary", "--set", "name=Ana").out == "Dear Ana,"
    assert client.installed() == []
    unknown = use("show", "quiz_mister")
    assert (unknown.code, "quiz_master" in unknown.err) == (4, True)
    nowhere = client.run("show", "quiz_master")
    assert (nowhere.code, "error[NOT_INSTALLED]" in nowhere.err) == (4, True)


def test_a_prompt_is_filled_in_first(use, clipboard) -> None:
    taken = clipboard("xsel")
    environ = {"PATH": path_to(taken), "DISPLAY": ":9"}
    missing = use("copy", "diary", **environ)
    assert (missing.code, "error[MISSING_VALUES]: no value for `name`" in missing.err) == (1, True)
    assert not taken.exists()
    assert use("copy", "diary", "--set", "name=Ana", **environ).code == 0
    assert taken.read_text() == "Dear Ana,"
    assert use("copy", "diary", "--allow-missing", **environ).code == 0
    assert taken.read_text() == "Dear {name},"
    wrong = use("copy", "diary", "--set", "nome=Ana", **environ)
    assert (wrong.code, "did you mean `name`?" in wrong.err) == (2, True)


def test_a_reserved_class_is_not_for_pasting(use, clipboard) -> None:
    taken = clipboard("xclip")
    done = use("copy", "pbct", PATH=path_to(taken), DISPLAY=":9")
    assert (done.code, "error[RESERVED_CLASS]" in done.err) == (1, True)
    assert not taken.exists()
    told = use("install", "pbct", "quiz_master").out
    assert "next: read it first: psreg show pbct; nothing executes this class today\n" in told
    assert "next: read it first: psreg show quiz_master, then: psreg copy quiz_master\n" in told


def test_a_program_that_fails_is_not_believed(use, clipboard) -> None:
    for name in ("xclip", "xsel"):
        failing = clipboard(name, code=1)
    done = use("copy", "quiz_master", PATH=path_to(failing), DISPLAY=":9")
    assert (done.code, "error[NO_CLIPBOARD]" in done.err) == (4, True)
    works = clipboard("xsel")
    assert use("copy", "quiz_master", PATH=path_to(works), DISPLAY=":9").code == 0


def at_terminal(client: Client, registry: Path, *words: str, **environ: str) -> bytes:
    """Run a command in a terminal that it controls; return what that was sent.

    What controls a terminal waits for a line before it ends, which would discard what is unread.
    """
    main, other = pty.openpty()
    env = {
        **os.environ,
        "PSREG_HOME": str(client.home),
        **dict.fromkeys(BARE, ""),
        "PSREG_REGISTRY": str(registry),
    }
    code = (
        "import fcntl, os, subprocess, sys, termios; os.setsid();"
        "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        "code = subprocess.call([sys.executable, '-m', 'psreg', *sys.argv[1:]]);"
        f"os.write(1, {END}); sys.stdin.readline(); sys.exit(code)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=other,
        stdout=other,
        stderr=other,
        env={**env, **environ},
    )
    os.close(other)
    seen = read_until(main, END)
    os.write(main, b"\n")
    assert process.wait() == 0, seen
    os.close(main)
    return seen


@pytest.mark.parametrize("far", [{"SSH_CONNECTION": "here there"}, {}])
def test_a_terminal_is_asked(client, registry, far) -> None:
    seen = at_terminal(client, registry, "copy", "quiz_master", **far)
    encoded = seen.partition(b"\x1b]52;c;")[2].partition(b"\x07")[0]
    assert b64decode(encoded, validate=True) == ENGINE
    assert b"to the clipboard of your terminal" in seen


def test_tmux_passes_it_on(client, registry) -> None:
    seen = at_terminal(client, registry, "copy", "quiz_master", TMUX="/tmp/tmux,1,0")
    assert b"\x1bPtmux;\x1b\x1b]52;c;" in seen
    assert b"\x07\x1b\\" in seen


@pytest.mark.parametrize("command", ["copy", "path", "show", "render"])
def test_a_changed_file_is_refused(use, client, clipboard, command) -> None:
    use("install", "diary")
    (path,) = client.library.glob("*/*/*.prompt")
    path.write_bytes(path.read_bytes() + b" ")
    taken = clipboard("xclip")
    done = use(command, "diary", PATH=path_to(taken), DISPLAY=":9")
    assert (done.code, "error[TRUST_DIGEST]" in done.err, done.out) == (3, True, "")
    assert not taken.exists()


def test_the_path(use, client) -> None:
    assert "error[NOT_INSTALLED]" in use("path", "diary").err
    use("install", "diary")
    (path,) = client.library.glob("*/*/*.prompt")
    assert use("path", "diary").out == f"{path}\n"
    assert json.loads(use("path", "diary@^1", "--format", "json").out)["path"] == str(path)
    assert use("path", "diary@^2").code == 4


def test_the_page(client, made, registry, clipboard) -> None:
    taken = clipboard("browser")
    with serving(made.files) as server:
        client.trust(server.url, made.pin)
        environ = {"BROWSER": str(taken.parent / "bin/browser")}
        for request, page in (("diary", "prompt/diary/"), ("diary@1.0.0", "prompt/diary/1.0.0/")):
            done = client.run("open", request, **environ)
            assert (done.code, done.out) == (0, f"{server.url}/{page}\n"), done.err
            assert Path(f"{taken}.words").read_text() == done.out
        assert client.run("open", "dairy", **environ).code == 4
    folder = client.run("open", "diary", PSREG_REGISTRY=str(registry))
    assert (folder.code, "error[NO_PAGE]" in folder.err) == (4, True)


def test_an_entry_that_is_not_released(use, clipboard) -> None:
    taken = clipboard("xclip")
    file = PBES / "prompt/email_reply/1.0.0/email_reply.prompt"
    done = use("copy", file, "--allow-missing", PATH=path_to(taken), DISPLAY=":9")
    assert done.code == 0, done.err
    assert taken.read_text()
