"""What changed between two prompts, as text, JSON and Markdown; the floor comes first.

Text for a terminal and Markdown for a comment are neutral: nothing in a file can drive, format,
link or mention.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from psreg.compatibility import Difference
from psreg.compatibility.diff import Diff, Operand
from psreg.core.terminal import one_line, plain
from psreg.core.version import Step
from psreg.lint.reports.markdown import neutral
from psreg.lint.reports.unified import unified

DIFF_SCHEMA = "psreg.diff/1"

READ = "behaviour, please read"
"""What is said of words that change what the assistant does."""

_ROWS = 50
"""Differences that Markdown lists."""


def diff_document(diff: Diff) -> dict[str, Any]:
    """Return `diff` as the JSON object that `psreg diff --format json` prints."""
    return {
        "schema": DIFF_SCHEMA,
        "floor": str(diff.floor),
        "least": str(diff.least) if diff.least else None,
        "behaviour": diff.behaviour,
        "before": _operand(diff.before),
        "after": _operand(diff.after),
        "changes": [_change(difference) for difference in diff.differences],
    }


def _operand(operand: Operand) -> dict[str, Any]:
    form = operand.side.format
    return {
        "what": operand.title,
        "version": operand.version,
        "format": str(form) if form else None,
    }


def _change(difference: Difference) -> dict[str, Any]:
    return {
        "row": difference.row,
        "step": str(difference.step),
        "message": difference.message,
        "reason": difference.reason,
        "pointer": difference.pointer,
        "before": difference.before,
        "after": difference.after,
        "behaviour": difference.behaviour,
    }


def diff_text(diff: Diff, *, patch: bool = False) -> str:
    """Return `diff` for a terminal: the floor, the changes by step, why; then the texts' own.

    `patch` adds the unified diff of the two artifacts.
    """
    lines = [f"floor: {diff.floor}{_next(diff)}"]
    for step, found in groupby(diff.differences, key=lambda difference: difference.step):
        lines += ["", str(step), *_of_step(found)]
    if not diff.differences:
        lines += ["", "nothing is different"]
    if patch and (text := patch_of(diff)):
        lines += ["", text.removesuffix("\n")]
    return "".join(f"{line}\n" for line in lines)


def _next(diff: Diff) -> str:
    if not diff.least:
        return ""
    return f" (after {one_line(diff.before.version or '')} that is {diff.least} or higher)"


def _of_step(differences: Iterator[Difference]) -> Iterator[str]:
    """Yield the lines of the differences of one step, the reason once for each row."""
    for identifier, found in groupby(differences, key=lambda difference: difference.row):
        reason = ""
        for difference in found:
            mark = f" ({READ})" if difference.behaviour else ""
            yield f"  {one_line(difference.message)}{mark}"
            yield from _values(difference)
            reason = difference.reason
        yield f"    {identifier}: {reason}"


def _values(difference: Difference) -> Iterator[str]:
    for sign, value in zip("-+", _unsaid(difference), strict=True):
        if value:
            yield f"      {sign} {one_line(value)}"


def _unsaid(difference: Difference) -> tuple[str, str]:
    """Return what was there and what is, each "" if there is nothing or the message quotes it."""
    before, after = (
        "" if f"`{value}`" in difference.message or f"“{value}”" in difference.message else value
        for value in (difference.before, difference.after)
    )
    return before, after


def patch_of(diff: Diff) -> str:
    """Return the unified diff of the two artifacts as text, made safe for a terminal."""
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
    """Yield a line of the table for each, with the reason where a row of the table begins."""
    for identifier, found in groupby(differences, key=lambda difference: difference.row):
        for number, difference in enumerate(found):
            why = f"{neutral(difference.reason)} <code>{identifier}</code>" if not number else "″"
            yield f"| {_step(difference.step)} | {_said(difference)} | {why} |\n"


def _step(step: Step) -> str:
    return f"**{step}**" if step is Step.MAJOR else str(step)


def _said(difference: Difference) -> str:
    said = neutral(difference.message)
    said += f"<br>**{READ}**" if difference.behaviour else ""
    for title, value in zip(("was", "is"), _unsaid(difference), strict=True):
        if value:
            said += f"<br>{title}: {neutral(value)}"
    return said
