"""The action: what it installs, what it runs, how a verdict ends."""

import pytest

from support.paths import ROOT
from support.pipelines import Runner, git, used
from support.registry_trees import entry, tree

ACTION = ROOT / "action.yml"


@pytest.fixture
def runner(tmp_path):
    return Runner(root=tmp_path / "runner", origin=tmp_path)


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    for path, data in tree(entry("hello")).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def test_it_installs_itself_with_hashes(runner, checkout):
    done = used(runner, ACTION, {}, checkout)
    assert done.code == 0, done.out
    asked = [line for line in runner.installed.splitlines() if line.startswith("pip ")]
    assert asked == [
        f"pip install --quiet --no-deps --require-hashes --requirement {ROOT}/.ci/constraints.txt",
        f"pip install --quiet --no-deps --no-build-isolation {ROOT}",
    ]


def test_findings_are_annotations(runner, checkout):
    (checkout / "pbes/prompt/hello/1.0.0/release.toml").write_text("")
    done = used(runner, ACTION, {"path": "pbes/prompt"}, checkout)
    assert done.code == 1
    assert "::error file=pbes/prompt/hello/1.0.0/release.toml" in done.out


def test_a_review_that_a_person_decides_is_not_red(runner, checkout):
    git("init", "-q", "-b", "main", cwd=checkout)
    git("add", ".", cwd=checkout)
    git("commit", "-qm", "one", cwd=checkout)
    git("checkout", "-qb", "next", cwd=checkout)
    (checkout / "NOTES.md").write_text("Outside of pbes/.\n")
    git("add", ".", cwd=checkout)
    git("commit", "-qm", "two", cwd=checkout)
    done = used(runner, ACTION, {"command": "review"}, checkout)
    assert done.code == 0, done.out
    assert "::notice title=psreg::a maintainer must decide about this change" in done.out


def test_only_its_commands_run(runner, checkout):
    done = used(runner, ACTION, {"command": "publish"}, checkout)
    assert done.code == 2
    assert not (checkout / "registry/metadata").exists()


@pytest.mark.parametrize("path", ["$(touch canary)", '"; touch canary; "', "`touch canary`"])
def test_an_input_is_never_a_command(runner, checkout, path):
    done = used(runner, ACTION, {"path": path, "format": path}, checkout)
    assert done.code == 2
    assert not (checkout / "canary").exists()
