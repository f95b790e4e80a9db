"""A conformance run for machines and on a terminal: what was tried, which rule speaks, on what.

As JSON it is the report of a check (`psreg.report/1`) with members of its own; a path in it is the
id of a probe.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from psreg.conversations.conform import ConformReport
from psreg.core.diagnostics import ERROR, INFO, Report
from psreg.core.terminal import one_line
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import counted, report_lines


def conform_document(run: ConformReport) -> dict[str, Any]:
    """Return `run` as the JSON object that `psreg conform --format json` prints."""
    return {
        **report_document(run.report),
        "protocol": run.protocol,
        "version": run.version,
        "endpoint": run.endpoint,
        "passed": run.passed,
        "probes": [
            {
                "id": probe.id,
                "prompt": probe.prompt,
                "answer": probe.answer,
                "findings": [
                    {"rule": d.code, "severity": str(d.severity), "evidence": d.excerpt}
                    for d in probe.diagnostics
                ],
                "notes": list(probe.notes),
            }
            for probe in run.probes
        ],
    }


def conform_lines(run: ConformReport, *, color: bool = False, quiet: bool = False) -> Iterator[str]:
    """Yield the lines of `run`: each probe with its findings, and last whether it conforms.

    `quiet` leaves out what is fine, and all of it where the endpoint conforms.
    """
    if quiet and run.passed:
        return
    for probe in run.probes:
        shown = [d for d in probe.diagnostics if not (quiet and d.severity is INFO)]
        if quiet and not shown:
            continue
        yield f"{one_line(probe.id)}: {one_line(probe.prompt)}"
        report = Report.of(1, shown)
        lines = [*report_lines(report, color=color)][:-1] if shown else ["ok", ""]
        yield from (f"  {line}".rstrip() for line in lines)
    notes = dict.fromkeys(note for probe in run.probes for note in probe.notes)
    for note in () if quiet else notes:
        yield f"note: {one_line(note)}"
    errors = run.report.count(ERROR)
    verdict = "conforms" if run.passed else f"does not conform: {counted(errors, ERROR)}"
    tried = "1 probe" if len(run.probes) == 1 else f"{len(run.probes)} probes"
    yield f"{run.protocol} {run.version}, {tried}: {one_line(run.endpoint)} {verdict}"
