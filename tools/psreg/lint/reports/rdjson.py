"""A report in reviewdog's diagnostic format (rdjson), whose columns count bytes of UTF-8.

Of the source only the line a finding starts on is known; a place elsewhere is given by its line
alone, and a fix becomes a suggestion only if all of it can be given exactly.
"""

from __future__ import annotations

from typing import Any

from psreg.core.diagnostics import Diagnostic, Edit, Position, Report, Severity
from psreg.core.terminal import plain


def rdjson_document(report: Report) -> dict[str, Any]:
    """Return `report` as a `DiagnosticResult`; waived findings are left out."""
    worst = next((str(s).upper() for s in Severity if report.count(s)), "UNKNOWN_SEVERITY")
    source = {"name": "psreg"} | ({"url": report.site} if report.site else {})
    return {
        "source": source,
        "severity": worst,
        "diagnostics": [_diagnostic(d, report) for d in report.standing()],
    }


def _diagnostic(d: Diagnostic, report: Report) -> dict[str, Any]:
    url = report.address(d.url)
    message = plain(f"{d.message}\n{d.hint}" if d.hint else d.message)
    found: dict[str, Any] = {
        "message": message,
        "severity": str(d.severity).upper(),
        "code": {"value": d.code} | ({"url": url} if url else {}),
        "location": {"path": d.path, "range": _range(d)},
    }
    suggestions = _suggestions(d)
    return found | ({"suggestions": suggestions} if suggestions else {})


def _range(d: Diagnostic) -> dict[str, Any]:
    start, end = _exact(d, d.start), _exact(d, d.end)
    if start is None or end is None:
        return {"start": {"line": d.start.line}, "end": {"line": d.end.line}}
    return {"start": start, "end": end}


def _exact(d: Diagnostic, position: Position) -> dict[str, int] | None:
    """Return line and byte column of `position`, None where the line's text is not at hand."""
    before = position.column - 1
    if before == 0:
        return {"line": position.line, "column": 1}
    if position.line != d.start.line or before > len(d.excerpt):
        return None
    size = len(d.excerpt[:before].encode("utf-8", "surrogatepass"))
    return {"line": position.line, "column": size + 1}


def _suggestions(d: Diagnostic) -> list[dict[str, Any]]:
    """Return the fix; one of several edits has no form here, suggestions are taken singly."""
    if d.fix is None or len(d.fix.edits) != 1 or d.fix.edits[0].path != d.path:
        return []
    edit: Edit = d.fix.edits[0]
    start, end = _exact(d, edit.start), _exact(d, edit.end)
    if start is None or end is None:
        return []
    return [{"range": {"start": start, "end": end}, "text": edit.replacement}]
