"""The artifacts that all libraries and projects share: found again, and never believed."""

from __future__ import annotations

import json
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator import TEXT, lasting
from support.failing_disk import killed_at
from support.simulated_actions import withdraw

TAGS = b"[CONTENT]\nSay hello.\xf3\xa0\x81\x81\xf3\xa0\x81\x82\n"
"""What no review lets pass without a waiver."""

DIARY = b"[METADATA]\n@name: Diary\n[CONTENT]\nDear {name},\n"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def signer():
    return lasting(log=True).release("diary", entry_class="prompt", data=DIARY)


@pytest.fixture
def cache(attack):
    return attack.client.home / "cache"


@pytest.fixture
def elsewhere(attack, tmp_path):
    """Return a function that runs a command with another, empty library."""
    numbers = iter(range(10_000))

    def run(*command, **env):
        library = tmp_path / f"library {next(numbers)}"
        done = attack.client.run(*command, PSREG_LIBRARY=str(library), **env)
        return done, [path.read_bytes() for path in library.rglob("quiz_master.pbe.txt")]

    return run


def artifacts(cache):
    return [path for path in (cache / "artifacts").rglob("*") if path.is_file()]


def fetched(attack):
    """Return the artifacts that were asked for since this was called last."""
    asked = [path for path in attack.server.asked if path.startswith("pbes/")]
    attack.server.asked.clear()
    return asked


def block(attack):
    settings = attack.client.home / "config/config.toml"
    settings.write_text(settings.read_text().replace(attack.server.url, NOWHERE))


def flip(cache):
    for path in artifacts(cache):
        data = path.read_bytes()
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])


def test_the_second_library_and_a_project_download_nothing(attack, cache, elsewhere):
    assert attack.client.run("install", "quiz_master").code == 0
    assert len(fetched(attack)) == 1
    assert [path.read_bytes() for path in artifacts(cache)] == [TEXT]
    done, files = elsewhere("install", "quiz_master")
    assert (done.code, files, fetched(attack)) == (0, [TEXT], [])
    assert attack.client.run("install", "quiz_master", "--to", "out").code == 0
    assert attack.client.run("add", "quiz_master").code == 0
    assert (attack.client.place / "prompts/quiz_master.pbe.txt").read_bytes() == TEXT
    assert fetched(attack) == []


def test_what_a_project_fetched_is_there_for_the_library(attack):
    assert attack.client.run("add", "quiz_master").code == 0
    assert len(fetched(attack)) == 1
    assert attack.client.run("install", "quiz_master").code == 0
    assert fetched(attack) == []


def test_nothing_is_kept_of_what_is_only_shown(attack, cache):
    assert attack.client.run("show", "--raw", "quiz_master").code == 0
    assert not cache.exists()


@pytest.mark.parametrize("away", ["--offline", "blocked"])
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("install quiz_master", "installed quiz_master 1.0.0"),
        ("show --raw quiz_master", TEXT.decode()),
        ("render diary --set name=Ann", "Dear Ann,"),
    ],
)
def test_what_is_cached_needs_no_network(attack, elsewhere, away, command, said):
    assert attack.client.run("install", "diary", "quiz_master").code == 0
    options = ["--offline"] if away == "--offline" else block(attack) or []
    fetched(attack)
    done, files = elsewhere(*command.split(), *options)
    assert done.code == 0, done.err
    assert said in done.out
    assert files == ([TEXT] if command.startswith("install") else [])
    assert "as of 20" in done.err
    assert attack.server.asked == []


def test_what_was_installed_without_a_network_is_verified(attack, tmp_path):
    assert attack.client.run("install", "quiz_master").code == 0
    attack.client.run("uninstall", "quiz_master")
    assert attack.client.run("install", "quiz_master", "--offline").code == 0
    receipt = json.loads((attack.client.library / "quiz_master/1.0.0/receipt.json").read_bytes())
    assert receipt["metadata"] == {"root": 1, "snapshot": 1, "targets": 1, "timestamp": 1}
    assert attack.client.run("verify").code == 0


