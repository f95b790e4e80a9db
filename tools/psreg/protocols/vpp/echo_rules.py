"""The rules about the first line of a reply, which repeats the command: VPP011 to VPP019."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.command import Echo, classify_echo, expected_echo
from psreg.protocols.vpp.reply import Reply
from psreg.protocols.vpp.units import VppTurn, short
from psreg.protocols.vpp.vocabulary import ASSISTANT_TAGS, OPERATOR_ERROR
from psreg.protocols.vpp.vocabulary import ERROR as ERROR_TAG


@rule("VPP011", spec="vpp-1.4/VPP-06", severity=ERROR)
def no_echo(turn: VppTurn) -> Iterator[Finding]:
    """The first line of an answer is not the tag of the command.

    ## Why

    An assistant repeats the tag of the command that it answers, alone on the first line. This shows
    people, and programs that do not read the text, that the assistant knows which turn it is in. An
    answer without the tag ignores the protocol. A turn without a command needs no tag.

    ## Fix

    Record the run again; do not edit a recorded answer. If the assistant keeps forgetting the tag,
    give it clearer instructions.

    ```
    Sure! Here is the outline.     →     <o>
                                         Here is the outline.
    ```
    """
    if turn.command is not None:
        yield from turn.found("VPP011")


@rule("VPP012", spec="vpp-1.4/VPP-A8", severity=ERROR)
def bang_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer repeats the command with its exclamation mark.

    ## Why

    The exclamation mark makes a line a command, and only users give commands. An assistant repeats
    the tag alone: `<g>` answers `!<g>`. Some programs accept the mark; others take such an answer
    for a command from the user and confuse the two sides of the conversation.

    ## Fix

    Repeat the tag without the exclamation mark.

    ```
    !<g>     →     <g>
    ```
    """
    yield from turn.found("VPP012")


