"""Rules about the command line that opens a user's turn."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.turn import VppTurn
from psreg.protocols.vpp.vocabulary import ERROR as ERROR_TAG
from psreg.protocols.vpp.vocabulary import OPERATOR_ERROR, RECOVERY_TAGS, USER_TAGS


@rule("VPP001", spec="vpp-1.4/VPP-01 vpp-1.4/VPP-A15", severity=ERROR)
def no_command(turn: VppTurn) -> Iterator[Finding]:
    """A turn that opens a cycle does not begin with a command line.

    ## Why

    In VPP the first line of the user says what the turn is for, and the assistant repeats it.
    Without a command nobody can tell which answer would have been right, neither the assistant nor
    a program that reads the conversation later. Only the first turn must have one: later turns
    without a command go on with the cycle. A later line that begins with `!<` is taken for a
    command, too, and has to be one.

    ## Fix

    Begin with an exclamation mark and one of the tags in angle brackets, on a line of its own.

    ```
    Summarise the report.     →     !<o>
                                    Summarise the report.
    ```
    """
    yield from turn.found("VPP001")


@rule("VPP002", spec="vpp-1.4/VPP-02", severity=ERROR)
def unknown_tag(turn: VppTurn) -> Iterator[Finding]:
    """A command has a tag that VPP does not know.

    ## Why

    Seven tags have a meaning: `g` gathers, `q` asks, `o` wants output, `c` critique, `o_f` the
    final answer, `e` and `e_o` report errors. An assistant has no rule for any other one, so its
    answer cannot be judged. Tags are written in small letters.

    ## Fix

    ```
    !<O>          →     !<o>
    !<question>   →     !<q>
    ```
    """
    yield from turn.found("VPP002")


@rule("VPP003", spec="vpp-1.4/VPP-03 vpp-1.4/VPP-A1", severity=ERROR)
def malformed_command_line(turn: VppTurn) -> Iterator[Finding]:
    """What stands behind the tag of a command is not a list of modifiers.

    ## Why

    A command line holds the tag and modifiers, each after a blank or a tab, and nothing else. Text
    on the same line would be read by one program as part of the command and by another as part of
    the message. A modifier without its value (`--assumptions=`) cannot be read either.

    ## Fix

    Put the text on the next line, a blank before each modifier, and a value behind each `=`.

    ```
    !<q>--minor What is drift?     →     !<q> --minor
                                         What is drift?
    ```

    A value with blanks needs double quotes: `--locus="protocol draft"`.
    """
    yield from turn.found("VPP003")


@rule("VPP004", spec="vpp-1.4/VPP-A4", severity=ERROR, read=WARNING)
def unknown_modifier(turn: VppTurn) -> Iterator[Finding]:
    """A command has a modifier that VPP does not name.

    ## Why

    The grammar lets any word pass, but only six modifiers mean something: `--correct`,
    `--incorrect`, `--minor`, `--major`, `--assumptions=<n>` and a tag in angle brackets; psreg also
    knows `--locus=<name>`. A misspelt one would be ignored without a word, and the answer would not
    be what was asked for. Case counts.

    ## Fix

    ```
    !<q> --CORRECT     →     !<q> --correct
    !<o> --q           →     !<o> --<q>
    ```
    """
    yield from turn.found("VPP004")


@rule("VPP005", spec="vpp-1.4/VPP-05", severity=ERROR)
def conflicting_modifiers(turn: VppTurn) -> Iterator[Finding]:
    """Two modifiers of a command contradict each other.

    ## Why

    What was produced is correct or it is not, and a change is minor or major. Two branches, or two
    expected numbers of assumptions, cannot both be meant. The specification asks users to settle
    this before they send the command, for an assistant could only guess.

    ## Fix

    Keep the one that you mean.

    ```
    !<c> --minor --major     →     !<c> --major
    ```
    """
    yield from turn.found("VPP005")


@rule("VPP006", spec="vpp-1.4/VPP-03 vpp-1.4/VPP-A3", severity=ERROR)
def modifier_value(turn: VppTurn) -> Iterator[Finding]:
    """The value of a modifier is missing, has the wrong form, or should not be there.

    ## Why

    `--assumptions` announces a number, which the footer of the answer is compared with, so it is
    written in digits, with or without quotes. `--locus` names something. The other modifiers are
    said or not said; a value behind them has no meaning that programs agree on.

    ## Fix

    ```
    !<o> --assumptions=two     →     !<o> --assumptions=2
    !<c> --minor=yes           →     !<c> --minor
    ```
    """
    yield from turn.found("VPP006")


@rule("VPP007", spec="vpp-1.4/VPP-A2", severity=ERROR)
def branch_target(turn: VppTurn) -> Iterator[Finding]:
    """A modifier branches to a tag that assistants do not have.

    ## Why

    A tag as modifier, `--<q>`, asks for that tag in the cycle that follows. Assistants have five:
    `g`, `q`, `o`, `c` and `o_f`. No answer can follow a branch to anything else; errors are
    reported when they happen, and are not announced.

    ## Fix

    ```
    !<o> --correct --<done>     →     !<o> --correct --<o_f>
    ```
    """
    yield from turn.found("VPP007")


@rule("VPP008", spec="vpp-1.4/VPP-04", severity=WARNING)
def repeated_modifier(turn: VppTurn) -> Iterator[Finding]:
    """A command says the same modifier twice.

    ## Why

    Modifiers should be few and fit together. Saying one twice adds nothing; more often than not the
    second one was meant to be another, and the answer follows a wish that nobody has.

    ## Fix

    ```
    !<c> --minor --minor     →     !<c> --minor
    ```
    """
    yield from turn.found("VPP008")


@rule("VPP009", spec="vpp-1.4/VPP-A16", severity=ERROR, read=WARNING)
def leading_blanks(turn: VppTurn) -> Iterator[Finding]:
    """Something invisible stands before the command line, or before the tag of an answer.

    ## Why

    Both belong on the first line, at its beginning. A blank line, blanks or a byte-order mark are
    not seen, but a program that looks at the first line finds nothing there and takes the whole
    message for plain text.

    ## Fix

    Remove what stands before it.

    ```
    (blank line)     →     !<g>
    !<g>                   Here is the background.
    Here is the background.
    ```
    """
    yield from turn.found("VPP009")


@rule("VPP010", spec="vpp-1.4/VPP-09", severity=INFO)
def recovery_elsewhere(turn: VppTurn) -> Iterator[Finding]:
    """After an error the conversation goes on with something else than gathering or a question.

    ## Why

    This is nothing wrong. Once an assistant has reported an invalid state, or a user a mistake of
    their own, a conversation usually goes back to `<g>` or `<q>`, so that both sides agree again on
    what is to be done. Output asked for at once tends to repeat the error.

    ## Fix

    Go back one step, and say with a modifier what was wrong.

    ```
    !<o>     →     !<q> --incorrect
    ```
    """
    allowed = (*RECOVERY_TAGS, ERROR_TAG, OPERATOR_ERROR)
    command = turn.command
    if turn.reply is not None or command is None or not turn.recovering:
        return
    if command.tag in USER_TAGS and command.tag not in allowed:
        yield Finding(
            message=f"after an error the conversation goes on with `<{command.tag}>`",
            at=command.span,
            hint="It usually goes back to `<g>` or `<q>`.",
        )
