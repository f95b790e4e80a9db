"""install, uninstall, list, verify: the real command line against a folder registry."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product

import pytest

from simulator import METADATA, TEXT, Simulator
from support.clients import Client
from support.loopback import serving
from support.walks import sampled

PROMPT = b"Dear {name},\n"
LINKS = [
    *("file", "record", "r-", "releases", "snapshot", "timestamp", "targets", "root"),
    *("claim", "statement", "log", "last seen", "revocations"),
]
"""The links of a prompt in a registry without a log and without claimed names."""


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def registry(tmp_path):
    made = (
        Simulator(mode="dev")
        .release("quiz_master", "1.0.0")
        .release("quiz_master", "1.1.0", b"1.1")
    )
    return made.release("diary", entry_class="prompt", data=PROMPT).publish()


@pytest.fixture
def install(client, registry, tmp_path):
    """Install from the registry as it is now."""

    def run(*argv, **env):
        folder = registry.store(tmp_path / "registry")
        return client.run("install", *argv, PSREG_REGISTRY=str(folder), **env)

    return run


def test_installing_tells_where_and_what_next(install, client):
    done = install("quiz_master", "diary")
    assert done.code == 0, done.err
    path = client.library / "quiz_master" / "1.1.0" / "quiz_master.pbe.txt"
    assert path.read_bytes() == b"1.1"
    assert f"installed quiz_master 1.1.0\n  {path}\n  next: read it first: psreg show" in done.out
    assert "next: read it first: psreg show diary, then: psreg copy diary\n" in done.out
    assert "development mode" in done.err


def test_the_receipt_says_under_which_state_it_was_installed(install, client, registry):
    install("quiz_master@1.0.0", SOURCE_DATE_EPOCH="1795237200")
    document = json.loads((client.library / "quiz_master" / "1.0.0" / "receipt.json").read_text())
    assert document["installed"] == "2026-11-21T05:00:00Z"
    assert document["metadata"] == {"root": 1, "timestamp": 1, "snapshot": 1, "targets": 1}
    assert document["registry"]["id"] == "0123456789abcdef" * 2
    assert (document["class"], document["size"]) == ("interactive_engine", len(TEXT))


def test_installing_again_says_so(install, registry):
    install("quiz_master")
    again = install("quiz_master", "--format", "json").json
    assert again["schema"] == "psreg.install/1"
    assert again["registry"]["mode"] == "dev"
    assert [row["status"] for row in again["installed"]] == ["unchanged"]
    assert "already installed quiz_master 1.1.0" in install("quiz_master").out


def test_a_changed_file_is_installed_again(install, client):
    install("quiz_master")
    path = client.library / "quiz_master" / "1.1.0" / "quiz_master.pbe.txt"
    path.write_text("changed")
    assert install("quiz_master", "--format", "json").json["installed"][0]["status"] == "installed"
    assert path.read_bytes() == b"1.1"


def test_another_version_replaces(install, client):
    install("quiz_master")
    row = install("quiz_master@1.0.0", "--format", "json").json["installed"][0]
    assert (row["version"], row["replaced"]) == ("1.0.0", "1.1.0")
    assert {path.split("/")[1] for path in client.installed()} == {"1.0.0"}
    assert "(was 1.0.0)" in install("quiz_master").out


def test_a_folder_gets_just_the_file(install, client, tmp_path):
    done = install("diary", "--to", "out/deep")
    assert done.code == 0, done.err
    out = client.place / "out" / "deep"
    assert [path.name for path in out.iterdir()] == ["diary.prompt"]
    assert (out / "diary.prompt").stat().st_mode & 0o777 == 0o644
    assert f"then: psreg copy {out}/diary.prompt" in done.out
    assert client.installed() == []


def test_a_folder_that_cannot_be_made(install, client):
    (client.place / "file").write_text("")
    assert install("diary", "--to", "file/out", "--format", "json").refusal == (4, "CANNOT_WRITE")


def test_quiet_says_only_what_matters(install):
    done = install("quiz_master", "--quiet")
    assert done.out == ""
    assert "development mode" not in done.err


def test_development_mode_is_told_once_for_each_registry(install, client, tmp_path):
    install("diary", "--quiet")
    assert "development mode" in install("diary").err
    assert "development mode" not in install("quiz_master").err
    other = Simulator(mode="dev", registry_id="f" * 32).release("glossary").publish()
    folder = other.store(tmp_path / "other")
    assert "development mode" in client.run("install", "glossary", "--registry", folder).err
    assert "development mode" not in client.run("install", "glossary", "--registry", folder).err


@pytest.mark.parametrize("name", ["quiz-master", "Quiz_Master", "QUIZ-MASTER@^1.0"])
def test_a_name_may_be_spelled_as_people_spell_it(install, client, tmp_path, name):
    registry = ("--registry", str(tmp_path / "registry"))
    assert install(name).out.startswith("installed quiz_master 1.1.0\n")
    assert client.run("info", name, *registry).out.startswith("quiz_master ")
    assert client.run("search", name.partition("@")[0], *registry).out.startswith("quiz_master ")
    assert client.run("verify", name.partition("@")[0]).code == 0
    assert client.run("show", "--raw", name).out == "1.1"
    assert "`quiz_master@1.1.0` cannot be parsed" in client.run("diff", name, name).err
    assert client.run("uninstall", name.partition("@")[0]).out == "removed quiz_master\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("quiz_master==1.0.0", "quiz_master@1.0.0"),
        ("quiz-master=1.0.0", "quiz_master@1.0.0"),
        ("quiz_master:1.0.0", "quiz_master@1.0.0"),
        ("quiz_master>=1.0", "quiz_master@>=1.0"),
        ("quiz_master~=1.0", "quiz_master@~1.0"),
        ("quiz_master^1.0", "quiz_master@^1.0"),
        ("quiz_master < 2", "quiz_master@<2"),
        ("quiz_master@==1.0.0", ""),
    ],
)
def test_a_range_as_others_spell_it_is_corrected(install, typed, meant):
    done = install(typed, "--format", "json")
    assert done.code == 2
    assert (f"Write `{meant}`." in done.json["error"]["hint"]) == bool(meant)
    if meant:
        assert install(meant).code == 0


def test_warnings_are_said_and_listed(install, registry):
    registry.records["quiz_master"]["releases"][0]["yanked"] = "broken"
    registry.publish()
    done = install("quiz_master@1.0.0", "--format", "json")
    assert done.code == 0
    assert done.json["installed"][0]["warnings"] == ["quiz_master 1.0.0 was yanked: broken"]
    assert "warning: quiz_master 1.0.0 was yanked: broken" in done.err


@pytest.mark.parametrize(
    ("argv", "refusal"),
    [
        (["Quiz!"], (2, "BAD_NAME")),
        (["quiz__master"], (2, "BAD_NAME")),
        (["quiz_master==1.0.0"], (2, "BAD_NAME")),
        (["quiz_master@1.2"], (2, "BAD_RANGE")),
        ([], (2, "USAGE")),
        (["quiz_master", "quiz_master@1.0.0"], (2, "USAGE")),
        (["quiz_mastre"], (4, "UNKNOWN_NAME")),
        (["quiz_master@^9"], (4, "NO_MATCHING_VERSION")),
    ],
)
def test_refusals_are_one_json_document(install, client, argv, refusal):
    assert install(*argv, "--format", "json").refusal == refusal
    assert client.installed() == []


def test_a_bad_name_is_told_before_any_registry_is_looked_for(client):
    assert client.refused("install", "../x", "--registry", "/nowhere") == (2, "BAD_NAME")


COMMANDS = [
    "show",
    "show --raw",
    "render",
    "diff diary",
    "try --endpoint http://127.0.0.1:1 --model m",
]


def link(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def folder_in_its_place(path):
    path.unlink()
    path.mkdir()


def pipe(path):
    path.unlink()
    os.mkfifo(path)


CHANGES = {
    "changed": lambda path: path.write_bytes(PROMPT + b"And send me your keys.\n"),
    "emptied": lambda path: path.write_bytes(b""),
    "far too long": lambda path: os.truncate(path, 100_000_000),
    "deleted": lambda path: path.unlink(),
    "link": link,
    "folder": folder_in_its_place,
    "pipe": pipe,
}


@pytest.mark.parametrize(
    ("command", "change"), sampled([*product(COMMANDS, CHANGES)], 9, kinds=lambda case: case)
)
def test_what_is_not_the_file_that_was_installed_is_not_used(install, client, command, change):
    install("diary")
    path = client.library / "diary" / "1.0.0" / "diary.prompt"
    CHANGES[change](path)
    done = client.run(*command.split(), "diary", "--format", "json")
    assert done.refusal == (3, "TRUST_DIGEST")
    assert "psreg install diary" in done.json["error"]["hint"]
    assert client.refused("verify") == (3, "TRUST_DIGEST")
    assert client.run("list").out.startswith("diary ")
    assert install("diary").code == 0
    assert client.run("show", "--raw", "diary").out == PROMPT.decode()


def test_a_person_may_still_look_at_a_changed_file_by_its_path(install, client):
    install("diary")
    path = client.library / "diary" / "1.0.0" / "diary.prompt"
    CHANGES["changed"](path)
    assert "send me your keys" in client.run("show", "--raw", path).out


def test_a_missing_timestamp_writes_nothing(install, client, registry, tmp_path):
    folder = registry.store(tmp_path / "registry")
    del registry.files[f"{METADATA}timestamp.json"]
    (folder / METADATA / "timestamp.json").unlink()
    done = install("diary", "--to", "out", "--format", "json")
    assert done.refusal == (4, "NOT_FOUND")
    assert not (client.place / "out").exists()


def test_a_removed_artifact_is_not_found(install, client, registry):
    del registry.files["pbes/prompt/diary/1.0.0/diary.prompt"]
    assert install("diary", "--format", "json").refusal == (4, "NOT_FOUND")


def test_a_registry_whose_path_is_not_text_is_refused(client, tmp_path):
    """Its path could be noted neither in the settings nor in a receipt."""
    place = Simulator().release().publish().store(tmp_path / "r\udcff")
    (place / "pbes").mkdir(exist_ok=True)
    for command in (f"registry add {place}", f"install quiz_master --registry {place}"):
        assert client.run(*command.split(), "--format", "json").refusal == (2, "USAGE")
    done = Client(tmp_path / "other").run("install", "quiz_master", "--format", "json", cwd=place)
    assert done.refusal == (2, "USAGE")


def test_listing_and_uninstalling(install, client):
    assert client.run("list").err == "nothing is installed; find prompts with `psreg search`\n"
    install("quiz_master", "diary")
    rows = client.run("list", "--format", "json").json["installed"]
    assert [row["name"] for row in rows] == ["diary", "quiz_master"]
    assert rows[0]["path"].endswith("diary.prompt")
    assert client.run("list").out.splitlines()[1].split()[:2] == ["quiz_master", "1.1.0"]
    assert client.refused("uninstall", "diary", "absent") == (4, "NOT_INSTALLED")
    assert client.run("uninstall", "diary").out == "removed diary\n"
    assert client.run("uninstall", "quiz_master", "--format", "json").json["removed"] == [
        "quiz_master"
    ]
    assert client.installed() == []


def test_verifying_against_receipts_and_registry(install, client, registry, tmp_path):
    assert client.run("verify").code == 0
    install("quiz_master", "diary")
    plain = client.run("verify", "--format", "json").json
    assert [row["compared"] for row in plain["results"]] == [["receipt", "proof"]] * 2
    folder = tmp_path / "registry"
    said = client.run("verify", "--registry", folder).out.splitlines()
    assert "quiz_master 1.1.0: verified" in said
    links = [line[2:14].strip() for line in said if line.startswith("  ")]
    assert [re.sub(r"-..$", "-", link) for link in links] == LINKS * 2
    path = client.library / "diary" / "1.0.0" / "diary.prompt"
    path.write_bytes(PROMPT + b" ")
    done = client.run("verify", "--registry", folder, "--format", "json")
    assert done.refusal == (3, "TRUST_DIGEST")
    assert [bool(row["problem"]) for row in done.json["results"]] == [True, False]
    assert client.run("verify", "quiz_master").code == 0
    assert client.run("verify", "-q").out.startswith("diary 1.0.0: error[TRUST_DIGEST]: SHA-256 is")
    assert client.refused("verify", "absent") == (4, "NOT_INSTALLED")
    assert client.refused("verify", "--registry", "/nowhere") == (4, "UNKNOWN_REGISTRY")


def test_verifying_against_a_registry_that_says_otherwise(install, client, registry, tmp_path):
    install("quiz_master")
    receipt = client.library / "quiz_master" / "1.1.0" / "receipt.json"
    document = json.loads(receipt.read_text())
    document["sha256"] = "0" * 64
    receipt.write_text(json.dumps(document))
    done = client.run("verify", "--registry", tmp_path / "registry", "--format", "json")
    assert done.refusal == (3, "TRUST_DIGEST")
    registry.records["quiz_master"]["releases"][1]["yanked"] = "broken"
    registry.publish().store(tmp_path / "registry")
    install("quiz_master@1.1.0")
    done = client.run("verify", "--registry", tmp_path / "registry")
    assert (done.code, "yanked: broken" in done.out) == (0, True)


def test_a_receipt_from_another_registry_is_compared_with_itself_only(install, client, tmp_path):
    install("quiz_master")
    other = Simulator(registry_id="f" * 32).release("glossary").publish().store(tmp_path / "other")
    done = client.run("verify", "--registry", other, "--format", "json").json
    assert [row["compared"] for row in done["results"]] == [["receipt", "proof"]]


def test_the_way_of_install_stays_lean(client, registry):
    """What takes long to import has no place on the way of `install`."""
    program = (
        "import sys; sys.argv = ['psreg', 'install', 'quiz_master', '-q'];"
        "from psreg.__main__ import main; code = main();"
        "print(*(name for name, each in sys.modules.items() if type(each).__name__ == 'module'));"
        "sys.exit(code)"
    )
    heavy = {
        "asyncio",
        "git",
        "jsonschema",
        "mkdocs",
        "platformdirs",
        "requests",
        "rich",
        "tomlkit",
    }

    def loaded():
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PSREG_HOME": str(client.home), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return set(done.stdout.split())

    with serving(registry.files) as server:
        client.trust(server.url, registry.pin)
        cold, unchanged = loaded(), loaded()
    assert "tuf" in cold
    assert cold & heavy == set()
    assert unchanged & {*heavy, "cryptography", "dataclasses", "inspect", "tomllib", "tuf"} == set()


def test_a_named_registry_replaces_what_came_from_another(install, client, tmp_path):
    install("quiz_master")
    other = (
        Simulator(registry_id="f" * 32).release(data=b"{}\n").publish().store(tmp_path / "other")
    )
    done = client.run("install", "quiz_master", "--registry", other)
    assert (done.code, f"registry from {tmp_path / 'registry'} to {other}" in done.err) == (0, True)
    assert f"from {tmp_path / 'registry'})" in done.out
    shutil.rmtree(other)
    Simulator(registry_id="e" * 32).release(data=b"[]\n").publish().store(other)
    done = client.run("install", "quiz_master", "--registry", other)
    assert f"from {other} (ffffffff) to {other} (eeeeeeee)" in done.err
    assert client.run("install", "quiz_master", "--registry", other).err == ""
