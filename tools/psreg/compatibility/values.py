"""Two JSON values, walked together: what is gone, new, of another type, or reworded.

Lists are values like texts, save two that are lists of parts with a name: the phases and the
techniques of a PBE. A part is known by its name, wherever it stands; letter case and blanks in
the name do not count. What is gone as a whole is told once, not once for each thing in it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from psreg.compatibility.row import Changed
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import Pbe

PHASES = ("game_structure", "phases")
TECHNIQUES = ("facilitator_techniques", "techniques")
TRIGGERS = ("save_system", "trigger_phrases")
TEMPLATE = ("save_system", "save_template")

Path = tuple[str | int, ...]


class How(Enum):
    """What became of a value."""

    GONE = auto()
    NEW = auto()
    RETYPED = auto()
    REWORDED = auto()


class Met(NamedTuple):
    """One thing met on the walk: its place in the newer value, in the older if it is gone."""

    how: How
    path: Path
    before: Any
    after: Any


class Part(NamedTuple):
    """A phase or a technique, and where it stands."""

    path: Path
    name: str
    value: Any


def walk(before: Pbe, after: Pbe) -> Iterator[Met]:
    """Yield what is different between two PBEs, the save template's inside left out."""
    yield from _objects(before.value, after.value, ())


def met(before: Pbe, after: Pbe, how: How, *paths: Path) -> Iterator[Met]:
    """Yield what was met on the walk, of one kind, and if paths are given only there."""
    for each in walk(before, after):
        if each.how is how and (not paths or each.path in paths):
            yield each


def _objects(before: Mapping[str, Any], after: Mapping[str, Any], path: Path) -> Iterator[Met]:
    for key, old in before.items():
        if key not in after:
            yield Met(How.GONE, (*path, key), old, None)
        else:
            yield from _values(old, after[key], (*path, key))
    for key, new in after.items():
        if key not in before:
            yield Met(How.NEW, (*path, key), None, new)


def _values(old: Any, new: Any, path: Path) -> Iterator[Met]:
    if kind(old) != kind(new):
        yield Met(How.RETYPED, path, old, new)
    elif isinstance(old, dict):
        if path != TEMPLATE:
            yield from _objects(old, new, path)
    elif isinstance(old, list) and path in (PHASES, TECHNIQUES):
        known = parts_of(old, path)
        for key, part in parts_of(new, path).items():
            if key in known:
                yield from _values(known[key].value, part.value, part.path)
    elif not same(old, new):
        yield Met(How.GONE if _emptied(old, new, path) else How.REWORDED, path, old, new)


def _emptied(old: Any, new: Any, path: Path) -> bool:
    """Tell whether nothing is left of a text or list; of the trigger phrases others speak."""
    texts = (value.strip() if isinstance(value, str) else value for value in (old, new))
    return [value in ("", []) for value in texts] == [False, True] and path != TRIGGERS


def parts(pbe: Pbe, path: tuple[str, ...]) -> Mapping[str, Part] | None:
    """Return the phases or techniques of a PBE by what they are known by; None without a list."""
    value = pbe.get(*path)
    return parts_of(value, path) if isinstance(value, list) else None


def parts_of(items: list[Any], path: Path) -> Mapping[str, Part]:
    """Return the parts in a list; the second of two with one name is known by its number, too."""
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
    """Return `text` as it is compared: without regard to letter case and blanks."""
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
    """Return a JSON value as one text, whatever the order of its members was."""
    return json.dumps(value, sort_keys=True)


def changed_value(before: Pbe, after: Pbe, path: Path, what: str) -> Iterator[Changed]:
    """Yield that the value at `path`, called `what`, is another one."""
    for each in met(before, after, How.REWORDED, path):
        old, new = cropped(each.before), cropped(each.after)
        message = f"the {what} `{old}` is now `{new}`"
        yield Changed(message=message, pointer=join(path), before=old, after=new)
