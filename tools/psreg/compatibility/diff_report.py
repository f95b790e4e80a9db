"""The differences between two prompts as text, JSON and Markdown; the floor comes first.

Text for a terminal and Markdown for a comment are neutral: nothing in a file can control the
terminal, or format, link or mention in the comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from psreg.compatibility.diff import Diff, Operand
from psreg.compatibility.floor_row import READ, Difference
from psreg.core.excerpt import cropped
from psreg.core.terminal import one_line, plain
from psreg.core.version import Step
from psreg.lint.reports.markdown import neutral

DIFF_SCHEMA = "psreg.diff/1"

_LISTED = 200
"""The differences that text and JSON list; then one of each row stands for the others."""

_ROWS = 50
"""The most differences that Markdown lists."""


def diff_document(diff: Diff) -> dict[str, Any]:
    """Return `diff` as the JSON object that `psreg diff --format json` prints."""
    return {
        "schema": DIFF_SCHEMA,
        "floor": str(diff.floor),
        "least": str(diff.least) if diff.least else None,
        "behaviour": diff.behaviour,
        "before": _operand(diff.before),
        "after": _operand(diff.after),
        "changes": [_change(difference, more) for difference, more in _listed(diff.differences)],
    }


def _operand(operand: Operand) -> dict[str, Any]:
    form = operand.side.format
    return {
        "what": operand.title,
        "version": operand.version,
        "format": str(form) if form else None,
    }


def _listed(differences: Iterable[Difference]) -> Iterator[tuple[Difference, int]]:
    """Yield `_LISTED` differences, and then the first of each row; each with those left out."""
    room = _LISTED
    for _, group in groupby(differences, key=lambda difference: difference.row):
        found = list(group)
        listed = found[: max(1, room)]
        room -= len(listed)
        yield from ((difference, 0) for difference in listed[:-1])
        yield listed[-1], len(found) - len(listed)


def _change(difference: Difference, more: int) -> dict[str, Any]:
    return {
        "row": difference.row,
        "step": str(difference.step),
        "message": difference.message,
        "reason": difference.reason,
        "pointer": difference.pointer,
        "before": cropped(difference.before),
        "after": cropped(difference.after),
        "behaviour": difference.behaviour,
        "more": more,
    }


def diff_text(diff: Diff, *, patch: bool = False) -> str:
    """Return `diff` for a terminal: the floor, then the changes by step with their reasons.

    `patch` adds the unified diff of the two artifacts.
    """
    lines = [f"floor: {diff.floor}{_next(diff)}"]
    for step, found in groupby(_listed(diff.differences), key=lambda each: each[0].step):
        lines += ["", str(step), *_of_step(found)]
    if not diff.differences:
        lines += ["", "no differences"]
    if patch and (text := _patch_of(diff)):
        lines += ["", text.removesuffix("\n")]
    return "".join(f"{line}\n" for line in lines)


def _next(diff: Diff) -> str:
    if not diff.least:
        return ""
    return f" (after {one_line(diff.before.version or '')} that is {diff.least} or higher)"


def _of_step(differences: Iterator[tuple[Difference, int]]) -> Iterator[str]:
    """Yield the lines of the differences of one step, with the reason once for each row."""
    for identifier, found in groupby(differences, key=lambda each: each[0].row):
        reason = ""
        for difference, more in found:
            mark = f" ({READ})" if difference.behaviour else ""
            yield f"  {one_line(difference.message)}{mark}"
            yield from _values(difference)
            if more:
                yield f"  and {more:,} more like it"
            reason = difference.reason
        yield f"    {identifier}: {reason}"


def _values(difference: Difference) -> Iterator[str]:
    for sign, value in zip("-+", _unquoted(difference), strict=True):
        if value:
            yield f"      {sign} {one_line(cropped(value))}"


def _unquoted(difference: Difference) -> tuple[str, str]:
    """Return the value before and after, each "" if there is none or the message quotes it."""
    before, after = (
        "" if f"`{value}`" in difference.message or f"“{value}”" in difference.message else value
        for value in (difference.before, difference.after)
    )
    return before, after


def _patch_of(diff: Diff) -> str:
    """Return the unified diff of the two artifacts as text that is safe for a terminal."""
    from psreg.lint.reports.unified_diff import unified  # noqa: PLC0415 - few reports contain it

    before, after = diff.before, diff.after
    return plain(unified(before.title, before.side.text, after.side.text, after.title))


def diff_markdown(diff: Diff) -> str:
    """Return `diff` as GitHub Flavoured Markdown for a comment, of limited length."""
    parts = [f"Floor: **{diff.floor}**{_next(diff)}.\n"]
    if diff.differences:
        parts.append("\n| Step | What changed | Why |\n| --- | --- | --- |\n")
        parts += _rows(diff.differences[:_ROWS])
    if left := len(diff.differences[_ROWS:]):
        parts.append(f"\n…and {left} more.\n")
    return "".join(parts)


def _rows(differences: tuple[Difference, ...]) -> Iterator[str]:
    """Yield a line of the table for each difference; only the first of a row has the reason."""
    for identifier, found in groupby(differences, key=lambda difference: difference.row):
        for number, difference in enumerate(found):
            why = f"{neutral(difference.reason)} <code>{identifier}</code>" if not number else "″"
            yield f"| {_step(difference.step)} | {_cell(difference)} | {why} |\n"


def _step(step: Step) -> str:
    return f"**{step}**" if step is Step.MAJOR else str(step)


def _cell(difference: Difference) -> str:
    text = neutral(difference.message)
    text += f"<br>**{READ}**" if difference.behaviour else ""
    for title, value in zip(("before", "after"), _unquoted(difference), strict=True):
        if value:
            text += f"<br>{title}: {neutral(value)}"
    return text
