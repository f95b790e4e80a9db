"""`psreg try` by its real command line, against the stub over HTTP."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import tomllib
from contextlib import suppress

import pytest

from stub import running
from support.clients import Client
from support.paths import PBES
from support.stub_behaviours import BEHAVIOURS

TUTOR = PBES / "interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
SQL = PBES / "stateless_executor/sql_explainer/1.0.0/sql_explainer.pbe.txt"
SERVICE = PBES / "persistent_service/commitment_watch/0.1.0/commitment_watch.pbe.txt"
REPLY = PBES / "prompt/email_reply/1.0.0/email_reply.prompt"
TRIGGER = "save the lesson"
KEY = "sk-secret-0123456789"
LOST = [b for b in BEHAVIOURS if b.wire and b.exits[3] == 4 and "--timeout" not in b.flags]
QUICK = [
    b.name for b in LOST if b.name not in ("busy-always", "error-always", "hang-up", "garbage")
]


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_conversation_is_shown_and_recorded(client):
    with running() as stub:
        done = client.run(
            "try", TUTOR, "--endpoint", stub.url, "--model", "m1", "--record", "run.jsonl",
            "--temperature", "0.2", "--platform", "jan",
            typed="Tides, please\n\n/exit\nnever said\n", PSREG_API_KEY=KEY,
        )  # fmt: skip
    assert done.code == 0
    assert "> Tides, please\nYou said: Tides, please\n" in done.out
    turns = records(client.place / "run.jsonl")
    assert [turn["role"] for turn in turns] == [
        "system", "system", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert turns[0]["content"] == TUTOR.read_text()
    instruction = json.loads(TUTOR.read_text())["start_play"]["instruction"]
    assert turns[1]["content"] == instruction
    assert turns[0]["run"]["platform"] == "jan"
    assert turns[-1] == {
        "role": "assistant",
        "content": "You said: Tides, please",
        "ended": "exit",
    }
    (row,) = tomllib.loads(done.err.partition("release.toml:")[2])["tested"]
    assert row["sha256"] == turns[0]["run"]["sha256"]
    assert (row["platform"], row["model"], row["result"]) == ("jan", "m1", "")
    assert row["evidence"] == "evidence/run.jsonl"
    assert KEY not in (client.place / "run.jsonl").read_text() + done.out + done.err
    assert stub.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert stub.requests[0][2]["temperature"] == 0.2


def test_a_platform_that_the_policy_of_the_registry_adds(client):
    options = ("--model", "m1", "--platform", "acme-chat", "--record", "run.jsonl")
    with running() as stub:
        command = ("try", TUTOR, "--endpoint", stub.url, *options)
        assert client.refused(*command) == (2, "NO_SUCH_PLATFORM")
        (client.place / "pbes").mkdir()
        (client.place / "registry").mkdir()
        assert client.refused(*command) == (2, "NO_SUCH_PLATFORM")
        policy = client.place / "registry/policy.toml"
        policy.write_text('[review]\nextra_platforms = ["acme-chat"]\n')
        assert client.run(*command, typed="Tides, please\n").code == 0
    assert records(client.place / "run.jsonl")[0]["run"]["platform"] == "acme-chat"


def test_a_recorded_conversation_is_a_script(client):
    with running() as stub:
        for name, options in (("a", ()), ("b", ("--script", "a.jsonl"))):
            done = client.run(
                "try", TUTOR, "--endpoint", stub.url, "--record", f"{name}.jsonl", *options,
                typed="Tides\nMoon\n",
            )  # fmt: skip
            assert done.code == 0
    assert records(client.place / "a.jsonl") == records(client.place / "b.jsonl")
    (client.place / "lines.txt").write_text("SELECT 1\n\nSELECT 2\n")
    with running() as stub:
        done = client.run("try", SQL, "--endpoint", stub.url, "--script", "lines.txt", "--quiet")
    assert (done.code, done.out) == (0, "")
    said = [m["content"] for m in stub.requests[-1][2]["messages"] if m["role"] == "user"]
    assert said == ["SELECT 1", "SELECT 2"]


@pytest.mark.parametrize("script", ["", "\n\n", '{"role": "nobody"}\n'])
def test_a_script_that_says_nothing(script, client):
    (client.place / "s.jsonl").write_text(script)
    options = ("--endpoint", "http://127.0.0.1:9", "--script", "s.jsonl")
    assert client.refused("try", TUTOR, *options) == (2, "BAD_SCRIPT")


def test_a_prompt_is_filled_in(client):
    (client.place / "v.json").write_text('{"incoming": "Hi", "goal": "be brief"}')
    with running() as stub:
        done = client.run(
            "try", REPLY, "--endpoint", stub.url, "--vars", "v.json", "--set", "incoming=Ahoy",
            "--format", "json", "--no-stream",
        )  # fmt: skip
    assert done.code == 0
    assert (done.json["ended"], done.json["record"], done.json["model"]) == (
        "end of input",
        None,
        "stub-1",
    )
    first = done.json["turns"][0]
    assert first["role"] == "user"
    assert "Ahoy" in first["content"]
    assert "be brief" in first["content"]
    assert "stream" not in stub.requests[0][2]


def test_a_save_is_written_and_resumed(client):
    with running() as stub:
        talk = ("try", TUTOR, "--endpoint", stub.url)
        done = client.run(*talk, "--save", "s.json", typed=f"{TRIGGER}\n")
        assert done.code == 0
        template = json.loads(TUTOR.read_text())["save_system"]["save_template"]
        assert json.loads((client.place / "s.json").read_text()) == template
        assert client.run(*talk, "--save", "s.json").code == 0
        done = client.run(*talk, "--resume", "s.json", "--format", "json", typed="Go on\n")
    users = [turn["content"] for turn in done.json["turns"] if turn["role"] == "user"]
    assert json.loads(users[0]) == template
    assert users[1:] == ["Go on"]


@pytest.mark.parametrize("name", ["save-foreign", "save-types", "save-prose", "save-cut"])
def test_a_save_that_is_not_as_it_must_be_is_not_written(name, client):
    with running(name) as stub:
        talk = ("try", TUTOR, "--endpoint", stub.url)
        done = client.run(*talk, "--save", "s.json", typed=f"{TRIGGER}\n")
        assert client.run(*talk, typed=f"{TRIGGER}\n").code == 0
    assert done.code == 1
    assert "psreg: invalid save: " in done.err
    assert not (client.place / "s.json").exists()


def test_a_foreign_save_is_named(client):
    (client.place / "s.json").write_text('{"chess_save": {}}')
    options = ("--endpoint", "http://127.0.0.1:9", "--resume", "s.json")
    assert client.refused("try", TUTOR, *options) == (1, "FOREIGN_SAVE")
    with running() as stub:
        done = client.run("try", TUTOR, "--endpoint", stub.url, typed='{"chess_save": {}}\n')
    assert "psreg: warning: this is a save of `chess_save`" in done.err


THREE = "SELECT *\n\n  FROM t\nWHERE a = 1"


def said_by_the_user(stub):
    return [m["content"] for m in stub.requests[-1][2]["messages"] if m["role"] == "user"]


@pytest.mark.parametrize(
    ("typed", "messages"),
    [
        (THREE, [THREE]),
        (f"{THREE}\n\n", [THREE]),
        ("SELECT 1\r\nFROM t\r\n", ["SELECT 1\nFROM t"]),
        (f'"""\n{THREE}\n"""\nSELECT 2', [THREE, "SELECT 2"]),
        ('"""\nSELECT 1', ["SELECT 1"]),
        ("\n \n", ["This is a Prompt-Based Executable"]),
    ],
)
def test_a_here_document_is_one_message(typed, messages, client):
    with running() as stub:
        assert client.run("try", SQL, "--endpoint", stub.url, typed=typed).code == 0
    found = said_by_the_user(stub)
    assert len(found) == len(messages)
    assert all(one.startswith(other) for one, other in zip(found, messages, strict=True))
    if "SELECT" in typed:
        assert found == messages


