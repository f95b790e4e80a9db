"""The conformance run for PB2S: post messages to `/chat` and check the replies.

All prompts are posted before any reply is checked, because the trace log is complete only then.
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
        EndpointError: the endpoint gave no usable answer.
    """
    prompts = run.prompts or own_prompts()
    exchanges = [_exchange(run, prompt) for prompt in prompts]
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
            diagnostics=tuple(_findings(reply, prompt.id)),
            notes=tuple(notes_of(reply)),
        )


def _exchange(run: Run, prompt: Prompt) -> dict[str, Any]:
    return exchange_of(prompt.message, run.post({"message": prompt.message}))


def _findings(reply: Reply, name: str) -> Iterator[Diagnostic]:
    for diagnostic in judge(PB2S_RULES, reply, reply, name, Mode.STRICT):
        # A finding outside the text has a value to show instead of a line.
        pointer = diagnostic.pointer
        yield replace(diagnostic, excerpt=evidence_of(reply, pointer)) if pointer else diagnostic


def own_prompts() -> tuple[Prompt, ...]:
    """Return psreg's own prompts: one each about a concept, history and technology."""
    return tuple(Prompt(**row) for row in json.loads(own_prompts_json()))
