"""The rows about saves: their key, their fields, and the phrases that ask for one.

Something removed as a whole is one difference: if a PBE no longer has a save system, the rows do
not also report each trigger phrase.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from psreg.compatibility.floor_row import MAJOR, MINOR, Changed, Row, row
from psreg.compatibility.value_changes import Path, changed_value, folded, kind, spelled
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import RECOGNITION_KEY, SAVE_TEMPLATE, TRIGGERS, Pbe

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
        return self.path[: len(SAVE_TEMPLATE) + 1]

    @property
    def title(self) -> str:
        """The field as people write it: `history[].answer`."""
        tokens = self.path[len(self.root) :]
        return "".join("[]" if isinstance(t, int) else f".{t}" for t in tokens).removeprefix(".")


def template(pbe: Pbe) -> Mapping[str, Any] | None:
    """Return the save template, None if there is none."""
    value = pbe.get(*SAVE_TEMPLATE)
    return value if isinstance(value, dict) else None


def fields(pbe: Pbe) -> Mapping[Path, SaveField]:
    """Return the fields below the save keys by their path from there; {} without a template.

    If there is one save key, as required, its name is not part of the path.
    """
    found: dict[Path, SaveField] = {}
    roots = template(pbe) or {}
    for path, at, value in _below(roots, (), SAVE_TEMPLATE):
        relative = path[1:] if len(roots) == 1 else path
        if relative:
            found.setdefault(relative, SaveField(path=at)).kinds.add(kind(value))
    return found


def _in_both(path: Path, old: Mapping[Path, SaveField], new: Mapping[Path, SaveField]) -> bool:
    """Tell whether the field at `path` is in both, with the same types; "" is the root."""
    return not path or (path in old and path in new and not old[path].kinds - new[path].kinds)


def _retyped_roots(before: Pbe, after: Pbe) -> Mapping[Path, tuple[str, str]]:
    """Return the paths of the save keys whose type changed, with both types."""
    old, new = template(before) or {}, template(after) or {}
    kinds = {(*SAVE_TEMPLATE, key): (kind(old[key]), kind(new[key])) for key in old if key in new}
    return {path: both for path, both in kinds.items() if both[0] != both[1]}


def same_fields(before: Pbe, after: Pbe) -> bool:
    """Tell whether both save templates have the same keys, and no row reports a field."""
    old, new = template(before), template(after)
    if old is None or new is None or old.keys() != new.keys():
        return False
    if _retyped_roots(before, after):
        return False
    shapes = fields(before), fields(after)
    return shapes[0].keys() == shapes[1].keys() and all(
        _in_both(path, *shapes) for path in shapes[0]
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


@row("PBE-SAVE-KEY", MAJOR)
def save_key_lost(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The key of the save template changed.

    The assistant recognizes a save by the key. A save with another key no longer resumes.
    """
    old, new = template(before), template(after)
    if old is None or new is None:
        return
    for key in old:
        if key not in new:
            now = ", ".join(f"`{cropped(other)}`" for other in new) or "nothing"
            yield Changed(
                message=f"the save key changed from `{cropped(key)}` to {now}",
                pointer=join((*SAVE_TEMPLATE, key)),
                before=key,
                after=", ".join(new),
            )


@row("PBE-RECOGNITION-KEY", MAJOR)
def recognition_key_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The recognition key changed.

    The assistant looks for it to resume a save. Saves of the previous version contain the previous
    key.
    """
    yield from changed_value(before, after, RECOGNITION_KEY, "recognition key")


@row("PBE-SAVE-FIELD-LOST", MAJOR)
def save_field_lost(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field of the save template was removed.

    Saves of the previous version contain the field, and its value is lost when they are resumed.
    The values in a template are examples; only fields and types count.
    """
    if not template(after):
        return  # another row reports the removed key
    old, new, retyped = fields(before), fields(after), _retyped_roots(before, after)
    for path, found in old.items():
        if path not in new and _in_both(path[:-1], old, new) and found.root not in retyped:
            message = f"the save field `{cropped(found.title)}` was removed"
            yield Changed(message=message, pointer=join(found.path))


@row("PBE-SAVE-FIELD-RETYPED", MAJOR)
def save_field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The type of a field of the save template changed.

    A save of the previous version contains a value that the new one does not expect: for example
    a number instead of a list.
    """
    for path, (old, new) in _retyped_roots(before, after).items():
        message = f"the type of the save key `{cropped(path[-1])}` changed: {old} to {new}"
        yield Changed(message=message, pointer=join(path), before=old, after=new)
    known = fields(before)
    for path, found in fields(after).items():
        if path in known and known[path].kinds - found.kinds:
            old, new = " or ".join(sorted(known[path].kinds)), " or ".join(sorted(found.kinds))
            message = f"the type of the save field `{cropped(found.title)}` changed: {old} to {new}"
            yield Changed(message=message, pointer=join(found.path), before=old, after=new)


@row("PBE-SAVE-FIELD-ADDED", MINOR)
def save_field_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was added to the save template.

    Saves of the previous version still resume; they only lack the field.
    """
    known = template(before)
    if known is None:
        return
    if not known:
        for key in template(after) or ():
            message = f"the save key `{cropped(key)}` was added"
            yield Changed(message=message, pointer=join((*SAVE_TEMPLATE, key)), after=key)
    old, new, retyped = fields(before), fields(after), _retyped_roots(before, after)
    for path, found in new.items() if known else ():
        if path not in old and _in_both(path[:-1], old, new) and found.root not in retyped:
            message = f"the save field `{cropped(found.title)}` was added"
            yield Changed(message=message, pointer=join(found.path))


def phrases(pbe: Pbe) -> dict[str, tuple[int, str]] | None:
    """Return the trigger phrases with their indexes, by their form for comparison."""
    value = pbe.get(*TRIGGERS)
    if not isinstance(value, list):
        return None
    texts = [(index, text) for index, text in enumerate(value) if isinstance(text, str)]
    return {folded(text): (index, text) for index, text in texts}


@row("PBE-TRIGGER-REMOVED", MAJOR)
def trigger_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A trigger phrase was removed.

    People say the phrase to save, from habit or because a guide says so. Letter case and spaces do
    not count.
    """
    old, new = phrases(before), phrases(after)
    for key, (index, text) in (old or {}).items():
        if new is not None and key not in new:
            message = f"the trigger phrase “{cropped(text)}” was removed"
            yield Changed(message=message, pointer=join((*TRIGGERS, index)), before=text)


@row("PBE-TRIGGER-ADDED", MINOR)
def trigger_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A trigger phrase was added.

    There is one more way to save, and all others still work.
    """
    old, new = phrases(before), phrases(after)
    for key, (index, text) in (new or {}).items():
        if old is not None and key not in old:
            message = f"the trigger phrase “{cropped(text)}” was added"
            yield Changed(message=message, pointer=join((*TRIGGERS, index)), after=text)


SAVE_ROWS: tuple[Row[Pbe], ...] = (
    save_key_lost,
    recognition_key_changed,
    save_field_lost,
    save_field_retyped,
    save_field_added,
    trigger_removed,
    trigger_added,
)
"""The rows about saves."""
