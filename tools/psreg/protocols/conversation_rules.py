"""Rules about a conversation as a whole (PROTO001…), and which version of a protocol applies.

An unknown version is checked with the nearest known one of the same major version. A conversation
in which nothing was checked is never called clean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import rule
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocol_versions import nearest_version
from psreg.protocols.protocol import ConversationProtocol

_KINDS = {
    Kind.TRANSCRIPT: "turns of a dialogue",
    Kind.PLSP: "cycles of a PLSP trace",
    Kind.PB2S: "PB2S exchanges",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recorded conversation and the protocol it is checked with.

    `declared` is the declared version, "" for none; `known` are the versions of `protocol` that
    psreg knows; `version` is the one that applies, "" for none; `checked` counts its messages.
    """

    conversation: Conversation
    protocol: str
    declared: str
    known: tuple[str, ...]
    version: str
    checked: int


def protocol_for(
    rows: Iterable[ConversationProtocol], name: str, declared: str
) -> ConversationProtocol | None:
    """Return the row of protocol `name` for the version `declared`, "" for the latest."""
    found = [row for row in rows if row.name == name]
    if not declared:
        return found[-1] if found else None
    version = nearest_version(declared, [row.version for row in found])
    return next((row for row in found if row.version == version), None)


@rule("PROTO001", spec="registry/PROTOCOLS", severity=ERROR)
def unreadable_conversation(recording: Recording) -> Iterator[Finding]:
    """The file, or a part of it, cannot be read as a conversation.

    ## Why
    psreg cannot check what it cannot read. If it skipped such lines, a file could pass because
    nothing in it was checked.

    ## Fix
    Write JSON Lines, one object per line, all of one kind.

    ```text
    a dialogue         {"role": "user", "content": "…"}       roles: user, assistant, system
    a PLSP trace       {"instr": "…", "previous": "…", "next": "…"}       `next` alone is enough
    a PB2S exchange    {"message": "…", "text": "…", "pb2s_proof": {…}}
    ```

    psreg also reads one JSON array of such objects, and a dialogue in plain text in which each
    turn begins with `User:` or `Assistant:`.
    """
    for issue in recording.conversation.issues:
        yield Finding(message=issue.message, at=issue.span, hint=issue.hint)


@rule("PROTO002", spec="registry/PROTOCOLS", severity=WARNING)
def unknown_minor_version(recording: Recording) -> Iterator[Finding]:
    """The declared minor version is unknown; psreg uses the rules of the nearest one.

    ## Why
    A minor version adds to the one before it, so the rules of the nearest known version still
    apply for the most part. They do not cover what was added: a finding may be wrong, and a fault
    may be missed.

    ## Fix
    Declare the version that the prompt follows, or update psreg.

    ```text
    psreg transcript evidence/claude.jsonl --protocol vpp@1.4
    ```
    """
    if recording.version and recording.declared not in ("", recording.version):
        name, version = recording.protocol, recording.version
        yield Finding(
            message=f"{name} {recording.declared} is unknown; checked with {name} {version}",
            at=Span(0, 0),
            hint=_declare_hint(recording),
        )


@rule("PROTO003", spec="registry/PROTOCOLS", severity=ERROR)
def unknown_major_version(recording: Recording) -> Iterator[Finding]:
    """The declared major version of the protocol is unknown; nothing is checked.

    ## Why
    A new major version may turn a rule into its opposite. Checking with the rules of another major
    version would be guessing, and the result would look like a fact.

    ## Fix
    Update psreg. If the prompt follows a version that psreg knows, declare that one.

    ```text
    psreg transcript evidence/claude.jsonl --protocol vpp@1.4
    ```
    """
    if not recording.version:
        yield Finding(
            message=f"{recording.protocol} {recording.declared} is unknown; nothing was checked",
            at=Span(0, 0),
            hint=_declare_hint(recording),
        )


@rule("PROTO004", spec="registry/PROTOCOLS", severity=ERROR)
def nothing_to_judge(recording: Recording) -> Iterator[Finding]:
    """The file has no message that this protocol applies to.

    ## Why
    A conversation without a single turn of the protocol breaks none of its rules, but it does not
    show that the protocol was followed either.

    ## Fix
    Name the protocol that the conversation follows, or check the file in which it is followed.

    ```text
    --protocol vpp     turns of a dialogue
    --protocol plsp    a PLSP trace, or a single block
    --protocol pb2s    PB2S exchanges, or a single reply
    ```
    """
    conversation = recording.conversation
    if recording.version and not recording.checked and not conversation.issues:
        content = _KINDS[conversation.kind]
        yield Finding(
            message=f"the file has {content}; {recording.protocol} does not apply to them",
            at=Span(0, 0),
            hint="Name the protocol of the conversation: `--protocol vpp`, `plsp` or `pb2s`.",
        )


def _declare_hint(recording: Recording) -> str:
    return f"Declare {' or '.join(recording.known)}, or update psreg."


PROTO_RULES = (
    unreadable_conversation,
    unknown_minor_version,
    unknown_major_version,
    nothing_to_judge,
)
