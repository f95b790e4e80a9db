"""Recorded or live exchanges as replies, the units that the rules check, and summaries of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.protocol import Options

MEMBERS = ("message", "text", "pb2s_proof")
"""The members of an exchange (PB2S-A2)."""


def replies_of(
    records: Iterable[tuple[int, Mapping[str, Any]]],
    *,
    traced: bool = False,
    documented: bool = False,
) -> Iterator[Reply]:
    """Yield a reply for each record of an exchange, given with its number, in order.

    The member `trace` is the record of a trace log; with `traced`, each exchange should have one.
    """
    refs: dict[str, int] = {}
    seed: Any = None
    for index, record in records:
        reply = Reply(
            index=index,
            message=record.get("message"),
            written=record.get("text"),
            proof=record.get("pb2s_proof"),
            missing=frozenset(name for name in MEMBERS if name not in record),
            record=record,
            traced=traced or "trace" in record,
            trace=record.get("trace"),
            refs=refs,
            seed=seed,
            documented=documented,
        )
        if reply.audit_ref is not None:
            refs.setdefault(reply.audit_ref, index)
        yield reply
        seed = next((value for _, value in reply.seeds), None) if seed is None else seed


def exchange_of(message: str, answer: Any) -> dict[str, Any]:
    """Return the record of an exchange: a message, and the JSON response to it.

    A response that is not an object has no members. Its own `message` and `trace` are dropped,
    because they are not what was sent or logged.
    """
    members = answer if isinstance(answer, dict) else {}
    kept = {key: value for key, value in members.items() if key not in ("message", "trace")}
    return {**kept, "message": message}


def units(conversation: Conversation, options: Options) -> Iterator[Reply]:
    """Yield a reply for each exchange; a dialogue has none."""
    exchanges = conversation.exchanges
    records = ((exchange.index, exchange.record) for exchange in exchanges)
    replies = replies_of(records, documented=options.documented)
    for exchange, reply in zip(exchanges, replies, strict=True):
        # A reply that was recorded alone does not need its message.
        yield replace(reply, missing=exchange.missing)


def parsed(reply: Reply) -> dict[str, Any] | None:
    """Return the sections, by name in the order of the text, and the decision.

    None if there is no text. If a section occurs twice, the first one counts.
    """
    if not reply.text.strip():
        return None
    sections: dict[str, str] = {}
    for section in reply.answer.sections:
        sections.setdefault(section.name, reply.answer.body(section))
    decision = reply.proof.get("decision") if isinstance(reply.proof, dict) else None
    return {"sections": sections, "decision": decision if isinstance(decision, str) else None}
