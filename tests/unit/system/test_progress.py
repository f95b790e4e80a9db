"""What a terminal shows while a command takes long."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from psreg.system.progress import Progress
from simulator import Simulator
from support.clients import Client
from support.loopback import answer, serving
from support.terminals import raw_terminal, read_until
from support.warm_psreg import running_psreg


def seen(number, text):
    return read_until(number, text.encode()).decode()


@pytest.mark.parametrize("alarms", [True, False])
def test_what_is_done_is_said_until_it_is_over(monkeypatch, alarms):
    if not alarms:  # as on Windows
        monkeypatch.delattr(signal, "setitimer")
    with raw_terminal() as (ours, theirs):
        progress = Progress(theirs, "reading")
        assert seen(ours, " s)").startswith("\rpsreg: reading (")
        progress.change("no")
        assert seen(ours, " s)").startswith("\rpsreg: no (")
        progress.stop()
        os.write(theirs, b"end")
        shown = seen(ours, "end")
    assert shown.startswith("\r   ")
    assert shown.strip(" \r") == "end"


def test_nothing_is_said_of_what_is_over_before():
    before = signal.getsignal(signal.SIGALRM)
    with raw_terminal() as (ours, theirs):
        Progress(theirs, "reading").stop()
        os.write(theirs, b"end")
        assert seen(ours, "end") == "end"
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.fixture
def waiting(tmp_path):
    """Return a client, and what lets the server answer that it asks for the state in force."""
    go = threading.Event()
    made = Simulator().release("quiz_master", "1.0.0").publish()
    path = "registry/metadata/timestamp.json"

    def late(handler):
        go.wait(60)
        answer(handler, 200, made.files[path])

    client = Client(tmp_path)
    with serving(made.files, {path: late}) as server:
        client.trust(server.url, made.pin)
        yield client, go
        go.set()


def installing(client, theirs, *options):
    """Install a prompt, with a terminal for standard error only."""
    environment = {**os.environ, "PSREG_HOME": str(client.home)}
    streams = [os.open(os.devnull, os.O_RDWR) for _ in range(2)]
    arguments = ("install", "quiz_master", *options)
    return running_psreg(*arguments, streams=[*streams, theirs], cwd=client.place, env=environment)


def test_a_slow_registry_is_named_on_a_terminal(waiting):
    client, go = waiting
    with raw_terminal() as (ours, theirs), installing(client, theirs) as ended:
        assert "\rpsreg: reading http://127.0.0.1:" in seen(ours, " s)")
        go.set()
        assert ended() == 0
        os.write(theirs, b"end")
        assert seen(ours, "end").strip(" \r") == "end"  # the line is empty again


@pytest.mark.parametrize("options", [("--quiet",), ("--format", "json")])
def test_a_slow_registry_is_not_named_where_nobody_wants_it(waiting, options):
    client, go = waiting
    threading.Timer(1.0, go.set).start()
    with raw_terminal() as (ours, theirs), installing(client, theirs, *options) as ended:
        assert ended() == 0
        os.write(theirs, b"end")
        assert seen(ours, "end") == "end"


def test_a_slow_registry_is_not_named_in_a_file(waiting):
    client, go = waiting
    threading.Timer(1.0, go.set).start()
    assert client.run("install", "quiz_master").err == ""
