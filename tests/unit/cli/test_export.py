"""`psreg export`: installed prompts as files of other programs."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from simulator import Simulator
from support.clients import Client

LETTER = b"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nDear {name}, %s\n"


@pytest.fixture
def made() -> Simulator:
    made = Simulator(mode="dev").release("quiz_master", "1.0.0")
    made.release("letter", "1.0.0", LETTER % b"bye", entry_class="prompt")
    made.release("letter", "1.1.0", LETTER % b"hello", entry_class="prompt")
    return made.publish()


@pytest.fixture
def registry(made: Simulator, tmp_path: Path) -> Path:
    return made.store(tmp_path / "registry")


@pytest.fixture
def client(tmp_path: Path, registry: Path) -> Client:
    client = Client(tmp_path)
    assert client.run("install", "quiz_master", "letter@=1.0.0", "--registry", registry).code == 0
    return client


def test_files_go_where_programs_look(client: Client) -> None:
    done = client.run("export", "letter", "--target", "claude-command")
    assert (done.code, done.out) == (0, "wrote .claude/commands/letter.md\n")
    assert (client.place / ".claude/commands/letter.md").read_text().endswith("Dear $name, bye\n")
    again = client.run("export", "letter", "--target", "claude-command")
    assert again.out == ".claude/commands/letter.md is up to date\n"


def test_all_that_is_installed_is_exported(client: Client) -> None:
    done = client.run("export", "--target", "cursor-rule", "--to", "rules", "--format", "json")
    names = [row["path"] for row in done.json["files"]]
    assert names == ["rules/letter.mdc", "rules/quiz_master.mdc"]


def test_what_a_killed_run_left_is_deleted_later(client: Client) -> None:
    folder = client.place / "texts"
    folder.mkdir()
    old, new = (folder / f".psreg-{digit * 16}" for digit in "0f")
    for path, age in ((old, 7200), (new, 60)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    assert client.run("export", "quiz_master", "--target", "text", "--to", folder).code == 0
    left = {path.name for path in folder.iterdir()}
    assert left >= {new.name, "quiz_master.txt", ".psreg-exports.json"}
    assert old.name not in left


def test_what_nothing_executes_is_left_out(client: Client, made: Simulator, tmp_path: Path) -> None:
    watch = b'{"pbe_name": "watch", "pbe_class": "persistent_service"}'
    made.release("watch", "0.1.0", watch, entry_class="persistent_service").publish()
    assert client.run("install", "watch", "--registry", made.store(tmp_path / "newer")).code == 0
    done = client.run("export", "--target", "cursor-rule", "--to", "rules")
    told = "`watch` is left out: nothing executes a persistent_service today"
    assert (done.code, done.err) == (0, f"psreg: warning: {told}\n")
    done = client.run("export", "watch", "--target", "text", "--format", "json")
    assert done.refusal == (1, "RESERVED_CLASS")


def test_an_update_replaces_what_psreg_wrote_and_nothing_else(
    client: Client, registry: Path
) -> None:
    to = ("--target", "text", "--to", "out", "--set", "name=Ana")
    path = client.place / "out/letter.txt"
    assert client.run("export", "letter", *to).code == 0
    assert path.read_text() == "Dear Ana, bye"
    client.run("install", "letter", "--registry", registry)
    assert client.run("export", "letter", *to).code == 0
    assert path.read_text() == "Dear Ana, hello"
    path.write_text("mine")
    assert client.refused("export", "letter", *to) == (1, "EXPORT_CHANGED")
    assert path.read_text() == "mine"
    assert client.run("export", "letter", *to, "--force").code == 0
    assert path.read_text() == "Dear Ana, hello"


def test_a_tampered_prompt_is_not_exported(client: Client) -> None:
    path = client.library / "letter/1.0.0/letter.prompt"
    path.write_bytes(path.read_bytes() + b"\n")
    assert client.refused("export", "letter", "--target", "agent-skill") == (3, "TRUST_DIGEST")


def test_what_is_not_installed_is_read_from_its_registry(client: Client, registry: Path) -> None:
    client.run("uninstall", "letter")
    done = client.run("export", "letter", "--target", "langchain", "--registry", registry)
    assert done.code == 0
    document = json.loads((client.place / "prompts/letter.langchain.json").read_text())
    assert document["kwargs"]["template"] == "Dear {name}, hello"
    assert not (client.library / "letter").exists()


def test_a_file_has_the_name_of_the_file(client: Client) -> None:
    (client.place / "My-Letter.prompt").write_bytes(LETTER % b"!")
    assert client.run("export", "My-Letter.prompt", "--target", "copilot-prompt").code == 0
    assert (client.place / ".github/prompts/my_letter.prompt.md").exists()
    (client.place / "1.prompt").write_bytes(LETTER % b"!")
    assert client.refused("export", "1.prompt", "--target", "text") == (2, "BAD_NAME")


def test_a_link_is_followed_within_the_folder_alone(client: Client) -> None:
    (client.place / "CLAUDE.md").write_text("# Ours\n")
    (client.place / "AGENTS.md").symlink_to("CLAUDE.md")
    assert client.run("export", "letter", "--target", "agents-md").code == 0
    assert (client.place / "AGENTS.md").is_symlink()
    assert "Dear {name}" in (client.place / "CLAUDE.md").read_text()
    (client.place / "out").mkdir()
    (client.place / "out/letter.txt").symlink_to(client.place / "elsewhere")
    to = ("--target", "text", "--to", "out", "--set", "name=Ana")
    assert client.refused("export", "letter", *to) == (2, "LINK")
    assert not (client.place / "elsewhere").exists()


def test_the_targets_are_listed(client: Client) -> None:
    done = client.run("export", "--list")
    assert done.code == 0
    assert "agent-skill" in done.out
    assert client.refused("export", "letter")[0] == 2


@pytest.mark.parametrize(("form", "rows"), [("cyclonedx", "components"), ("spdx", "packages")])
def test_what_is_installed_as_a_bill_of_materials(client: Client, form: str, rows: str) -> None:
    done = client.run("list", "--format", form)
    assert (done.code, done.err) == (0, "")
    names = [each["name"] for each in done.json[rows]]
    assert names[-2:] == ["letter", "quiz_master"]
    told = json.dumps(done.json[rows][-2:])
    assert told.count('"MIT"') == 2
    path = client.library / "letter/1.0.0/letter.prompt"
    path.write_bytes(path.read_bytes() + b"\n")
    assert "letter.prompt: SHA-256 is" in client.run("list", "--format", form).err
