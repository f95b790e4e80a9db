"""The review asks the signed state of the base if a new action is one of the registry."""

from __future__ import annotations

from pathlib import Path

from psreg.core.identity import Author
from psreg.git.repository import open_repository
from psreg.registry.actions.action import REVOKE
from psreg.registry.withdrawing.taking import release_subject, take
from psreg.review.git_change import read_change
from support.actions import action_of
from support.bare import Bare
from support.publishing import NOW, ports, release
from support.registry_trees import entry, tree


def fault(folder: Path, base: dict[str, bytes], action) -> str:
    """Return what is wrong with an action that a change adds."""
    folder.mkdir()
    bare = Bare(folder / "registry.git")
    bare.commit("main", base, parent=None)
    bare.commit("new", {f"registry/actions/{action.file}": action.data})
    bare.write()
    with open_repository(folder / "registry.git") as repository:
        author = Author(forge="github", id=1, login="o1")
        return read_change(repository, "main", "new", author, NOW.date()).change.action_fault(
            action
        )


def test_whether_an_action_is_one_of_the_registry(tmp_path: Path) -> None:
    files = tree(entry("hello"))
    home, registry = tmp_path / "home", tmp_path / "registry"
    release(home, registry, files)
    signed = (path for path in registry.rglob("*") if path.is_file())
    bare = {str(path): data for path, data in files.items()}
    base = bare | {
        f"registry/{path.relative_to(registry).as_posix()}": path.read_bytes() for path in signed
    }
    subject = release_subject("hello", "1.0.0", ports(home, registry))
    true = take(REVOKE, subject, "Bad.", NOW, ports(home, registry)).action
    forged = action_of(1, REVOKE, registry_id=true.registry_id, **subject.to_json())
    assert fault(tmp_path / "true", base, true) == ""
    told = "it is not signed by the keys of the registry"
    assert fault(tmp_path / "forged", base, forged) == told
    assert fault(tmp_path / "unpublished", bare, forged) == ""
    broken = base | {"registry/metadata/timestamp.json": b"{"}
    assert fault(tmp_path / "broken", broken, forged) != ""
    second = action_of(2, REVOKE, registry_id=true.registry_id, before=true, **subject.to_json())
    more = base | {f"registry/actions/{true.file}": true.data}
    assert fault(tmp_path / "second", more, second) == told
