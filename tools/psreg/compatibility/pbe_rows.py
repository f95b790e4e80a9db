"""The rows about PBEs: what they are called, their fields, their words, their spelling."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.compatibility.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.save_rows import RECOGNITION_KEY, phrases
from psreg.compatibility.save_shape import same_fields, spelled_template, unversioned
from psreg.compatibility.values import TEMPLATE, TRIGGERS, How, Met, Path, changed_value, kind, met
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
"""Values whose change is no wording: other rows speak of it."""


@row("PBE-NAME", MAJOR)
def name_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_name` changed.

    A release is found, required and resumed by its name. Another name is another entry, which
    begins with a first version of its own.
    """
    yield from changed_value(before, after, ("pbe_name",), "name")


@row("PBE-CLASS", MAJOR)
def class_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_class` changed.

    The class decides how a PBE runs and what it must have. An entry of another class needs
    another name, too, because a name belongs to one class.
    """
    yield from changed_value(before, after, ("pbe_class",), "class")


@row("PBE-FIELD-REMOVED", MAJOR)
def field_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field is gone: one that the class requires, or one of the author's own.

    Whoever calls the PBE, or builds on it, may rely on any field that it has, at the root or
    below. A renamed field is one that is gone and one that was added; one whose text or list is
    empty now is gone, too.
    """
    for each in met(before, after, How.GONE):
        what = "gone" if each.after is None else "empty now"
        message = f"the field `{cropped(dotted(each.path))}` is {what}"
        yield Changed(message=message, pointer=join(each.path), before=cropped(each.before))


@row("PBE-FIELD-RETYPED", MAJOR)
def field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field has another type.

    Where a text was, there is now a list, for instance. What reads the field does not find what
    it was written for.
    """
    for each in met(before, after, How.RETYPED):
        old, new = kind(each.before), kind(each.after)
        message = f"the field `{cropped(dotted(each.path))}` was of type {old} and is now {new}"
        yield Changed(
            message=message,
            pointer=join(each.path),
            before=cropped(each.before),
            after=cropped(each.after),
        )


@row("PBE-FIELD-ADDED", MINOR)
def field_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was added.

    Something new is offered, and nothing that was there is gone.
    """
    for each in met(before, after, How.NEW):
        message = f"the field `{cropped(dotted(each.path))}` was added"
        yield Changed(message=message, pointer=join(each.path), after=cropped(each.after))


@row("PBE-START-END", PATCH, behaviour=True)
def start_or_end_reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`install_instructions` or `termination_condition` was reworded.

    The words say when the PBE starts and when it ends, so a person should read them. Nothing
    that somebody built on is gone.
    """
    yield from map(_reworded, met(before, after, How.REWORDED, *_START_END))


@row("PBE-WORDING", PATCH, behaviour=True)
def reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A text or another value changed, and no field with it.

    Better words are what a patch is for. They change what the assistant does all the same, so a
    person should read them.
    """
    for each in met(before, after, How.REWORDED):
        if each.path not in (*_START_END, *_ELSEWHERE):
            yield _reworded(each)
    old, new = phrases(before), phrases(after)
    if old is not None and new is not None and old.keys() == new.keys():
        yield from map(_reworded, met(before, after, How.REWORDED, TRIGGERS))
    if same_fields(before, after) and spelled_template(before) != spelled_template(after):
        yield Changed(message="the examples in the save template changed", pointer=join(TEMPLATE))


def _reworded(each: Met) -> Changed:
    old, new = cropped_pair(as_text(each.before), as_text(each.after))
    message = f"`{cropped(dotted(each.path))}` was reworded"
    return Changed(message=message, pointer=join(each.path), before=old, after=new)


@row("PBE-SPELLING", PATCH)
def spelled_differently(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """Only the version, the order of members or the spelling of the file changed.

    The bytes are others, so it is another version, and it says the same. The version inside the
    save template is the release's own and does not count either.
    """
    if before.tree.text != after.tree.text and unversioned(before) == unversioned(after):
        if before.version != after.version:
            message = "only the version changed"
        else:
            message = "the file is spelled differently and says the same"
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
"""The rows about what a PBE is called, its fields, its words and its spelling."""
