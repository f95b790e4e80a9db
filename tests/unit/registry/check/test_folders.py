"""A part of a tree is judged like the whole, but without reading the rest."""

import os
import pickle
from concurrent.futures import Executor, Future
from itertools import chain, pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import Mode
from psreg.core.errors import UnavailableError, UsageError
from psreg.formats.tree import Tree
from psreg.lint.cluster_shares import shares_elsewhere
from psreg.lint.registry_walk import check_copies, check_share, check_tree, share_of
from psreg.registry.check.folders import check_folder
from psreg.registry.checkout import read_tree
from support.corpus_cases import cases, tree_of
from support.registry_trees import RELEASE, entry, tree

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


def test_a_cycle_of_requirements_is_found_in_the_folder_of_one_entry(tmp_path):
    names = ["north", "east", "south", "west", "north"]
    files = tree(
        *(entry(name) for name in names[1:]),
        *(
            {f"pbes/prompt/{one}/1.0.0/release.toml": f'{RELEASE}[requires]\n{other} = "^1"\n'}
            for one, other in pairwise(names)
        ),
    )
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    _, found = check_folder(tmp_path / "pbes/prompt/west", Mode.STRICT, all_rules)
    (cycle,) = [d for d in found if d.code == "REG042"]
    assert cycle.message.endswith(
        "west 1.0.0 requires north 1.0.0 requires east 1.0.0 requires south 1.0.0 requires west"
    )


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


HERE = {}
"""The files that a `Remote` has, which is part of a task without them."""


class Remote(NamedTuple):
    """Where workers read files: those in `HERE`, or `instead` of each."""

    instead: bytes = b""

    def read(self, paths):
        return {path: self.instead or HERE[path] for path in paths}


class Workers(Executor):
    """Runs tasks from their pickled form, as workers do; `tasks` are their sizes in bytes."""

    def __init__(self):
        self.tasks = []

    def submit(self, task, /):
        pickled, future = pickle.dumps(task), Future()
        self.tasks.append(len(pickled))
        future.set_result(pickle.loads(pickled)())
        return future


@pytest.fixture
def large(tmp_path):
    """Return a registry of two shares, and its files by path."""
    names = [f"{'abcdefghijk'[n % 11]}{n}_words" for n in range(110)]
    files = {str(path): data for path, data in tree(*map(entry, names)).items()}
    files[f"pbes/prompt/{names[3]}/1.0.0/README.md"] = b"TODO\n"
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path, files


def test_workers_read_their_files_from_a_source(large, monkeypatch):
    root, files = large
    monkeypatch.setattr(f"{__name__}.HERE", files)
    _, alone = check_folder(root / "pbes", Mode.STRICT, all_rules)
    sizes = []
    for source in (None, Remote()):
        workers = Workers()
        found = check_folder(root / "pbes", Mode.STRICT, all_rules, {}, workers, source=source)
        assert (found[0], key(found[1])) == (110, key(alone))
        sizes.append(sum(workers.tasks))
    assert sizes[1] < sizes[0] * 2 / 3


def test_what_changed_since_is_not_read_from_a_source(large):
    root, files = large
    changed = {next(path for path in files if path.endswith("README.md")): b"# Fixed\n"}
    where = (root / "pbes", Mode.STRICT, all_rules, changed)
    found = [check_folder(*where, Workers(), source=source)[1] for source in (None, Remote())]
    assert key(found[0]) == key(found[1])


def test_workers_that_read_other_files_are_refused(large):
    where = (large[0] / "pbes", Mode.STRICT, all_rules, {})
    with pytest.raises(UnavailableError) as caught:
        check_folder(*where, Workers(), source=Remote(b"owners = []"))
    assert caught.value.code == "SOURCE_DIFFERS"