@pytest.mark.attack("T1", (3, "CACHE_DAMAGED"))
@pytest.mark.parametrize("away", ["--offline", "blocked"])
def test_a_flipped_bit_without_a_network(attack, cache, elsewhere, away):
    assert attack.client.run("install", "quiz_master").code == 0
    settings = attack.client.home / "config/config.toml"
    before = settings.read_text()
    flip(cache)
    options = ["--offline"] if away == "--offline" else block(attack) or []
    done, files = elsewhere("install", "quiz_master", *options)
    assert (done.code, files) == (3, [])
    assert "error[CACHE_DAMAGED]" in done.err
    settings.write_text(before)


def test_a_flipped_bit_is_fetched_again(attack, cache, elsewhere):
    assert attack.client.run("install", "quiz_master").code == 0
    for damage in (flip, lambda cache: [path.write_bytes(b"") for path in artifacts(cache)]):
        damage(cache)
        fetched(attack)
        done, files = elsewhere("install", "quiz_master")
        assert (done.code, files, len(fetched(attack))) == (0, [TEXT], 1)
        assert [path.read_bytes() for path in artifacts(cache)] == [TEXT]
    (place,) = artifacts(cache)
    place.unlink()
    place.symlink_to("/etc/hostname")
    done, files = elsewhere("install", "quiz_master")
    assert (done.code, files, place.is_symlink(), place.read_bytes()) == (0, [TEXT], False, TEXT)
    assert attack.client.run("cache", "verify").code == 0


@pytest.mark.attack("T19", (3, "TRUST_CONTENT"))
def test_what_was_waived_before_is_judged_again(attack, elsewhere):
    waived = [{"code": "PS001", "reason": "It explains it.", "by": "policy"}]
    registry = attack.registry
    registry.release("riddle", data=TAGS, entry_class="prompt", waived=waived).publish()
    assert attack.client.run("install", "riddle").code == 0
    record = registry.records["riddle"]
    record["releases"][0]["waived"] = []
    record["serial"] += 1
    registry.publish()
    attack.learned()
    done, _ = elsewhere("install", "riddle")
    assert (done.code, "error[TRUST_CONTENT]" in done.err) == (3, True)


def test_the_newest_state_that_was_seen_counts(attack, elsewhere):
    """Who blocks the network gets nobody an older release than they could have had before."""
    assert attack.client.run("install", "quiz_master").code == 0
    attack.registry.release("quiz_master", "1.1.0", b"1.1").publish()
    attack.learned()
    assert attack.client.run("search").code == 0  # has seen the state, but not this record
    block(attack)
    done, files = elsewhere("install", "quiz_master", "--format", "json")
    error = done.json["error"]
    assert (done.code, files, error["code"]) == (4, [], "NETWORK")
    assert "has seen a newer state of the registry" in error["message"]
    assert error["hint"].endswith("`--offline` uses the older one all the same.")
    done, files = elsewhere("install", "quiz_master", "--offline")
    assert (done.code, files) == (0, [TEXT])


@pytest.mark.parametrize("same", [True, False], ids=["one library", "a library each"])
def test_twenty_at_once(attack, cache, elsewhere, same):
    run = (lambda *argv: (attack.client.run(*argv), [TEXT])) if same else elsewhere
    with ThreadPoolExecutor(20) as pool:
        found = [*pool.map(lambda _: run("install", "quiz_master"), range(20))]
    told = [done.err for done, _ in found]
    assert [(done.code, files) for done, files in found] == [(0, [TEXT])] * 20, told
    assert [path.read_bytes() for path in artifacts(cache)] == [TEXT]
    left = [path for path in attack.client.home.rglob("*") if path.name.startswith(".psreg-")]
    assert left == []


