"""The rows about the parts of a PBE that have names: phases and techniques.

A part is identified by its name, whatever its position and content. Letter case and spaces in a
name do not count. A part whose name alone differs was renamed. If only the spelling differs and the
purpose is the same, a typing error was corrected (PBE-A13e).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from psreg.compatibility.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.values import PHASES, TECHNIQUES, Part, folded, parts, spelled
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import Pbe
from psreg.lint.names.similarity import FAR, distance

_Parts = Mapping[str, Part]
_Keys = Mapping[str, str]
"""New keys of parts by their old ones."""


def _both(before: Pbe, after: Pbe, path: tuple[str, ...]) -> tuple[_Parts, _Parts]:
    """Return the parts of both; none if one has no list, which the rows about fields report."""
    old, new = parts(before, path), parts(after, path)
    return ({}, {}) if old is None or new is None else (old, new)


def _respelled(old: _Parts, new: _Parts) -> Mapping[str, str]:
    """Return the new keys of the parts in `old` of which only the spelling differs."""
    left = [key for key in new if key not in old]
    found: dict[str, str] = {}
    for key, part in old.items() if left else ():
        alike = (other for other in left if _is_respelled(part, new[other]))
        if key not in new and (other := next(alike, None)):
            found[key] = other
            left.remove(other)
    return found


def _is_respelled(old: Part, new: Part) -> bool:
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


PART_ROWS: tuple[Row[Pbe], ...] = (
    phase_removed,
    phase_added,
    technique_removed,
    technique_added,
    part_renamed,
    part_respelled,
    parts_moved,
)
"""The rows about phases and techniques."""
