"""`psreg try` by its real command line, against the stub over HTTP."""

import json
import os
import pty
import signal
import subprocess
import sys
import tomllib

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
    assert [turn["role"] for turn in turns] == ["system", *["user", "assistant"] * 2]
    assert turns[0]["content"] == TUTOR.read_text()
    instruction = json.loads(TUTOR.read_text())["start_play"]["instruction"]
    assert turns[1]["content"] == instruction
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
    assert json.loads(users[1]) == template
    assert users[2] == "Go on"


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


def test_an_answer_completes_it(client):
    with running() as stub:
        done = client.run(
            "try", TUTOR, "--endpoint", stub.url, "--until", "said: b", "--format", "json",
            typed="a\nb\nc\n",
        )  # fmt: skip
    assert done.json["ended"] == "complete"
    assert len(done.json["turns"]) == 7


def test_a_persistent_service_is_refused(client):
    options = ("--endpoint", "http://127.0.0.1:9")
    assert client.refused("try", SERVICE, *options) == (1, "NOT_EXECUTED")


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
    *_, last = records(client.place / "r.jsonl")
    assert last == {"role": "user", "content": "SELECT 1", "ended": error}
    assert KEY not in (client.place / "r.jsonl").read_text() + done.out + done.err


def test_characters_that_drive_a_terminal_are_written_out(client):
    (client.place / "evil.txt").write_text("x\x1b[2Jy\n")
    with running() as stub:
        done = client.run("try", SQL, "--endpoint", stub.url, "--script", "evil.txt")
    assert "\x1b" not in done.out
    assert "You said: x\\u{001b}[2Jy" in done.out


def test_an_answer_that_the_limit_of_the_model_cut_off_is_told(client):
    with running("length") as stub:
        done = client.run("try", SQL, "--endpoint", stub.url, typed="SELECT 1\n")
    assert done.code == 0
    assert "warning: this answer was cut off at the model's limit" in done.err


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
