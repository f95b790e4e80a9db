"""What a change adds: which files are touched how, which releases are new, and what precedes them."""

from pathlib import PurePosixPath

import pytest

from psreg.core.identity import EntryId
from psreg.formats.layout import Irregular
from psreg.formats.tree import Tree
from psreg.review.change import ChangeSet, FileChange, Touch
from support.changes import changes_between
from support.registry_trees import entry, tree, version

FOLDER = PurePosixPath("pbes/prompt/hello")


def change(base, head, **options):
    return changes_between(tree(*base), tree(*head), **options)


def releases(found):
    return [(new.id.version, new.previous and new.previous.id.version) for new in found.releases]


def test_nothing_is_a_change_of_nothing():
    found = change([entry()], [entry()])
    assert found.files == found.releases == found.outside == ()
    assert found.author is None


def test_added_modified_and_deleted_files_are_told_apart():
    base = tree(entry("hello", "1.0.0"))
    head = dict(base)
    head[FOLDER / "entry.toml"] = b"owners = []\nthreshold = 1\n"
    head[FOLDER / "1.0.0/more.md"] = b""
    del head[FOLDER / "1.0.0/README.md"]
    head[PurePosixPath("LICENSE")] = b"MIT"
    found = changes_between(base, head)
    assert [(str(one.path), str(one.touch)) for one in found.files] == [
        ("LICENSE", "added"),
        ("pbes/prompt/hello/1.0.0/README.md", "deleted"),
        ("pbes/prompt/hello/1.0.0/more.md", "added"),
        ("pbes/prompt/hello/entry.toml", "modified"),
    ]
    assert found.touched(FOLDER / "entry.toml") is Touch.MODIFIED
    assert found.touched(FOLDER / "1.0.0/hello.prompt") is None
    assert [str(one.path) for one in found.outside] == ["LICENSE"]
    assert found.releases == ()


def test_a_link_in_place_of_a_file_modifies_it_and_a_mode_does_too():
    base = tree(entry("hello", "1.0.0"))
    readme, executable, link = (
        FOLDER / "1.0.0" / name for name in ("README.md", "release.toml", "new.md")
    )
    head = {path: data for path, data in base.items() if path != readme}
    kinds = {
        readme: Irregular.LINK,
        executable: Irregular.EXECUTABLE,
        link: Irregular.SUBMODULE,
    }
    found = changes_between(base, head, irregular=kinds)
    assert {one.path: one.touch for one in found.files} == {
        readme: Touch.MODIFIED,
        executable: Touch.MODIFIED,
        link: Touch.ADDED,
    }


def test_a_renamed_file_is_gone_there_and_here_with_where_it_was():
    base, head = tree(entry("hello", "1.0.0")), tree(entry("hallo", "1.0.0"))
    old, new = (PurePosixPath(f"pbes/prompt/{name}/entry.toml") for name in ("hello", "hallo"))
    files = (
        FileChange(path=old, touch=Touch.DELETED),
        FileChange(path=new, touch=Touch.ADDED, moved_from=old),
    )
    found = ChangeSet(Tree(base), Tree(head), files)
    assert [one.moved_from for one in found.files] == [old, None]


@pytest.mark.parametrize(
    ("known", "new", "previous"),
    [
        ((), "0.1.0", None),
        (("1.0.0",), "1.0.1", "1.0.0"),
        (("1.9.0", "1.10.0"), "1.11.0", "1.10.0"),  # by precedence, not by text
        (("1.2.3", "2.0.0"), "1.2.4", "1.2.3"),  # a backport
        (("1.2.3", "2.0.0"), "1.3.0", "1.2.3"),
        (("1.0.0",), "1.1.0-rc.1", "1.0.0"),
        (("1.0.0", "1.1.0-rc.1"), "1.1.0-rc.2", "1.0.0"),  # the last final one
        (("1.0.0", "1.1.0-rc.1"), "1.1.0", "1.0.0"),
        (("1.0.0-rc.1", "1.0.0-rc.2"), "1.0.0", "1.0.0-rc.2"),  # there is no final one
        (("1.0.0",), "0.9.0", None),
        (("1.0.0+a",), "1.0.0+b", None),  # neither is below the other
    ],
)
def test_what_a_new_release_is_judged_against(known, new, previous):
    base = [entry("hello", *known)] if known else []
    found = change(base, [*base, version("hello", new)])
    assert releases(found) == [(new, previous)]
    (release,) = found.releases
    assert release.new_name is not bool(known)
    assert set(release.known) == set(known)
    assert release.submission.tree is found.head
    assert release.previous is None or release.previous.tree is found.base


@pytest.mark.parametrize(
    ("known", "new", "previous"),
    [
        (("1.0.0",), ("1.1.0", "1.1.1"), ["1.0.0", "1.1.0"]),
        (("1.0.0", "1.1.0"), ("1.0.1", "1.1.1"), ["1.0.0", "1.1.0"]),
        (("1.0.0",), ("1.1.0-rc.1", "1.1.0", "1.2.0-rc.1"), ["1.0.0", "1.0.0", "1.1.0"]),
        (("1.0.0-rc.1",), ("1.0.0-rc.2", "1.0.0"), ["1.0.0-rc.1", "1.0.0-rc.2"]),
        ((), ("0.1.0", "0.1.1"), [None, "0.1.0"]),
    ],
)
def test_new_releases_of_one_change_are_judged_against_each_other(known, new, previous):
    base = [entry("hello", *known)] if known else []
    found = change(base, [*base, *(version("hello", number) for number in new)])
    assert releases(found) == list(zip(new, previous, strict=True))
    assert {release.known for release in found.releases} == {known}


def test_a_name_that_moves_to_another_class_is_a_new_name():
    moved = {
        path.replace("pbes/prompt", "pbes/stateless_executor"): text
        for path, text in entry("hello", "1.0.0").items()
    }
    found = change([entry("hello", "1.0.0")], [moved])
    assert releases(found) == [("1.0.0", None)]
    assert found.releases[0].new_name


def test_several_releases_come_by_name_and_version():
    head = [entry("b", "1.0.0", "1.1.0"), entry("a", "2.0.0", "10.0.0"), entry("c", "1.0.0")]
    found = change([entry("c", "1.0.0")], head)
    assert [(new.id.name, new.id.version) for new in found.releases] == [
        ("a", "2.0.0"),
        ("a", "10.0.0"),
        ("b", "1.0.0"),
        ("b", "1.1.0"),
    ]


def test_a_version_that_lost_or_gained_files_is_no_new_one():
    base = tree(entry("hello", "1.0.0", "1.1.0"))
    head = {path: data for path, data in base.items() if "1.0.0" not in path.parts}
    head[FOLDER / "1.1.0/evidence/run.jsonl"] = b"{}\n"
    assert changes_between(base, head).releases == ()


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
    assert found.entry(EntryId("prompt", "hello")).name == "hello"
    assert found.entry(EntryId("interactive_engine", "hello")) is None
