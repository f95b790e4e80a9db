"""`psreg publish --rev` and `--since`: a commit in place of the work tree, and what it is compared with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from psreg.registry.trust.reading import read_registry
from support.pipelines import git
from support.publishing import files, unlogged
from support.registry_trees import POLICY, entry, tree
from support.warm_psreg import run_psreg

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
POLICY_FILE = "registry/policy.toml"


class World:
    """A registry in a Git repository, perhaps below its top folder."""

    def __init__(self, root: Path, inside: str = "") -> None:
        self.root = root
        self.checkout = root / "repository" / inside
        self.checkout.mkdir(parents=True)
        git("init", "--quiet", cwd=self.checkout)

    def put(self, content: dict) -> None:
        for path, data in content.items():
            (self.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / path).write_bytes(data)

    def commit(self, content: dict) -> str:
        """Commit files, and return the id of the commit."""
        self.put(content)
        git("add", "--all", "--", "pbes", POLICY_FILE, cwd=self.checkout)
        git("commit", "--quiet", "--message", "Change", cwd=self.checkout)
        return git("rev-parse", "HEAD", cwd=self.checkout)

    def publish(self, *words: str, home: str = "home") -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PSREG_HOME": str(self.root / home)}
        env["SOURCE_DATE_EPOCH"] = str(int(NOW.timestamp()))
        words = ("publish", "--format", "json", *words)
        return run_psreg(*words, cwd=self.checkout, env=env, text=True)

    def released(self, *words: str) -> list[str]:
        done = self.publish(*words)
        assert done.returncode == 0, done
        return [f"{one['name']}@{one['version']}" for one in json.loads(done.stdout)["released"]]

    def records(self) -> dict[str, dict]:
        state = read_registry(lambda path: _read(self.checkout / "registry" / path))
        assert state is not None
        return {name: unlogged(data) for name, data in state.packages.items()}


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("inside", ["", "below/the top"])
def test_a_commit_is_published_whatever_is_in_the_work_tree(tmp_path: Path, inside: str) -> None:
    world = World(tmp_path, inside)
    first = world.commit(tree(entry("apple_pie"), entry("night_owl")))
    world.put(tree(entry("apple_pie", "1.0.0", "1.1.0"), entry("garden_plan"), policy="not TOML"))
    (world.checkout / "pbes/prompt/night_owl/1.0.0/night_owl.prompt").write_text("Not this.")
    (world.checkout / "pbes/prompt/a_link").symlink_to("night_owl")
    assert world.released("--rev", "HEAD") == ["apple_pie@1.0.0", "night_owl@1.0.0"]
    shutil.rmtree(world.checkout / "pbes")
    assert world.released("--rev", first) == []
    assert world.released("--rev", "HEAD", "--full") == []


def test_the_records_of_a_commit_are_those_of_its_files(tmp_path: Path) -> None:
    worlds = [World(tmp_path / name) for name in ("commit", "files")]
    for world, words in zip(worlds, (("--rev", "HEAD"), ()), strict=True):
        world.commit(tree(entry("apple_pie"), entry("night_owl")))
        world.released(*words)
        world.commit(tree(entry("apple_pie", "1.0.0", "1.1.0"), entry("garden_plan")))
        assert world.released(*words) == ["apple_pie@1.1.0", "garden_plan@1.0.0"]
    one, other = (world.records() for world in worlds)
    assert one == other


def test_only_what_differs_from_the_last_commit_is_compared(world: World) -> None:
    world.commit(tree(entry("apple_pie"), entry("night_owl")))
    world.released("--rev", "HEAD")
    last = world.commit(tree(entry("apple_pie", "1.0.0", "1.1.0")))
    world.commit(tree(entry("night_owl", "1.0.0", "1.1.0")))
    shutil.rmtree(world.root / "home/state")  # as on a machine that is set up for every run
    # NOTE: `last` was not published, so what it changed shows what is not looked at.
    assert world.released("--rev", "HEAD", "--since", last) == ["night_owl@1.1.0"]
    assert world.released("--rev", "HEAD", "--since", last, "--full") == ["apple_pie@1.1.0"]


def test_a_work_tree_is_compared_with_the_last_commit_as_well(world: World) -> None:
    last = world.commit(tree(entry("apple_pie"), entry("night_owl")))
    world.released()
    shutil.rmtree(world.root / "home/state")
    world.commit(tree(entry("night_owl", "1.0.0", "1.1.0")))
    world.put(tree(entry("apple_pie", "1.0.0", "1.1.0")))
    done = world.publish("--since", last)
    assert [one["name"] for one in json.loads(done.stdout)["released"]] == [
        "apple_pie",
        "night_owl",
    ]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("since", "note"), [((), "is not known"), (("--since", "1" * 40), "lacks the tree")]
)
def test_without_the_last_commit_everything_is_compared(
    world: World, since: tuple[str, ...], note: str
) -> None:
    world.commit(tree(entry("apple_pie"), entry("night_owl")))
    world.released("--rev", "HEAD", *since)
    shutil.rmtree(world.root / "home/state")
    world.commit(tree(entry("night_owl", "1.0.0", "1.1.0")))
    done = world.publish("--rev", "HEAD", *since)
    assert done.returncode == 0
    assert "every entry was compared: " in done.stderr
    assert note in done.stderr


def test_a_changed_policy_of_the_commit_counts(world: World) -> None:
    world.commit(tree(entry("apple_pie")))
    world.released("--rev", "HEAD")
    world.commit({POLICY_FILE: POLICY.replace("ever run", "run at all").encode()})
    done = world.publish("--rev", "HEAD")
    assert "registry/policy.toml changed; computed again: apple_pie" in done.stderr


@pytest.mark.parametrize("kind", ["link", "submodule"])
def test_what_is_no_file_in_the_commit_is_refused(world: World, kind: str) -> None:
    world.commit(tree(entry("apple_pie")))
    world.released("--rev", "HEAD")
    there = world.checkout / "pbes/prompt/night_owl"
    if kind == "link":
        there.symlink_to("apple_pie")
        git("add", "--", "pbes/prompt/night_owl", cwd=world.checkout)
    else:
        inside = git("rev-parse", "--show-prefix", cwd=world.checkout)
        info = f"160000,{'1' * 40},{inside}pbes/prompt/night_owl"
        git("update-index", "--add", "--cacheinfo", info, cwd=world.checkout)
    git("commit", "--quiet", "--message", kind, cwd=world.checkout)
    done = world.publish("--rev", "HEAD")
    assert done.returncode == 1
    assert "pbes/prompt/night_owl: neither a file nor a folder" in done.stdout


def test_an_executable_file_of_the_commit_is_an_error(world: World) -> None:
    world.commit(tree(entry("apple_pie")))
    where = "pbes/prompt/apple_pie/1.0.0/apple_pie.prompt"
    git("update-index", "--chmod=+x", "--", where, cwd=world.checkout)
    git("commit", "--quiet", "--message", "Mode", cwd=world.checkout)
    done = world.publish("--rev", "HEAD")
    assert done.returncode == 1
    told = json.loads(done.stdout)["diagnostics"]
    assert [d["path"] for d in told if d["waived"] is None] == [where]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--rev", "nothing"), 4, "unknown revision `nothing`"),
        (("--rev", "--all"), 2, "unknown option `--all`"),
        (("--rev=--all",), 4, "unknown revision `--all`"),
        (("--since", "HEAD"), 2, "'HEAD' is not the full id of a commit"),
        (("--since=--output=x",), 2, "is not the full id of a commit"),
    ],
)
def test_what_names_no_commit(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    world = World(tmp_path)
    world.commit(tree(entry("apple_pie")))
    done = world.publish(*words)
    assert done.returncode == code
    assert said in json.loads(done.stdout)["error"]["message"]


def test_a_commit_needs_a_repository(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.put(tree(entry("apple_pie")))
    shutil.rmtree(world.checkout / ".git")
    done = world.publish("--rev", "HEAD")
    assert done.returncode == 4
    assert "is not in a Git repository" in done.stdout
    assert "registry/metadata/root.json" not in files(world.checkout)


@pytest.mark.parametrize(
    ("path", "kind", "code"),
    [
        ("registry/actions/0001-note.json", "120000", "NOT_A_FILE"),
        ("registry/actions", "160000", "NOT_A_FILE"),
        ("registry/actions", "100644", "CANNOT_READ"),
        ("registry/actions/more/0001-note.json", "100644", "CANNOT_READ"),
        (POLICY_FILE, "120000", "NOT_A_FILE"),
        (POLICY_FILE, "160000", "NOT_A_FILE"),
    ],
)
def test_a_policy_and_actions_of_a_commit_that_are_not_files_are_refused(
    world: World, path: str, kind: str, code: str
) -> None:
    head = world.commit(tree(entry("apple_pie")))
    blob = git("rev-parse", f"HEAD:{POLICY_FILE}", cwd=world.checkout)
    what = f"{kind},{head if kind == '160000' else blob},{path}"
    git("update-index", "--add", "--cacheinfo", what, cwd=world.checkout)
    git("commit", "--quiet", "--message", "Change", cwd=world.checkout)
    done = world.publish("--rev", "HEAD")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == code
    assert path in error["message"]
    assert not (world.checkout / "registry/metadata").exists()


@pytest.mark.parametrize(
    "rev", ["tree", "--help", "-p", "HEAD^{tree}", f"HEAD:{POLICY_FILE}", "a\nb"]
)
def test_what_names_no_commit_is_refused(world: World, rev: str) -> None:
    world.commit(tree(entry("apple_pie")))
    git("tag", "--annotate", "--message", "A tree", "tree", "HEAD^{tree}", cwd=world.checkout)
    done = world.publish(f"--rev={rev}")
    assert json.loads(done.stdout)["error"]["code"] == "REVISION_UNKNOWN"


def test_a_tag_of_a_tag_names_a_commit_and_replaced_objects_do_not_count(world: World) -> None:
    world.commit(tree(entry("apple_pie")))
    first = git("rev-parse", "HEAD", cwd=world.checkout)
    other = world.commit(tree(entry("night_owl")))
    for tag, target in (("one", first), ("two", "one")):
        git("tag", "--annotate", "--message", "A tag", tag, target, cwd=world.checkout)
    git("replace", first, other, cwd=world.checkout)
    assert world.released("--rev", "two") == ["apple_pie@1.0.0"]
