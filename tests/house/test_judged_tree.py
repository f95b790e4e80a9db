"""Rules judge what a merge makes: a copy in which they see another tree fails its own tests.

Neither the head's own files nor how they differ from the merge base say what merging would change.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from psreg.cli.rules import all_rules
from support.paths import SOURCE, TESTS

GUARDS = "tests/unit/git/test_merge.py"
BEFORE, AFTER = "before = self.objects.root(tip)", "self._merged(base, tip, head)"
VIEW = "View(repository.git, repository.objects, merge.before, merge.differences, entries)"
FOLDERS = '[FolderPair("", repository.objects.root({}), repository.objects.root({}))]'


def seen(before, after):
    folders = FOLDERS.format(f"merge.{before}", f"merge.{after}")
    return VIEW.replace("merge.differences", f"differences(repository.objects, {folders})")


MUTATIONS = {
    "the head's own tree": ("git/repository.py", {AFTER: "self.objects.root(head)"}),
    "the difference from the merge base": (
        "git/repository.py",
        {BEFORE: "before = self.objects.root(base)", AFTER: "self.objects.root(head)"},
    ),
    "the base of the merge for its tip": (
        "git/repository.py",
        {BEFORE: "before = self.objects.root(base)"},
    ),
    "the head's own files in what rules read": (
        "review/git_change.py",
        {VIEW: seen("tip", "head")},
    ),
    "the merge base in what rules read": ("review/git_change.py", {VIEW: seen("base", "head")}),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of psreg and of the tests of merging."""
    place = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "psreg", place / "tools/psreg", ignore=ignore)
    shutil.copytree(TESTS / "support", place / "tests/support", ignore=ignore)
    guards = place / GUARDS
    guards.parent.mkdir(parents=True)
    shutil.copy(TESTS.parent / GUARDS, guards)
    return place


def failing(place):
    """Return how many of the tests of merging fail in the copy at `place`."""
    paths = os.pathsep.join(map(str, (place / "tools", place / "tests")))
    chosen = "behind or neither or merged_as_git or already_has or takes_everything"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", GUARDS, "-k", chosen]
    done = subprocess.run(
        [*command, f"--rootdir={place}", f"--basetemp={place / 'temporary'}"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = dict(map(reversed, re.findall(r"(\d+) (passed|failed|errors?)", done.stdout)))
    assert set(counts) <= {"passed", "failed"}, done.stdout
    assert sum(map(int, counts.values())) == 5, done.stdout
    return int(counts.get("failed", 0))


def test_the_copy_itself_is_sound(copy):
    assert failing(copy) == 0


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_tests_fail_if_rules_see_another_tree(copy, mutation):
    path, replaced = MUTATIONS[mutation]
    module = copy / "tools/psreg" / path
    text = changed = module.read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert text.count(old) == 1
        changed = changed.replace(old, new)
    module.write_text(changed, encoding="utf-8")
    try:
        assert failing(copy) > 0
    finally:
        module.write_text(text, encoding="utf-8")


def imported(module):
    """Yield the full names of what a module imports, wherever in it."""
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("name", sorted({rule.check.__module__ for rule in all_rules()}))
def test_a_module_of_rules_cannot_read_commits(name):
    reached = {
        each for each in imported(import_module(name)) if each.startswith(("psreg.git", "git"))
    }
    assert reached == set()


def test_what_rules_get_names_no_commit():
    change = import_module("psreg.review.change")
    assert not any(each.startswith("psreg.git") for each in imported(change))
