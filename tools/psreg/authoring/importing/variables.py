"""Variables of other formats as those of a `.prompt`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from psreg.formats.dotprompt import MAX_BYTES
from psreg.formats.dotprompt_source import scan

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


Variables = Mapping[str, str | None]
"""The default of each variable by its name, or None."""


def with_variables(
    text: str, pattern: re.Pattern[str], defaults: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, Variables]:
    """Return `text` with `{name}` for what `pattern` matches, and the defaults by name.

    The groups of `pattern` are `name` and perhaps `default`; `defaults` are by `name`. Where a name
    has another default than before, or is in braces as text, the variable gets another name. A text
    that is too long for a `.prompt` is left as it is.
    """
    if len(text) > MAX_BYTES:
        return text, {}
    rest = scan(pattern.sub("", text)).uses if "{" in text else []
    known = _Variables(frozenset(use.name for use in rest), defaults)
    return pattern.sub(known.written, text), known.defaults


class _Variables:
    def __init__(self, literal: frozenset[str], stated: Mapping[str, str]) -> None:
        self._literal, self._stated = literal, stated
        self.defaults: dict[str, str | None] = {}
        self._names: dict[tuple[str, str | None], str] = {}
        self._numbers = Counter[str]()

    def written(self, use: re.Match[str]) -> str:
        """Return `{name}` for a use of a variable."""
        groups = use.groupdict()
        stem = _NOT_IN_NAMES.sub("_", groups["name"]).strip("_") or "value"
        said = groups.get("default", self._stated.get(groups["name"]))
        default = None if said is None else said.strip()
        name = self._names.get((stem, default)) or self._new(stem, default)
        # NOTE: where no default is stated, that of the same name holds.
        self._names.setdefault((stem, None), name)
        self._names[stem, default] = name
        return f"{{{name}}}"

    def _new(self, stem: str, default: str | None) -> str:
        name = self._names.get((stem, None), stem)
        if self.defaults.get(name) is not None or name in self._literal:
            name = next(filter(self._is_free, self._numbered(stem)))
        self.defaults[name] = default
        return name

    def _is_free(self, name: str) -> bool:
        return name not in self._literal and name not in self.defaults

    def _numbered(self, stem: str) -> Iterator[str]:
        while True:
            self._numbers[stem] += 1
            yield f"{stem}_{self._numbers[stem] + 1}"
