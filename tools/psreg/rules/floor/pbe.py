"""The rows about PBEs: identity, saves, triggers, phases, techniques, fields, wording.

What is gone as a whole is one difference: where a PBE has no save system any more, that is said,
and not that each trigger phrase is gone.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.formats.pbe import Pbe
from psreg.formats.pointer import dotted, join
from psreg.rules.floor.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.rules.floor.saves import fields, spelled_template, template, unversioned
from psreg.rules.floor.values import (
    TEMPLATE,
    TRIGGERS,
    How,
    Met,
    Path,
    apart,
    folded,
    kind,
    shown,
    walk,
    written,
)

_KEY: Path = ("save_system", "load_detection", "recognition_key")
_START_END: tuple[Path, ...] = (("install_instructions",), ("execution", "termination_condition"))
_ELSEWHERE: tuple[Path, ...] = (("pbe_name",), ("pbe_class",), ("pbe_version",), _KEY, TRIGGERS)
"""Values whose change is no wording: other rows speak of it."""


def _met(before: Pbe, after: Pbe, how: How, *paths: Path) -> Iterator[Met]:
    """Yield what was met on the walk, of one kind, and if paths are given only there."""
    for met in walk(before, after):
        if met.how is how and (not paths or met.path in paths):
            yield met


def _other(before: Pbe, after: Pbe, path: Path, what: str) -> Iterator[Changed]:
    """Yield that the value at `path` is another one."""
    for met in _met(before, after, How.REWORDED, path):
        old, new = shown(met.before), shown(met.after)
        message = f"the {what} `{old}` is now `{new}`"
        yield Changed(message=message, pointer=join(path), before=old, after=new)


@row("PBE-NAME", MAJOR)
def name_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_name` changed.

    A release is found, required and resumed by its name. Another name is another entry, which
    begins with a first version of its own.
    """
    yield from _other(before, after, ("pbe_name",), "name")


@row("PBE-CLASS", MAJOR)
def class_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`pbe_class` changed.

    The class decides how a PBE runs and what it must have. An entry of another class needs
    another name, too, because a name belongs to one class.
    """
    yield from _other(before, after, ("pbe_class",), "class")


@row("PBE-SAVE-KEY", MAJOR)
def save_key_lost(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The key of the save template changed.

    The key is how a save that somebody kept is recognised. Under another key it no longer
    resumes.
    """
    old, new = template(before), template(after)
    if old is None or new is None:
        return
    for key in old:
        if key not in new:
            now = ", ".join(f"`{shown(other)}`" for other in new) or "nothing"
            yield Changed(
                message=f"the save key `{shown(key)}` is now {now}",
                pointer=join((*TEMPLATE, key)),
                before=key,
                after=", ".join(new),
            )


@row("PBE-RECOGNITION-KEY", MAJOR)
def recognition_key_changed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The recognition key changed.

    It is what the assistant looks for to resume a save. Saves of the previous version carry the
    previous key.
    """
    yield from _other(before, after, _KEY, "recognition key")


@row("PBE-SAVE-FIELD-LOST", MAJOR)
def save_field_lost(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field of the save template is gone.

    Saves of the previous version have the field, and what they hold in it is lost when they are
    resumed. The values in a template are examples; only fields and types count.
    """
    if template(after) is None:
        return
    known = fields(after)
    for path, field in fields(before).items():
        if path not in known and (not path[:-1] or path[:-1] in known):
            message = f"the save field `{shown(field.title)}` is gone"
            yield Changed(message=message, pointer=join(field.path))


@row("PBE-SAVE-FIELD-RETYPED", MAJOR)
def save_field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field of the save template has another type.

    A save of the previous version holds a value that the new one does not expect: a number where
    a list should be, for instance.
    """
    known = fields(before)
    for path, field in fields(after).items():
        if path in known and known[path].kinds - field.kinds:
            old, new = " or ".join(sorted(known[path].kinds)), " or ".join(sorted(field.kinds))
            message = f"the save field `{shown(field.title)}` was of type {old} and is now {new}"
            yield Changed(message=message, pointer=join(field.path), before=old, after=new)


@row("PBE-SAVE-FIELD-ADDED", MINOR)
def save_field_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was added to the save template.

    Saves of the previous version still resume; they only lack the field.
    """
    if template(before) is None:
        return
    known = fields(before)
    for path, field in fields(after).items():
        if path not in known and (not path[:-1] or path[:-1] in known):
            message = f"the save field `{shown(field.title)}` was added"
            yield Changed(message=message, pointer=join(field.path))


