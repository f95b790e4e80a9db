"""The shape of a save: the fields of a save template and their types.

Only the shape matters for existing saves: the values in a template are examples. One item of a
list represents all of them. The version in a save template is that of the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.compatibility.values import TEMPLATE, Path, kind, spelled
from psreg.formats.pbe import Pbe

VERSION = "pbe_version"

_ITEM = "*"


@dataclass(slots=True, kw_only=True)
class SaveField:
    """A field of a save: its first path, and the types of its values."""

    path: Path
    kinds: set[str] = field(default_factory=set)

    @property
    def root(self) -> Path:
        """The path of its save key."""
        return self.path[: len(TEMPLATE) + 1]

    @property
    def title(self) -> str:
        """The field as people write it: `history[].answer`."""
        tokens = self.path[len(self.root) :]
        return "".join("[]" if isinstance(t, int) else f".{t}" for t in tokens).removeprefix(".")


def template(pbe: Pbe) -> Mapping[str, Any] | None:
    """Return the save template, None if there is none."""
    value = pbe.get(*TEMPLATE)
    return value if isinstance(value, dict) else None


def fields(pbe: Pbe) -> Mapping[Path, SaveField]:
    """Return the fields below the save keys by their path from there; {} without a template.

    If there is one save key, as required, its name is not part of the path.
    """
    found: dict[Path, SaveField] = {}
    roots = template(pbe) or {}
    for path, at, value in _below(roots, (), TEMPLATE):
        relative = path[1:] if len(roots) == 1 else path
        if relative:
            found.setdefault(relative, SaveField(path=at)).kinds.add(kind(value))
    return found


def in_both(path: Path, old: Mapping[Path, SaveField], new: Mapping[Path, SaveField]) -> bool:
    """Tell whether the field at `path` is in both, with the same types; "" is the root."""
    return not path or (path in old and path in new and not old[path].kinds - new[path].kinds)


def retyped_roots(before: Pbe, after: Pbe) -> Mapping[Path, tuple[str, str]]:
    """Return the paths of the save keys whose type changed, with both types."""
    old, new = template(before) or {}, template(after) or {}
    kinds = {(*TEMPLATE, key): (kind(old[key]), kind(new[key])) for key in old if key in new}
    return {path: both for path, both in kinds.items() if both[0] != both[1]}


def same_fields(before: Pbe, after: Pbe) -> bool:
    """Tell whether both save templates have the same keys, and no row reports a field."""
    old, new = template(before), template(after)
    if old is None or new is None or old.keys() != new.keys():
        return False
    if retyped_roots(before, after):
        return False
    shapes = fields(before), fields(after)
    return shapes[0].keys() == shapes[1].keys() and all(
        in_both(path, *shapes) for path in shapes[0]
    )


def _below(value: Any, path: Path, at: Path) -> Iterator[tuple[Path, Path, Any]]:
    if isinstance(value, dict):
        items = [((*path, key), (*at, key), inner) for key, inner in value.items()]
    elif isinstance(value, list):
        items = [((*path, _ITEM), (*at, index), inner) for index, inner in enumerate(value)]
    else:
        return
    for inner_path, inner_at, inner in items:
        yield inner_path, inner_at, inner
        yield from _below(inner, inner_path, inner_at)


def unversioned(pbe: Pbe) -> str:
    """Return the content of a PBE as one text, without its version at both places."""
    value = dict(pbe.value)
    if VERSION in value:
        value[VERSION] = ""
    roots = template(pbe)
    if roots is not None:
        value["save_system"] = {**value["save_system"], "save_template": _blanked(roots)}
    return spelled(value)


def spelled_template(pbe: Pbe) -> str:
    """Return the save template as one text, without its version."""
    return spelled(_blanked(template(pbe) or {}))


def _blanked(roots: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: {**root, VERSION: ""}
        if isinstance(root, dict) and isinstance(root.get(VERSION), str)
        else root
        for key, root in roots.items()
    }
