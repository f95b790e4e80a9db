"""Regular expressions that are compiled when they are first used.

A short command uses few of the patterns of the modules that it loads, and compiling the others
would take a tenth of the time of an installation.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves like `re.compile(pattern, flags)`, but compiles at the first use."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # found without this method from now on
        return value
