"""What is imported is declared, and what tests share is called by a name of its own."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from support.paths import ROOT, SOURCE, TESTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
COMMANDS = {"run", "conftest"}
"""Modules that are run or found, and imported by none."""


def named(requirements):
    """Return the names of packages, as they are normally written."""
    names = (re.match(r"[\w.-]+", each)[0] for each in requirements if isinstance(each, str))
    return {normal(name) for name in names}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


NEEDED = named(PROJECT["project"]["dependencies"])
EXTRAS = PROJECT["project"]["optional-dependencies"]
OPTIONAL = set().union(*map(named, EXTRAS.values()))


def imported(folder):
    """Return what the Python files of a folder import from outside, as top names, and where."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [name.name for name in node.names]
            else:
                whole = isinstance(node, ast.ImportFrom) and node.level == 0
                names = [node.module] if whole else []
            for name in names:
                found.setdefault(name.partition(".")[0], path.relative_to(ROOT).as_posix())
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names}


LOADERS = named(GROUPS["loaders"])
"""What loads the files that psreg writes for other programs, in an environment of its own."""

LEARNING = {"numpy", "scipy", "sklearn"}
"""Only `tests/bench/learn_words.py` needs these, and says so."""


def ours():
    """Return the names below which modules of this repository are imported."""
    places = (TESTS, TESTS / "bench", SOURCE)
    return {path.stem for place in places for path in place.iterdir()}


@pytest.mark.parametrize(
    ("folder", "declared"),
    [
        (SOURCE, NEEDED | OPTIONAL),
        (TESTS, NEEDED | OPTIONAL | named(GROUPS["test"]) | LOADERS | LEARNING),
    ],
    ids=["tools", "tests"],
)
def test_every_package_that_is_imported_is_declared(folder, declared):
    others = {
        "cyclonedx": ["cyclonedx-python-lib"],
        "frontmatter": ["python-frontmatter"],
        "gcld3": ["cld3-py"],
    }
    distributions = {**packages_distributions(), **others}
    missing = {
        (name, path)
        for name, path in imported(folder).items()
        if name not in ours()
        if declared.isdisjoint(map(normal, distributions.get(name, [name])))
    }
    assert missing == set()


def test_every_declared_package_is_pinned():
    running = NEEDED | named([*EXTRAS["site"], *EXTRAS["review"], *GROUPS["build"]])
    others = (named(group) for name, group in GROUPS.items() if name != "loaders")
    everything = NEEDED.union(OPTIONAL, *others)
    files = ("constraints.txt", "constraints-dev.txt", "constraints-loaders.txt")
    for file, declared in zip(files, (running, everything, LOADERS), strict=True):
        lines = (ROOT / ".ci" / file).read_text()
        assert declared - set(re.findall(r"^([\w.-]+)==", lines, re.MULTILINE)) == set()


def test_every_rim_that_coverage_leaves_out_is_there():
    """A module that was renamed is no rim any more, and neither is a room that is gone."""
    left_out = PROJECT["tool"]["coverage"]["run"]["omit"]
    assert [place for place in left_out if not list(ROOT.glob(place))] == []
    rims = {path for place in left_out for path in ROOT.glob(place)}
    pure = ("core", "formats", "protocols", "lint", "compatibility", "review", "registry/trust")
    assert not [
        path for room in pure for path in rims if path.is_relative_to(SOURCE / "psreg" / room)
    ]


def test_no_name_of_a_helper_is_ambiguous():
    """Importing one of them never brings another: of Python, of a package, of another folder."""
    helpers = [
        path.stem
        for folder in (TESTS, TESTS / "bench", TESTS / "support")
        for path in folder.glob("*.py")
        if path.stem not in {*COMMANDS, "__init__"}
    ]
    assert sorted(set(helpers)) == sorted(helpers)
    on_the_path = {path.stem for folder in (TESTS, TESTS / "bench") for path in folder.iterdir()}
    foreign = sys.stdlib_module_names | packages_distributions().keys()
    assert (on_the_path - COMMANDS) & foreign == set()


def test_a_set_python_path_breaks_nothing(tmp_path):
    for name in ("psreg", "git", "support", "jsonschema", "simulator"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not the module you want')\n")
    tests = ["tests/unit/core/test_version.py", "tests/unit/git/test_objects.py"]
    tests += ["tests/unit/cli/test_show.py", "tests/attacks/test_html_for_404.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    path = f"/nonexistent:{tmp_path}"
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