def at_a_terminal(stub, client, typed, *, both):
    """Run `psreg try` at a terminal where this is typed; `both` for input and output."""
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    with subprocess.Popen(
        [sys.executable, "-m", "psreg", "try", TUTOR, "--endpoint", stub.url],
        stdin=theirs, stdout=theirs if both else subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PSREG_HOME": str(client.home), "TERM": "xterm"},
        cwd=client.place,
    ) as trial:  # fmt: skip
        os.close(theirs)
        reader = threading.Thread(target=read_all, args=(ours,), daemon=True)
        if both:
            reader.start()
        try:
            os.write(ours, typed)
            _, err = trial.communicate(timeout=60)
        finally:
            trial.kill()
    os.close(ours)
    assert trial.returncode == 0, err


@pytest.mark.parametrize("editor", ["", "vi '", "false", "/nowhere"])
def test_without_an_editor_a_conversation_at_a_terminal_goes_on(client, monkeypatch, editor):
    monkeypatch.setenv("VISUAL", editor)
    monkeypatch.setenv("EDITOR", "")
    with running() as stub:
        at_a_terminal(stub, client, b"/edit\nstill here\n/exit\n", both=False)
    assert said_by_the_user(stub) == ["still here"]


def read_all(terminal):
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("bracketed", [True, False])
def test_a_paste_at_a_terminal_is_one_message(both, bracketed, client):
    lines = b"one\ntwo\nthree"
    paste = b"\x1b[200~%s\x1b[201~\n" % lines if bracketed else lines + b"\n"
    with running() as stub:
        at_a_terminal(stub, client, paste + b"/exit\n", both=both)
    assert said_by_the_user(stub) == ["one\ntwo\nthree"]


