"""Modules of Python that libraries import for what a short command does not do.

Such a module is loaded when something in it is looked up. That saves a fifth of the time of an
installation.
"""

from __future__ import annotations

import sys
from _thread import RLock
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

_MODULES = (
    *("bz2", "calendar", "copy", "email.base64mime", "email.header", "email.quoprimime"),
    *("fnmatch", "inspect", "ipaddress", "linecache", "lzma", "ntpath", "random", "selectors"),
    *("shutil", "ssl", "subprocess", "tempfile", "tokenize", "traceback", "zlib"),
)

_CALLED = ("cryptography.hazmat.primitives.serialization.ssh",)
"""Modules of which another one imports names that nothing here calls."""

_LOADING = RLock()
"""What is fetched ahead is read by other threads, which may be the first to use a module."""


class _Late(ModuleType):
    def __getattr__(self, name: str) -> Any:
        with _LOADING:
            state = vars(self)
            if not state.get("__loading__", False) and self.__class__ is _Late:
                state["__loading__"] = True
                if self.__spec__ is not None and self.__spec__.loader is not None:
                    self.__spec__.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
                del state["__loading__"]
        return ModuleType.__getattribute__(self, name)


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
        if name in sys.modules:
            continue
        package, _, last = name.rpartition(".")
        parent = import_module(package) if package else None
        spec = PathFinder.find_spec(name, parent.__path__ if parent else None)
        if spec is not None:
            module = sys.modules[name] = module_from_spec(spec)
            module.__class__ = _Late
            if parent:
                setattr(parent, last, module)
    for name in _CALLED:
        sys.modules.setdefault(name, _Called(name))
