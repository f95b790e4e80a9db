"""The rows about PBEs: their name, fields, wording and notation."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.compatibility.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.save_rows import (
    RECOGNITION_KEY,
    phrases,
    same_fields,
    spelled_template,
    unversioned,
)
from psreg.compatibility.values import (
    TEMPLATE,
    TRIGGERS,
    ChangeKind,
    Path,
    ValueChange,
    changed_value,
    kind,
    value_changes,
)
from psreg.core.excerpt import as_text, cropped, cropped_pair
from psreg.formats.json.pointer import dotted, join
from psreg.formats.pbe import Pbe

_START_END: tuple[Path, ...] = (("install_instructions",), ("execution", "termination_condition"))
_ELSEWHERE: tuple[Path, ...] = (
    ("pbe_name",),
    ("pbe_class",),
    ("pbe_version",),
    RECOGNITION_KEY,
    TRIGGERS,
)
"""Values that other rows compare."""


@row("PBE-NAME", MAJOR)
def name_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_name` changed.

    A release is found, required and resumed by its name. Another name is another entry, which
    starts with its own first version.
    """
    yield from changed_value(before, after, ("pbe_name",), "name")


@row("PBE-CLASS", MAJOR)
def class_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_class` changed.

    The class decides how a PBE runs and what it must contain. An entry of another class also
    needs another name, because a name belongs to one class.
    """
    yield from changed_value(before, after, ("pbe_class",), "class")


@row("PBE-FIELD-REMOVED", MAJOR)
def field_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was removed: one that the class requires, or one of the author's own.

    People and programs that use the PBE may rely on any of its fields, at the root or below. A
    renamed field is a removed field and an added one; a field whose text or list is now empty
    counts as removed.
    """
    for each in value_changes(before, after, ChangeKind.REMOVED):
        what = "was removed" if each.after is None else "is now empty"
        message = f"the field `{cropped(dotted(each.path))}` {what}"
        yield Changed(message=message, pointer=join(each.path), before=cropped(each.before))


@row("PBE-FIELD-RETYPED", MAJOR)
def field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The type of a field changed.

    For example, a text became a list. Whatever reads the field does not find the type that it
    expects.
    """
    for each in value_changes(before, after, ChangeKind.RETYPED):
        old, new = kind(each.before), kind(each.after)
        message = f"the type of the field `{cropped(dotted(each.path))}` changed: {old} to {new}"
        yield Changed(
            message=message,
            pointer=join(each.path),
            before=cropped(each.before),
            after=cropped(each.after),
        )


@row("PBE-FIELD-ADDED", MINOR)
def field_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was added.

    The prompt offers something new, and nothing was removed.
    """
    for each in value_changes(before, after, ChangeKind.ADDED):
        message = f"the field `{cropped(dotted(each.path))}` was added"
        yield Changed(message=message, pointer=join(each.path), after=cropped(each.after))


@row("PBE-START-END", PATCH, behaviour=True)
def start_or_end_reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`install_instructions` or `termination_condition` was reworded.

    The wording decides when the PBE starts and ends, so a person should read it. Nothing that
    people built on was removed.
    """
    yield from map(_reworded, value_changes(before, after, ChangeKind.REWORDED, *_START_END))


@row("PBE-WORDING", PATCH, behaviour=True)
def reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A text or another value changed, but no field.

    Better wording is what a patch is for. It still changes what the assistant does, so a person
    should read it.
    """
    for each in value_changes(before, after, ChangeKind.REWORDED):
        if each.path not in (*_START_END, *_ELSEWHERE):
            yield _reworded(each)
    old, new = phrases(before), phrases(after)
    if old is not None and new is not None and old.keys() == new.keys():
        yield from map(_reworded, value_changes(before, after, ChangeKind.REWORDED, TRIGGERS))
    if same_fields(before, after) and spelled_template(before) != spelled_template(after):
        yield Changed(message="the examples in the save template changed", pointer=join(TEMPLATE))


def _reworded(each: ValueChange) -> Changed:
    old, new = cropped_pair(as_text(each.before), as_text(each.after))
    message = f"`{cropped(dotted(each.path))}` was reworded"
    return Changed(message=message, pointer=join(each.path), before=old, after=new)


@row("PBE-SPELLING", PATCH)
def spelled_differently(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """Only the version, the order of members or the notation of the file changed.

    The bytes differ, so it is another version, but its meaning is the same. The version inside
    the save template is that of the release and does not count either.
    """
    if before.tree.text != after.tree.text and unversioned(before) == unversioned(after):
        if before.version != after.version:
            message = "only the version changed"
        else:
            message = "only the notation of the file changed, not its meaning"
        yield Changed(message=message, before=before.version or "", after=after.version or "")


PBE_ROWS: tuple[Row[Pbe], ...] = (
    name_changed,
    class_changed,
    field_removed,
    field_retyped,
    field_added,
    start_or_end_reworded,
    reworded,
    spelled_differently,
)
"""The rows about the name, the fields, the wording and the notation of a PBE."""
