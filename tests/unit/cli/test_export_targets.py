"""`[[targets]]` in psreg.toml: `sync` keeps the exports of a project current."""

from __future__ import annotations

import os
import re
import shutil
import time
from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import serving

TARGETS = """
[[targets]]
target = "claude-command"

[[targets]]
target = "agents-md"
prompts = ["glossary"]

[[targets]]
target = "text"
folder = "out/texts"
prompts = ["glossary"]
"""


def prompt(text):
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


@pytest.fixture
def team(tmp_path):
    made = Simulator(log=True)
    for version in ("1.0.0", "1.1.0"):
        made.release("glossary", version, prompt(f"words {version}"), entry_class="prompt")
    made.release("letter", data=prompt("Dear {who}"), entry_class="prompt").publish()
    client = Client(tmp_path / "client")
    with serving(made.files) as server:
        client.trust(server.url, made.pin)
        assert client.run("add", "glossary@1.0.0", "letter").code == 0
        file = client.place / "psreg.toml"
        file.write_text(file.read_text() + TARGETS)
        yield SimpleNamespace(run=client.run, place=client.place, file=file)


def command(team):
    return team.place / ".claude/commands/glossary.md"


def test_sync_writes_and_renews_them(team):
    done = team.run("sync")
    assert done.code == 0, done.err
    assert f"written {command(team)}" in done.out
    assert "words 1.0.0" in command(team).read_text()
    assert sorted(path.name for path in command(team).parent.glob("*.md")) == [
        "glossary.md",
        "letter.md",
    ]
    assert "words 1.0.0" in (team.place / "AGENTS.md").read_text()
    assert (team.place / "out/texts/glossary.txt").read_text().strip() == "words 1.0.0"
    assert team.run("sync").out == "nothing changed\n"

    agents = team.place / "AGENTS.md"
    agents.write_text(f"# Ours\n\n{agents.read_text()}\nMore of ours.\n")
    team.file.write_text(team.file.read_text().replace('"1.0.0"', '"^1.0.0"'))
    assert team.run("update").code == 0
    document = team.run("sync", "--format", "json").json
    assert {(row["name"], row["version"], row["status"]) for row in document["exports"]} == {
        ("glossary", "1.1.0", "written"),
        ("letter", "1.0.0", "unchanged"),
    }
    assert "words 1.1.0" in command(team).read_text()
    text = agents.read_text()
    assert (text.startswith("# Ours\n"), "More of ours.\n" in text) == (True, True)
    assert ("words 1.1.0" in text, "words 1.0.0" in text) == (True, False)


@pytest.mark.parametrize("folder", ["prompts", "."])
def test_the_list_of_exports_stays_beside_other_files_of_psreg(team, folder):
    """What psreg tidies up after a killed run begins with the same letters."""
    target = f'[[targets]]\ntarget = "text"\nfolder = "{folder}"\nprompts = ["glossary"]\n'
    team.file.write_text(team.file.read_text().partition("[[targets]]")[0] + target)
    assert team.run("sync").code == 0
    (left,) = (team.place / folder).glob(".psreg-exports.json")
    killed = left.with_name(".psreg-0123456789abcdef")
    killed.write_bytes(b"half")
    then = time.time() - 7200
    for path in (left, killed):
        os.utime(path, (then, then))
    text = team.file.read_text()
    team.file.write_text(text.replace('glossary = "1.0.0"', 'glossary = "*"'))
    assert team.run("update").code == 0
    assert left.exists()
    assert team.run("sync").code == 0
    assert (team.place / folder / "glossary.txt").read_text().strip() == "words 1.1.0"
    assert not killed.exists()


def test_a_file_changed_by_hand_is_kept_and_nothing_else_is_written(team):
    assert team.run("sync").code == 0
    command(team).write_text("mine")
    (team.place / "AGENTS.md").unlink()
    (team.place / "prompts/glossary.prompt").unlink()
    done = team.run("sync")
    assert done.code == 1
    assert "psreg: error[EXPORT_CHANGED]: glossary.md" in done.err
    assert "(.claude/commands, psreg.toml:" in done.err
    assert "`psreg sync --overwrite`" in done.err
    assert command(team).read_text() == "mine"
    assert not (team.place / "AGENTS.md").exists()
    assert not (team.place / "prompts/glossary.prompt").exists()
    assert team.run("sync", "--overwrite").code == 0
    assert "words 1.0.0" in command(team).read_text()


