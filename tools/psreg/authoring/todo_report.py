"""What is left to write, for `psreg new` and `psreg bump`: as lines for people, as JSON."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.todo import Gap
from psreg.core.diagnostics import ERROR
from psreg.core.identity import ReleaseId
from psreg.system.console import Console


def say(
    console: Console, release: ReleaseId, files: list[PurePosixPath], gaps: tuple[Gap, ...]
) -> None:
    """Print what was written and what its author has to write; the rest is `psreg check`."""
    if not console.quiet:
        for path in files:
            console.line(f"wrote {path}")
    for heading, some in (
        ("to write before it can be released:", [g for g in gaps if g.severity is ERROR]),
        ("worth a look:", [g for g in gaps if g.severity is not ERROR]),
    ):
        if some:
            console.line("")
            console.line(heading)
        for gap in some:
            console.line(f"  {gap.path}:{gap.line}: {gap.message} [{gap.code}]")
            if gap.write:
                console.line(f"      {gap.write}")
    if not console.quiet:
        console.line("")
        console.line(f"then: psreg check {release.folder}")


def documents(gaps: tuple[Gap, ...]) -> list[dict[str, Any]]:
    """Return the gaps as JSON data."""
    return [
        {
            "path": gap.path,
            "line": gap.line,
            "column": gap.column,
            "pointer": gap.pointer,
            "code": gap.code,
            "severity": gap.severity.value,
            "message": gap.message,
            "write": gap.write,
        }
        for gap in gaps
    ]