def _phrases(pbe: Pbe) -> dict[str, tuple[int, str]] | None:
    """Return the trigger phrases with their numbers, by what they are known by."""
    value = pbe.get(*TRIGGERS)
    if not isinstance(value, list):
        return None
    texts = [(index, text) for index, text in enumerate(value) if isinstance(text, str)]
    return {folded(text): (index, text) for index, text in texts}


@row("PBE-TRIGGER-REMOVED", MAJOR)
def trigger_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A trigger phrase is gone.

    People say the phrase to save, from habit or because a guide told them so. Letter case and
    blanks do not count.
    """
    old, new = _phrases(before), _phrases(after)
    for key, (index, text) in (old or {}).items():
        if new is not None and key not in new:
            message = f"the trigger phrase “{shown(text)}” is gone"
            yield Changed(message=message, pointer=join((*TRIGGERS, index)), before=text)


@row("PBE-TRIGGER-ADDED", MINOR)
def trigger_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A trigger phrase was added.

    There is one more way to save, and all others still work.
    """
    old, new = _phrases(before), _phrases(after)
    for key, (index, text) in (new or {}).items():
        if old is not None and key not in old:
            message = f"the trigger phrase “{shown(text)}” was added"
            yield Changed(message=message, pointer=join((*TRIGGERS, index)), after=text)


@row("PBE-FIELD-REMOVED", MAJOR)
def field_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field is gone: one that the class requires, or one of the author's own.

    Whoever calls the PBE, or builds on it, may rely on any field that it has, at the root or
    below. A renamed field is one that is gone and one that was added.
    """
    for met in _met(before, after, How.GONE):
        message = f"the field `{shown(dotted(met.path))}` is gone"
        yield Changed(message=message, pointer=join(met.path), before=shown(met.before))


@row("PBE-FIELD-RETYPED", MAJOR)
def field_retyped(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field has another type.

    Where a text was, there is now a list, for instance. What reads the field does not find what
    it was written for.
    """
    for met in _met(before, after, How.RETYPED):
        old, new = kind(met.before), kind(met.after)
        message = f"the field `{shown(dotted(met.path))}` was of type {old} and is now {new}"
        yield Changed(
            message=message,
            pointer=join(met.path),
            before=shown(met.before),
            after=shown(met.after),
        )


@row("PBE-FIELD-ADDED", MINOR)
def field_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A field was added.

    Something new is offered, and nothing that was there is gone.
    """
    for met in _met(before, after, How.NEW):
        message = f"the field `{shown(dotted(met.path))}` was added"
        yield Changed(message=message, pointer=join(met.path), after=shown(met.after))


@row("PBE-START-END", PATCH, behaviour=True)
def start_or_end_reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """`install_instructions` or `termination_condition` was reworded.

    The words say when the PBE starts and when it ends, so a person should read them. Nothing
    that somebody built on is gone.
    """
    yield from map(_reworded, _met(before, after, How.REWORDED, *_START_END))


@row("PBE-WORDING", PATCH, behaviour=True)
def reworded(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A text or another value changed, and no field with it.

    Better words are what a patch is for. They change what the assistant does all the same, so a
    person should read them.
    """
    for met in _met(before, after, How.REWORDED):
        if met.path not in (*_START_END, *_ELSEWHERE):
            yield _reworded(met)
    old, new = _phrases(before), _phrases(after)
    if old is not None and new is not None and old.keys() == new.keys():
        yield from map(_reworded, _met(before, after, How.REWORDED, TRIGGERS))
    if _same_fields(before, after) and spelled_template(before) != spelled_template(after):
        yield Changed(message="the examples in the save template changed", pointer=join(TEMPLATE))


def _reworded(met: Met) -> Changed:
    old, new = apart(written(met.before), written(met.after))
    message = f"`{shown(dotted(met.path))}` was reworded"
    return Changed(message=message, pointer=join(met.path), before=old, after=new)


def _same_fields(before: Pbe, after: Pbe) -> bool:
    """Tell whether both have a save template with the same keys and fields."""
    old, new = template(before), template(after)
    if old is None or new is None or old.keys() != new.keys():
        return False
    shapes = [{path: field.kinds for path, field in fields(p).items()} for p in (before, after)]
    return shapes[0] == shapes[1]


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
    save_key_lost,
    recognition_key_changed,
    save_field_lost,
    save_field_retyped,
    save_field_added,
    trigger_removed,
    trigger_added,
    field_removed,
    field_retyped,
    field_added,
    start_or_end_reworded,
    reworded,
    spelled_differently,
)
"""The rows about the fields of a PBE; those about phases and techniques are in `parts`."""
