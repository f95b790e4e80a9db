"""The rows about the parts of a PBE that have names: phases and techniques.

A part is identified by its name, whatever its position and content. Letter case and spaces in a
name do not count. If only the name of a part differs, it was renamed: the name that people and
saves use no longer exists, as if the part was removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from psreg.compatibility.row import MAJOR, MINOR, PATCH, Changed, Row, row
from psreg.compatibility.values import PHASES, TECHNIQUES, Part, parts, spelled
from psreg.core.excerpt import cropped
from psreg.formats.json.pointer import join
from psreg.formats.pbe import Pbe

_Parts = Mapping[str, Part]


def _both(before: Pbe, after: Pbe, path: tuple[str, ...]) -> tuple[_Parts, _Parts]:
    """Return the parts of both; none if one has no list, which the rows about fields report."""
    old, new = parts(before, path), parts(after, path)
    return ({}, {}) if old is None or new is None else (old, new)


def _renamed(old: _Parts, new: _Parts) -> Mapping[str, str]:
    """Return the new keys of the parts in `old` that differ only in their name."""
    candidates: dict[str, list[str]] = {}
    for key, part in new.items():
        if key not in old:
            candidates.setdefault(_but_name(part), []).append(key)
    found: dict[str, str] = {}
    for key, part in old.items():
        rest = _but_name(part)
        if key not in new and rest and candidates.get(rest):
            found[key] = candidates[rest].pop(0)
    return found


def _but_name(part: Part) -> str:
    """Return the content of a part without its name, as one text; "" if nothing."""
    members = part.value.items() if isinstance(part.value, dict) else ()
    rest = {key: value for key, value in members if key != "name"}
    return spelled(rest) if rest else ""


def _removed(before: Pbe, after: Pbe, path: tuple[str, ...], what: str) -> Iterator[Changed]:
    old, new = _both(before, after, path)
    renamed = _renamed(old, new)
    for key, part in old.items():
        if key in renamed:
            now = new[renamed[key]]
            yield Changed(
                message=f"the {what} `{cropped(part.name)}` was renamed to `{cropped(now.name)}`",
                pointer=join(now.path),
                before=part.name,
                after=now.name,
            )
        elif key not in new:
            message = f"the {what} `{cropped(part.name)}` was removed"
            yield Changed(message=message, pointer=join(part.path), before=part.name)


def _added(before: Pbe, after: Pbe, path: tuple[str, ...], what: str) -> Iterator[Changed]:
    old, new = _both(before, after, path)
    known = {*old, *_renamed(old, new).values()}
    for key, part in new.items():
        if key not in known:
            message = f"the {what} `{cropped(part.name)}` was added"
            yield Changed(message=message, pointer=join(part.path), after=part.name)


@row("PBE-PHASE-REMOVED", MAJOR)
def phase_removed(before: Pbe, after: Pbe) -> Iterator[Changed]:
    """A phase was removed or renamed.

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
    """A technique was removed or renamed.

    People choose an engine for what it can do, and ask for a technique by its name.
    """
    yield from _removed(before, after, TECHNIQUES, "technique")


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
    parts_moved,
)
"""The rows about phases and techniques."""
