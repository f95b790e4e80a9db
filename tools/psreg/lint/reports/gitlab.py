"""A report as GitLab's Code Quality document: the findings that stand, each with an identity."""

from __future__ import annotations

from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Diagnostic, Report
from psreg.core.terminal import one_line
from psreg.lint.reports.occurrences import distinguished

_SEVERITY = {ERROR: "major", WARNING: "minor", INFO: "info"}


def gitlab_document(report: Report) -> list[dict[str, Any]]:
    """Return `report` as the JSON array of GitLab's Code Quality format."""
    return [_issue(d, identity) for d, identity in distinguished(report) if d.waived is None]


def _issue(d: Diagnostic, identity: str) -> dict[str, Any]:
    return {
        "description": one_line(f"{d.message}. {d.hint}" if d.hint else d.message),
        "check_name": d.code,
        "fingerprint": identity,
        "severity": _SEVERITY[d.severity],
        "location": {
            "path": d.path,
            "positions": {
                "begin": {"line": d.start.line, "column": d.start.column},
                "end": {"line": d.end.line, "column": d.end.column},
            },
        },
    }
