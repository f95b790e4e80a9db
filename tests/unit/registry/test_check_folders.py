"""A part of a tree is judged like the whole, but without reading the rest."""

import os
from itertools import chain
from pathlib import Path, PurePosixPath

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Mode
from psreg.core.errors import UsageError
from psreg.formats.tree import Tree
from psreg.lint.cluster_shares import shares_elsewhere
from psreg.lint.registry_walk import check_copies, check_share, check_tree, share_of
from psreg.registry.check_folders import check_folder
from psreg.registry.checkout import read_tree
from support.corpus_cases import cases, tree_of

TREES = [case.path for case in cases() if (case.path / "pbes").is_dir()]


WHOLE_TREES = [case for case in cases() if case.path.name.endswith(".tree")]


def parts(root):
    """Every class, entry and version folder of a tree."""
    folders = [path for path in (root / "pbes").rglob("*") if path.is_dir()]
    return [path for path in folders if len(path.relative_to(root).parts) <= 4]


@pytest.mark.parametrize("root", TREES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_findings_of_a_part_are_those_of_the_whole_that_lie_in_it(root):
    tree = read_tree(root)
    whole = list(check_tree(tree, all_rules(), irregular=tree.irregular()))
    for folder in parts(root):
        inside = PurePosixPath(folder.relative_to(root).as_posix())
        expected = [d for d in whole if inside in PurePosixPath(d.path).parents]
        _, found = check_folder(folder, Mode.STRICT, all_rules)
        assert key(found) == key(expected), inside


def key(diagnostics):
    return sorted(
        (d.path, d.code, d.start, d.message, d.hint, str(d.severity), d.waived or "")
        for d in diagnostics
    )


@pytest.mark.parametrize("case", WHOLE_TREES, ids=lambda case: case.id)
def test_a_share_needs_no_other_files_than_it_is_given(case):
    files = tree_of(case.path.read_bytes())
    names = {path.parts[2] for path in files if len(path.parts) > 3}
    shares = next(n for n in range(2, 99) if all(share_of(name, n) for name in names))
    whole = key(check_tree(files, all_rules()))
    tree = Tree(files)
    done = [check_share(tree, all_rules(), share=0, shares=shares)]
    done += [share.check() for share in shares_elsewhere(tree, all_rules, shares)]
    sketches = [each for part in done for each in part.sketches]
    alike = check_copies(tree, all_rules(), sketches)
    assert key(chain(*(part.found for part in done), alike)) == whole


def registry(root, *names, requires=""):
    for name in names:
        version = root / "pbes/stateless_executor" / name / "1.0.0"
        version.mkdir(parents=True)
        (version / "release.toml").write_text(f"[requires]\n{requires}")
        (version.parent / "entry.toml").write_text("owners = []\n")
    return root


def test_of_other_entries_only_entry_toml_is_listed(tmp_path):
    root = registry(tmp_path, "one", "two", "three", requires='two = "^1.0"\n"../x" = "*"\n')
    entry = PurePosixPath("pbes/stateless_executor/one")
    listed = {str(path) for path in read_tree(root, entry=entry)}
    assert listed == {
        "pbes/stateless_executor/one/entry.toml",
        "pbes/stateless_executor/one/1.0.0/release.toml",
        "pbes/stateless_executor/two/entry.toml",
        "pbes/stateless_executor/two/1.0.0/release.toml",
        "pbes/stateless_executor/three/entry.toml",
    }


def test_a_requirement_of_the_part_is_looked_up_in_the_rest(tmp_path):
    root = registry(tmp_path, "one", "two", requires='two = "^2.0"\n')
    _, found = check_folder(root / "pbes/stateless_executor/one/1.0.0", Mode.STRICT, all_rules)
    (finding,) = [d for d in found if d.code == "REG014"]
    assert "the versions are 1.0.0" in finding.message


def test_an_entry_without_entry_toml_is_listed_whole(tmp_path):
    root = registry(tmp_path, "one", "two")
    (root / "pbes/stateless_executor/two/entry.toml").unlink()
    tree = read_tree(root, entry=PurePosixPath("pbes/stateless_executor/one"))
    assert PurePosixPath("pbes/stateless_executor/two/1.0.0/release.toml") in tree


def test_a_linked_entry_is_not_followed(tmp_path):
    root = registry(tmp_path / "registry", "one")
    elsewhere = registry(tmp_path / "elsewhere", "two") / "pbes/stateless_executor/two"
    (root / "pbes/stateless_executor/two").symlink_to(elsewhere)
    tree = read_tree(root, entry=PurePosixPath("pbes/stateless_executor/two"))
    assert [str(path) for path in tree] == ["pbes/stateless_executor/one/entry.toml"]
    assert [str(path) for path in tree.refused] == ["pbes/stateless_executor/two"]


def test_files_of_the_part_alone_are_asked_for_their_executable_bit(tmp_path):
    root = registry(tmp_path, "one", "two")
    for name in ("one", "two"):
        (root / "pbes/stateless_executor" / name / "entry.toml").chmod(0o755)
    entry = PurePosixPath("pbes/stateless_executor/one")
    assert list(read_tree(root, entry=entry).irregular()) == [entry / "entry.toml"]


def test_where_everything_is_executable_nothing_is(tmp_path):
    root = registry(tmp_path, "one", "two")
    for folder, _, names in os.walk(root):
        for name in names:
            Path(folder, name).chmod(0o755)
    assert read_tree(root).irregular() == {}
    entry = PurePosixPath("pbes/stateless_executor/one")
    assert read_tree(root, entry=entry).irregular() == {}


def test_a_part_of_a_registry_is_judged_strictly(tmp_path):
    root = registry(tmp_path, "one")
    with pytest.raises(UsageError, match="--read is for single files"):
        check_folder(root / "pbes/stateless_executor/one", Mode.READ, all_rules)
