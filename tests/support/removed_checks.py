"""Takes one check out of a running psreg, to see which attacks then succeed.

A removal is `module:function`, or `module:Class.method`, and a fragment of the statements of it that
are left out, such as the code of the error that one raises. Without a fragment, the function does
nothing and returns `returns`. A place that is not there any more is an error: a removal that removes
nothing would prove nothing.
"""

import __future__

import ast
import inspect
import json
import os
import textwrap
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from importlib import import_module

VARIABLE = "WITHOUT_CHECK"
"""The environment variable that tells a psreg of the tests what to remove."""


@dataclass(frozen=True)
class Removal:
    """What is removed; see above."""

    where: str
    fragment: str = ""
    returns: object = None

    def apply(self):
        """Remove it from this process; return the function, and the code that it had.

        Raises:
            LookupError: it is not there.
        """
        name, _, path = self.where.partition(":")
        module = import_module(name)
        function = _function(module, path)
        if not self.fragment:
            nothing = f"def removed(*_, **__):\n    return {self.returns!r}"
            return _replaced(function, nothing, module)
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        remover = _Remover(self.fragment)
        changed = remover.visit(tree)
        if not remover.removed:
            raise LookupError(f"no statement of {self.where} has {self.fragment!r}")
        changed.decorator_list = []
        return _replaced(function, ast.unparse(ast.fix_missing_locations(changed)), module)


@contextmanager
def removed(removals):
    """Be without some checks in this process, and in every psreg that the tests start from it."""
    codes = [each.apply() for each in removals]
    os.environ[VARIABLE] = json.dumps([*map(astuple, removals)])
    try:
        yield
    finally:
        for function, code in reversed(codes):
            function.__code__ = code
        del os.environ[VARIABLE]


def apply_from_environment():
    """Remove what the environment of this process says."""
    for each in json.loads(os.environ[VARIABLE]):
        Removal(*each).apply()


class _Remover(ast.NodeTransformer):
    """Leaves out the smallest statements that have a fragment."""

    def __init__(self, fragment):
        self._fragment = fragment
        self.removed = 0

    def visit(self, node):
        changed = self.generic_visit(node)
        simple = isinstance(changed, ast.stmt) and not hasattr(changed, "body")
        if not simple or _is_text(changed) or self._fragment not in ast.unparse(changed):
            return changed
        self.removed += 1
        return ast.Pass()


def _is_text(statement):
    """Tell whether a statement is a docstring, which removes nothing."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _function(module, path):
    """Return the plain function at `path` in a module, whatever decorates it."""
    found = module
    for part in path.split("."):
        if part not in vars(found):
            raise LookupError(f"{module.__name__} has no {path}")
        found = vars(found)[part]
    for attribute in ("fget", "func", "__func__"):
        found = getattr(found, attribute, found)
    return inspect.unwrap(found)


def _replaced(function, source, module):
    """Give `function`, wherever it is known, the code of the one in `source`; return it, and its own."""
    names = {}
    file, late = f"<{module.__name__} without a check>", __future__.annotations.compiler_flag
    exec(compile(source, file, "exec", flags=late), vars(module), names)
    (new,) = names.values()
    if function.__code__.co_freevars != new.__code__.co_freevars:
        raise LookupError(f"{function.__qualname__} is a closure")
    code, function.__code__ = function.__code__, new.__code__
    return function, code
