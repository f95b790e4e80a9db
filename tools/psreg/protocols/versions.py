"""Which version of a protocol judges a conversation, and the rules about that (PROTO001…).

A version that psreg does not know is judged by the nearest one it does know, within the same
major version. A conversation that nothing is to be said about is never called clean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import rule
from psreg.formats.conversation.conversation import Conversation
from psreg.formats.conversation.json_lines import Kind
from psreg.formats.protocols import judging
from psreg.protocols.protocol import ConversationProtocol

_KINDS = {
    Kind.TRANSCRIPT: "turns of a dialogue",
    Kind.PLSP: "cycles of a PLSP trace",
    Kind.PB2S: "PB2S exchanges",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A conversation, and what it is to be judged by.

    `declared` is the version that was named, "" for none; `known` are the versions of `protocol`
    that psreg knows, `version` the one that judges, "" for none; `judged` counts what it judged.
    """

    conversation: Conversation
    protocol: str
    declared: str
    known: tuple[str, ...]
    version: str
    judged: int


def row_for(
    rows: Iterable[ConversationProtocol], name: str, declared: str
) -> ConversationProtocol | None:
    """Return the row of `rows` that judges protocol `name` as `declared`, "" for the latest."""
    found = [row for row in rows if row.name == name]
    if not declared:
        return found[-1] if found else None
    version = judging(declared, [row.version for row in found])
    return next((row for row in found if row.version == version), None)


@rule("PROTO001", spec="registry/PROTOCOLS", severity=ERROR)
def unreadable_conversation(recording: Recording) -> Iterator[Finding]:
    """The file, or a part of it, is no conversation that psreg can read.

    ## Why
    What cannot be read cannot be judged, and a file in which every other line was skipped would
    be called clean for the wrong reason.

    ## Fix
    Write one object a line, as JSON Lines; all lines are of one kind.

    ```text
    a dialogue         {"role": "user", "content": "…"}       roles: user, assistant, system
    a PLSP trace       {"instr": "…", "previous": "…", "next": "…"}       `next` alone is enough
    a PB2S exchange    {"message": "…", "text": "…", "pb2s_proof": {…}}
    ```

    One JSON array of such objects can be read, too, and a dialogue in plain text in which each
    turn begins with `User:` or `Assistant:`.
    """
    for issue in recording.conversation.issues:
        yield Finding(message=issue.message, at=issue.span, hint=issue.hint)


@rule("PROTO002", spec="registry/PROTOCOLS", severity=WARNING)
def unknown_minor_version(recording: Recording) -> Iterator[Finding]:
    """The declared version of the protocol is not known; the nearest one judges.

    ## Why
    A minor version adds to the one before it, so that the rules of the nearest known version
    still say something. They cannot know what was added: a finding may be wrong, and something
    that is wrong may not be found.

    ## Fix
    Declare the version that the prompt follows, or update psreg.

    ```text
    psreg transcript evidence/claude.jsonl --protocol vpp@1.4
    ```
    """
    if recording.version and recording.declared not in ("", recording.version):
        name, version = recording.protocol, recording.version
        yield Finding(
            message=f"psreg does not know {name} {recording.declared}; {name} {version} judges",
            at=Span(0, 0),
            hint=f"Known: {', '.join(recording.known)}.",
        )


@rule("PROTO003", spec="registry/PROTOCOLS", severity=ERROR)
def unknown_major_version(recording: Recording) -> Iterator[Finding]:
    """The declared major version of the protocol is not known; nothing was judged.

    ## Why
    A new major version may turn a rule into its opposite. To judge by the rules of another one
    would be to guess, and the result would look like a fact.

    ## Fix
    Declare a version that psreg knows if the prompt follows it, or update psreg.

    ```text
    psreg transcript evidence/claude.jsonl --protocol vpp@1.4
    ```
    """
    if not recording.version:
        yield Finding(
            message=f"psreg knows no rules for {recording.protocol} {recording.declared}",
            at=Span(0, 0),
            hint=f"Known: {', '.join(recording.known)}.",
        )


@rule("PROTO004", spec="registry/PROTOCOLS", severity=ERROR)
def nothing_to_judge(recording: Recording) -> Iterator[Finding]:
    """The file can be read, but holds nothing that this protocol speaks about.

    ## Why
    A conversation without a single turn of the protocol breaks none of its rules. To report that
    as a success would be worse than to say nothing: the file proves nothing.

    ## Fix
    Name the protocol that the conversation follows, or the file in which it is followed.

    ```text
    --protocol vpp     turns of a dialogue
    --protocol plsp    a PLSP trace, or a single block
    --protocol pb2s    PB2S exchanges, or a single reply
    ```
    """
    conversation = recording.conversation
    if recording.version and not recording.judged and not conversation.issues:
        holds = _KINDS[conversation.kind]
        yield Finding(
            message=f"the file holds {holds}, of which {recording.protocol} judges nothing",
            at=Span(0, 0),
            hint="Name the protocol of the conversation: --protocol vpp, plsp or pb2s.",
        )


PROTO_RULES = (
    unreadable_conversation,
    unknown_minor_version,
    unknown_major_version,
    nothing_to_judge,
)