@rule("VPP013", spec="vpp-1.4/VPP-07", severity=ERROR)
def unknown_reply_tag(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a tag that assistants do not have.

    ## Why

    Assistants answer with `<g>`, `<q>`, `<o>`, `<c>` or `<o_f>`, and with `<e>` to report an error.
    With `<e_o>` the user reports a mistake of the operator; only the answer to that command may
    repeat it. VPP has no other tags.

    ## Fix

    Answer with the tag of the command.

    ```
    <output>     →     <o>
    ```
    """
    command, reply = turn.command, turn.reply
    if command is None or reply is None or not reply.written:
        return
    known = [*ASSISTANT_TAGS, ERROR_TAG]
    if command.tag == OPERATOR_ERROR:
        known.append(OPERATOR_ERROR)
    if reply.written not in known:
        yield Finding(
            message=short(f"`<{reply.written}>` is not a tag of an assistant"),
            at=reply.header,
            hint=f"Use {', '.join(f'`<{tag}>`' for tag in ASSISTANT_TAGS)}, "
            f"or `<{ERROR_TAG}>` for an error.",
        )


@rule("VPP014", spec="vpp-1.4/VPP-06", severity=ERROR)
def wrong_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a different tag than its command.

    ## Why

    `<o>` after `!<q>` means that the assistant produced output although it was asked a question.
    The text below is not the answer to this command, and a program that counts turns by their tags
    is wrong from here on.

    ## Fix

    Repeat the tag of the command on the first line.

    ```
    !<q>     →     !<q>
    <o>            <q>
    ```

    To continue with another tag, the user sends another command, or a branch such as `--<o>`.
    """
    match _echoed(turn):
        case reply, expected, Echo.WRONG:
            yield Finding(
                message=f"the tag of the answer is `<{reply.tag}>`; expected `<{expected}>`",
                at=reply.header,
                hint=f"Answer with `<{expected}>`.",
            )


@rule("VPP015", spec="vpp-1.4/VPP-14 vpp-1.4/VPP-A6 vpp-1.4/VPP-A7", severity=WARNING)
def unusual_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a tag that is accepted, but not expected.

    ## Why

    The specification leaves two questions open. A branch such as `--<c>` applies to the next cycle,
    but some assistants follow it at once and answer `!<o> --<c>` with `<c>`. The answer to an error
    command is expected to be `<g>` for `!<e> --<g>`, `<o>` for `!<e_o>`, and `<e>` for a plain
    `!<e>`; some assistants repeat the error tag, or answer a plain `!<e>` with `<g>`, `<q>` or
    `<o>`.

    ## Fix

    Answer with the tag that is expected.

    ```
    !<o> --<c>     →     !<o> --<c>
    <c>                  <o>
    ```
    """
    match _echoed(turn):
        case reply, expected, Echo.UNUSUAL if reply.tag != ERROR_TAG or _after_error(turn):
            yield Finding(
                message=f"the tag of the answer is `<{reply.tag}>`; `<{expected}>` is preferred",
                at=reply.header,
                hint=f"Answer with `<{expected}>`.",
            )


@rule("VPP016", spec="vpp-1.4/VPP-A5", severity=WARNING)
def error_tag(turn: VppTurn) -> Iterator[Finding]:
    """The assistant reports an invalid state with `<e>`.

    ## Why

    The specification requires an assistant to report an invalid state, but does not list `<e>`
    among the tags of assistants. psreg accepts the tag with a warning, because the transcript shows
    a run in which something went wrong.

    ## Fix

    Read how the assistant describes the error. If the description is correct, fix the command and
    continue with `!<g>` or `!<q>`. If it is not, give the assistant better instructions.

    ```
    !<c> --minor --major     →     !<c> --minor
    ```
    """
    reply = turn.reply
    if reply is not None and reply.tag == ERROR_TAG and not _after_error(turn):
        yield Finding(
            message="the assistant reports an invalid state",
            at=reply.header,
            hint="Check its description against the turn before it.",
        )


@rule("VPP017", spec="vpp-1.4/VPP-08", severity=ERROR)
def error_not_described(turn: VppTurn) -> Iterator[Finding]:
    """An answer `<e>` does not say what is wrong.

    ## Why

    An assistant that reports an invalid state must describe it. A bare `<e>` stops the conversation
    and does not tell the user how to continue.

    ## Fix

    Describe the invalid state in the body of the answer.

    ```
    <e>          →     <e>
    [Version=…         The command says both `--minor` and `--major`.
                       [Version=…
    ```
    """
    reply = turn.reply
    if reply is None or reply.tag != ERROR_TAG:
        return
    if not turn.text[reply.body.start : reply.body.end].strip():
        yield Finding(
            message="the answer reports an error but does not describe it",
            at=reply.header,
            hint="Describe the invalid state between the first line and the footer.",
        )


@rule("VPP018", spec="vpp-1.4/VPP-08", severity=WARNING)
def invalid_command_answered(turn: VppTurn) -> Iterator[Finding]:
    """An assistant answers an invalid command as if it were valid.

    ## Why

    An assistant that notices an unknown tag, contradicting modifiers or an unreadable line must
    answer with `<e>` and say what is wrong. If it continues, it guessed. A transcript does not show
    whether the assistant noticed, so this is only a warning; a conformance run, which sends such a
    command on purpose, requires `<e>`.

    ## Fix

    Fix the command, which is reported as an error of its own, and record the run again.

    ```
    !<c> --minor --major     →     !<c> --minor --major
    <c>                            <e>
                                   The modifiers contradict each other.
    ```
    """
    command, reply = turn.command, turn.reply
    if command is None or command.sound or reply is None:
        return
    if reply.tag and reply.tag != ERROR_TAG:
        yield Finding(
            message="the command is invalid, but the answer does not say so",
            at=reply.header,
            hint="Answer with `<e>` and describe what is wrong.",
        )


@rule("VPP019", spec="vpp-1.4/VPP-A18", severity=ERROR)
def one_line_reply(turn: VppTurn) -> Iterator[Finding]:
    """An answer has fewer than two lines.

    ## Why

    The first line of an answer is the tag alone, and the last line is the footer alone. One line
    cannot be both: a program that expects the tag finds text or a footer after it, and a program
    that expects the footer finds a tag before it. psreg checks nothing else in such an answer.

    ## Fix

    Put the tag, the text and the footer on lines of their own.

    ```
    <q> Yes. [Version=v1.4 | …]     →     <q>
                                          Yes.
                                          [Version=v1.4 | …]
    ```
    """
    yield from turn.found("VPP019")


def _echoed(turn: VppTurn) -> tuple[Reply, str, Echo] | None:
    """Return a reply, its expected tag and how its tag compares; None if it cannot be compared.

    VPP013 reports a tag that assistants do not have.
    """
    command, reply = turn.command, turn.reply
    if command is None or reply is None or not reply.tag:
        return None
    expected = expected_echo(command)
    foreign = reply.tag == OPERATOR_ERROR and command.tag != OPERATOR_ERROR
    if not expected or foreign:
        return None
    return reply, expected, classify_echo(command, reply.tag)


def _after_error(turn: VppTurn) -> bool:
    return turn.command is not None and turn.command.tag in (ERROR_TAG, OPERATOR_ERROR)


ECHO_RULES = (
    no_echo,
    bang_echo,
    unknown_reply_tag,
    wrong_echo,
    unusual_echo,
    error_tag,
    error_not_described,
    invalid_command_answered,
    one_line_reply,
)
