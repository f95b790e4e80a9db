"""Rules about the first line of an assistant's turn, and about what it says of errors."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.echo import Echo, expected_echo, judge_echo
from psreg.protocols.vpp.reply import Reply
from psreg.protocols.vpp.turn import VppTurn, short
from psreg.protocols.vpp.vocabulary import ASSISTANT_TAGS, OPERATOR_ERROR
from psreg.protocols.vpp.vocabulary import ERROR as ERROR_TAG


@rule("VPP011", spec="vpp-1.4/VPP-06", severity=ERROR)
def no_echo(turn: VppTurn) -> Iterator[Finding]:
    """The first line of an answer is not the tag of the command.

    ## Why

    An assistant repeats the tag of the command it answers, alone on the first line. That is how one
    sees at a glance, and a program without reading the text, that the assistant has understood
    which turn this is. An answer that does not do so was written as if there were no protocol. A
    turn without a command asks for no echo.

    ## Fix

    Nothing in a recorded answer can be repaired honestly: record the run again. An assistant that
    forgets the tag needs clearer instructions.

    ```
    Sure! Here is the outline.     →     <o>
                                         Here is the outline.
    ```
    """
    if turn.command is not None:
        yield from turn.found("VPP011")


@rule("VPP012", spec="vpp-1.4/VPP-A8", severity=ERROR)
def bang_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer repeats the whole command, exclamation mark included.

    ## Why

    The exclamation mark makes a line a command, and commands are the user's. An assistant repeats
    the tag: `<g>` answers `!<g>`. Some programs let the mark pass; others take such an answer for a
    command from the user, and the two sides of the conversation change places.

    ## Fix

    Repeat the tag alone.

    ```
    !<g>     →     <g>
    ```
    """
    yield from turn.found("VPP012")


@rule("VPP013", spec="vpp-1.4/VPP-07", severity=ERROR)
def unknown_reply_tag(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a tag that assistants do not have.

    ## Why

    Assistants answer with `<g>`, `<q>`, `<o>`, `<c>` or `<o_f>`, and with `<e>` where something is
    wrong. `<e_o>` is how the user reports a mistake of the operator; only the answer to that very
    command may repeat it. Any other tag is none of VPP.

    ## Fix

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
            message=short(f"assistants have no tag `<{reply.written}>`"),
            at=reply.header,
            hint=f"They have {', '.join(f'`<{tag}>`' for tag in ASSISTANT_TAGS)}, "
            f"and `<{ERROR_TAG}>` for an error.",
        )


@rule("VPP014", spec="vpp-1.4/VPP-06", severity=ERROR)
def wrong_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer has the tag of another command.

    ## Why

    `<o>` after `!<q>` means that the assistant has produced something where it was asked a
    question. Whatever stands below, it is not the answer to this command, and everything that
    counts turns by their tags goes wrong from here on.

    ## Fix

    The first line repeats the tag that came in.

    ```
    !<q>     →     !<q>
    <o>            <q>
    ```

    To go on elsewhere, the user says so with the next command, or with a branch such as `--<o>`.
    """
    match _echoed(turn):
        case reply, expected, Echo.WRONG:
            yield Finding(
                message=f"the answer is `<{reply.tag}>`, asked for was `<{expected}>`",
                at=reply.header,
                hint=f"Answer with `<{expected}>`.",
            )


@rule("VPP015", spec="vpp-1.4/VPP-14 vpp-1.4/VPP-A6 vpp-1.4/VPP-A7", severity=WARNING)
def unusual_echo(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a tag that is let pass, but is not the one to expect.

    ## Why

    Two things are left open by the specification. A branch such as `--<c>` is about the cycle that
    follows, and yet some assistants take it at once: they answer `!<o> --<c>` with `<c>`. And how
    to answer an error command: `!<e> --<g>` leads to `<g>`, `!<e_o>` to `<o>`, a plain `!<e>` to
    `<e>`; repeating the error tag, or `<g>`, `<q>` and `<o>` after a plain `!<e>`, happen, too.

    ## Fix

    ```
    !<o> --<c>     →     !<o> --<c>
    <c>                  <o>
    ```
    """
    match _echoed(turn):
        case reply, expected, Echo.UNUSUAL if reply.tag != ERROR_TAG or _after_error(turn):
            yield Finding(
                message=f"the answer is `<{reply.tag}>`, to be expected was `<{expected}>`",
                at=reply.header,
                hint=f"Answer with `<{expected}>`.",
            )


