"""`psreg publish` by difference, in real repositories: what it compares, says and signs."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.reading import read_registry
from support.pipelines import git
from support.publishing import NOW, files, put
from support.registry_trees import POLICY, entry, version
from support.warm_psreg import run_psreg

UPDATE = {
    path: text + 'changes = "Is briefer."\n' if path.endswith("release.toml") else text
    for path, text in version("apple_pie", "1.1.0").items()
}
YANKED = {"pbes/prompt/apple_pie/entry.toml": 'owners = []\n[yanked]\n"1.0.0" = "bad"\n'}
NAMES = ("apple_pie", "garden_plan", "night_owl")


class World:
    """A checkout in Git, and somebody who publishes it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.checkout = root / "checkout"
        self.add({"registry/policy.toml": POLICY})
        for name in NAMES:
            self.add(entry(name))

    def add(self, content: dict[str, str]) -> None:
        for path, text in content.items():
            (self.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / path).write_text(text)

    def commit(self, subject: str = "Change") -> None:
        git("add", "--all", cwd=self.checkout)
        git("commit", "--quiet", "--allow-empty", "-m", subject, cwd=self.checkout)

    def publish(self, *args: str, code: int = 0, checkout: Path | None = None) -> tuple[str, str]:
        """Run the command, and return what was released and what was told."""
        clock = str(int(NOW.timestamp()))
        env = {**os.environ, "PSREG_HOME": str(self.home), "SOURCE_DATE_EPOCH": clock}
        cwd = checkout or self.checkout
        done = run_psreg("publish", *args, cwd=cwd, env=env, text=True)
        assert done.returncode == code, done
        released = [line for line in done.stdout.splitlines() if line.startswith("released")]
        return "\n".join(released), done.stderr.strip()

    @property
    def registry(self) -> Path:
        return self.checkout / "registry"

    def signed(self) -> dict[str, bytes]:
        return files(self.registry)

    def record(self, name: str) -> dict[str, object]:
        state = read_registry(RegistryFolder(self.registry).read)
        assert state is not None
        found: dict[str, object] = json.loads(state.packages[name])
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A registry that was published and committed."""
    world = World(tmp_path)
    git("init", "--quiet", "--initial-branch=main", "checkout", cwd=tmp_path)
    world.commit("Start")
    assert world.publish()[1] == ""
    world.commit("Publish")
    return world


def hide(world: World, path: str) -> None:
    """Change a file in a way that Git does not tell, as a hint that is wrong would."""
    git("update-index", "--assume-unchanged", path, cwd=world.checkout)
    (world.checkout / path).write_text("not even TOML")


def test_only_what_git_names_is_read(world: World) -> None:
    hide(world, "pbes/prompt/garden_plan/1.0.0/release.toml")
    world.add(UPDATE)
    world.commit()
    assert world.publish() == ("released apple_pie 1.1.0", "")
    assert world.publish() == ("", "")
    assert world.publish("--full", code=1) == ("", "nothing was published")


def test_what_is_dirty_is_compared_now_and_the_next_time(world: World) -> None:
    world.add(YANKED)
    assert world.publish() == ("", "")
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"
    git("checkout", "--quiet", "--", "pbes", cwd=world.checkout)
    assert world.publish() == ("", "")
    assert world.record("apple_pie")["releases"][0]["yanked"] is None
    world.add(UPDATE)
    (world.checkout / ".gitignore").write_text("1.1.0\n")
    assert world.publish()[0] == "released apple_pie 1.1.0"
    shutil.rmtree(world.checkout / "pbes/prompt/apple_pie/1.1.0")
    assert "now absent" in world.publish(code=1)[1]


def test_it_signs_the_same_inside_and_outside_of_git(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(world.checkout, outside, ignore=shutil.ignore_patterns(".git"))
    for changes in (UPDATE | YANKED, entry("river_bank"), {"registry/policy.toml": POLICY + "\n"}):
        world.add(changes)
        world.commit()
        inside = world.publish()
        for path, text in changes.items():
            (outside / path).parent.mkdir(parents=True, exist_ok=True)
            (outside / path).write_text(text)
        assert world.publish(checkout=outside) == inside
        assert files(outside / "registry") == world.signed()


def test_a_clone_that_knows_nothing_compares_everything(world: World, tmp_path: Path) -> None:
    for depth in ((), ("--depth=1",)):
        clone = tmp_path / f"clone{len(depth)}"
        git("clone", "--quiet", *depth, world.checkout.as_uri(), str(clone), cwd=tmp_path)
        told = "note: every entry was compared: what was last published from here is not known"
        assert world.publish(checkout=clone) == ("", told)
        assert world.publish(checkout=clone) == ("", "")
    (clone / "pbes/prompt/apple_pie/entry.toml").write_text(
        YANKED["pbes/prompt/apple_pie/entry.toml"]
    )
    assert world.publish(checkout=clone) == ("", "")
    for path in ("metadata", "targets"):
        shutil.rmtree(world.registry / path)
        shutil.copytree(clone / "registry" / path, world.registry / path)
    told = "note: every entry was compared: the registry was published from elsewhere"
    assert world.publish() == ("", told)
    assert world.record("apple_pie")["releases"][0]["yanked"] is None


def test_a_rewritten_history_compares_everything_or_the_same_trees(world: World) -> None:
    first = git("rev-list", "--max-parents=0", "HEAD", cwd=world.checkout)
    git("reset", "--quiet", "--soft", first, cwd=world.checkout)
    world.add(UPDATE)
    git("add", "--all", cwd=world.checkout)
    git("commit", "--quiet", "--amend", "-m", "All at once", cwd=world.checkout)
    assert world.publish() == ("released apple_pie 1.1.0", "")
    world.commit("Publish")
    world.publish()
    world.add(YANKED)
    world.commit()
    tree = git("write-tree", cwd=world.checkout)
    new = git("commit-tree", tree, "-m", "From scratch", cwd=world.checkout)
    git("reset", "--quiet", "--hard", new, cwd=world.checkout)
    git("reflog", "expire", "--expire=now", "--all", cwd=world.checkout)
    git("gc", "--quiet", "--prune=now", cwd=world.checkout)
    told = "note: every entry was compared: this clone lacks the tree that was published last"
    assert world.publish() == ("", told)
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"


def test_a_merge_that_brings_changes_with_the_published_state(world: World) -> None:
    """What was published is remembered, not derived from commits, which a rebase can combine."""
    world.add(UPDATE)
    world.publish()
    world.add(YANKED)
    world.commit("The publish, and a change that it did not see")
    assert world.publish() == ("", "")
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"head": 1, "tree": "HEAD", "places": []}'])
def test_a_hint_that_was_damaged_compares_everything(world: World, damage: str) -> None:
    (hint,) = (world.home / "state/publish").glob("*.seen")
    assert stat.S_IMODE(hint.stat().st_mode) == 0o600
    hint.write_text(damage)
    world.add(YANKED)
    world.commit()
    told = "note: every entry was compared: what was last published from here is not known"
    assert world.publish() == ("", told)
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"


def test_a_tampered_hint_signs_nothing_that_is_not_there(world: World) -> None:
    """A hint that names the tree of today hides a change until the whole is compared."""
    world.add(UPDATE | YANKED)
    world.commit()
    (hint,) = (world.home / "state/publish").glob("*.seen")
    said = json.loads(hint.read_text())
    today = git("rev-parse", "HEAD^{tree}", cwd=world.checkout)
    hint.write_text(json.dumps(said | {"tree": today}))
    before = world.signed()
    assert world.publish() == ("", "")
    assert world.signed() == before
    assert world.publish("--full") == ("released apple_pie 1.1.0", "")
    for place in ("pbes/prompt/../..", "/etc", "pbes_elsewhere"):
        hint.write_text(json.dumps(said | {"places": [place]}))
        told = "note: every entry was compared: what was last published from here is not known"
        assert world.publish() == ("", told)


def test_a_changed_policy_says_what_is_computed_again(world: World) -> None:
    world.add({"registry/policy.toml": POLICY.replace("ever run", "run")})
    told = "note: registry/policy.toml changed; computed again: apple_pie, garden_plan, night_owl"
    assert world.publish() == ("", told)
    assert world.publish() == ("", "")
    world.add({"registry/policy.toml": POLICY.replace("ever", "then"), **entry("river_bank")})
    assert world.publish() == ("released river_bank 1.0.0", f"{told} and 1 more")


def test_nothing_of_the_repository_is_executed(world: World, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for key in ("filter.evil.clean", "filter.evil.process", "core.fsmonitor"):
        git("config", key, f"touch {ran};cat", cwd=world.checkout)
    world.add({".gitattributes": "* filter=evil\n", **YANKED})
    for path in world.checkout.glob("pbes/**/*"):
        os.utime(path, ns=(1, 1))
    world.publish()
    assert not ran.exists()
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"


@pytest.mark.parametrize("path", ["pbes/prompt/apple_pie/1.0.0/README.md", "pbes/README.md"])
@pytest.mark.parametrize("args", [(), ("--full",)])
def test_a_file_that_became_executable_is_refused(
    world: World, path: str, args: tuple[str, ...]
) -> None:
    world.add({"pbes/README.md": "# Prompts\n"})
    world.publish()
    (world.checkout / path).chmod(0o755)
    assert world.publish(*args, code=1) == ("", "nothing was published")
    (world.checkout / path).chmod(0o644)
    assert world.publish(*args) == ("", "")


def test_links_and_submodules_are_refused_wherever_they_are(world: World) -> None:
    before = world.signed()
    link = world.checkout / "pbes/persistent_service"
    link.symlink_to("/etc")
    assert "pbes/persistent_service" in world.publish(code=1)[1]
    link.unlink()
    subprocess.run(["git", "init", "--quiet", str(link / "inner")], check=True)
    (link / "inner/x.md").write_text("x\n")
    assert "pbes/persistent_service/inner" in world.publish(code=1)[1]
    assert world.signed() == before


def test_a_publish_that_died_is_finished_by_the_next(world: World) -> None:
    """The hint is written last: without it, or with an old one, the next publish finds the rest."""
    world.add(UPDATE)
    world.commit()
    (hint,) = (world.home / "state/publish").glob("*.seen")
    old = hint.read_bytes()
    before = world.signed()
    world.publish()
    after = world.signed()
    for there in (before, after):
        put(world.registry, there)
        hint.write_bytes(old)
        world.publish()
        assert world.signed() == after


def test_a_registry_in_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    world = World(tmp_path)
    git("init", "--quiet", "--initial-branch=main", cwd=tmp_path)
    (tmp_path / ".gitignore").write_text("/home\n")
    world.commit("Start")
    world.publish()
    hide(world, "pbes/prompt/garden_plan/entry.toml")
    world.add(UPDATE)
    assert world.publish() == ("released apple_pie 1.1.0", "")
    world.commit()
    world.add(YANKED)
    world.commit()
    assert world.publish() == ("", "")
    assert world.record("apple_pie")["releases"][0]["yanked"] == "bad"
