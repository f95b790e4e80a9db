"""Reports for CI services: GitLab's Code Quality, reviewdog (rdjson) and GitHub's annotations.

Waived findings are omitted; GitHub's last line counts them. rdjson counts columns in bytes of
UTF-8, but a report has only the line on which a finding starts: other positions are given by their
line alone, and a fix becomes a suggestion only if its positions are exact. GitHub keeps ten
annotations of each level per step; the last line counts the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from psreg.core.diagnostics import (
    ERROR,
    INFO,
    WARNING,
    Diagnostic,
    Edit,
    Position,
    Report,
    Severity,
)
from psreg.core.terminal import one_line, plain
from psreg.lint.reports.json import with_short_fixes
from psreg.lint.reports.text import counted, summary


def distinguished(report: Report) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each diagnostic with an identity that is unique in `report`.

    It is `<fingerprint>:<n>` for the n-th diagnostic with that fingerprint, in source order. It
    remains the same when lines move, as long as the order of findings does not change.
    """
    seen: Counter[str] = Counter()
    for diagnostic in report.diagnostics:
        seen[diagnostic.fingerprint] += 1
        yield diagnostic, f"{diagnostic.fingerprint}:{seen[diagnostic.fingerprint]}"


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


def rdjson_document(report: Report) -> dict[str, Any]:
    """Return `report` as a `DiagnosticResult` without waived findings."""
    worst = next((str(s).upper() for s in Severity if report.count(s)), "UNKNOWN_SEVERITY")
    source = {"name": "psreg"} | ({"url": report.site} if report.site else {})
    return {
        "source": source,
        "severity": worst,
        "diagnostics": [_diagnostic(d, report) for d in with_short_fixes(report.standing())],
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
    """Return line and byte column of `position`, or None if the text of the line is unknown."""
    before = position.column - 1
    if before == 0:
        return {"line": position.line, "column": 1}
    if position.line != d.start.line or before > len(d.excerpt):
        return None
    size = len(d.excerpt[:before].encode("utf-8", "surrogatepass"))
    return {"line": position.line, "column": size + 1}


def _suggestions(d: Diagnostic) -> list[dict[str, Any]]:
    """Return the fix as a suggestion; several edits cannot be one, as each applies alone."""
    if d.fix is None or len(d.fix.edits) != 1 or d.fix.edits[0].path != d.path:
        return []
    edit: Edit = d.fix.edits[0]
    start, end = _exact(d, edit.start), _exact(d, edit.end)
    if start is None or end is None:
        return []
    return [{"range": {"start": start, "end": end}, "text": edit.replacement}]


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
    properties: dict[str, object] = {"file": one_line(d.path), "line": d.start.line}
    if d.start.line == d.end.line:  # GitHub rejects columns if there are several lines
        properties |= {"col": d.start.column, "endColumn": d.end.column}
    properties |= {"endLine": d.end.line, "title": f"{d.code} {d.slug}"}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    message = "\n".join(filter(None, (plain(d.message), plain(d.hint), report.address(d.url))))
    return f"::{_COMMAND[d.severity]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
