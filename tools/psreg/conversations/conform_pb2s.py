"""Put an endpoint through PB2S: post messages to its `/chat`, and judge what comes back.

All prompts are posted before anything is judged, because a trace log is complete only then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from psreg.conversations.probe import Probe, Prompt, Run
from psreg.core.diagnostics import Diagnostic, Mode
from psreg.lint.locate import judge
from psreg.protocols.pb2s.prompts import own_prompts_json
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.rules import PB2S_RULES
from psreg.protocols.pb2s.run import exchange_of, replies_of
from psreg.protocols.pb2s.trace import matched, trace_records
from psreg.protocols.pb2s.verdict import evidence_of, notes_of


def probes(run: Run) -> Iterator[Probe]:
    """Yield a probe for each prompt, in order.

    Raises:
        EndpointError: there is no answer to judge.
    """
    prompts = run.prompts or own_prompts()
    exchanges = [_exchanged(run, prompt) for prompt in prompts]
    if run.trace is not None:
        log = run.trace().decode(errors="replace")
        exchanges = matched(exchanges, trace_records(log))
    replies = replies_of(
        enumerate(exchanges), traced=run.trace is not None, documented=run.documented
    )
    for prompt, reply in zip(prompts, replies, strict=True):
        yield Probe(
            id=prompt.id,
            prompt=prompt.message,
            answer=reply.text,
            diagnostics=tuple(_judged(reply, prompt.id)),
            notes=tuple(notes_of(reply)),
        )


def _exchanged(run: Run, prompt: Prompt) -> dict[str, Any]:
    return exchange_of(prompt.message, run.post({"message": prompt.message}))


def _judged(reply: Reply, name: str) -> Iterator[Diagnostic]:
    for diagnostic in judge(PB2S_RULES, reply, reply, name, Mode.STRICT):
        # A place outside of the text has a value to show, and no line.
        told = diagnostic.pointer
        yield replace(diagnostic, excerpt=evidence_of(reply, told)) if told else diagnostic


def own_prompts() -> tuple[Prompt, ...]:
    """Return psreg's own prompts: a concept, a piece of history, a technical matter."""
    return tuple(Prompt(**row) for row in json.loads(own_prompts_json()))
