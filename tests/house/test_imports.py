"""Who may import what, beyond the layers that import-linter knows."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "tools"

ONLY_IN = {
    "tuf.ngclient": {"psreg/adapters/tufclient.py"},
    "tuf.api": {"psreg/trust/metadata.py"},
    "cryptography": {"psreg/trust/keys.py"},
    "confusable_homoglyphs": {"psreg/formats/folding.py"},
    "jsonschema": {"psreg/formats/schema.py"},
    "jsonschema_rs": {"psreg/formats/schema.py"},
    "mkdocs": {"psreg/adapters/mkdocs_frame.py"},
    "git": {"psreg/adapters/gitrepo.py"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_behind_one_module(library):
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(name == library or name.startswith(f"{library}.") for name in imports(path))
    }
    assert found == ONLY_IN[library]


def test_no_file_is_longer_than_a_person_can_hold():
    lengths = {p: len(p.read_text().splitlines()) for p in SOURCE.rglob("*.py")}
    assert {p: n for p, n in lengths.items() if n > 300} == {}


def test_help_and_version_import_next_to_nothing():
    code = (
        "import sys; sys.argv = ['psreg', '--help']; from psreg.__main__ import main; main();"
        "print([m for m in sys.modules if m in ('argparse', 'json', 're', 'dataclasses')])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def loaded_by(*arguments):
    """Return the modules that a command has imported when it ends."""
    code = (
        "import sys; from psreg.__main__ import main; main(); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[1:] = {arguments!r}; {code}"],
        cwd=SOURCE.parent,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def test_checking_a_file_loads_no_rules_of_changes_and_conversations():
    modules = loaded_by("check", "pbes/prompt/email_reply/1.0.0/email_reply.prompt")
    assert "psreg.rules.prompt" in modules
    foreign = ("psreg.protocols", "psreg.rules.change", "psreg.rules.table", "git", "http.client")
    assert modules.isdisjoint(foreign)


def test_one_function_asks_where_a_change_began():
    """A merge base is where merging begins; nothing is judged by how a change differs from it."""
    named = {
        (path.relative_to(SOURCE).as_posix(), function.name)
        for path in SOURCE.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and node.value == "merge-base"
    }
    assert named == {("psreg/adapters/gitrepo.py", "merge_base")}
