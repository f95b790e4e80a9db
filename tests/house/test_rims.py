"""What touches the outside is in the rims: `os`, `open`, `pathlib.Path`, the clock, threads.

import-linter holds the modules for sockets, processes, Git and temporary files to the same rule
(pyproject.toml); this test holds what an import does not tell.
"""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.paths import ROOT, SOURCE

PSREG = SOURCE / "psreg"

RIMS = ("system", "git", "http", "forges")

OMITTED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]["run"]["omit"]
STORES = {place.removeprefix("tools/psreg/") for place in OMITTED if place.endswith(".py")}
"""The modules of other rooms that hold a store, a socket or a process."""

OF_COMMANDS = {"os", "pathlib.Path", "signal"}
"""What a command may use: arguments that are paths, the environment, Ctrl-C."""

OUTSIDE = {
    "concurrent",
    "fcntl",
    "glob",
    "os",
    "select",
    "selectors",
    "signal",
    "socket",
    "threading",
    "time",
}
CLOCK = {"now", "today", "utcnow"}


def touched(source):
    """Yield what a module touches of the outside."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if is_outside(a.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from sorted({outside_of(node.module, a.name) for a in node.names} - {""})
        elif isinstance(node, ast.Call):
            yield from called(node.func)


def is_outside(name):
    return name.split(".")[0] in OUTSIDE or name in ("io", "pathlib", "urllib.request")


def outside_of(module, name):
    """Return what `from module import name` touches, "" for nothing."""
    if module == "pathlib":
        return "" if name in ("PurePath", "PurePosixPath") else "pathlib.Path"
    if module == "io" and name in ("BytesIO", "StringIO"):
        return ""  # they are memory
    if is_outside(f"{module}.{name}"):
        return f"{module}.{name}" if module == "urllib" else module
    return module if is_outside(module) else ""


def called(function):
    """Yield what calling `function` touches."""
    if isinstance(function, ast.Name) and function.id in ("open", "input"):
        yield function.id
    if isinstance(function, ast.Attribute) and function.attr in CLOCK:
        of = ast.unparse(function.value).split(".")[-1]
        if of in ("date", "datetime"):
            yield f"the clock ({function.attr})"


def modules(package):
    """Yield the modules outside of the rims by path, with what each touches."""
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] not in RIMS:
            yield place.as_posix(), set(touched(path.read_text()))


def strays(package):
    """Return what touches the outside and should not."""
    return {
        place: found
        for place, all_found in modules(package)
        if place not in STORES
        and (found := all_found - (OF_COMMANDS if place.startswith("cli/") else set()))
    }


def test_only_the_rims_touch_the_outside():
    assert strays(PSREG) == {}


def test_what_is_named_a_store_is_one():
    found = dict(modules(PSREG))
    assert [place for place in sorted(STORES) if not found.get(place)] == []


IMPURE = {
    "os": "import os\n",
    "open": "def read(path):\n    return open(path)\n",
    "pathlib.Path": "from pathlib import Path\n",
    "time": "from time import monotonic\n",
    "threading": "import threading\n",
    "concurrent.futures": "from concurrent.futures import ThreadPoolExecutor\n",
    "urllib.request": "from urllib.request import urlopen\n",
    "the clock (now)": "from datetime import datetime\nTODAY = datetime.now()\n",
}


@pytest.fixture
def copy(tmp_path):
    """A copy of the package in which faults can be planted."""
    shutil.copytree(PSREG, tmp_path / "tools/psreg", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("what", IMPURE)
@pytest.mark.parametrize("room", ["formats", "registry", "cli", "new_room"])
def test_a_planted_touch_is_seen(tmp_path, room, what):
    place = tmp_path / room / "planted.py"
    place.parent.mkdir()
    place.write_text(IMPURE[what])
    seen = strays(tmp_path).get(f"{room}/planted.py", set())
    allowed = room == "cli" and what in OF_COMMANDS
    assert seen == (set() if allowed else {what})


FORBIDDEN = (
    *("asyncio", "git", "http", "mkdocs", "multiprocessing", "requests", "shutil", "socket"),
    *("socketserver", "ssl", "subprocess", "tempfile", "urllib3"),
)


def linted(copy):
    """Return the exit code of import-linter in a copy, and what it prints."""
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=copy,
        env={"PYTHONPATH": str(copy / "tools"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, " ".join(done.stdout.split())


def test_the_contract_refuses_one_violation_of_each_kind(copy):
    package = copy / "tools/psreg"
    (package / "formats/upward.py").write_text("from psreg.lint import engine\n")
    (package / "core/round.py").write_text("from psreg.core import trip\n")
    (package / "core/trip.py").write_text("from psreg.core import round\n")
    for name in FORBIDDEN:
        (package / f"lint/planted_{name}.py").write_text(f"import {name}\n")
        (package / f"registry/planted_{name}.py").write_text(f"import {name}\n")
    code, said = linted(copy)
    assert code
    assert "psreg.formats is not allowed to import psreg.lint" in said
    assert "No cycles are allowed in psreg.core" in said
    for name in FORBIDDEN:
        assert f"psreg.lint.planted_{name} -> {name}" in said, name
        assert f"psreg.registry.planted_{name} -> {name}" in said, name


def test_the_contract_refuses_a_module_of_no_room(copy):
    (copy / "tools/psreg/shared.py").write_text("import requests\n")
    code, said = linted(copy)
    assert code
    assert "psreg.shared" in said


def test_the_contract_holds(copy):
    assert linted(copy)[0] == 0
