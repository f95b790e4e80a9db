"""The rules about the commands of users: VPP001 to VPP010."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.units import VppTurn
from psreg.protocols.vpp.vocabulary import ERROR as ERROR_TAG
from psreg.protocols.vpp.vocabulary import OPERATOR_ERROR, RECOVERY_TAGS, USER_TAGS


@rule("VPP001", spec="vpp-1.4/VPP-01 vpp-1.4/VPP-A15", severity=ERROR)
def no_command(turn: VppTurn) -> Iterator[Finding]:
    """The first turn of the user does not begin with a command line.

    ## Why

    In VPP the user's first line says what the turn is for, and the assistant repeats it. Without a
    command, neither the assistant nor a program that reads the conversation later knows which
    answer to expect. Only the first turn must have a command; later turns without one continue the
    cycle. If a later turn begins with `!<`, it is read as a command and must be a valid one.

    ## Fix

    Begin with an exclamation mark and a tag in angle brackets, on a line of its own.

    ```
    Summarise the report.     →     !<o>
                                    Summarise the report.
    ```
    """
    yield from turn.found("VPP001")


@rule("VPP002", spec="vpp-1.4/VPP-02", severity=ERROR)
def unknown_tag(turn: VppTurn) -> Iterator[Finding]:
    """A command has an unknown tag.

    ## Why

    VPP has seven tags: `g` gathers, `q` asks, `o` requests output, `c` a critique, `o_f` the final
    answer; `e` and `e_o` report errors. An assistant has no rule for any other tag, so its answer
    cannot be checked. Tags are lower case.

    ## Fix

    Use one of the seven tags, in lower case.

    ```
    !<O>          →     !<o>
    !<question>   →     !<q>
    ```
    """
    yield from turn.found("VPP002")


@rule("VPP003", spec="vpp-1.4/VPP-03 vpp-1.4/VPP-A1", severity=ERROR)
def malformed_command_line(turn: VppTurn) -> Iterator[Finding]:
    """The text after the tag of a command is not a list of modifiers.

    ## Why

    A command line contains the tag and its modifiers, each after a space or tab, and nothing else.
    One program would read other text on the line as part of the command, another as part of the
    message. A modifier without its value (`--assumptions=`) cannot be read either.

    ## Fix

    Move the text to the next line. Write a space before each modifier and a value after each `=`.

    ```
    !<q>--minor What is drift?     →     !<q> --minor
                                         What is drift?
    ```

    Put a value with spaces into double quotes: `--locus="protocol draft"`.
    """
    yield from turn.found("VPP003")


@rule("VPP004", spec="vpp-1.4/VPP-A4", severity=ERROR, read=WARNING)
def unknown_modifier(turn: VppTurn) -> Iterator[Finding]:
    """A command has an unknown modifier.

    ## Why

    The grammar allows any word, but only six modifiers have a meaning: `--correct`, `--incorrect`,
    `--minor`, `--major`, `--assumptions=<n>` and a tag in angle brackets. psreg also knows
    `--locus=<name>`. A misspelled modifier is ignored silently, and the answer is not what was
    asked for. Case matters.

    ## Fix

    Correct the spelling, or remove the modifier.

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

    An output is either correct or incorrect, and a change is either minor or major. Two branches
    or two expected numbers of assumptions contradict each other as well. The specification asks
    users to resolve this before they send the command, because an assistant could only guess.

    ## Fix

    Keep the modifier that you mean.

    ```
    !<c> --minor --major     →     !<c> --major
    ```
    """
    yield from turn.found("VPP005")


@rule("VPP006", spec="vpp-1.4/VPP-03 vpp-1.4/VPP-A3", severity=ERROR)
def modifier_value(turn: VppTurn) -> Iterator[Finding]:
    """The value of a modifier is missing, malformed, or not allowed.

    ## Why

    `--assumptions` announces a number that is compared with the footer of the answer, so it is
    written in digits, with or without quotes. `--locus` needs a name. The other modifiers take no
    value; programs do not agree on what one would mean.

    ## Fix

    Write the value that the modifier expects, or remove it.

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

    A tag as a modifier, such as `--<q>`, requests that tag in the next cycle. Assistants have five
    tags: `g`, `q`, `o`, `c` and `o_f`. No answer can follow a branch to another tag. Errors are
    reported when they happen; they are not announced.

    ## Fix

    Branch to one of the five tags.

    ```
    !<o> --correct --<done>     →     !<o> --correct --<o_f>
    ```
    """
    yield from turn.found("VPP007")


@rule("VPP008", spec="vpp-1.4/VPP-04", severity=WARNING)
def repeated_modifier(turn: VppTurn) -> Iterator[Finding]:
    """A command has the same modifier twice.

    ## Why

    The second one adds nothing. Often another modifier was meant, and then the answer follows the
    wrong request.

    ## Fix

    Remove one, or replace it with the modifier that you mean.

    ```
    !<c> --minor --minor     →     !<c> --minor
    ```
    """
    yield from turn.found("VPP008")


@rule("VPP009", spec="vpp-1.4/VPP-A16", severity=ERROR, read=WARNING)
def leading_blanks(turn: VppTurn) -> Iterator[Finding]:
    """White space precedes the command line, or the tag of an answer.

    ## Why

    Both must be at the very beginning of the message. A blank line, spaces or a byte order mark
    are invisible, but a program that looks at the first line does not find the command and takes
    the whole message for plain text.

    ## Fix

    Remove the white space.

    ```
    (blank line)     →     !<g>
    !<g>                   Here is the background.
    Here is the background.
    ```
    """
    yield from turn.found("VPP009")


@rule("VPP010", spec="vpp-1.4/VPP-09", severity=INFO)
def recovery_elsewhere(turn: VppTurn) -> Iterator[Finding]:
    """After an error, the conversation does not return to `<g>` or `<q>`.

    ## Why

    This is allowed. After an assistant reports an invalid state, or users a mistake of their own,
    a conversation usually returns to `<g>` or `<q>`, so that both sides agree on what to do next.
    Output that is requested at once tends to repeat the error.

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
            message=f"the conversation continues with `<{command.tag}>` after an error",
            at=command.span,
            hint="Return to `<g>` or `<q>` first.",
        )


COMMAND_RULES = (
    no_command,
    unknown_tag,
    malformed_command_line,
    unknown_modifier,
    conflicting_modifiers,
    modifier_value,
    branch_target,
    repeated_modifier,
    leading_blanks,
    recovery_elsewhere,
)
