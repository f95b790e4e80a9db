"""`psreg diff` and `psreg bump NAME auto`, by the real command line."""

import json
import shutil

import pytest

from simulator import Simulator
from support.authoring import tree_of
from support.clients import Client
from support.loopback import serving
from support.paths import PBES
from support.registry_trees import PROMPT, entry, tree, update

ENGINE = PBES / "interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
LETTER = PBES / "prompt/email_reply/1.0.0/email_reply.prompt"


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def checkout(tmp_path):
    def write(*parts):
        root = tmp_path / "checkout"
        for path, data in tree(*parts).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        return root

    return write


def floor(client, before, after, **where):
    done = client.run("diff", before, after, "--format", "json", **where)
    assert done.code == 0, done.err
    return done.json["floor"]


def tone(value):
    value["meta_instructions"]["tone"] += "!"


def technique(value):
    more = {"name": "Silence", "purpose": "Let them think", "example": "…"}
    value["facilitator_techniques"]["techniques"].append(more)


def recognition_key(value):
    value["save_system"]["load_detection"]["recognition_key"] = "tutor_save"


def versions(value):
    value["pbe_version"] = "1.0.1"
    value["save_system"]["save_template"]["socratic_tutor_save"]["pbe_version"] = "1.0.1"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (tone, "patch"),
        (technique, "minor"),
        (recognition_key, "major"),
        (versions, "patch"),
        (lambda _: None, "patch"),  # written again, so that blanks differ
    ],
)
def test_the_floor_of_an_engine(client, edit, expected):
    value = json.loads(ENGINE.read_bytes())
    edit(value)
    changed = client.place / "changed.pbe.txt"
    changed.write_text(json.dumps(value))
    assert floor(client, ENGINE, changed) == expected


def test_the_floor_of_a_prompt(client):
    changed = client.place / "changed.prompt"
    changed.write_bytes(LETTER.read_bytes())
    assert floor(client, LETTER, changed) == "none"
    changed.write_text(LETTER.read_text() + "Write it in {style}.\n")
    assert floor(client, LETTER, changed) == "major"


def test_forms(client):
    changed = client.place / "changed.prompt"
    changed.write_text(LETTER.read_text() + "Be kind.\n")
    done = client.run("diff", LETTER, changed)
    assert done.code == 0
    assert done.out.startswith("floor: patch")
    assert "+++" not in done.out
    assert "\n+Be kind.\n" in client.run("diff", LETTER, changed, "--patch").out
    assert client.run("diff", LETTER, changed, "--format", "markdown").out.startswith("Floor: **")


def test_a_release_by_name_and_as_a_folder(client, checkout):
    root = checkout(entry("hello", "1.0.0", "1.1.0-rc.1"), update(more='[requires]\nx = "*"\n'))
    folder = root / "pbes/prompt/hello"
    for before in ("hello@1.0.0", "pbes/prompt/hello/1.0.0", folder / "1.0.0"):
        for after in ("hello@1.0.1", "hello", "hello@^1", folder / "1.0.1"):
            found = client.run("diff", before, after, "--format", "json", cwd=root).json
            assert (found["floor"], found["least"]) == ("minor", "1.1.0")
    found = client.run(
        "diff", "hello@1.0.0", folder / "1.0.1/hello.prompt", "--format", "json", cwd=root
    )
    assert (found.json["floor"], found.json["after"]["version"]) == ("patch", "1.0.1")
    assert (
        client.run("diff", "hello@1.1.0-rc.1", "hello", "--format", "json", cwd=root).json["least"]
        is None
    )


def test_a_name_with_candidates_alone(client, checkout):
    root = checkout(entry("hello", "1.0.0-rc.1", "1.0.0-rc.2"))
    found = client.run("diff", "hello@1.0.0-rc.1", "hello", "--format", "json", cwd=root).json
    assert (found["floor"], found["after"]["what"]) == ("none", "hello@1.0.0-rc.2")


def test_the_last_state_and_the_cache_answer_while_the_registry_is_away(client):
    made = Simulator().release("hello", "1.0.0", entry_class="prompt", data=PROMPT.encode())
    asks = PROMPT.replace("hello.", "hello to {name}.")
    made.release("hello", "2.0.0", entry_class="prompt", data=asks.encode()).publish()
    with serving(made.files) as server:
        client.trust(server.url, made.pin)
        assert client.run("install", "hello@2.0.0").code == 0
        assert client.run("install", "hello@1.0.0", "--yes").code == 0
        asked = len(server.asked)
        assert floor(client, "hello@1.0.0", "hello@2.0.0") == "major"
        assert not [path for path in server.asked[asked:] if path.endswith(".prompt")]
    done = client.run("diff", "hello@1.0.0", "hello@2.0.0", "--format", "json")
    assert (done.code, done.json["floor"]) == (0, "major")
    assert "answered as of" in done.err
    done = client.run("diff", "hello@1.0.0", "hello@2.0.0", "--offline")
    assert (done.code, "offline: as of" in done.err) == (0, True)


