"""The report of a conversation, message by message, as JSON or for a terminal.

The JSON is the report of a check (`psreg.report/1`) with additional members. Lines and columns are
counted within the message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from psreg.core.diagnostics import Diagnostic, Report, Severity
from psreg.core.terminal import one_line
from psreg.lint.reports.json import fitting, report_document
from psreg.lint.reports.text import counted, report_lines
from psreg.lint.transcript import Message, TranscriptReport, message_label
from psreg.protocols.plsp.stats import METHOD, Size, Stats

LARGEST_PARSED = 300_000
"""The most characters that the content of all messages has as JSON; the rest is only counted."""


def transcript_document(
    found: TranscriptReport, stats: Sequence[Stats] | None = None
) -> dict[str, Any]:
    """Return `found` as the JSON object that `psreg transcript --format json` prints."""
    values = [message.parsed for message in found.messages]
    parsed = list(fitting((value for each in values for value in each), LARGEST_PARSED))
    document = {
        **report_document(found.report),
        "protocol": found.protocol,
        "version": found.version,
        "parsed": parsed,
        "parsed_omitted": sum(map(len, values)) - len(parsed),
        "messages": [
            {
                "index": message.index,
                "line": message.line,
                "role": message.role,
                "sound": message.sound,
                "parsed": len(each),
            }
            for message, each in zip(found.messages, values, strict=True)
        ],
    }
    if stats is not None:
        document["stats"] = {"method": METHOD, "cycles": [asdict(each) for each in stats]}
    return document


def transcript_lines(
    found: TranscriptReport,
    stats: Sequence[Stats] | None = None,
    *,
    color: bool = False,
    quiet: bool = False,
) -> Iterator[str]:
    """Yield the lines of `found`: each message with its findings, the stats, and a summary.

    `quiet` omits messages without errors, and prints nothing if there is no error.
    """
    if quiet and not found.report.failed():
        return
    yield from _findings(found.file_diagnostics, color=color)
    for message in found.messages:
        if not (quiet and message.sound):
            yield f"{_title(found, message)}: {_verdict(message)}"
            yield from _findings(_findings_of(found, message), color=color)
    if stats is not None:
        yield ""
        yield from _table(stats)
        yield ""
    yield _summary(found)


def _title(found: TranscriptReport, message: Message) -> str:
    role = f" ({message.role})" if message.role else ""
    return f"{found.record_name} {message.index + 1}{role}"


def _verdict(message: Message) -> str:
    parts = [counted(number, level) for level, number in message.counts.items() if number]
    return ", ".join(parts) or "clean"


def _findings_of(found: TranscriptReport, message: Message) -> Iterator[Diagnostic]:
    """Yield the findings of `message` with positions in it; `--fix` does not apply to them."""
    for d in message.diagnostics:
        hint = d.hint or (d.fix.title if d.fix else "")
        yield replace(d, path=message_label(found, d), fix=None, hint=hint)


def _findings(diagnostics: Iterable[Diagnostic], *, color: bool) -> Iterator[str]:
    report = Report(checked=1, diagnostics=tuple(diagnostics))
    if report.diagnostics:
        yield from list(report_lines(report, color=color))[:-1]


def _summary(found: TranscriptReport) -> str:
    """Return for instance `vpp 1.4, 4 turns: 3 sound, 1 error, 2 warnings`."""
    report, number = found.report, len(found.messages)
    name = found.record_name if number == 1 else f"{found.record_name}s"
    sound = sum(message.sound for message in found.messages)
    parts = [counted(report.count(level), level) for level in Severity if report.count(level)]
    protocol = f"{found.protocol} {found.version}".strip()
    return one_line(f"{protocol}, {number} {name}: {', '.join([f'{sound} sound', *parts])}")


_HEADS = ("cycle", "statements", "variables", "bytes", "canonical", "tokens", "canonical")


def _table(stats: Sequence[Stats]) -> Iterator[str]:
    """Yield the stats of each cycle in columns."""
    rows = [(str(each.index + 1), each.statements, each.variables, *_sizes(each)) for each in stats]
    cells = [_HEADS, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADS))]
    for row in cells:
        yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    yield f"tokens are estimated with the method `{METHOD}`, without a vocabulary"


def _sizes(each: Stats) -> tuple[int | str, ...]:
    shortest: Size | None = each.canonical
    return (
        each.raw.bytes,
        shortest.bytes if shortest else "-",
        each.raw.tokens,
        shortest.tokens if shortest else "-",
    )