def test_a_message_is_written_in_an_editor(client):
    editor = client.place / "editor"
    editor.write_text('#!/bin/sh\nprintf "one\\ntwo\\n" > "$1"\n')
    editor.chmod(0o755)
    talk = ("try", TUTOR)
    with running() as stub:
        environment = {"VISUAL": str(editor)}
        done = client.run(*talk, "--endpoint", stub.url, typed="/edit\n", **environment)
        assert done.code == 0
        assert said_by_the_user(stub) == ["one\ntwo"]
        options = ("--endpoint", stub.url, "--format", "json")
        for editor, code in (
            ("", (2, "USAGE")),
            ("vi '", (2, "USAGE")),
            ("false", (4, "CANNOT_READ")),
            ("/nowhere", (4, "CANNOT_WRITE")),
        ):
            done = client.run(*talk, *options, typed="/edit\n", VISUAL=editor, EDITOR="")
            assert done.refusal == code


def test_a_turn_is_taken_back_or_answered_again(client):
    with running() as stub:
        done = client.run(
            "try", TUTOR, "--endpoint", stub.url, "--record", "r.jsonl",
            typed="/undo\na\n/undo\nb\n/again\n/exit\n",
        )  # fmt: skip
    assert done.code == 0
    turns = records(client.place / "r.jsonl")
    assert [turn["content"] for turn in turns if turn["role"] == "user"] == ["b"]
    assert turns[0]["run"]["undone"] == 2
    assert "took back the last turn" in done.err
    asked = [[m["content"] for m in body["messages"]][-1] for _, _, body in stub.requests]
    assert asked[1:] == ["a", "b", "b"]


def test_reasoning_is_neither_shown_nor_sent_back_nor_judged(client):
    with running("thinks") as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--record", "r.jsonl", "--script", "-",
            "--until", "No, wait", typed="SELECT 1\nSELECT 2\n",
        )  # fmt: skip
    assert done.code == 0
    assert "wait" not in done.out
    turns = records(client.place / "r.jsonl")
    assert turns[2]["content"] == "You said: SELECT 1"
    assert turns[2]["reasoning"] == "S{$a:9;}S? No, wait."
    assert all("wait" not in m["content"] for _, _, body in stub.requests for m in body["messages"])


def test_what_is_recorded_of_a_run(client):
    with running("length") as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--model", "m1", "--record", "r.jsonl",
            "--max-tokens", "64", "--format", "json", "--platform", "jan", "--result", "partial",
            "--notes", "cut off", typed="SELECT 1",
        )  # fmt: skip
    turns = records(client.place / "r.jsonl")
    run = turns[0]["run"]
    assert (run["platform"], run["model"], run["result"]) == ("jan", "m1", "partial")
    assert run["tokens"] == done.json["tokens"] == {"prompt_tokens": 12, "completion_tokens": 34}
    assert run["settings"] == {"max_tokens": 64}
    assert stub.requests[0][2]["max_tokens"] == 64
    assert (turns[-1]["finish_reason"], turns[-1]["cut"]) == ("length", True)
    (row,) = tomllib.loads(done.json["row"])["tested"]
    assert (row["result"], row["notes"]) == ("partial", "cut off")


