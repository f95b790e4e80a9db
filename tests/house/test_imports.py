"""Who may import what, beyond the layers that import-linter knows."""

import ast
import os
import subprocess
import sys
from functools import cache

import pytest

from support.paths import SOURCE

ONLY_IN = {
    "tuf.ngclient": {"psreg/client/plain_updater.py", "psreg/client/tufclient.py"},
    "tuf.api": {"psreg/registry/trust/drafts.py", "psreg/registry/trust/metadata.py"},
    "cryptography": {"psreg/registry/trust/signing_keys.py"},
    "jsonschema": {"psreg/formats/schema.py"},
    "platformdirs": {"psreg/system/user_folders.py"},
    "jsonschema_rs": {"psreg/formats/schema.py"},
    "mkdocs": {"psreg/catalogue/mkdocs_frame.py"},
    "material": {"psreg/catalogue/mkdocs_frame.py"},
    "PIL": {"psreg/catalogue/pages/entry/entry_picture.py"},
    "distributed": {"psreg/system/cluster.py"},
    "gcld3": {"psreg/authoring/text_language.py"},
    "git": {"psreg/git/repository.py"},
    "urllib3": {"psreg/http/connection.py"},
    "http.client": {f"psreg/http/{name}.py" for name in ("client", "connection")},
}


@pytest.fixture(scope="module")
def imports():
    """Return what every module imports, by its path."""
    return {path.relative_to(SOURCE).as_posix(): set(named(path)) for path in SOURCE.rglob("*.py")}


@cache
def parsed(path):
    return ast.parse(path.read_text())


def named(path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def test_fields_of_quick_data_classes_are_not_those_of_the_standard_library():
    """A `dataclasses.field` in such a class would be the value of its field."""
    for path in SOURCE.rglob("*.py"):
        taken = {
            node.module: {name.name for name in node.names}
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.ImportFrom)
        }
        if "psreg.core.dataclass" in taken:
            assert not taken.get("dataclasses", set()) & {"dataclass", "field"}, path


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_behind_one_module(library, imports):
    found = {
        path
        for path, names in imports.items()
        if any(name == library or name.startswith(f"{library}.") for name in names)
    }
    assert found == ONLY_IN[library]


def code_lines(path):
    """Return the numbers of the lines that hold code: no docstrings, comments or blank lines."""
    tree = parsed(path)
    documentation = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = enumerate(path.read_text().splitlines(), start=1)
    coded = {number for number, line in lines if line.strip() and not line.strip().startswith("#")}
    return coded - documentation


def test_no_file_is_longer_than_a_person_can_hold():
    lengths = {path: len(code_lines(path)) for path in SOURCE.rglob("*.py")}
    assert {path: length for path, length in lengths.items() if length > 400} == {}


def test_no_function_is_longer_than_a_screen():
    lengths = {
        f"{path.relative_to(SOURCE)}: {node.name}": len(
            coded.intersection(range(node.lineno, node.end_lineno + 1))
        )
        for path in SOURCE.rglob("*.py")
        for coded in [code_lines(path)]
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > 40} == {}


def test_no_folder_holds_more_than_a_person_can_survey():
    folders = {path.parent for path in SOURCE.rglob("*.py")} - {SOURCE / "psreg/cli"}
    sizes = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: size for folder, size in sizes.items() if size > 20} == {}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_next_to_nothing(argument):
    heavy = ("argparse", "json", "re", "dataclasses", "platformdirs")
    code = (
        f"import sys; sys.argv = ['psreg', '{argument}']; from psreg.__main__ import main; main();"
        f"print([m for m in sys.modules if m in {heavy}])"
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
    assert "psreg.lint.files.prompt_rules" in modules
    foreign = ("psreg.protocols", "psreg.review.rules", "git", "http.client")
    assert "psreg.core.error_codes" not in modules  # nobody asked what an error means
    assert modules.isdisjoint(foreign)


def test_one_function_asks_where_a_change_began():
    """A merge base is where merging begins; nothing is judged by how a change differs from it."""
    named = {
        (path.relative_to(SOURCE).as_posix(), function.name)
        for path in SOURCE.rglob("*.py")
        for function in ast.walk(parsed(path))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and node.value == "merge-base"
    }
    assert named == {("psreg/git/repository.py", "merge_base")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "pbes/prompt/email_reply/1.0.0/email_reply.prompt"),
        ("diff", "pbes/prompt/email_reply/1.0.0", "pbes/prompt/email_reply/1.0.0"),
        ("conform", "--help"),
        ("try", "--help"),
        ("gateway", "--help"),
        ("plsp", "--help"),
        ("review", "--help"),
        ("submit", "--help"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_asks_nothing_over_a_network_loads_no_http_library(arguments):
    assert loaded_by(*arguments).isdisjoint(("urllib3", "http.client"))


def test_what_verifies_a_registry_loads_one_http_library():
    code = "import sys, psreg.client.tufclient, psreg.http.connection; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.split()
    assert "tuf.ngclient.updater" in loaded
    assert [name for name in ("http.client", "urllib3") if name in loaded] == ["http.client"]


def test_how_much_of_psreg_a_check_and_a_review_load(tmp_path):
    """Each module that is loaded costs time at every start."""
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments],
            cwd=tmp_path,
            check=True,
        )
    file = "pbes/interactive_engine/socratic_tutor/1.0.0/socratic_tutor.pbe.txt"
    head = ("review", "--base", "HEAD", "--head", "HEAD", str(tmp_path))
    for arguments, most in ((("check", file), 90), (head, 140)):
        ours = {name for name in loaded_by(*arguments) if name.split(".")[0] == "psreg"}
        assert len(ours) <= most, arguments
