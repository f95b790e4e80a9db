"""The phases of an interactive engine as a picture; the list below it says the same in words.

The boxes go to the right and back to the left, in two columns, so that the names can be read on a
telephone. The picture has classes alone; its colours are in the style sheet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psreg.catalogue.pages.html import text

_MOST = 24
"""Phases that are drawn."""

_WIDTH, _BOX, _HEIGHT, _STEP = 320, 138, 44, 66
"""Width of the picture, width and height of a box, and from one row of boxes to the next."""

_LINE, _LINES, _LEADING = 20, 2, 14
"""Characters of a line in a box, lines, and from one line to the next."""


def phase_diagram(phases: Sequence[Mapping[str, Any]]) -> str:
    """Return a picture of the phases; "" for fewer than two."""
    names = [_name(phase, number) for number, phase in enumerate(phases[:_MOST], 1)]
    if len(names) < 2:  # noqa: PLR2004 - one phase leads nowhere
        return ""
    left = len(phases) - len(names)
    names += [f"and {left} more"] if left else []
    height = (len(names) - 1) // 2 * _STEP + _HEIGHT + 2
    boxes = "".join(_box(name, *_place(at)) for at, name in enumerate(names))
    return (
        f'<figure class="ps-phases"><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        'aria-labelledby="ps-phases-title" aria-describedby="ps-phases-text">'
        '<title id="ps-phases-title">The phases, one after the other</title>'
        f'<desc id="ps-phases-text">{text("; ".join(names))}.</desc>'
        f'<path d="{"".join(_ways(len(names)))}"/>{boxes}</svg></figure>'
    )


def _name(phase: Mapping[str, Any], number: int) -> str:
    found = phase.get("name", phase.get("phase", ""))
    name = found if isinstance(found, str) else ""
    return textwrap.shorten(f"{number}. {name}", _LINE * _LINES, placeholder="…")


def _place(at: int) -> tuple[int, int]:
    """Return the left and upper edge of a box: every other row goes back to the left."""
    row, column = divmod(at, 2)
    right = column != row % 2
    return (_WIDTH - _BOX - 1 if right else 1), row * _STEP + 1


def _box(name: str, x: int, y: int) -> str:
    lines = textwrap.wrap(name, _LINE, max_lines=_LINES, placeholder="…")
    first = y + _HEIGHT // 2 + 4 - _LEADING // 2 * (len(lines) - 1)
    spans = "".join(
        f'<tspan x="{x + _BOX // 2}" y="{first + _LEADING * at}">{text(line)}</tspan>'
        for at, line in enumerate(lines)
    )
    return f'<rect x="{x}" y="{y}" width="{_BOX}" height="{_HEIGHT}" rx="8"/><text>{spans}</text>'


def _ways(number: int) -> Iterator[str]:
    """Yield an arrow from each box to the next one."""
    for at in range(number - 1):
        (x, y), (to, below) = _place(at), _place(at + 1)
        middle = y + _HEIGHT // 2
        if y < below:
            yield f"M{x + _BOX // 2} {y + _HEIGHT}V{below - 3}m-4 -5l4 5l4 -5"
        elif x < to:
            yield f"M{x + _BOX} {middle}H{to - 3}m-5 -4l5 4l-5 4"
        else:
            yield f"M{x} {middle}H{to + _BOX + 3}m5 -4l-5 4l5 4"
