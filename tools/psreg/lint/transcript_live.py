"""Checks a conversation in VPP while it takes place: each turn as soon as its line arrives.

A line is a turn as in a transcript, `{"role": "user", "content": "…"}`. After each turn, the report
says with which tag the assistant has to answer, or how the user can continue after a violation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from psreg.core.diagnostics import ERROR, Report
from psreg.core.terminal import one_line
from psreg.formats.conversation import json_lines
from psreg.formats.conversation.json_lines import Kind
from psreg.lint.locate import judge
from psreg.lint.reports.text import report_lines
from psreg.protocols.protocol import Options
from psreg.protocols.vpp import VPP_RULES
from psreg.protocols.vpp.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """The report of one line: its lines for a terminal, and whether it breaks a rule."""

    lines: tuple[str, ...]
    broken: bool


def live_turns(lines: Iterable[bytes], options: Options, *, color: bool) -> Iterator[LiveTurn]:
    """Yield the report of each line that is not blank, before the next line is read."""
    session = Session.beginning(options)
    for number, data in enumerate(lines, 1):
        for line in json_lines.lines(data.decode(errors="replace")):
            fault = line.fault or ("" if line.kind is Kind.TRANSCRIPT else "this is not a turn")
            if fault:
                yield LiveTurn(lines=(f"line {number}: {one_line(fault)}", ""), broken=True)
            elif line.record["role"] != "system":
                session = _after(session, line.record["role"], line.record["content"])
                yield _reported(session, line.record["role"], options, color=color)


def _after(session: Session, role: str, content: str) -> Session:
    return session.user_turn(content) if role == "user" else session.assistant_turn(content)


def _reported(session: Session, role: str, options: Options, *, color: bool) -> LiveTurn:
    turn = session.last
    name = f"turn {session.turns}"
    found = judge(VPP_RULES, turn, turn, name, options.mode) if turn else ()
    report = Report.of(1, (replace(diagnostic, path=name) for diagnostic in found))
    lines = [f"{name} ({role}): {'errors' if report.count(ERROR) else 'sound'}"]
    if report.diagnostics:
        lines += [*report_lines(report, color=color)][:-1]
    if session.recovery is not None:
        reason = one_line(session.recovery.reason)
        lines.append(f"next: {session.recovery.command_line} ({reason})")
    elif session.expected_tag:
        lines.append(f"expected: <{session.expected_tag}>")
    return LiveTurn(lines=(*lines, ""), broken=report.failed())
