"""The terminal side of `psreg plsp run`: records the trace, shows notes, and reports the end.

Each cycle is added to the trace as soon as it is answered, so that nothing is lost if the program
stops.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from psreg.conversations.plsp.run import (
    CUT,
    TEXT_AROUND,
    UNREADABLE,
    WHY_ENDED,
    Cycle,
    conversation_of,
    run_document,
    trace_line,
)
from psreg.core.diagnostics import Mode
from psreg.core.errors import InterruptError
from psreg.lint.reports.text import report_lines
from psreg.lint.transcript import TranscriptReport, check_transcript
from psreg.system.console import Console, color_wanted
from psreg.system.files import append


@dataclass(slots=True, kw_only=True)
class Recorder:
    """One run.

    `path` is the trace file, None for standard output; `before` is what to write to it before the
    first cycle.
    """

    console: Console
    imf: str
    path: str | None
    before: str = ""
    cycles: list[Cycle] = field(default_factory=list)
    interrupted: bool = False

    def logged(self, sink: Path | None, values: tuple[str, ...]) -> None:
        """Write one log of a block to the sink, or to standard error."""
        if sink is not None:
            append(sink, json.dumps(values, ensure_ascii=False) + "\n")
        else:
            self.console.note(f"psreg: log: {', '.join(values)}")

    def keep(self, cycle: Cycle) -> None:
        """Write one cycle to the trace, and print what its commands lead to."""
        line = trace_line(cycle, self.imf)
        if self.path is not None:
            append(Path(self.path), f"{line}\n" if self.cycles else f"{self.before}{line}\n")
        elif not self.console.machine:
            self.console.content(f"{line}\n")
            self.console.flush()
        self.cycles.append(cycle)
        for note in cycle.notes:
            self.console.note(f"psreg: {note}")

    def finish(self) -> int:
        """Report why the loop ended and the findings about the answers; return the exit code."""
        ended = self.cycles[-1].ended if self.cycles and not self.interrupted else "interrupted"
        found = self._judged(Mode.STRICT if ended == TEXT_AROUND else Mode.READ)
        if self.console.machine:
            document = run_document(
                self.cycles, found.report, imf=self.imf, ended=ended, trace=self.path
            )
            self.console.json(document)
        else:
            if found.report.failed():
                for line in report_lines(found.report, color=color_wanted()):
                    self.console.warn(line)
            count = f"{len(self.cycles)} cycle{'s' * (len(self.cycles) != 1)}"
            where = f", in {self.path}" if self.path else ""
            self.console.note(f"psreg: {count}{where}; {WHY_ENDED[ended]}")
        if self.interrupted:
            return InterruptError.exit_code
        return int(ended in (UNREADABLE, CUT) or found.report.failed())

    def _judged(self, mode: Mode) -> TranscriptReport:
        """Check the run, usually in read mode: every readable block continued the loop."""
        conversation = conversation_of(self.cycles, self.imf)
        return check_transcript(
            conversation, "plsp", mode=mode, imf=self.imf, path=self.path or "trace"
        )
