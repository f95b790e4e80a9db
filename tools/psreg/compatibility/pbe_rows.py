"""The rows about PBEs: their name, fields, parts, wording and notation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from psreg.compatibility.floor_row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.save_rows import phrases, same_fields, spelled_template, unversioned
from psreg.compatibility.value_changes import (
    PHASES,
    TECHNIQUES,
    ChangeKind,
    Part,
    Path,
    ValueChange,
    changed_value,
    folded,
    kind,
    parts,
    spelled,
    value_changes,
)
from psreg.core.excerpt import as_text, cropped, cropped_pair
from psreg.formats.json.pointer import dotted, join
from psreg.formats.pbe import RECOGNITION_KEY, SAVE_TEMPLATE, TRIGGERS, Pbe
from psreg.lint.names.similarity import FAR, distance

_Parts = Mapping[str, Part]
_Keys = Mapping[str, str]
"""New keys of parts by their old ones."""


def _both(before: Pbe, after: Pbe, path: tuple[str, ...]) -> tuple[_Parts, _Parts]:
    """Return the parts of both; none if one has no list, which the rows about fields report."""
    old, new = parts(before, path), parts(after, path)
    return ({}, {}) if old is None or new is None else (old, new)


_MOST_PAIRS = 1_000
"""The most pairs of parts whose names are compared letter by letter."""

_LONGEST_NAME = 200
"""The characters of the longest name that is compared so."""


def _respelled(old: _Parts, new: _Parts) -> Mapping[str, str]:
    """Return the new keys of the parts in `old` of which only the spelling differs."""
    left = [key for key in new if key not in old]
    gone = [key for key in old if key not in new]
    found: dict[str, str] = {}
    if len(gone) * len(left) > _MOST_PAIRS:
        return found  # other parts were removed and added, which requires no smaller step
    for key in gone:
        alike = (other for other in left if _is_respelled(old[key], new[other]))
        if other := next(alike, None):
            found[key] = other
            left.remove(other)
    return found


def _is_respelled(old: Part, new: Part) -> bool:
    if max(len(old.name), len(new.name)) > _LONGEST_NAME:
        return False
    one, other = folded(old.name), folded(new.name)
    edits = distance(one, other)
    return edits < FAR and 2 * edits < len(one) and _purpose(old) == _purpose(new) != ""


def _purpose(part: Part) -> str:
    """Return what a technique is for or what a phase is, "" if it does not say."""
    members = part.value if isinstance(part.value, dict) else {}
    text = members.get("purpose", members.get("description"))
    return folded(text) if isinstance(text, str) else ""


def _renamed(old: _Parts, new: _Parts) -> Mapping[str, str]:
    """Return the new keys of the parts in `old` that have another name and are else the same."""
    respelled = _respelled(old, new)
    candidates: dict[str, list[str]] = {}
    for key, part in new.items():
        if key not in old and key not in respelled.values():
            candidates.setdefault(_but_name(part), []).append(key)
    found: dict[str, str] = {}
    for key, part in old.items():
        rest = _but_name(part)
        if key not in new and key not in respelled and rest and candidates.get(rest):
            found[key] = candidates[rest].pop(0)
    return found


def _but_name(part: Part) -> str:
    """Return the content of a part without its name, as one text; "" if nothing."""
    members = part.value.items() if isinstance(part.value, dict) else ()
    rest = {key: value for key, value in members if key != "name"}
    return spelled(rest) if rest else ""


def _removed(before: Pbe, after: Pbe, path: tuple[str, ...], what: str) -> Iterator[Changed]:
    old, new = _both(before, after, path)
    kept = {*new, *_renamed(old, new), *_respelled(old, new)}
    for key, part in old.items():
        if key not in kept:
            message = f"the {what} `{cropped(part.name)}` was removed"
            yield Changed(message=message, pointer=join(part.path), before=part.name)


def _added(before: Pbe, after: Pbe, path: tuple[str, ...], what: str) -> Iterator[Changed]:
    old, new = _both(before, after, path)
    known = {*old, *_renamed(old, new).values(), *_respelled(old, new).values()}
    for key, part in new.items():
        if key not in known:
            message = f"the {what} `{cropped(part.name)}` was added"
            yield Changed(message=message, pointer=join(part.path), after=part.name)


def _with_new_names(
    before: Pbe,
    after: Pbe,
    path: tuple[str, ...],
    find: Callable[[_Parts, _Parts], _Keys],
    say: str,
) -> Iterator[Changed]:
    old, new = _both(before, after, path)
    for key, other in find(old, new).items():
        names = cropped(old[key].name), cropped(new[other].name)
        yield Changed(
            message=say.format(*names),
            pointer=join(new[other].path),
            before=old[key].name,
            after=new[other].name,
        )


@row("PBE-PHASE-REMOVED", MAJOR)
def phase_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A phase was removed, or replaced by another one.

    A save made in that phase resumes in a phase that no longer exists, and guides that name it
    are wrong.
    """
    yield from _removed(before, after, PHASES, "phase")


@row("PBE-PHASE-ADDED", MINOR)
def phase_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A phase was added.

    The conversation has a new stage, and all earlier stages still exist.
    """
    yield from _added(before, after, PHASES, "phase")


@row("PBE-TECHNIQUE-REMOVED", MAJOR)
def technique_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A technique was removed, or replaced by another one.

    People choose an engine for what it can do.
    """
    yield from _removed(before, after, TECHNIQUES, "technique")


@row("PBE-PART-RENAMED", MINOR)
def part_renamed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A phase or a technique has another name and is otherwise the same.

    All of it still exists, but people and guides look for it by the old name.
    """
    for path, what in ((PHASES, "phase"), (TECHNIQUES, "technique")):
        say = f"the {what} `{{}}` was renamed to `{{}}`"
        yield from _with_new_names(before, after, path, _renamed, say)


@row("PBE-PART-RESPELLED", PATCH)
def part_respelled(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The spelling of a phase's or technique's name was corrected.

    One or two letters differ, and the purpose is the same. The specification lists such corrections
    among the patches.
    """
    for path, what in ((PHASES, "phase"), (TECHNIQUES, "technique")):
        say = f"the {what} `{{}}` is now spelled `{{}}`"
        yield from _with_new_names(before, after, path, _respelled, say)


@row("PBE-TECHNIQUE-ADDED", MINOR)
def technique_added(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A technique was added.

    The assistant can do something new, and everything that it could do before.
    """
    yield from _added(before, after, TECHNIQUES, "technique")


@row("PBE-ORDER", PATCH, behaviour=True)
def parts_moved(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """The order of phases or techniques changed.

    All of them still exist. The order of phases is the order of the conversation, so a person
    should read it.
    """
    for path, what in ((PHASES, "phases"), (TECHNIQUES, "techniques")):
        old, new = _both(before, after, path)
        orders = [
            [(key, part.name) for key, part in some.items() if key in old and key in new]
            for some in (old, new)
        ]
        if [key for key, _ in orders[0]] != [key for key, _ in orders[1]]:
            names = [cropped(", ".join(name for _, name in order)) for order in orders]
            yield Changed(
                message=f"the order of the {what} changed",
                pointer=join(path),
                before=names[0],
                after=names[1],
            )


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
        message = "the examples in the save template changed"
        yield Changed(message=message, pointer=join(SAVE_TEMPLATE))


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
    phase_removed,
    phase_added,
    technique_removed,
    technique_added,
    part_renamed,
    part_respelled,
    parts_moved,
    name_changed,
    class_changed,
    field_removed,
    field_retyped,
    field_added,
    start_or_end_reworded,
    reworded,
    spelled_differently,
)
