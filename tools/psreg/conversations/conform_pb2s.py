"""The conformance run for PB2S: post messages to `/chat` and check the replies.

All prompts are posted before any reply is checked, because the trace log is complete only then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

from psreg.conversations.conform_run import Probe, Prompt, Run
from psreg.conversations.model import DuplicateKeyError, EndpointError
from psreg.core.diagnostics import Diagnostic, Issue, LineIndex, Mode, PlainText, Span
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocol_versions import latest_version
from psreg.lint.locate import judge
from psreg.protocols.conversation_rules import PROTO_RULES, Recording
from psreg.protocols.pb2s import PB2S_RULES
from psreg.protocols.pb2s.proof import compact_json
from psreg.protocols.pb2s.reply import TEXT, Reply
from psreg.protocols.pb2s.trace import matched, trace_records
from psreg.protocols.pb2s.units import exchange_of, replies_of

_MAX_EVIDENCE = 200


def probes(run: Run) -> Iterator[Probe]:
    """Yield a probe for each prompt, in order.

    If a request fails, the earlier ones are checked before the error is raised.

    Raises:
        EndpointError: the endpoint gave no usable answer.
    """
    prompts = run.prompts or own_prompts()
    exchanges: list[dict[str, Any]] = []
    refused: dict[int, DuplicateKeyError] = {}
    failure: BaseException | None = None
    try:
        for number, prompt in enumerate(prompts):
            try:
                exchanges.append(_exchange(run, prompt))
            except DuplicateKeyError as error:
                refused[number] = error
                exchanges.append({"message": prompt.message})
    except (EndpointError, KeyboardInterrupt) as error:
        failure = error
    for number, (prompt, reply) in enumerate(zip(prompts, _replies(run, exchanges), strict=False)):
        found = _refusal(refused[number], prompt) if number in refused else _findings(reply, prompt)
        yield Probe(
            id=prompt.id,
            prompt=prompt.message,
            answer=reply.text,
            diagnostics=tuple(found),
            notes=tuple(notes_of(reply)),
            finish=str(reply.record.get("finish_reason", "")),
            proof=reply.proof,
            records=(exchanges[number],),
        )
    if failure is not None:
        raise failure


def _exchange(run: Run, prompt: Prompt) -> dict[str, Any]:
    settings = {"temperature": run.settings.temperature, "seed": run.settings.seed}
    asked = {key: value for key, value in settings.items() if value is not None}
    return exchange_of(prompt.message, run.post({"message": prompt.message, **asked}))


def _replies(run: Run, exchanges: list[dict[str, Any]]) -> Iterator[Reply]:
    """Return the replies, each with its record in the trace log if there is one."""
    if run.trace is not None:
        log = run.trace().decode(errors="replace")
        exchanges = matched(exchanges, trace_records(log))
    return replies_of(enumerate(exchanges), traced=run.trace is not None, documented=run.documented)


def _refusal(error: DuplicateKeyError, prompt: Prompt) -> Iterator[Diagnostic]:
    """Yield what a transcript with the same reply would be told."""
    issue = Issue(code="PROTO001", message=f"duplicate key `{error.key}`", span=Span(0, 0))
    recording = Recording(
        conversation=Conversation(kind=Kind.PB2S, issues=(issue,)),
        protocol="pb2s",
        declared="",
        known=(),
        version=latest_version("pb2s"),
        checked=1,
    )
    yield from judge(PROTO_RULES, recording, PlainText(""), prompt.id, Mode.STRICT)


def _findings(reply: Reply, prompt: Prompt) -> Iterator[Diagnostic]:
    for diagnostic in judge(PB2S_RULES, reply, reply, prompt.id, Mode.STRICT):
        # A finding outside the text has a value to show instead of a line.
        pointer = diagnostic.pointer
        yield replace(diagnostic, excerpt=evidence_of(reply, pointer)) if pointer else diagnostic


def own_prompts() -> tuple[Prompt, ...]:
    """Return psreg's own prompts: one each about a concept, history and technology."""
    text = (files("psreg.protocols") / "pb2s" / "prompts.json").read_text(encoding="utf-8")
    return tuple(Prompt(**row) for row in json.loads(text))


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
