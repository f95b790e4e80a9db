"""What the rules about content find in imported prompts, checked on all processors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from psreg.authoring.importing.importer import Imported
from psreg.core.classes import Format
from psreg.core.diagnostics import HARM, INFO, Diagnostic
from psreg.lint.engine import check_file
from psreg.system.processes import in_parallel, shares_of

_MOST_FINDINGS = 20

_WORTH_A_PROCESS = 100
"""The number of prompts below which another process costs more than it saves."""

_ROWS, _BYTES = 500, 16_000_000
"""Where a batch ends: the files of all rows together may need much memory."""


def with_findings(rows: Iterable[Imported]) -> Iterator[Imported]:
    """Yield each row with the first findings about what in a new text can do harm.

    Other processes check a batch of rows while this one makes the next.
    """
    coming = iter(rows)
    # NOTE: checked here, so that processes that are forked later have compiled patterns.
    batch = _taken(coming, _WORTH_A_PROCESS)
    while batch:
        prompts = [_prompt(row) for row in batch]
        shares = shares_of(sum(bool(data) for _, data in prompts), _WORTH_A_PROCESS)
        first, *others = [partial(_checked, prompts[share::shares]) for share in range(shares)]
        # NOTE: the first share is for another process, too, as making rows takes this one as long.
        jobs = [first, *others] if others else []
        following, parts = in_parallel(partial(_taken, coming, _ROWS), jobs)
        found: list[tuple[Diagnostic, ...]] = [()] * len(batch)
        for share, part in enumerate(parts or [first()]):
            found[share::shares] = part
        for row, findings in zip(batch, found, strict=True):
            yield replace(row, findings=findings)
        batch = following


def _taken(rows: Iterator[Imported], most: int) -> list[Imported]:
    """Return the next rows: at most so many, and fewer if they have many bytes."""
    taken, size = [], 0
    for row in islice(rows, most):
        taken.append(row)
        size += sum(map(len, row.files.values()))
        if size > _BYTES:
            break
    return taken


def _prompt(row: Imported) -> tuple[str, bytes]:
    """Return the path and bytes of the new artifact of a row, b"" if it has none."""
    names = [f"{row.name}{each.suffix}" for each in Format]
    found = ((path.name, data) for path, data in row.files.items() if path.name in names)
    return next(found, (row.name, b""))


def _checked(prompts: Sequence[tuple[str, bytes]]) -> list[tuple[Diagnostic, ...]]:
    return [tuple(_harmful(path, data)) if data else () for path, data in prompts]


def _harmful(path: str, data: bytes) -> Iterator[Diagnostic]:
    found = check_file(data, path=path)
    harmful = (each for each in found if each.family == HARM and each.severity is not INFO)
    return islice(harmful, _MOST_FINDINGS)