def test_a_run_with_an_answer_that_was_cut_off_does_not_pass(client):
    with running("length") as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--record", "r.jsonl", "--result", "pass",
            "--format", "json", typed="SELECT 1",
        )  # fmt: skip
    assert "the result is `partial`" in done.err
    (row,) = tomllib.loads(done.json["row"])["tested"]
    assert (row["result"], row["notes"][:22]) == ("partial", "An answer was cut off ")
    assert records(client.place / "r.jsonl")[0]["run"]["result"] == "partial"


def test_the_model_that_answers_is_recorded_and_not_only_the_requested_one(client):
    with running("other-model") as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--model", "m1", "--record", "r.jsonl",
            "--format", "json", typed="SELECT 1",
        )  # fmt: skip
    run = records(client.place / "r.jsonl")[0]["run"]
    assert (run["model"], run["requested"]) == ("m1-turbo", "m1")
    (row,) = tomllib.loads(done.json["row"])["tested"]
    assert row["model"] == done.json["model"] == "m1-turbo"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_row_is_added_to_release_toml(ending, client):
    release = client.place / "release.toml"
    before = f'summary = "A prompt."  # mine{ending}'
    release.write_bytes(before.encode())
    with running() as stub:
        talk = ("try", SQL, "--endpoint", stub.url, "--platform", "jan")
        options = ("--record", "evidence/jan.jsonl", "--release", "release.toml")
        done = client.run(*talk, *options, "--result", "pass", typed="SELECT 1")
        assert done.code == 0
        assert "its row to release.toml" in done.err
        outside = ("--record", "../r.jsonl", "--release", "release.toml")
        assert client.refused(*talk, *outside) == (2, "USAGE")
        assert client.refused(*talk, "--release", "release.toml") == (2, "USAGE")
        missing = ("--record", "evidence/two.jsonl", "--release", "nowhere.toml")
        assert client.refused(*talk, *missing) == (4, "CANNOT_READ")
    text = release.read_bytes().decode()
    assert text.startswith(before)
    (row,) = tomllib.loads(text)["tested"]
    assert (row["platform"], row["result"]) == ("jan", "pass")
    assert (client.place / row["evidence"]).exists()


@pytest.mark.parametrize("content", [b"tested = []\n", b"\xff", b"[tested]\n"])
def test_a_row_that_cannot_be_added_changes_nothing(content, client):
    release = client.place / "release.toml"
    release.write_bytes(content)
    with running() as stub:
        options = ("--record", "evidence/r.jsonl", "--release", "release.toml", "--format", "json")
        done = client.run("try", SQL, "--endpoint", stub.url, *options, typed="SELECT 1")
    assert done.refusal == (1, "UNREADABLE")
    assert release.read_bytes() == content
    assert records(client.place / "evidence/r.jsonl")[-1]["ended"] == "end of script"


def test_a_prompt_may_be_placed_in_the_other_role(client):
    with running() as stub:
        for what, placement in ((TUTOR, "user"), (REPLY, "system")):
            talk = ("try", what, "--endpoint", stub.url, "--placement", placement)
            assert client.run(*talk, typed="Go on").code == 0
            roles = [m["role"] for m in stub.requests[-1][2]["messages"]]
            assert roles == (
                ["user", "assistant", "user"] if placement == "user" else ["system", "user"]
            )
        assert client.run("try", REPLY, "--endpoint", stub.url, "--placement", "system").code == 0
        assert [m["role"] for m in stub.requests[-1][2]["messages"]] == ["system"]


