"""A report as GitHub workflow commands, which become annotations of the changed files.

GitHub keeps ten annotations of each level per step; what does not fit is counted, and the last
line is the count of everything. Waived findings are counted only.
"""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Diagnostic, Report
from psreg.core.terminal import plain
from psreg.lint.reports.text import counted, summary

SHOWN = 10
"""Annotations of one level that GitHub shows for one step."""

_COMMAND = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def github_text(report: Report) -> str:
    """Return `report` as lines for the log of a GitHub Actions step."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    left = []
    for severity in _COMMAND:
        found = [d for d in report.standing() if d.severity is severity]
        yield from (_command(d, report) for d in found[:SHOWN])
        if len(found) > SHOWN:
            left.append(counted(len(found) - SHOWN, severity))
    yield summary(report) + (f"; not shown as annotations: {', '.join(left)}" if left else "")


def _command(d: Diagnostic, report: Report) -> str:
    properties: dict[str, object] = {"file": d.path, "line": d.start.line}
    if d.start.line == d.end.line:  # GitHub refuses columns of a place of several lines
        properties |= {"col": d.start.column, "endColumn": d.end.column}
    properties |= {"endLine": d.end.line, "title": f"{d.code} {d.slug}"}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    message = "\n".join(filter(None, (plain(d.message), plain(d.hint), report.address(d.url))))
    return f"::{_COMMAND[d.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
