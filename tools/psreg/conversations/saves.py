"""The saves of a PBE: found in what an assistant says, compared with the save template.

Only the shape is compared: the values of a template are examples, one item of a list stands for
all, and an empty list or object for any (READINGS A1, PBE-12 to PBE-14).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from psreg.core.spelling import nearest
from psreg.formats.json import json_document

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_SUFFIX = "_save"
_MOST = 20
"""Faults of one save that are told."""

_ANY: tuple[type, ...] = ()
_TYPES: Mapping[type, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool,)),
    int: ("a number", (int, float)),
    float: ("a number", (int, float)),
    str: ("a text", (str,)),
    list: ("a list", (list,)),
    dict: ("an object", (dict,)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """A save as it was written: `text` is its JSON. `keys` are the names at its root."""

    text: str
    value: Mapping[str, Any]

    @property
    def keys(self) -> tuple[str, ...]:
        """The names at the root that end like the root key of a save."""
        return tuple(key for key in self.value if key.endswith(_SUFFIX))


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveSystem:
    """How one PBE saves: its key, its template, and the phrases that ask for a save."""

    key: str
    template: Mapping[str, Any]
    triggers: tuple[str, ...]

    def asked(self, text: str) -> bool:
        """Tell whether `text` asks for a save; letter case and the number of blanks are free."""
        said = _folded(text)
        return any(phrase in said for phrase in map(_folded, self.triggers) if phrase)

    def foreign(self, save: Save) -> str:
        """Return the key of another PBE that `save` has in place of ours, "" if none."""
        return "" if self.key in save.value or not save.keys else save.keys[0]

    def faults(self, save: Save) -> tuple[str, ...]:
        """Return how `save` differs in shape from the template; () if it does not."""
        if self.key not in save.value:
            found = nearest(self.key, save.value) or next(iter(save.value), "")
            instead = f", but `{found}`" if found else ""
            return (f"the root key is not `{self.key}`{instead}",)
        inner = self.template.get(self.key)
        return tuple(islice(_faults(save.value[self.key], inner, self.key), _MOST))


def save_in(text: str) -> Save | None:
    """Return the save that `text` is or holds, in a code fence or bare; None if there is none."""
    fenced = [match[2] for match in _FENCE.finditer(text)]
    first, last = text.find("{"), text.rfind("}")
    for candidate in (text, *fenced, text[first : last + 1] if first >= 0 else ""):
        value = _object(candidate)
        if value is not None:
            return Save(text=candidate.strip(), value=value)
    return None


def _object(text: str) -> Mapping[str, Any] | None:
    tree = json_document.parse(text.strip().encode(errors="replace"))
    return tree.value if isinstance(tree.value, dict) and not tree.issues else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _faults(value: Any, template: Any, place: str) -> Iterator[str]:
    """Yield what is missing or of another type, place by place."""
    name, types = _TYPES.get(type(template), ("", _ANY))
    if types and not (isinstance(value, types) and isinstance(value, bool) <= (bool in types)):
        yield f"`{place}` is not {name}"
    elif isinstance(template, dict):
        for key, inner in template.items():
            if key in value:
                yield from _faults(value[key], inner, f"{place}.{key}")
            else:
                yield f"`{place}.{key}` is missing"
    elif isinstance(template, list) and template:
        for index, item in enumerate(value):
            yield from _faults(item, template[0], f"{place}[{index}]")
