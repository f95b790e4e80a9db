"""Modules of Python that libraries import for what a short command does not do.

Such a module is loaded when something in it is looked up. That saves a tenth of the time of an
installation. Two threads must not be the first to do that at the same time: this is for commands
with one thread.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

_MODULES = (
    *("bz2", "ipaddress", "linecache", "lzma", "selectors", "ssl", "subprocess", "tokenize"),
    *("traceback", "zlib"),
)

_CALLED = ("cryptography.hazmat.primitives.serialization.ssh",)
"""Modules of which another one imports names that nothing here calls."""


class _Late(ModuleType):
    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]
        spec = self.__spec__
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)
        return getattr(self, name)


class _Called(ModuleType):
    """A module that is loaded when one of its functions is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments: Any, **named: Any) -> Any:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            return getattr(import_module(self.__name__), name)(*arguments, **named)

        return call


def defer() -> None:
    """Let these modules be loaded when they are first used, unless they are already loaded."""
    for name in _MODULES:
        spec = None if name in sys.modules else PathFinder.find_spec(name)
        if spec is not None:
            module = sys.modules[name] = module_from_spec(spec)
            module.__class__ = _Late
    for name in _CALLED:
        sys.modules.setdefault(name, _Called(name))
