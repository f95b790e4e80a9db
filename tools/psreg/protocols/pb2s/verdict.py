"""What a conformance run reports beside findings: their evidence, and what is not verifiable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from psreg.core.diagnostics import LineIndex, Span
from psreg.protocols.pb2s.proof import compact_json
from psreg.protocols.pb2s.reply import TEXT, Reply

_MAX_EVIDENCE = 200


def evidence_of(reply: Reply, at: str | Span) -> str:
    """Return the evidence of a finding at `at`: the line of the text, or the member with its name.

    "" if the member is missing. Long evidence is cut.
    """
    if at == TEXT or isinstance(at, Span):
        lines = LineIndex(reply.text)
        start = at.start if isinstance(at, Span) else 0
        return _short(lines.line(lines.position(start).line))
    value: Any = reply.record
    key = ""
    for key in at.split("/")[1:]:
        if not isinstance(value, dict) or key not in value:
            return ""
        value = value[key]
    return _short(f'"{key}": {compact_json(value)}')


def _short(text: str) -> str:
    return text if len(text) <= _MAX_EVIDENCE else text[: _MAX_EVIDENCE - 1] + "…"


def notes_of(reply: Reply) -> Iterator[str]:
    """Yield what could not be verified in an exchange (PB2S-A13, PB2S-A14)."""
    for name, reported in (("temperature", reply.temperatures), ("seed", reply.seeds)):
        if not any(True for _ in reported):
            yield f"{name}: not verifiable, because reply, proof and trace record do not report it"
    if not reply.traced:
        yield "trace record: not verifiable without --trace-log"
