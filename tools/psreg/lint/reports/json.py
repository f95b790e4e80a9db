"""A report for programs: `psreg.report/1`. Within `/1`, fields are added but never removed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from psreg import __version__
from psreg.core.diagnostics import Diagnostic, Position, Report, Severity

REPORT_SCHEMA = "psreg.report/1"

MOST_EDITS = 200
"""The most edits of a fix that a report lists; `psreg check --fix` makes more."""


def report_document(report: Report) -> dict[str, Any]:
    """Return `report` as the JSON object that `psreg check --format json` prints."""
    dangerous = [
        {"name": release.name, "version": release.version, "codes": codes}
        for release, codes in report.dangerous_releases().items()
    ]
    return {
        "schema": REPORT_SCHEMA,
        "tool": f"psreg {__version__}",
        "checked": report.checked,
        "counts": {str(severity): report.count(severity) for severity in Severity},
        "diagnostics": [_diagnostic(d) for d in report.diagnostics],
        "fixed": [_diagnostic(d) for d in report.fixed],
        **({"dangerous_releases": dangerous} if dangerous else {}),
    }


def _diagnostic(d: Diagnostic) -> dict[str, Any]:
    return {
        "code": d.code,
        "slug": d.slug,
        "family": d.family,
        "severity": str(d.severity),
        "since": d.since,
        "newer_than_release": d.newer,
        "message": d.message,
        "hint": d.hint,
        "url": d.url,
        "path": d.path,
        "pointer": d.pointer,
        "start": _position(d.start),
        "end": _position(d.end),
        "more": d.more,
        "fingerprint": d.fingerprint,
        "waived": d.waived,
        "waived_by": d.waived_by or None,
        "related": [asdict(other) for other in d.related],
        "fix": asdict(d.fix) if d.fix and len(d.fix.edits) <= MOST_EDITS else None,
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
