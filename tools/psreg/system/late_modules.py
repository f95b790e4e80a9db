"""Modules of Python that libraries import for what a short command does not do.

Such a module is loaded when something in it is looked up. That saves a fifth of the time of an
installation. `importlib.util.LazyLoader` does the same, but not for several threads.
"""

from __future__ import annotations

import sys
from _thread import RLock
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

_MODULES = (
    *("base64", "bz2", "calendar", "copy", "email.base64mime", "email.header"),
    *("email.quoprimime", "fnmatch", "inspect", "ipaddress", "linecache", "lzma", "ntpath"),
    *("quopri", "random", "selectors", "shlex", "shutil", "ssl", "subprocess", "tempfile"),
    *("tokenize", "traceback", "zlib"),
)

_CALLED = (
    *("cryptography.hazmat.primitives.serialization.ssh", "email._encoded_words"),
    *("email.encoders", "email.iterators", "gettext", "heapq"),
)
"""Modules of which another one imports functions that nothing here calls."""

_LOADING = RLock()
"""What is fetched ahead is read by other threads, which may be the first to use a module."""


class _LateFinder:
    """Finds the modules as Python does, for a loader that does not load them yet."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in _MODULES else None
        if spec is not None and spec.loader is not None:
            spec.loader = _LateLoader(spec.loader)  # type: ignore[assignment]
        return spec


class _LateLoader:
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = vars(module)["__spec__"]
        spec.loader = module.__loader__ = self._loader
        module.__class__ = _Late


class _Late(ModuleType):
    def __getattr__(self, name: str) -> Any:
        with _LOADING:
            state = vars(self)
            if not state.get("__loading__", False) and self.__class__ is _Late:
                state["__loading__"] = True
                state["__loader__"].exec_module(self)
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


class _Times(_Called):
    """`_strptime`, which loads the names of months and compiles patterns for every format.

    The times of signed metadata have one format, without names. All others, and all that are not
    valid, are left to the module itself.
    """

    def _strptime_datetime(self, kind: Callable[..., datetime], text: str, form: str) -> Any:
        numbers = [text[:4], *(text[at : at + 2] for at in range(5, 18, 3))]
        written = form == _TIME and text[4::3] == "--T::Z" and not text[20:] and text.isascii()
        if written and all(map(str.isdecimal, numbers)):
            with suppress(ValueError):
                return kind(*map(int, numbers))
        return self.__getattr__("_strptime_datetime")(kind, text, form)


_TIME = "%Y-%m-%dT%H:%M:%SZ"


def defer() -> None:
    """Let these modules be loaded when they are first used, unless they are already loaded."""
    if _LateFinder not in sys.meta_path:
        sys.meta_path.insert(0, _LateFinder)
    for name in _CALLED:
        sys.modules.setdefault(name, _Called(name))
    with suppress(ImportError):
        # NOTE: as in Python 3.12 and later; `datetime` in Python defines all of this once more.
        sys.modules.setdefault("datetime", import_module("_datetime"))
    sys.modules.setdefault("_strptime", _Times("_strptime"))
