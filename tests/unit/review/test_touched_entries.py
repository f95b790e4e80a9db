"""The entries that a change touches, as they were and as they will be."""

from pathlib import PurePosixPath

from psreg.review.change import changes_between
from support.registry_trees import entry, tree, version


def test_entries_of_which_files_are_touched():
    kept, gone = entry("kept"), entry("gone")
    head = tree(kept, version("kept", "1.0.1"), entry("added"), {"pbes/prompt/stray/x.md": "-"})
    change = changes_between(tree(kept, gone, entry("other")), head | tree(entry("other")))
    assert [e.name for e in change.entries] == ["added", "gone", "kept"]
    kept = change.entries[-1]
    assert [e.is_new for e in change.entries] == [True, False, False]
    assert [e.is_gone for e in change.entries] == [False, True, False]
    assert kept.base.versions == ("1.0.0",)
    assert kept.head.versions == ("1.0.0", "1.0.1")
    assert len(kept.files) == 3
    assert kept.path == PurePosixPath("pbes/prompt/kept/entry.toml")


def test_a_tree_finds_an_entry_by_class_and_name():
    found = changes_between(tree(), tree(entry("hello"))).head
    assert found.entry("prompt", "hello").name == "hello"
    assert found.entry("interactive_engine", "hello") is None
