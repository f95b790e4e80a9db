"""Every error that is raised has a row in the table of codes, and every row is raised."""

import ast
import re
from collections import defaultdict
from functools import cache

import pytest

from psreg.core import errors
from psreg.core.error_codes import ERROR_CODES
from support.paths import ROOT, SOURCE

ONLY_HTTP = "GatewayError"
"""The root of the errors that a server sends and that end no command."""


@cache
def trees():
    return {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


def name_of(node):
    """Return the last part of a name, such as `UsageError` of `errors.UsageError`."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@cache
def classes():
    """Return the definition of every class of errors by its name, the oldest first."""
    defined = [
        n for tree in trees().values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)
    ]
    found = {"PsregError": next(each for each in defined if each.name == "PsregError")}
    before = 0
    while before < len(found):
        before = len(found)
        found |= {c.name: c for c in defined if any(name_of(b) in found for b in c.bases)}
    return found


def parent(name):
    return next(name_of(base) for base in classes()[name].bases if name_of(base) in classes())


def exit_code(name):
    """Return the exit code of a class; None where no command ends with it."""
    if name == ONLY_HTTP:
        return None
    known = getattr(errors, name, None)
    return known.exit_code if known else exit_code(parent(name))


def constructor(name):
    """Return the `__init__` of a class, its own or an inherited one."""
    own = (
        n for n in classes()[name].body if isinstance(n, ast.FunctionDef) and n.name == "__init__"
    )
    return next(own, None) or constructor(parent(name))


def code_argument(call, parameters):
    """Return the argument of `call` that is the code; None where its class states the code."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "code" not in parameters:
        return None
    at = parameters.index("code")
    return given["code"] if "code" in given else call.args[at]


def literals(node):
    """Yield the codes that an argument may be; another error's code has a literal of its own."""
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif not (isinstance(node, ast.Attribute) and node.attr == "code"):
        pytest.fail(f"a code is not a literal: {ast.unparse(node)}")


def parameters(name):
    return [each.arg for each in constructor(name).args.args[1:]]


@cache
def raised():
    """Return code -> exit codes of the classes that it is raised with."""
    found = defaultdict(set)
    for tree in trees().values():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = name_of(call.func)
            if name in classes() and (argument := code_argument(call, parameters(name))):
                for code in literals(argument):
                    found[code].add(exit_code(name))
    for name, defined in classes().items():
        for call in (node for node in ast.walk(defined) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) == "super().__init__" and name != "PsregError":
                argument = code_argument(call, parameters(parent(name)))
                if isinstance(argument, ast.Constant):
                    found[argument.value].add(exit_code(name))
    return found


def test_every_code_raised_is_in_the_table():
    assert sorted(set(raised()) - set(ERROR_CODES)) == []


def test_every_code_of_the_table_is_raised():
    assert sorted(set(ERROR_CODES) - set(raised())) == []


def test_a_code_has_one_exit_code():
    """A code that also ends a command has the exit code of that."""
    found = {code: raised()[code] - {None} or {None} for code in ERROR_CODES}
    assert found == {code: {row.exit_code} for code, row in ERROR_CODES.items()}


def test_every_subclass_of_an_error_is_found():
    assert {"ForgeRefusedError", "NotServedError", "_RefusedError"} <= set(classes())
    assert {"FORGE_UNREACHABLE", "TOO_LONG", "ENDPOINT_TLS", "TRUST_FROZEN", "GIT"} <= set(raised())
    assert exit_code("NotServedError") == 4
    assert exit_code("_RefusedError") is None


def test_codes_that_are_compared_are_in_the_table():
    """`error.code == "X"` would go on to say nothing if X were renamed."""
    compared = {
        constant.value
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and name_of(node.left) == "code"
        for other in node.comparators
        for constant in ast.walk(other)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    codes = {value for value in compared if re.fullmatch("[A-Z]+(_[A-Z]+)*", value)}
    assert "NO_REGISTRY" in codes
    assert codes <= set(ERROR_CODES)


def test_nothing_prints_a_code_that_no_error_carries():
    printed = [path for path in trees() if re.search(r"error\[(?!CODE)[A-Z]", path.read_text())]
    assert printed == []


def test_documentation_names_codes_that_exist():
    pages = [ROOT / "README.md", *(ROOT / "site/docs").rglob("*.md")]
    named = {c for page in pages for c in re.findall(r"error\[([A-Z_]+)\]", page.read_text())}
    named |= {
        code
        for page in pages
        for code in re.findall(
            r"`((?:TRUST|NETWORK|KEY|ENDPOINT|FORGE)_[A-Z_]+)`", page.read_text()
        )
    }
    assert {"RELEASE_CHANGED", "KEY_MISSING"} <= named
    assert named <= set(ERROR_CODES)