@rule("VPP016", spec="vpp-1.4/VPP-A5", severity=WARNING)
def error_tag(turn: VppTurn) -> Iterator[Finding]:
    """The assistant reports an invalid state with `<e>`.

    ## Why

    The specification demands this of an assistant that sees an invalid state, and yet does not list
    `<e>` among the tags of assistants. psreg lets it pass and says so, because a transcript with a
    reported error shows a run in which something went wrong.

    ## Fix

    Read what the assistant says of the error. If its complaint is right, mend the command and go on
    with `!<g>` or `!<q>`. If it is not, the assistant needs better instructions.

    ```
    !<c> --minor --major     →     !<c> --minor
    ```
    """
    reply = turn.reply
    if reply is not None and reply.tag == ERROR_TAG and not _after_error(turn):
        yield Finding(
            message="the assistant reports an invalid state",
            at=reply.header,
            hint="Look at what it says, and at the turn before it.",
        )


@rule("VPP017", spec="vpp-1.4/VPP-08", severity=ERROR)
def error_not_described(turn: VppTurn) -> Iterator[Finding]:
    """An answer `<e>` does not say what is wrong.

    ## Why

    An assistant that reports an invalid state has to describe it. A bare `<e>` stops the
    conversation and tells the user nothing about how to go on.

    ## Fix

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
            message="the answer reports an error and does not say which",
            at=reply.header,
            hint="Describe the invalid state between the first line and the footer.",
        )


@rule("VPP018", spec="vpp-1.4/VPP-08", severity=WARNING)
def invalid_command_answered(turn: VppTurn) -> Iterator[Finding]:
    """An assistant goes on as if an invalid command were a valid one.

    ## Why

    An unknown tag, modifiers that contradict each other, a line that cannot be read: then an
    assistant that notices has to answer with `<e>` and say what is wrong. Going on means that it
    guessed. Whether it noticed cannot be seen in a transcript, therefore this is only a warning; a
    conformance run, which sends such a command on purpose, insists.

    ## Fix

    Mend the command, which is reported as an error of its own, and record the run again.

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
            message="the command before this answer is invalid, and the answer does not say so",
            at=reply.header,
            hint="Answer with `<e>` and describe what is wrong.",
        )


@rule("VPP019", spec="vpp-1.4/VPP-A18", severity=ERROR)
def one_line_reply(turn: VppTurn) -> Iterator[Finding]:
    """An answer has fewer than two lines.

    ## Why

    The first line of an answer is the tag alone, the last one the footer alone. One line cannot be
    both: a program that takes the first line for the tag finds text or a footer behind it, and one
    that looks for the footer finds a tag before it. Nothing else in such an answer is judged.

    ## Fix

    ```
    <q> Yes. [Version=v1.4 | …]     →     <q>
                                          Yes.
                                          [Version=v1.4 | …]
    ```
    """
    yield from turn.found("VPP019")


def _echoed(turn: VppTurn) -> tuple[Reply, str, Echo] | None:
    """Return a reply, the tag it should have, and what its tag is worth; None if nobody can say.

    A tag that no assistant has is a matter of VPP013.
    """
    command, reply = turn.command, turn.reply
    if command is None or reply is None or not reply.tag:
        return None
    expected = expected_echo(command)
    foreign = reply.tag == OPERATOR_ERROR and command.tag != OPERATOR_ERROR
    if not expected or foreign:
        return None
    return reply, expected, judge_echo(command, reply.tag)


def _after_error(turn: VppTurn) -> bool:
    return turn.command is not None and turn.command.tag in (ERROR_TAG, OPERATOR_ERROR)