def test_others_clean_the_cache_meanwhile(attack, elsewhere):
    commands = [("install", "quiz_master"), ("cache", "clean"), ("cache", "verify")] * 4
    with ThreadPoolExecutor(6) as pool:
        found = [*pool.map(lambda command: elsewhere(*command), commands)]
    assert [done.code for done, _ in found] == [0] * len(commands), [d.err for d, _ in found]
    assert [files for _, files in found[::3]] == [[TEXT]] * 4


def test_killed_while_it_is_kept(attack, cache, elsewhere):
    for number in range(1, 40):
        shutil.rmtree(cache, ignore_errors=True)
        done, files = elsewhere("install", "quiz_master", **killed_at(number, cache))
        if done.code == 0:
            break
        assert (done.code, files) == (-signal.SIGKILL, [])
        done, files = elsewhere("install", "quiz_master")
        assert (done.code, files) == (0, [TEXT])
        assert [path.read_bytes() for path in artifacts(cache)] == [TEXT]
    assert number > 4


@pytest.mark.parametrize("place", ["a file", "below a file", "a link", "a loop", "not empty"])
def test_a_cache_that_cannot_be_used_stops_no_installation(
    attack, cache, elsewhere, tmp_path, place
):
    env = {}
    if place == "a link":
        cache.symlink_to(tmp_path)
    elif place == "a loop":
        (tmp_path / "loop").symlink_to("loop")
        env = {"PSREG_CACHE": str(tmp_path / "loop")}
    elif place == "not empty":
        # Where a file belongs there is a folder that is not empty, with a link in it.
        assert attack.client.run("install", "quiz_master").code == 0
        (found,) = artifacts(cache)
        found.unlink()
        (found / "x").mkdir(parents=True)
    else:
        (tmp_path / "file").write_bytes(b"x")
        env = {"PSREG_CACHE": str(tmp_path / "file" / ("x" if place == "below a file" else ""))}
    for command in ("install", "show --raw"):
        done, files = elsewhere(*command.split(), "quiz_master", **env)
        assert done.code == 0, done.err
        assert files == ([TEXT] if command == "install" else [])
    if "file" in place:
        assert (tmp_path / "file").read_bytes() == b"x"
        assert attack.client.run("add", "quiz_master", **env).code == 0


def test_the_cache_that_a_person_names_may_be_a_link(attack, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    env = {"PSREG_CACHE": str(tmp_path / "link")}
    assert attack.client.run("install", "quiz_master", **env).code == 0
    assert (tmp_path / "link").is_symlink()
    assert [path.read_bytes() for path in artifacts(tmp_path / "disk")] == [TEXT]


@pytest.mark.parametrize("options", ["ro", "nr_blocks=1", "nr_inodes=1", "nr_inodes=3"])
def test_a_disk_that_is_full_or_read_only_stops_no_installation(attack, elsewhere, disk, options):
    env = {"PSREG_CACHE": str(disk("rw") / "cache")}
    for command in ("install", "add"):
        disk(options)
        done, files = elsewhere(command, "quiz_master", **env)
        assert (done.code, done.err) == (0, "")
        assert files == ([TEXT] if command == "install" else [])
    disk("rw,nr_blocks=1000,nr_inodes=1000")
    done, files = elsewhere("install", "quiz_master", **env)
    assert (done.code, files) == (0, [TEXT])
    done, files = elsewhere("install", "quiz_master", "--offline", **env)
    assert (done.code, files) == (0, [TEXT])


@pytest.mark.parametrize("away", ["--offline", "blocked"])
def test_what_was_seen_revoked_stays_so_without_a_network(attack, elsewhere, away):
    assert attack.client.run("install", "quiz_master").code == 0
    withdraw(attack.registry, "1.0.0")
    attack.registry.publish()
    attack.learned()
    assert "was revoked" in attack.client.run("info", "quiz_master").out
    options = ["--offline"] if away == "--offline" else block(attack) or []
    done, files = elsewhere("install", "quiz_master@1.0.0", *options)
    assert files == []
    assert done.code == (3 if away == "--offline" else 4)
    assert ("error[TRUST_REVOKED]" if done.code == 3 else "has seen a newer state") in done.err