def test_several_platforms_in_one_run(client):
    with running() as one, running("other-model") as other, running("unauthorized") as third:
        platforms = "".join(
            f'[[platform]]\nid = "{name}"\nendpoint = "{stub.url}"\nmodel = "m-{name}"\n{key}'
            for name, stub, key in (
                ("jan", one, 'key = "JAN_KEY"\n'), ("ollama", other, ""), ("stub", third, ""),
            )
        )  # fmt: skip
        (client.place / "p.toml").write_text(platforms)
        (client.place / "s.txt").write_text("SELECT 1\nSELECT 2\n")
        talk = ("try", SQL, "--platforms", "p.toml", "--script", "s.txt")
        done = client.run(
            *talk, "--record", "evidence", "--format", "json", JAN_KEY="k1", PSREG_API_KEY="k2"
        )
        shown = client.run(*talk)
        typed = ("try", SQL, "--platforms", "p.toml", "--script", "-", "--format", "json")
        piped = client.run(*typed, typed="SELECT 1\n")
    assert done.code == shown.code == 4
    assert [run["ended"] for run in done.json["runs"]] == ["end of script"] * 2 + [
        "ENDPOINT_REFUSED"
    ]
    assert [run["model"] for run in done.json["runs"]] == ["m-jan", "m-ollama-turbo", "m-stub"]
    assert one.requests[0][1]["Authorization"] == "Bearer k1"
    assert other.requests[0][1]["Authorization"] == "Bearer k2"
    files = sorted(path.name for path in (client.place / "evidence").iterdir())
    assert [name.partition("-")[0] for name in files] == ["jan", "ollama", "stub"]
    assert all(
        records(client.place / "evidence" / name)[0]["run"]["platform"] in name for name in files
    )
    assert "error[ENDPOINT_REFUSED]" in shown.err
    assert [run["turns"][1]["content"] for run in piped.json["runs"]] == ["SELECT 1"] * 3


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("", (), "BAD_PLATFORMS"),
        ("[[platform", (), "BAD_PLATFORMS"),
        ("platform = 5", (), "BAD_PLATFORMS"),
        (f"platform = {'5' * 5000}", (), "BAD_PLATFORMS"),
        ("platform = " + "[" * 5000, (), "BAD_PLATFORMS"),
        ('[[platform]]\nid = "jan"\n', (), "BAD_PLATFORMS"),
        ('[[platform]]\nid = "jan"\nendpoint = 5\n', (), "BAD_PLATFORMS"),
        ('[[platform]]\nid = "jan"\nendpoint = "http://127.0.0.1:9"\n' * 2, (), "BAD_PLATFORMS"),
        ('[[platform]]\nid = "nowhere"\nendpoint = "http://127.0.0.1:9"\n', (), "NO_SUCH_PLATFORM"),
        ("x", ("--model", "m"), "BAD_PLATFORMS"),
    ],
)
def test_platforms_that_are_none(text, options, code, client):
    (client.place / "p.toml").write_text(text)
    talk = ("try", SQL, "--platforms", "p.toml", "--script", "s.txt")
    assert client.refused(*talk, *options) == (2, code)


def test_options_that_do_not_fit(client):
    (client.place / "p.toml").write_text(
        '[[platform]]\nid = "jan"\nendpoint = "http://127.0.0.1:9"\n'
    )
    for options in (
        ("--platforms", "p.toml"),
        ("--platforms", "p.toml", "--script", "s", "--model", "m"),
        ("--max-tokens", "0"),
        ("--max-tokens", "many"),
        (),
    ):
        assert client.refused("try", SQL, *options) == (2, "USAGE")
    assert client.refused("try", "--endpoint", "http://127.0.0.1:9") == (2, "USAGE")


def test_plain_http_to_a_named_host_must_be_allowed(client):
    name = socket.gethostname()
    try:
        here = socket.gethostbyname(name).startswith("127.")
    except OSError:
        here = False
    if not here:
        pytest.skip(f"{name} does not resolve to an address that the stub listens at")
    with running() as stub:
        talk = ("try", SQL, "--endpoint", stub.url.replace("127.0.0.1", name))
        assert client.refused(*talk) == (2, "BAD_ENDPOINT")
        assert client.run(*talk, "--allow-http", typed="SELECT 1").code == 0
    assert said_by_the_user(stub) == ["SELECT 1"]


