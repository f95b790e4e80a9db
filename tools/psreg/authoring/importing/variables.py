"""Variables of other formats as those of a `.prompt`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from psreg.formats.dotprompt import MAX_BYTES
from psreg.formats.dotprompt_source import NAME

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_IN_BRACES = re.compile(rf"\{{({NAME})\}}")


Variables = Mapping[str, str | None]
"""The default of each variable by its name, or None."""

_NONE: Mapping[str, str] = MappingProxyType({})


class Converted(NamedTuple):
    """A text of a source, with its variables.

    `lost` are the names of what has no place in it, `roles` those of the messages that it is made
    of, if it is, and `held` the keys of front matter that are in all of these.
    """

    text: str
    variables: Variables = _NONE
    lost: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    held: frozenset[str] = frozenset()


def with_variables(
    text: str,
    pattern: re.Pattern[str],
    defaults: Mapping[str, str] = _NONE,
    constants: Mapping[str, str] = _NONE,
) -> tuple[str, Variables]:
    """Return `text` with `{name}` for what `pattern` matches, and the defaults by name.

    The groups of `pattern` are `name` and perhaps `default`; `defaults` are by `name`, and
    `constants` are the texts of names that are not variables. What it matches without a name stands
    for the group `text`, else for its first character, as `{{` does in many languages. Where a name
    has another default than before, or is in braces as text, the variable gets another name. A text
    that is too long for a `.prompt` is left as it is.
    """
    if len(text) > MAX_BYTES:
        return text, {}
    rest = pattern.sub(lambda use: _literal(use, constants) or " ", text)
    known = _Variables(frozenset(_IN_BRACES.findall(rest)), defaults, constants)
    return pattern.sub(known.written, text), known.defaults


def longest_of(names: Iterable[str], end: str) -> str:
    """Return a pattern of the longest of `names` that has `end` after it; without names, of none.

    It follows a text character by character. With thousands of names, one after the other would
    take seconds.
    """
    tree: _Tree = {}
    for name in names:
        node = tree
        for character in name:
            node = node.setdefault(character, {})
        node[""] = {}
    return _any(tree, end)


_Tree = dict[str, "_Tree"]
"""What may follow, by the first character; "" is the end."""


def _any(tree: _Tree, end: str) -> str:
    ways = [re.escape(first) + _any(rest, end) for first, rest in tree.items() if first]
    ways += [end] * ("" in tree)
    return f"(?:{'|'.join(ways or ['(?!)'])})"


def _literal(use: re.Match[str], constants: Mapping[str, str]) -> str | None:
    """Return the text that a match stands for; None if it is a variable."""
    groups = use.groupdict()
    if groups["name"]:
        return constants.get(groups["name"])
    text: str | None = groups.get("text")
    return use[0][0] if text is None else text


class _Variables:
    def __init__(
        self, literal: frozenset[str], stated: Mapping[str, str], constants: Mapping[str, str]
    ) -> None:
        self._literal, self._stated, self._constants = literal, stated, constants
        self.defaults: dict[str, str | None] = {}
        self._names: dict[tuple[str, str | None], str] = {}
        self._numbers = Counter[str]()

    def written(self, use: re.Match[str]) -> str:
        """Return `{name}` for a use of a variable, and the text that anything else stands for."""
        if (literal := _literal(use, self._constants)) is not None:
            return literal
        groups = use.groupdict()
        its_name = " ".join(groups["name"].split())
        said = groups.get("default", self._stated.get(groups["name"]))
        default = None if said is None else said.strip()
        name = self._names.get((its_name, default)) or self._new(its_name, default)
        # NOTE: where no default is stated, that of the same name holds.
        self._names.setdefault((its_name, None), name)
        self._names[its_name, default] = name
        return f"{{{name}}}"

    def _new(self, its_name: str, default: str | None) -> str:
        stem = _NOT_IN_NAMES.sub("_", its_name).strip("_") or "value"
        name = self._names.get((its_name, None), "")
        if not name or self.defaults[name] is not None:
            # NOTE: what is not allowed in a name may be all that two names differ in.
            name = (
                stem if self._is_free(stem) else next(filter(self._is_free, self._numbered(stem)))
            )
        self.defaults[name] = default
        return name

    def _is_free(self, name: str) -> bool:
        return name not in self._literal and name not in self.defaults

    def _numbered(self, stem: str) -> Iterator[str]:
        while True:
            self._numbers[stem] += 1
            yield f"{stem}_{self._numbers[stem] + 1}"