def test_what_a_target_cannot_say_is_refused(team):
    team.file.write_text(team.file.read_text().replace('prompts = ["glossary"]\n', ""))
    done = team.run("sync", "--format", "json")
    assert done.refusal == (1, "MISSING_VALUES")
    told = done.json["error"]
    (origin,) = re.findall(r"\(out/texts, (psreg\.toml:\d+)\)$", told["message"])
    line = int(origin.partition(":")[2])
    assert team.file.read_text().splitlines()[line - 1] == "[[targets]]"
    assert told["hint"] == f"Leave it out: list the others as `prompts` below {origin}."
    assert not command(team).exists()


def test_an_export_does_not_take_the_place_of_a_locked_prompt(team):
    """Dotprompt's files end as ours do, and are looked for in a folder of the same name."""
    target = '[[targets]]\ntarget = "dotprompt"\n'
    text = team.file.read_text().partition("[[targets]]")[0]
    team.file.write_text(text + target)
    before = {path.name: path.read_bytes() for path in (team.place / "prompts").iterdir()}
    shutil.rmtree(team.place / "prompts")  # as in a fresh clone
    for options in ([], ["--overwrite"]):
        done = team.run("sync", *options, "--format", "json")
        assert done.refusal == (2, "CONFIG_INVALID")
        line = text.count("\n") + 1
        assert done.json["error"]["message"].startswith(f"psreg.toml:{line}: dotprompt would rep")
    assert not (team.place / "prompts").exists()
    team.file.write_text(f'{text}{target}folder = "genkit"\n')
    assert team.run("sync").code == 0
    assert (team.place / "genkit/letter.prompt").exists()
    for options in ([], ["--force"]):
        done = team.run("export", "letter", "--target", "dotprompt", *options)
        assert (done.code, "is a locked prompt" in done.err, "--to" in done.err) == (2, True, True)
    assert {p.name: p.read_bytes() for p in (team.place / "prompts").iterdir()} == before


def test_nothing_is_written_outside_of_the_project(team, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (team.place / ".claude").symlink_to(outside)
    assert team.run("sync", "--format", "json").refusal == (2, "LINK")
    assert [*outside.iterdir()] == []
    assert not (team.place / "AGENTS.md").exists()


def test_a_link_within_the_project_is_followed(team):
    (team.place / "docs").mkdir()
    (team.place / "docs/AGENTS.md").write_text("# Ours\n")
    (team.place / "AGENTS.md").symlink_to("docs/AGENTS.md")
    assert team.run("sync").code == 0
    assert (team.place / "AGENTS.md").is_symlink()
    assert "words 1.0.0" in (team.place / "docs/AGENTS.md").read_text()


def test_a_file_in_place_of_a_folder(team):
    (team.place / ".claude").write_text("")
    assert team.run("sync", "--format", "json").refusal == (4, "CANNOT_WRITE")


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("targets = 1", "`targets` must be tables: `[[targets]]`", ""),
        ("targets = [1]", "`targets` must be tables: `[[targets]]`", ""),
        ("[[targets]]", "must be a target of `psreg export`", "Choose one of agent-skill"),
        ('[[targets]]\ntarget = "cursor-rul"', "must be a target", "Did you mean `cursor-rule`?"),
        ('[[targets]]\ntarget = "text"\nx = 1', "`targets.0.x` is unknown", ""),
        (
            '[[targets]]\ntarget = "text"\nfolder = "../x"',
            "`targets.0.folder` must be a folder",
            "",
        ),
        ('[[targets]]\ntarget = "text"\nfolder = ".git/hooks"', "`targets.0.folder` must be", ""),
        (
            '[[targets]]\ntarget = "text"\nprompts = ["quiz"]',
            "`targets.0.prompts` must be a list",
            "",
        ),
        ('[[targets]]\ntarget = "text"\nprompts = [{}]', "`targets.0.prompts` must be", ""),
        ('[[targets]]\ntarget = "text"\nprompts = 1', "`targets.0.prompts` must be a list", ""),
    ],
)
def test_bad_tables_are_refused_with_their_line(team, text, told, hint):
    rest = team.file.read_text().partition("\n[[targets]]")[0]
    team.file.write_text(f"{text}\n{rest}" if text.startswith("targets") else f"{rest}\n{text}\n")
    done = team.run("sync")
    assert done.code == 2
    assert "psreg: error[CONFIG_INVALID]: psreg.toml:" in done.err
    assert told in done.err
    assert hint in done.err