def test_the_models_of_an_endpoint_are_listed(client):
    with running() as stub:
        done = client.run("try", "--list-models", OPENAI_BASE_URL=f"{stub.url}/v1")
        assert (done.code, done.out) == (0, "stub-1\nstub-2\n")
        done = client.run("try", "--list-models", "--endpoint", stub.url, "--format", "json")
    assert done.json["models"] == ["stub-1", "stub-2"]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_turn_and_partial_answer_are_kept_however_it_ends(ending, client):
    record = client.place / "r.jsonl"
    with running("stalled-stream") as stub, subprocess.Popen(
        [sys.executable, "-m", "psreg", "try", SQL, "--endpoint", stub.url, "--record", record],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PSREG_HOME": str(client.home)}, cwd=client.place,
    ) as trial:  # fmt: skip
        trial.stdin.write("SELECT 1\n")
        trial.stdin.flush()
        assert trial.stdout.readline() == "> SELECT 1\n"
        assert trial.stdout.read(13) == "Half of a sen"
        trial.send_signal(ending)
        trial.communicate(timeout=60)
    turns = records(record)
    assert [turn["content"] for turn in turns if turn["role"] == "user"] == ["SELECT 1"]
    assert (turns[-1]["content"], turns[-1]["cut"]) == ("Half of a sen", True)
    assert trial.returncode == (-9 if ending is signal.SIGKILL else 130)


@pytest.mark.parametrize("name", ["cut-stream", "ended-stream"])
def test_a_partial_answer_is_kept(name, client):
    with running(name) as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--record", "r.jsonl", typed="SELECT 1"
        )
    assert done.code == 4
    *_, user, last = records(client.place / "r.jsonl")
    assert user["content"] == "SELECT 1"
    assert last["cut"] is True
    assert last["content"]
    assert last["ended"].startswith("ENDPOINT_")


def test_an_answer_completes_it(client):
    with running() as stub:
        done = client.run(
            "try", TUTOR, "--endpoint", stub.url, "--until", "said: b", "--format", "json",
            "--script", "-", typed="a\nb\nc\n",
        )  # fmt: skip
    assert done.json["ended"] == "complete"
    assert len(done.json["turns"]) == 7


def test_a_persistent_service_is_refused(client):
    options = ("--endpoint", "http://127.0.0.1:9")
    assert client.refused("try", SERVICE, *options) == (1, "NOT_EXECUTED")


def test_a_path_is_told_as_it_was_typed(client):
    shutil.copy(SERVICE, client.place / "watch.pbe.txt")
    done = client.run("try", "./watch.pbe.txt", "--endpoint", "http://127.0.0.1:9")
    assert "./watch.pbe.txt is a `persistent_service`" in done.err


@pytest.mark.parametrize("name", QUICK)
def test_a_failing_endpoint_keeps_what_was_said(name, client):
    with running(name) as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--record", "r.jsonl", "--format", "json",
            typed="SELECT 1\n", PSREG_API_KEY=KEY,
        )  # fmt: skip
    code, error = done.refusal
    assert code == 4
    assert error.startswith("ENDPOINT_")
    turns = records(client.place / "r.jsonl")
    assert turns[-1]["ended"] == error
    assert [turn["content"] for turn in turns if turn["role"] == "user"] == ["SELECT 1"]
    assert [turn["cut"] for turn in turns if turn["role"] == "assistant"] in ([], [True])
    assert KEY not in (client.place / "r.jsonl").read_text() + done.out + done.err


def test_characters_that_drive_a_terminal_are_written_out(client):
    (client.place / "evil.txt").write_text("x\x1b[2Jy\n")
    with running() as stub:
        done = client.run("try", SQL, "--endpoint", stub.url, "--script", "evil.txt")
    assert "\x1b" not in done.out
    assert "You said: x\\u{001b}[2Jy" in done.out


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [("length", "at the model's limit"), ("content-filter", "by a content filter")],
)
def test_an_answer_that_was_cut_off_is_told_and_recorded(client, behaviour, why):
    with running(behaviour) as stub:
        done = client.run(
            "try", SQL, "--endpoint", stub.url, "--record", "r.jsonl", "--result", "pass",
            typed="SELECT 1\n",
        )  # fmt: skip
    assert done.code == 0
    assert f"warning: this answer was cut off {why}" in done.err
    last = records(client.place / "r.jsonl")[-1]
    assert (last["finish_reason"], last["cut"]) == (behaviour.replace("-", "_"), True)
    assert "the result is `partial`" in done.err


