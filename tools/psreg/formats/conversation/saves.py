"""The saves of a PBE: found in the assistant's answers and compared with the save template.

Only the structure is compared (PBE-12 to PBE-14): the values of a template are examples, the first
item of a list describes all items, and an empty list or object allows any content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from psreg.core.spelling import nearest
from psreg.formats.json import json_document
from psreg.formats.pbe import RECOGNITION_KEY, SAVE_TEMPLATE, TRIGGERS, Pbe

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_SUFFIX = "_save"
_MAX_FAULTS = 20
"""Maximum number of faults reported for one save."""

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
    """A save: `text` is its JSON as written, `value` the parsed object."""

    text: str
    value: Mapping[str, Any]

    @property
    def keys(self) -> tuple[str, ...]:
        """The root keys that end in `_save`."""
        return tuple(key for key in self.value if key.endswith(_SUFFIX))


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveSystem:
    """The save system of one PBE: its root key, its template, and its trigger phrases."""

    key: str
    template: Mapping[str, Any]
    triggers: tuple[str, ...]

    def is_trigger(self, text: str) -> bool:
        """Tell whether `text` has a trigger phrase, ignoring case and the amount of whitespace."""
        said = _normalized(text)
        return any(phrase in said for phrase in map(_normalized, self.triggers) if phrase)

    def foreign_key(self, save: Save) -> str:
        """Return the root key if `save` belongs to another PBE, else ""."""
        return "" if self.key in save.value or not save.keys else save.keys[0]

    def faults(self, save: Save) -> tuple[str, ...]:
        """Return how the structure of `save` differs from the template; () if it does not."""
        if self.key not in save.value:
            found = nearest(self.key, save.value) or next(iter(save.value), "")
            instead = f" but `{found}`" if found else ""
            return (f"the root key is not `{self.key}`{instead}",)
        inner = self.template.get(self.key)
        return tuple(islice(_faults(save.value[self.key], inner, self.key), _MAX_FAULTS))


def save_system(pbe: Pbe) -> SaveSystem | None:
    """Return the save system of a PBE; None if it has none that is complete."""
    template = pbe.get(*SAVE_TEMPLATE)
    key = pbe.text(*RECOGNITION_KEY)
    phrases = pbe.get(*TRIGGERS)
    if not isinstance(template, dict) or not key or not isinstance(phrases, list):
        return None
    triggers = tuple(phrase for phrase in phrases if isinstance(phrase, str))
    return SaveSystem(key=key, template=template, triggers=triggers)


def save_in(text: str) -> Save | None:
    """Return the save in `text`, in a code fence or not; None if there is none."""
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


def _normalized(text: str) -> str:
    return " ".join(text.casefold().split())


def _faults(value: Any, template: Any, path: str) -> Iterator[str]:
    """Yield every field that is missing or has another type."""
    name, types = _TYPES.get(type(template), ("", _ANY))
    if types and not (isinstance(value, types) and isinstance(value, bool) <= (bool in types)):
        yield f"`{path}` is not {name}"
    elif isinstance(template, dict):
        for key, inner in template.items():
            if key in value:
                yield from _faults(value[key], inner, f"{path}.{key}")
            else:
                yield f"`{path}.{key}` is missing"
    elif isinstance(template, list) and template:
        for index, item in enumerate(value):
            yield from _faults(item, template[0], f"{path}[{index}]")
