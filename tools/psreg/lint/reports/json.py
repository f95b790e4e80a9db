"""A report for programs: `psreg.report/1`. Within `/1`, fields are added but never removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

from psreg import __version__
from psreg.core.dataclass import replace
from psreg.core.diagnostics import Diagnostic, Position, Report, Severity

T = TypeVar("T")

REPORT_SCHEMA = "psreg.report/1"

_FIXES = 100_000
"""The most characters that the fixes in one file have as JSON; `--fix` makes all of them."""

_EDIT = 250
"""The characters of JSON around the text of an edit."""


_INDENTATION = 8
"""Blanks, more or less, before each line of a value that is in a list of the document."""


def fitting(values: Iterable[T], room: int) -> Iterator[T]:
    """Yield the first of `values` that together have at most `room` characters as printed JSON."""
    for value in values:
        room -= len(json.dumps(value))  # quickly: a value may be much too long
        if room >= 0:
            room -= _INDENTATION * json.dumps(value, indent=2).count("\n")
        if room < 0:
            return
        yield value


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
        "diagnostics": [_diagnostic(d) for d in with_short_fixes(report.diagnostics)],
        "fixed": [_diagnostic(d) for d in with_short_fixes(report.fixed)],
        **({"dangerous_releases": dangerous} if dangerous else {}),
    }


def with_short_fixes(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics, without each fix for which the report of its file has no room."""
    rooms: dict[str, int] = {}
    for d in diagnostics:
        edits = d.fix.edits if d.fix else ()
        size = sum(_EDIT + len(json.dumps(edit.replacement)) for edit in edits)
        room = rooms.setdefault(d.path, _FIXES)
        rooms[d.path] = room - size if size <= room else room
        yield d if size <= room else replace(d, fix=None)


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
        "fix": asdict(d.fix) if d.fix else None,
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
