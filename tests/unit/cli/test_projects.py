"""A team pins its prompts: `add`, `remove`, `lock`, `sync`, `install --frozen`, over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import serving

QUIZ = b'{"pbe_name": "quiz_master"}\n'


def prompt(text):
    return f"[CONTENT]\n{text}\n".encode()


@pytest.fixture
def registry():
    made = Simulator(log=True).release(data=QUIZ)
    for version in ("1.0.0", "1.2.0", "2.0.0"):
        made.release("glossary", version, prompt(f"glossary {version}"), entry_class="prompt")
    requires = {"requires": {"glossary": "^1.0"}}
    return made.release("quiz_master", "1.1.0", QUIZ + b" ", release=requires).publish()


@pytest.fixture
def team(tmp_path, registry):
    """`team.run` works in a project, `team.server` serves the registry that it trusts."""
    client = Client(tmp_path / "client")
    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        yield SimpleNamespace(
            run=client.run,
            client=client,
            server=server,
            registry=registry,
            place=client.place,
            folder=client.place / "prompts",
            cache=client.home / "cache",
        )


def ran(team, *argv, **named):
    done = team.run(*argv, **named)
    assert done.code == 0, done.err
    return done


def refused(team, *argv, **named):
    return team.run(*argv, "--format", "json", **named).refusal


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def cached(team):
    """Return the files of the cache, but for the one that is locked."""
    files = (path for path in team.cache.rglob("*") if path.is_file())
    return sorted(path for path in files if path.name != ".lock")


def lock(team):
    return json.loads((team.place / "psreg.lock").read_bytes())["prompts"]


def test_from_an_empty_folder_to_a_locked_project(team):
    done = ran(team, "add", "quiz_master")
    assert done.out.splitlines()[:2] == ["locked glossary 1.2.0", "locked quiz_master 1.1.0"]
    assert (team.place / "psreg.toml").read_text() == '[prompts]\nquiz_master = "^1.1.0"\n'
    files = content(team.folder)
    assert files["quiz_master.pbe.txt"] == QUIZ + b" "
    assert files["glossary.prompt"] == prompt("glossary 1.2.0")
    # A colleague gets the same from a clone, without the folder.
    shutil.rmtree(team.folder)
    ran(team, "install", "--frozen")
    assert content(team.folder) == files
    for command in (["sync"], ["lock"], ["lock", "--check"], ["install", "--frozen"]):
        assert ran(team, *command).out == "nothing changed\n"


def test_comments_and_other_settings_stay(team):
    file = team.place / "psreg.toml"
    file.write_text('# ours\nfolder = "ai"  # not prompts\n\n[prompts]\n# the quiz\n')
    ran(team, "add", "glossary@^1", "quiz_master@1.0.0")
    assert file.read_text() == (
        '# ours\nfolder = "ai"  # not prompts\n\n[prompts]\n# the quiz\n'
        'glossary = "^1"\nquiz_master = "1.0.0"\n'
    )
    assert sorted(content(team.place / "ai")) == [
        ".psreg.json",
        "glossary.prompt",
        "quiz_master.pbe.txt",
    ]
    ran(team, "remove", "glossary")
    assert "glossary" not in file.read_text()
    assert sorted(content(team.place / "ai")) == [".psreg.json", "quiz_master.pbe.txt"]
    assert [*lock(team)] == ["quiz_master"]


def test_line_ends_of_windows_stay(team):
    file = team.place / "psreg.toml"
    file.write_bytes(b"# ours\r\n[prompts]\r\n")
    ran(team, "add", "glossary@^1")
    assert file.read_bytes() == b'# ours\r\n[prompts]\r\nglossary = "^1"\r\n'
    ran(team, "remove", "glossary")
    assert file.read_bytes() == b"# ours\r\n[prompts]\r\n"


def test_what_is_only_required_is_not_removed(team):
    ran(team, "add", "quiz_master")
    done = team.run("remove", "glossary")
    assert (done.code, "`psreg why glossary` shows what requires it" in done.err) == (4, True)


def test_a_command_below_the_project_works_on_it(team):
    ran(team, "add", "glossary@^1")
    below = team.place / "src/deep"
    below.mkdir(parents=True)
    ran(team, "add", "quiz_master", cwd=below)
    assert sorted(lock(team)) == ["glossary", "quiz_master"]


def test_an_edited_project_file_is_refused_with_its_line(team):
    ran(team, "add", "quiz_master")
    (team.place / "psreg.toml").write_text('[prompts]\nquiz_master = "^2"\n')
    before = content(team.folder)
    for command in (["install", "--frozen"], ["lock", "--check"], ["sync", "--offline"]):
        done = team.run(*command)
        assert done.code == 1
        assert (
            "psreg.toml:2: quiz_master ^2 does not match psreg.lock:14: quiz_master 1.1.0"
            in done.err
        )
    assert content(team.folder) == before


def test_a_lock_of_the_future(team):
    ran(team, "add", "glossary")
    file = team.place / "psreg.lock"
    file.write_text(file.read_text().replace("psreg.lock/1", "psreg.lock/2"))
    for command in (["install", "--frozen"], ["lock"], ["sync"], ["add", "quiz_master"]):
        assert refused(team, *command) == (4, "NEWER_FORMAT")


def test_a_lock_with_conflict_markers(team):
    ran(team, "add", "glossary")
    file = team.place / "psreg.lock"
    file.write_text("<<<<<<< ours\n" + file.read_text())
    for command in ("sync", "lock"):
        assert refused(team, command) == (1, "LOCK_INVALID")
    assert "delete it and run `psreg lock`" in team.run("lock").err
    file.unlink()
    ran(team, "lock")


def test_without_a_lock_or_a_project(team):
    for command in (["install", "--frozen"], ["sync"], ["lock"], ["remove", "glossary"]):
        assert refused(team, *command) == (4, "NO_PROJECT")
    for command, instead in (("update", "outdated"), ("remove x", "uninstall"), ("sync", "add")):
        done = team.run(*command.split())
        assert (done.code, f"psreg {instead}" in done.err) == (4, True)
    assert refused(team, "install") == (2, "USAGE")
    (team.place / "psreg.toml").write_text("")
    for command in (["install", "--frozen"], ["lock", "--check"]):
        assert refused(team, *command) == (1, "NO_LOCK")
    assert refused(team, "install", "--frozen", "glossary") == (2, "USAGE")
    ran(team, "sync")
    assert not team.folder.exists()


def test_two_project_files_in_one_folder(team):
    for name in ("psreg.toml", ".psreg.toml"):
        (team.place / name).write_text("")
    assert refused(team, "sync") == (2, "CONFIG_INVALID")


def test_a_warm_cache_needs_no_network(team):
    ran(team, "add", "quiz_master")
    shutil.rmtree(team.folder)
    team.server.asked.clear()
    ran(team, "install", "--frozen")
    assert team.server.asked == []
    shutil.rmtree(team.folder)
    ran(team, "sync", "--offline")
    assert sorted(content(team.folder)) == [".psreg.json", "glossary.prompt", "quiz_master.pbe.txt"]


def test_a_warm_cache_where_there_is_no_network_at_all(team):
    ran(team, "add", "quiz_master")
    shutil.rmtree(team.folder)
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")
    command = ["unshare", "-rn", sys.executable, "-m", "psreg", "install", "--frozen"]
    env = {**os.environ, "PSREG_HOME": str(team.client.home)}
    done = subprocess.run(command, cwd=team.place, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (team.folder / "glossary.prompt").read_bytes() == prompt("glossary 1.2.0")


@pytest.mark.parametrize("kind", ["artifacts", "releases"])
def test_a_flipped_byte_in_the_cache(team, kind):
    ran(team, "add", "quiz_master")
    good = {path: path.read_bytes() for path in cached(team)}
    for path, data in good.items():
        if kind in path.parts:
            path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    shutil.rmtree(team.folder)
    for command in (["install", "--frozen", "--offline"], ["sync", "--offline"]):
        assert refused(team, *command) == (3, "CACHE_DAMAGED")
        assert not team.folder.exists()
    ran(team, "install", "--frozen")
    assert (team.folder / "glossary.prompt").read_bytes() == prompt("glossary 1.2.0")
    assert {path: path.read_bytes() for path in good} == good
    ran(team, "install", "--frozen", "--offline")


def test_a_flipped_byte_while_the_registry_is_away(team):
    ran(team, "add", "glossary")
    for path in (team.cache / "artifacts").rglob("*"):
        if path.is_file():
            path.write_bytes(b"evil")
    shutil.rmtree(team.folder)
    settings = team.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(team.server.url, "http://127.0.0.1:9/"))
    assert refused(team, "install", "--frozen") == (3, "CACHE_DAMAGED")
    assert not team.folder.exists()


def test_who_cannot_reach_the_registry_is_told_of_what_is_kept(team):
    ran(team, "add", "glossary")
    shutil.rmtree(team.folder)
    settings = team.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(team.server.url, "http://127.0.0.1:9/"))
    done = team.client.run("sync", "--format", "json", cwd=team.place)
    assert done.refusal == (4, "NETWORK")
    assert done.json["error"]["hint"].endswith(
        "`--offline` takes exactly what is locked, from the cache."
    )
    ran(team, "sync", "--offline")
    assert (team.folder / "glossary.prompt").is_file()


def test_what_the_cache_has_is_judged_again_for_another_project(team):
    tags = prompt("Say hello.\U000e0041\U000e0042")
    waived = [{"code": "PS001", "reason": "It explains it.", "by": "policy"}]
    team.registry.release("riddle", data=tags, entry_class="prompt", waived=waived).publish()
    others = [team.place.parent / name for name in ("second", "third")]
    for place in others:
        place.mkdir()
    for place in (team.place, others[0]):
        done = ran(team, "add", "riddle", cwd=place)
        assert "PS001 is waived by the registry" in done.err
    record = team.registry.records["riddle"]
    record["releases"][0]["waived"] = []
    record["serial"] += 1
    team.registry.publish()
    shutil.copy(team.place / "psreg.toml", others[1])
    assert refused(team, "sync", cwd=others[1]) == (3, "TRUST_CONTENT")
    assert [each.name for each in others[1].iterdir()] == ["psreg.toml"]
    # Who had it before is only warned.
    (team.folder / "riddle.prompt").unlink()
    assert ": PS001 " in ran(team, "sync").err
    assert content(team.folder)["riddle.prompt"] == tags
    assert ran(team, "sync").err == ""


def test_a_file_changed_by_hand_is_neither_overwritten_nor_deleted(team):
    ran(team, "add", "glossary@1.0.0")
    file = team.folder / "glossary.prompt"
    file.write_text("mine")
    for command in (["sync"], ["install", "--frozen"], ["add", "glossary@1.2.0"]):
        assert refused(team, *command) == (1, "FILE_CHANGED")
        assert file.read_text() == "mine"
    assert lock(team)["glossary"]["version"] == "1.0.0"
    done = ran(team, "remove", "glossary")
    assert "was changed by hand and is kept" in done.err
    assert file.read_text() == "mine"
    # From now on it is the person's own.
    assert refused(team, "add", "glossary") == (1, "FILE_CHANGED")
    ran(team, "add", "glossary", "--overwrite")
    assert file.read_bytes() == prompt("glossary 2.0.0")


def test_another_version_replaces_an_untouched_file(team):
    ran(team, "add", "glossary@1.0.0")
    ran(team, "add", "glossary@1.2.0")
    assert (team.folder / "glossary.prompt").read_bytes() == prompt("glossary 1.2.0")


def test_a_receipt_that_is_lost_protects_every_file_but_the_right_ones(team):
    ran(team, "add", "glossary@1.0.0")
    (team.folder / ".psreg.json").write_text("{")
    ran(team, "sync")
    (team.folder / ".psreg.json").unlink()
    assert refused(team, "add", "glossary@1.2.0") == (1, "FILE_CHANGED")


def test_a_conflict_changes_nothing(team):
    ran(team, "add", "quiz_master")
    before = content(team.folder), (team.place / "psreg.lock").read_bytes()
    done = team.run("add", "glossary@^2")
    assert done.code == 1
    assert (
        "quiz_master 1.1.0 requires glossary ^1.0, and psreg.toml:2 asks for quiz_master"
        in done.err
    )
    assert (content(team.folder), (team.place / "psreg.lock").read_bytes()) == before
    assert "glossary" not in (team.place / "psreg.toml").read_text()


def test_a_release_that_was_revoked_since_it_was_locked(team):
    ran(team, "add", "glossary@1.2.0")
    row = team.registry.records["glossary"]["releases"][1]
    row |= {
        "v": 2,
        "revoked": {
            "kind": "revoke",
            "reason": "It is bad.",
            "date": "2026-11-22T05:00:00Z",
            "action": 1,
        },
    }
    team.registry.records["glossary"]["serial"] += 1
    team.registry.publish()
    ran(team, "install", "--frozen")  # which asks nobody
    assert refused(team, "sync") == (3, "TRUST_REVOKED")
    # Now this machine knows.
    assert refused(team, "install", "--frozen") == (3, "TRUST_REVOKED")
    assert refused(team, "sync", "--offline") == (3, "TRUST_REVOKED")


def test_a_release_that_was_yanked_since_it_was_locked(team):
    ran(team, "add", "glossary@^1")
    row = team.registry.records["glossary"]["releases"][1]
    row["yanked"] = "It is rude."
    team.registry.records["glossary"]["serial"] += 1
    team.registry.publish()
    assert "glossary 1.2.0 was yanked: It is rude." in ran(team, "sync").err
    assert lock(team)["glossary"]["version"] == "1.2.0"
    for place in (team.place / "psreg.lock", team.place / "psreg.toml"):
        place.unlink()
    ran(team, "add", "glossary@^1")
    assert lock(team)["glossary"]["version"] == "1.0.0"


def test_several_processes_at_once(team):
    ran(team, "add", "quiz_master@1.0.0")
    commands = [["add", "glossary@^1"], ["add", "quiz_master@^1"], ["sync"], ["sync"], ["lock"]]
    with ThreadPoolExecutor(len(commands)) as pool:
        codes = [done.code for done in pool.map(lambda command: team.run(*command), commands)]
    assert codes == [0] * len(commands)
    ran(team, "install", "--frozen")
    assert sorted(lock(team)) == ["glossary", "quiz_master"]
    assert not [path for path in team.place.rglob("*") if path.name.startswith(".psreg-")]


def test_a_policy_is_enforced_by_all_that_installs(team):
    file = team.place / "psreg.toml"
    file.write_text('[policy]\nlicenses = ["CC0-1.0"]\n')
    done = team.run("add", "glossary")
    assert done.code == 3
    assert "glossary 2.0.0: licenses: the licence `MIT` is not on the allow list" in done.err
    assert file.read_text().count("glossary") == 0
    assert not team.folder.exists()
    file.write_text("")
    ran(team, "add", "glossary")
    file.write_text('[prompts]\nglossary = "^2.0.0"\n[policy]\nclaimed_only = true\n')
    for command in (["sync"], ["install", "--frozen"], ["sync", "--offline"]):
        assert refused(team, *command) == (3, "POLICY_REFUSED")
    file.write_text(
        '[prompts]\nglossary = "^2.0.0"\n[policy]\nregistries = ["main"]\nlicenses = ["MIT"]\n'
    )
    ran(team, "install", "--frozen")
    file.write_text('[prompts]\nglossary = "^2.0.0"\n\n[policy]\nlicences = ["MIT"]\n')
    done = team.run("install", "--frozen")
    assert (done.code, "psreg.toml:5: `licences` is unknown" in done.err) == (2, True)
    assert "Did you mean `licenses`?" in done.err
    file.write_text("[policy]\nlicences = []\n")
    assert refused(team, "lock") == (2, "CONFIG_INVALID")


def test_two_registries(team, tmp_path):
    other = Simulator(registry_id="f" * 32)
    other.release(
        "exam", data=prompt("exam"), entry_class="prompt", release={"requires": {"glossary": "*"}}
    )
    other.release("glossary", "0.5.0", prompt("other"), entry_class="prompt").publish()
    with serving(other.files) as server:
        assert (
            team.run(
                "registry", "add", server.url, "--root-sha256", other.pin, "--name", "work"
            ).code
            == 0
        )
        ran(team, "add", "quiz_master@1.0.0")
        ran(team, "add", "exam", "--registry", "work")
        assert (
            'exam = {version = "^1.0.0", registry = "work"}'
            in (team.place / "psreg.toml").read_text()
        )
        assert {name: each["registry"][:1] for name, each in lock(team).items()} == {
            "exam": "f", "glossary": "f", "quiz_master": "0"
        }  # fmt: skip
        ran(team, "sync")
        before = (team.place / "psreg.lock").read_bytes()
        # A name is of one registry, however new another one's version is.
        assert refused(team, "add", "quiz_master@^1.1") == (1, "NAME_OF_TWO_REGISTRIES")
        assert refused(team, "add", "glossary") == (1, "NAME_OF_TWO_REGISTRIES")
        assert (team.place / "psreg.lock").read_bytes() == before


def test_a_registry_that_only_the_project_names_is_not_trusted(team):
    other = (
        Simulator(registry_id="f" * 32)
        .release("exam", data=prompt("exam"), entry_class="prompt")
        .publish()
    )
    other.store(team.place / "theirs")
    (team.place / "psreg.toml").write_text(
        '[prompts]\nexam = {version = "*", registry = "theirs"}\n[registries.theirs]\nurl = "theirs"\n'
        f'root_sha256 = "{other.pin}"\n'
    )
    for command in (["lock"], ["sync"]):
        assert refused(team, *command) == (3, "TRUST_UNPINNED")
    (team.place / "psreg.toml").write_text(
        '[prompts]\nexam = {version = "*", registry = "./theirs"}\n'
    )
    assert refused(team, "lock") == (3, "TRUST_UNPINNED")
    ran(team, "registry", "add", team.place / "theirs")
    ran(team, "sync")


def test_a_folder_is_the_same_registry_however_it_is_named(team):
    other = Simulator(registry_id="f" * 32).release("exam", data=prompt("x"), entry_class="prompt")
    place = other.publish().store(team.client.home / "theirs")
    ran(team, "registry", "add", os.path.relpath(place, team.place), "--name", "theirs")
    assert f"  theirs  {place}\n" in ran(team, "registry", "list").out
    ran(team, "add", "exam", "--registry", os.path.relpath(place, team.place))
    assert 'registry = "theirs"' in (team.place / "psreg.toml").read_text()


def test_a_lock_from_another_registry_than_ours(team):
    ran(team, "add", "glossary")
    other = Simulator(registry_id="f" * 32).release(
        "glossary", data=prompt("evil"), entry_class="prompt"
    )
    place = other.publish().store(team.client.home / "other")
    assert refused(team, "install", "--frozen", "--registry", place) == (1, "LOCK_DRIFT")
    text = (team.place / "psreg.lock").read_text()
    (team.place / "psreg.lock").write_text(text.replace("0123456789abcdef" * 2, "e" * 32))
    assert refused(team, "install", "--frozen") == (1, "LOCK_DRIFT")


def test_what_is_locked_is_of_another_registry_only_if_a_person_says_so(team):
    """The settings of another machine, or of another day, name another registry."""
    ran(team, "add", "glossary")
    before = (team.place / "psreg.lock").read_bytes(), content(team.folder)
    other = Simulator(registry_id="f" * 32).release(
        "glossary", "2.0.0", prompt("theirs"), entry_class="prompt"
    )
    other.release("exam", data=prompt("exam"), entry_class="prompt")
    place = other.publish().store(team.client.home / "other")
    ran(team, "registry", "remove", "main")
    ran(team, "registry", "add", place)
    for command in (["sync"], ["lock"], ["update"], ["add", "exam"], ["add", "glossary@*"]):
        assert refused(team, *command) == (3, "TRUST_OTHER_REGISTRY")
    assert ((team.place / "psreg.lock").read_bytes(), content(team.folder)) == before
    told = "glossary 2.0.0 -> 2.0.0\n  of the registry " + "f" * 32
    assert ran(team, "update", "glossary", "--dry-run").out.startswith(told)
    done = ran(team, "update", "glossary", "--format", "json").json
    ids = {"before": "0123456789abcdef" * 2, "after": "f" * 32}
    assert [each["registry"] for each in done["changes"]] == [ids]
    assert lock(team)["glossary"]["registry"] == "f" * 32
    ran(team, "sync")
    # Who names a registry for a run means it.
    (team.place / "psreg.lock").write_bytes(before[0])
    done = ran(team, "lock", "--registry", place)
    assert done.out == (
        f"locked glossary 2.0.0 of the registry {ids['after']} "
        f"(was 2.0.0 of the registry {ids['before']})\n"
    )
    for command in (["sync"], ["update"], ["add", "glossary@*"]):
        (team.place / "psreg.lock").write_bytes(before[0])
        ran(team, *command, "--registry", place)
        assert lock(team)["glossary"]["registry"] == "f" * 32


def test_an_update_shows_what_it_changes_before_it_is_written(team):
    text = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{}\n"
    for version, body in (("1.0.0", "Hello {name}"), ("1.1.0", "Hello {name} {other}")):
        team.registry.release(
            "greeting",
            version,
            text.format(body).encode(),
            entry_class="prompt",
            release={"changes": f"In {version}."},
        )
    team.registry.publish()
    ran(team, "add", "greeting@1.0.0")
    (team.place / "psreg.toml").write_text('[prompts]\ngreeting = "^1"\n')
    before = (team.place / "psreg.lock").read_bytes(), content(team.folder)
    done = ran(team, "outdated")
    table = "name      current  wanted  latest\ngreeting  1.0.0    1.1.0   1.1.0\n"
    assert done.out.startswith(f"{table}\ngreeting 1.0.0 -> 1.1.0\n  1.1.0: In 1.1.0.\n  floor: ma")
    assert ran(team, "outdated", "--quiet").out == table
    assert team.run("outdated", "--exit-code").code == 1
    done = ran(team, "update", "--dry-run")
    assert done.out.startswith("greeting 1.0.0 -> 1.1.0\n  1.1.0: In 1.1.0.\n  floor: major")
    assert done.out.endswith("nothing was written, because of `--dry-run`\n")
    assert ((team.place / "psreg.lock").read_bytes(), content(team.folder)) == before
    ran(team, "update", "greeting")
    assert lock(team)["greeting"]["version"] == "1.1.0"
    assert b"{other}" in (team.folder / "greeting.prompt").read_bytes()
    assert ran(team, "update").out == "everything is as new as psreg.toml allows\n"
    assert ran(team, "outdated").out == "everything is up to date\n"
    ran(team, "update", "greeting", "--precise", "1.0.0")
    assert (lock(team)["greeting"]["version"], content(team.folder)) == ("1.0.0", before[1])
    done = team.run("update", "greeting", "--precise", "2.0.0")
    assert (done.code, "`--precise` asks for greeting 2.0.0" in done.err) == (1, True)
    assert refused(team, "update", "greetin") == (4, "NOT_IN_PROJECT")


def test_why_and_tree(team):
    ran(team, "add", "quiz_master", "glossary@^1")
    assert ran(team, "tree").out == "glossary 1.2.0\nquiz_master 1.1.0\n  glossary 1.2.0\n"
    assert ran(team, "why", "glossary").out == (
        "glossary 1.2.0\n  psreg.toml:3 asks for glossary ^1\n"
        "  psreg.toml:2 asks for quiz_master ^1.1.0\n    quiz_master 1.1.0 requires glossary ^1.0\n"
    )


def test_the_cache(team, tmp_path):
    assert ran(team, "cache", "dir").out == f"{team.cache}\n"
    assert ran(team, "cache", "dir", PSREG_CACHE=str(tmp_path / "x")).out == f"{tmp_path / 'x'}\n"
    ran(team, "add", "quiz_master")
    assert ran(team, "cache", "verify").out == "checked 4 files: 0 damaged\n"
    files = cached(team)
    for path in files:
        path.write_bytes(path.read_bytes()[:-1])
    done = team.run("cache", "verify")
    assert (done.code, done.out.count("damaged, and deleted: ")) == (3, 4)
    assert ran(team, "cache", "verify").out == "checked 0 files: 0 damaged\n"
    ran(team, "sync")
    assert cached(team) == files
    assert ran(team, "cache", "clean").out == "deleted 4 files\n"
    assert cached(team) == []
    ran(team, "cache", "clean")


def test_outside_of_a_project_what_is_required_is_installed_too(team):
    done = ran(team, "install", "quiz_master")
    assert "installed quiz_master 1.1.0" in done.out
    assert "installed glossary 1.2.0" in done.out
    assert "already installed glossary 1.2.0" in ran(team, "install", "quiz_master").out
    assert ran(team, "install", "quiz_master", "--offline").code == 0
    ran(team, "install", "quiz_master", "--to", "out")
    assert sorted(content(team.place / "out")) == ["glossary.prompt", "quiz_master.pbe.txt"]
    assert refused(team, "install", "quiz_master@1.1.0", "glossary@^2") == (
        1,
        "REQUIREMENTS_CONFLICT",
    )
    assert ran(team, "show", "--raw", "quiz_master@1.1.0").code == 0


def test_what_another_prompt_requires_is_not_replaced_or_removed_in_silence(team):
    ran(team, "install", "quiz_master@1.1.0")
    assert "glossary  1.2.0    1.2.0   2.0.0" in ran(team, "outdated").out
    told = "quiz_master 1.1.0 requires glossary ^1.0, and 2.0.0 replaces it"
    done = ran(team, "install", "glossary@2.0.0")
    assert done.err == f"psreg: warning: {told}\n"
    ran(team, "install", "glossary@1.2.0")
    done = ran(team, "install", "glossary@2.0.0", "--format", "json")
    assert done.json["installed"][0]["warnings"] == [told]
    told = "quiz_master 1.1.0 requires glossary ^1.0, which is not installed any more"
    assert ran(team, "uninstall", "glossary").err == f"psreg: warning: {told}\n"
    ran(team, "install", "quiz_master@1.1.0")
    assert ran(team, "uninstall", "glossary", "quiz_master").err == ""


def test_a_policy_is_also_enforced_outside_of_the_lock(team):
    (team.place / "psreg.toml").write_text('[policy]\nlicenses = ["CC0-1.0"]\n')
    assert refused(team, "install", "glossary") == (3, "POLICY_REFUSED")
    (team.place / "psreg.toml").unlink()
    ran(team, "install", "glossary")
    settings = team.client.home / "config/config.toml"
    settings.write_text(settings.read_text() + "\n[policy]\nclaimed_only = true\n")
    done = team.run("verify", "--format", "json")
    assert (done.code, done.json["error"]["code"]) == (3, "POLICY_REFUSED")


def test_entries_that_require_each_other_are_refused(team):
    for name, other in (("left", "right"), ("right", "left")):
        head = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n"
        text = f"{head}See @psreg:{other}.\n".encode()
        requires = {"requires": {other: "^1"}}
        team.registry.release(name, "1.0.0", text, entry_class="prompt", release=requires)
    team.registry.publish()
    ran(team, "add", "glossary")
    before = (team.place / "psreg.lock").read_bytes()
    for command in ("install", "add"):
        done = team.run(command, "left")
        assert done.code == 1
        assert "error[REQUIRES_CYCLE]: entries require each other: left 1.0.0" in done.err
    assert team.client.installed() == []
    assert (team.place / "psreg.lock").read_bytes() == before
    done = team.run("show", "left", "--bundle")
    assert (done.code, done.out) == (1, "")
    assert "CALLS_IN_A_CYCLE" in done.err, done.err
