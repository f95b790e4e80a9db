"""What `psreg check` says about the files of registry/actions."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.cli.rules import registry_rules
from psreg.core.diagnostics import Mode
from psreg.core.rule import RuleTable
from psreg.registry.actions.action import PURGE, QUARANTINE, REVOKE, Action
from psreg.registry.check.folders import check_folder
from psreg.registry.publish import Change
from psreg.registry.withdrawing.taking import release_subject, take
from support.actions import action_of
from support.publishing import NOW, ports, release
from support.registry_trees import entry, tree

FILES = tree(entry("hello"))


class Registry:
    """A checkout with a published registry and one action, `first`, that a publish took over."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root / "checkout", root / "home"
        self.folder = self.root / "registry"
        self.actions = self.folder / "actions"
        for path, data in FILES.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        release(self.home, self.folder, FILES)
        self.first = self.take(QUARANTINE)
        change = Change(actions=(self.first,))
        release(self.home, self.folder, FILES, NOW + timedelta(hours=1), change=change)

    def take(self, kind: str) -> Action:
        place = ports(self.home, self.folder)
        return take(kind, release_subject("hello", "1.0.0", place), "Bad.", NOW, place).action

    def forged(self, kind: str = REVOKE) -> Action:
        """Return the next action, which nobody has signed."""
        place = ports(self.home, self.folder)
        subject = release_subject("hello", "1.0.0", place).to_json()
        return action_of(2, kind, registry_id=self.first.registry_id, before=self.first, **subject)

    def write(self, action: Action) -> None:
        (self.actions / action.file).write_bytes(action.data)

    def found(self, folder: str = "pbes") -> list[tuple[str, str]]:
        """Return the files that CHG041 is about, and what it says."""
        _, found = check_folder(self.root / folder, Mode.STRICT, registry_rules)
        told = [each for each in found if each.code == "CHG041"]
        assert all(str(each.severity) == "error" for each in told)
        return [(PurePosixPath(each.path).name, each.message) for each in told]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


def test_true_actions_are_no_finding(registry: Registry) -> None:
    assert registry.found() == []
    registry.take(REVOKE)
    assert registry.found() == []
    registry.take(PURGE)
    assert registry.found() == registry.found(".") == []


def test_an_action_that_nobody_signed(registry: Registry) -> None:
    registry.write(registry.forged())
    told = [("0002-revoke.json", "it is not signed by the keys of the registry")]
    assert registry.found() == registry.found(".") == told
    assert registry.found("pbes/prompt") == []
    _, found = check_folder(registry.root, Mode.STRICT, lambda: RuleTable(()))
    assert found == []


def test_a_damaged_action(registry: Registry) -> None:
    (registry.actions / registry.first.file).write_bytes(registry.first.data[:-9])
    ((name, told),) = registry.found()
    assert (name, "JSON" in told) == (registry.first.file, True)


def test_an_action_with_another_number(registry: Registry) -> None:
    second = registry.take(REVOKE)
    (registry.actions / registry.first.file).unlink()
    told = "it has the number 2, and the next one is 1"
    assert registry.found() == [(second.file, told)]


def test_a_published_action_that_was_replaced(registry: Registry) -> None:
    place = ports(registry.home, registry.folder)
    (registry.actions / registry.first.file).unlink()
    other = action_of(
        1,
        QUARANTINE,
        registry_id=registry.first.registry_id,
        **release_subject("hello", "1.0.0", place).to_json(),
    )
    registry.write(other)
    told = "an action up to 1 is not the one that was published"
    assert registry.found() == [(other.file, told)]


def test_actions_of_a_damaged_registry(registry: Registry) -> None:
    (registry.folder / "metadata" / "timestamp.json").write_bytes(b"{")
    ((name, told),) = registry.found()
    assert (name, "not plain JSON" in told) == (registry.first.file, True)


def test_actions_without_a_registry(registry: Registry) -> None:
    (registry.folder / "metadata").rename(registry.root / "gone")
    ((name, told),) = registry.found()
    assert (name, told) == (registry.first.file, "nothing is published yet that it could be about")


def test_what_is_no_file(registry: Registry) -> None:
    os.mkfifo(registry.actions / "0002-revoke.json")
    (registry.actions / "0003-lift.json").mkdir()
    assert [name for name, _ in registry.found()] == ["0002-revoke.json", "0003-lift.json"]


def test_a_folder_that_is_none(registry: Registry) -> None:
    shutil.rmtree(registry.actions)
    told = [("actions", "1 action was published, and none is there")]
    assert registry.found() == registry.found(".") == told
    registry.actions.mkdir()
    (registry.folder / "targets/catalog/0.head.json").mkdir()
    assert registry.found() == told
    assert registry.found("pbes/prompt") == []
    (registry.folder / "metadata" / "timestamp.json").write_bytes(b"{")
    assert registry.found() == []
    (registry.folder / "metadata").rename(registry.root / "gone")
    assert registry.found() == []


def test_several_actions_that_are_gone(registry: Registry) -> None:
    second = registry.take(REVOKE)
    change = Change(actions=(registry.first, second))
    release(registry.home, registry.folder, FILES, NOW + timedelta(hours=2), change=change)
    shutil.rmtree(registry.actions)
    assert registry.found() == [("actions", "2 actions were published, and none is there")]


def test_a_registry_that_never_had_an_action(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "first")
    shutil.rmtree(registry.folder)
    release(registry.home / "new", registry.folder, FILES)
    assert registry.found() == []
