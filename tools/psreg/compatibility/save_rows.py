"""The rows about saves: their key, their fields, and the phrases that ask for one.

Something removed as a whole is one difference: if a PBE no longer has a save system, the rows do
not also report each trigger phrase.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.compatibility.row import MAJOR, MINOR, Changed, Row, row
from psreg.compatibility.save_shape import fields, in_both, retyped_roots, template
from psreg.compatibility.values import TEMPLATE, TRIGGERS, changed_value, folded
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import Pbe

RECOGNITION_KEY = ("save_system", "load_detection", "recognition_key")


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
                pointer=join((*TEMPLATE, key)),
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
    old, new, retyped = fields(before), fields(after), retyped_roots(before, after)
    for path, field in old.items():
        if path not in new and in_both(path[:-1], old, new) and field.root not in retyped:
            message = f"the save field `{cropped(field.title)}` was removed"
            yield Changed(message=message, pointer=join(field.path))


@row("PBE-SAVE-FIELD-RETYPED", MAJOR)
def save_field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The type of a field of the save template changed.

    A save of the previous version contains a value that the new one does not expect: for example
    a number instead of a list.
    """
    for path, (old, new) in retyped_roots(before, after).items():
        message = f"the type of the save key `{cropped(path[-1])}` changed: {old} to {new}"
        yield Changed(message=message, pointer=join(path), before=old, after=new)
    known = fields(before)
    for path, field in fields(after).items():
        if path in known and known[path].kinds - field.kinds:
            old, new = " or ".join(sorted(known[path].kinds)), " or ".join(sorted(field.kinds))
            message = f"the type of the save field `{cropped(field.title)}` changed: {old} to {new}"
            yield Changed(message=message, pointer=join(field.path), before=old, after=new)


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
            yield Changed(message=message, pointer=join((*TEMPLATE, key)), after=key)
    old, new, retyped = fields(before), fields(after), retyped_roots(before, after)
    for path, field in new.items() if known else ():
        if path not in old and in_both(path[:-1], old, new) and field.root not in retyped:
            message = f"the save field `{cropped(field.title)}` was added"
            yield Changed(message=message, pointer=join(field.path))


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