def test_a_release_that_is_installed_or_in_the_registry(client, tmp_path):
    made = Simulator(mode="dev")
    made.release("hello", "1.0.0", entry_class="prompt", data=PROMPT.encode())
    asks = PROMPT.replace("hello.", "hello to {name}.")
    made.release("hello", "2.0.0", entry_class="prompt", data=asks.encode())
    registry = made.publish().store(tmp_path / "registry")
    where = ("--registry", registry)
    client.run("install", "hello@1.0.0", *where)
    done = client.run("diff", "hello@1.0.0", "hello@2.0.0", "--format", "json", *where)
    assert done.code == 0, done.out
    assert (done.json["floor"], done.json["least"]) == ("major", "2.0.0")
    assert done.json["before"]["what"] == "hello@1.0.0"
    done = client.run("diff", "hello@2.0.0", "nobody", "--format", "json", *where)
    assert done.refusal == (4, "UNKNOWN_NAME")
    shutil.rmtree(registry)
    assert floor(client, "hello", "hello@1.0.0") == "none"


@pytest.mark.parametrize(
    ("after", "refusal"),
    [
        ("nowhere.prompt", (4, "CANNOT_READ")),
        ("No Name", (4, "CANNOT_READ")),
        ("nobody@1.0.0", (4, "UNKNOWN_NAME")),
        ("letter", (4, "UNKNOWN_NAME")),
        ("email_reply@newest", (2, "BAD_RANGE")),
        (ENGINE, (2, "NOT_COMPARABLE")),
        (PBES, (2, "NO_ARTIFACT")),
        (PBES / "prompt/email_reply", (2, "NO_ARTIFACT")),
    ],
)
def test_what_cannot_be_compared(client, after, refusal):
    assert client.refused("diff", LETTER, after) == refusal


def test_a_mistyped_file_that_looks_like_a_name(client, checkout):
    for place in (client.place, checkout(entry("hello", "1.0.0"))):  # nothing is published there
        done = client.run("diff", LETTER, "leter", cwd=place)
        assert done.code == 4
        assert "`leter` is neither a file nor an entry here" in done.err
        assert "Check the spelling" in done.err
    away = client.run("diff", LETTER, "leter", "--registry", client.place / "away")
    assert "UNKNOWN_NAME" not in away.err


def test_hostile_folders(client):
    folder = client.place / "folder"
    (folder / "evidence").mkdir(parents=True)
    (folder / "a.prompt").symlink_to(LETTER)
    (folder / "more").symlink_to(client.place)
    assert client.refused("diff", LETTER, folder) == (2, "NO_ARTIFACT")
    (folder / "b.prompt").write_text(PROMPT)
    assert client.run("diff", folder, folder).out.startswith("floor: none")
    for number in range(1_001):
        (folder / f"evidence/{number}.md").touch()
    assert client.refused("diff", LETTER, folder) == (2, "NO_ARTIFACT")
    (client.place / "broken.prompt").write_text("{")
    assert client.refused("diff", LETTER, "broken.prompt") == (1, "UNREADABLE")


def test_bump_auto_from_a_changed_copy(client, checkout):
    root = checkout(entry())
    draft = client.place / "draft.prompt"
    draft.write_text(PROMPT.replace("hello.", "hello to {name}."))
    done = client.run("bump", "hello", "auto", "--from", draft, cwd=root)
    assert done.code == 0, done.err
    assert done.out.startswith("floor: major (after 1.0.0 that is 2.0.0 or higher)")
    assert "wrote pbes/prompt/hello/2.0.0/hello.prompt" in done.out
    assert (root / "pbes/prompt/hello/2.0.0/hello.prompt").read_bytes() == draft.read_bytes()
    done = client.run("bump", "hello", "auto", "--from", draft, "--format", "json", cwd=root)
    assert done.refusal == (1, "NOTHING_CHANGED")


def test_bump_auto_moves_a_folder_whose_number_is_too_small(client, checkout):
    root = checkout(entry(), update(prompt=PROMPT.replace("hello.", "hello to {name}.")))
    done = client.run("bump", "hello", "auto", cwd=root)
    assert done.code == 0, done.err
    assert "moved pbes/prompt/hello/1.0.1 to pbes/prompt/hello/2.0.0\n" in done.out
    names = {path.name for path in (root / "pbes/prompt/hello").iterdir()}
    assert names == {"1.0.0", "2.0.0", "entry.toml"}
    before = tree_of(root)
    done = client.run("bump", "hello", "auto", cwd=root)
    assert done.code == 0
    assert "hello 2.0.0 is a valid version for these changes\n" in done.out
    document = client.run("bump", "hello", "auto", "--format", "json", cwd=root).json
    assert (document["version"], document["files"], document["replaces"]) == ("2.0.0", [], None)
    assert tree_of(root) == before


def test_bump_auto_leaves_a_released_version_alone(client, checkout):
    root = checkout(entry(), update(prompt=PROMPT.replace("hello.", "hello to {name}.")))
    assert client.run("publish", cwd=root).code == 0
    before = tree_of(root)
    done = client.run("bump", "hello", "auto", "--format", "json", cwd=root)
    assert done.refusal == (1, "RELEASED")
    assert tree_of(root) == before


def test_from_goes_with_auto(client, checkout):
    done = client.run(
        "bump", "hello", "patch", "--from", "x", "--format", "json", cwd=checkout(entry())
    )
    assert done.refusal == (2, "USAGE")
