"""The changes between two JSON values: what was removed, added, retyped or reworded.

A list is a value like a text, with two exceptions, which are lists of named parts: the phases and
the techniques of a PBE. A part is identified by its name, whatever its position; letter case and
spaces in the name do not count. Something removed as a whole is reported once, not once for each
thing in it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from psreg.compatibility.floor_row import Changed
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import SAVE_TEMPLATE, TRIGGERS, Pbe

PHASES = ("game_structure", "phases")
TECHNIQUES = ("facilitator_techniques", "techniques")

Path = tuple[str | int, ...]


class ChangeKind(Enum):
    """What happened to a value."""

    REMOVED = auto()
    ADDED = auto()
    RETYPED = auto()
    REWORDED = auto()


class ValueChange(NamedTuple):
    """One changed value; `path` is in the newer document, or in the older one if removed."""

    kind: ChangeKind
    path: Path
    before: Any
    after: Any


class Part(NamedTuple):
    """A phase or a technique, and its path."""

    path: Path
    name: str
    value: Any


def value_changes(before: Pbe, after: Pbe, kind: ChangeKind, *paths: Path) -> Iterator[ValueChange]:
    """Yield the changes of one kind between two PBEs, outside the content of the save template.

    If `paths` are given, only changes at these paths.
    """
    for each in _objects(before.value, after.value, ()):
        if each.kind is kind and (not paths or each.path in paths):
            yield each


def _objects(
    before: Mapping[str, Any], after: Mapping[str, Any], path: Path
) -> Iterator[ValueChange]:
    for key, old in before.items():
        if key not in after:
            yield ValueChange(ChangeKind.REMOVED, (*path, key), old, None)
        else:
            yield from _values(old, after[key], (*path, key))
    for key, new in after.items():
        if key not in before:
            yield ValueChange(ChangeKind.ADDED, (*path, key), None, new)


def _values(old: Any, new: Any, path: Path) -> Iterator[ValueChange]:
    if isinstance(old, str) and old == new:
        return  # NOTE: most values are texts that did not change, and to spell them takes long
    if kind(old) != kind(new):
        yield ValueChange(ChangeKind.RETYPED, path, old, new)
    elif isinstance(old, dict):
        if path != SAVE_TEMPLATE:
            yield from _objects(old, new, path)
    elif isinstance(old, list) and path in (PHASES, TECHNIQUES):
        known = _parts_of(old, path)
        for key, part in _parts_of(new, path).items():
            if key in known:
                yield from _values(known[key].value, part.value, part.path)
    elif not same(old, new):
        yield ValueChange(
            ChangeKind.REMOVED if _emptied(old, new, path) else ChangeKind.REWORDED, path, old, new
        )


def _emptied(old: Any, new: Any, path: Path) -> bool:
    """Tell whether a text or list became empty; other rows report the trigger phrases."""
    texts = (value.strip() if isinstance(value, str) else value for value in (old, new))
    return [value in ("", []) for value in texts] == [False, True] and path != TRIGGERS


def parts(pbe: Pbe, path: tuple[str, ...]) -> Mapping[str, Part] | None:
    """Return the phases or techniques of a PBE by their key; None without a list."""
    value = pbe.get(*path)
    return _parts_of(value, path) if isinstance(value, list) else None


def _parts_of(items: list[Any], path: Path) -> Mapping[str, Part]:
    """Return the parts in a list by their key: the name, and a count for repeated names."""
    found: dict[str, Part] = {}
    seen: Counter[str] = Counter()
    for index, item in enumerate(items):
        name = item.get("name") if isinstance(item, dict) else None
        name = name if isinstance(name, str) and name.strip() else f"number {index + 1}"
        key = folded(name)
        seen[key] += 1
        found[f"{key}\0{seen[key]}"] = Part((*path, index), name, item)
    return found


def folded(text: str) -> str:
    """Return `text` for a comparison that ignores letter case and spaces."""
    return " ".join(text.casefold().split())


def kind(value: Any) -> str:
    """Return the JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    kinds = {str: "text", dict: "object", list: "list", type(None): "null"}
    return kinds.get(type(value), "number")


def same(old: Any, new: Any) -> bool:
    """Tell whether two JSON values are equal; 1, 1.0 and true are not."""
    return spelled(old) == spelled(new)


def spelled(value: Any) -> str:
    """Return a JSON value as one text that does not depend on the order of its members."""
    return json.dumps(value, sort_keys=True)


def changed_value(before: Pbe, after: Pbe, path: Path, what: str) -> Iterator[Changed]:
    """Yield the change of the value at `path`, described as `what`."""
    for each in value_changes(before, after, ChangeKind.REWORDED, path):
        old, new = cropped(each.before), cropped(each.after)
        message = f"the {what} changed from `{old}` to `{new}`"
        yield Changed(message=message, pointer=join(path), before=old, after=new)