def test_what_cannot_be_kept_is_not_begun(client):
    with running() as stub:
        talk = ("try", TUTOR, "--endpoint", stub.url)
        for option in ("--record", "--save"):
            assert client.refused(*talk, option, "no/where/x.jsonl") == (4, "CANNOT_WRITE")
        (client.place / "diary.txt").write_text("Dear diary")
        assert client.refused(*talk, "--save", "diary.txt") == (2, "EXISTS")
        talk = ("try", SQL, "--endpoint", stub.url)
        assert client.refused(*talk, "--save", "s.json") == (2, "NO_SAVES")
    assert stub.requests == []


def test_the_first_record_makes_its_folder(client):
    with running() as stub:
        record = ("--record", "evidence/stub.jsonl")
        done = client.run("try", SQL, "--endpoint", stub.url, *record, typed="SELECT 1\n")
    assert done.code == 0
    assert (client.place / "evidence/stub.jsonl").read_text().count('"role"') > 2


def test_a_person_types_at_a_terminal(client):
    ours, theirs = pty.openpty()
    with running() as stub:
        trial = subprocess.Popen(
            [sys.executable, "-m", "psreg", "try", TUTOR, "--endpoint", stub.url],
            stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PSREG_HOME": str(client.home)}, cwd=client.place,
        )  # fmt: skip
        os.write(ours, b"Tides\n\x04")
        out, err = trial.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert trial.returncode == 0
    assert "> You said: Tides\n" in out
    assert "/exit or Ctrl-D ends the conversation" in err
    assert "the conversation ended: end of input" in err


def test_an_executor_at_a_terminal_is_told_to_run(client):
    ours, theirs = pty.openpty()
    with running() as stub:
        done = subprocess.run(
            [sys.executable, "-m", "psreg", "try", SQL, "--endpoint", stub.url],
            stdin=theirs, capture_output=True, text=True, timeout=60, check=True,
            env={**os.environ, "PSREG_HOME": str(client.home)}, cwd=client.place,
        )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    assert done.stdout.startswith("You said: This is a Prompt-Based Executable")


@pytest.mark.parametrize("form", ["text", "json"])
def test_ctrl_c_keeps_what_was_said(form, client):
    record = client.place / "r.jsonl"
    with running("stalled-stream") as stub:
        trial = subprocess.Popen(
            [
                sys.executable, "-m", "psreg", "try", SQL, "--endpoint", stub.url,
                "--record", record, "--format", form,
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PSREG_HOME": str(client.home)}, cwd=client.place,
        )  # fmt: skip
        trial.stdin.write("SELECT 1\n")
        trial.stdin.flush()
        if form == "text":
            assert trial.stdout.readline() == "> SELECT 1\n"
            assert trial.stdout.read(9) == "Half of a"
        else:
            assert stub.asked.wait(60)
        trial.send_signal(signal.SIGINT)
        out, err = trial.communicate(timeout=60)
    assert trial.returncode == 130
    assert "Traceback" not in err
    *_, last = records(record)
    assert last["ended"] == "interrupted"
    if form == "text":
        assert last == {
            "role": "assistant", "content": "Half of a sen", "ended": "interrupted", "cut": True,
        }  # fmt: skip
    else:
        assert json.loads(out)["ended"] == "interrupted"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--platform", "nowhere"), "NO_SUCH_PLATFORM"),
        (("--temperature", "hot"), "USAGE"),
        (("--temperature", "9"), "USAGE"),
        (("--record", "there.jsonl"), "EXISTS"),
        (("--set", "a=b"), "USAGE"),
    ],
)
def test_command_lines_that_cannot_be_meant(options, code, client):
    (client.place / "there.jsonl").write_text("{}")
    talk = ("try", SQL, "--endpoint", "http://127.0.0.1:9")
    assert client.refused(*talk, *options) == (2, code)


def test_a_name_is_looked_for_among_what_is_installed(client):
    options = ("--endpoint", "http://127.0.0.1:9")
    assert client.refused("try", "socratic_tutor", *options) == (4, "NOT_INSTALLED")
    assert client.refused("try", "./nowhere.prompt", *options) == (4, "CANNOT_READ")
