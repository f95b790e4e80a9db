"""A PLSP loop that was run and a trace that was inspected, for machines and on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from psreg.conversations.plsp.inspect import Change, Step
from psreg.conversations.plsp.run import Cycle
from psreg.core.diagnostics import ERROR, WARNING, Report
from psreg.core.terminal import one_line
from psreg.lint.reports.json import report_document

RUN_SCHEMA = "psreg.plsp-run/1"
INSPECT_SCHEMA = "psreg.plsp-inspect/1"

WHY_ENDED = {
    "max-cycles": "all cycles were run",
    "stopped": "the assistant asked to stop",
    "unreadable": "the last block cannot be read",
    "interrupted": "it was interrupted",
}


def trace_line(cycle: Cycle, imf: str) -> str:
    """Return the line of a trace that records `cycle`."""
    return json.dumps(cycle.record(imf), ensure_ascii=False)


def run_document(
    cycles: Sequence[Cycle], report: Report, *, imf: str, ended: str, trace: str | None
) -> dict[str, Any]:
    """Return a run as the JSON object that `psreg plsp run --format json` prints."""
    findings = report_document(report)
    return {
        "schema": RUN_SCHEMA,
        "ended": ended,
        "imf": imf,
        "trace": trace,
        "state": cycles[-1].next if cycles else None,
        "cycles": [
            {
                "instr": cycle.instr,
                "previous": cycle.previous,
                "next": cycle.next,
                "notes": list(cycle.notes),
                "fetched": dict(cycle.fetched),
            }
            for cycle in cycles
        ],
        "counts": findings["counts"],
        "diagnostics": findings["diagnostics"],
    }


def inspect_document(steps: Sequence[Step], path: str) -> dict[str, Any]:
    """Return a trace as the JSON object that `psreg plsp inspect --format json` prints."""
    found = [diagnostic for step in steps for diagnostic in step.diagnostics]
    findings = report_document(Report(checked=1, diagnostics=tuple(found)))
    return {
        "schema": INSPECT_SCHEMA,
        "trace": path,
        "cycles": [
            {
                "index": step.index,
                "line": step.line,
                "instr": step.instr,
                "readable": step.readable,
                "changes": [
                    {"variable": c.name, "before": c.before or None, "after": c.after or None}
                    for c in step.changes
                ],
                "logs": [list(log) for log in step.logs],
                "actions": [list(action) for action in step.actions],
                "verdict": str(step.verdict),
                "why": step.why,
                "expected": step.expected or None,
            }
            for step in steps
        ],
        "counts": findings["counts"],
        "diagnostics": findings["diagnostics"],
    }


def inspect_lines(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a trace for a terminal: each cycle as a difference of states."""
    for step in steps:
        instr = one_line(step.instr) if step.instr is not None else "(no instruction)"
        yield f"cycle {step.index + 1}, line {step.line}: {instr}"
        yield from (f"  {line}" for line in _step(step))
        yield ""


def _step(step: Step) -> Iterator[str]:
    if not step.readable:
        yield "the block cannot be read"
    yield from (_change(change) for change in step.changes)
    if step.readable and not step.changes:
        yield "= the state is what it was"
    yield from (f"> {one_line(', '.join(log))}" for log in step.logs)
    yield from (f"! {one_line(', '.join(action))}" for action in step.actions)
    yield f"{step.verdict}{f': {one_line(step.why)}' if step.why else ''}"
    for d in step.diagnostics:
        if d.severity in (ERROR, WARNING):
            yield f"{d.code} {d.severity}: {one_line(d.message)}"


def _change(change: Change) -> str:
    before, after = one_line(change.before), one_line(change.after)
    if not before:
        return f"+ ${change.name}: {after}"
    if not after:
        return f"- ${change.name}: {before}"
    return f"~ ${change.name}: {before} → {after}"
