"""Splits a recorded conversation into the replies that the rules check, and summarises them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from psreg.formats.conversation.conversation import Conversation
from psreg.protocols.pb2s.reply import Reply
from psreg.protocols.pb2s.run import replies_of
from psreg.protocols.protocol import Options


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
