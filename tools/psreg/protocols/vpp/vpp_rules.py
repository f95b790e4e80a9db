"""The rules about VPP: command lines, the tags of answers, and footers; `VPP_RULES` lists them."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import Rule, rule
from psreg.protocols.vpp.command import Echo, classify_echo, expected_echo
from psreg.protocols.vpp.footer import Footer
from psreg.protocols.vpp.reply import Reply
from psreg.protocols.vpp.units import VppTurn, short
from psreg.protocols.vpp.vocabulary import ASSISTANT_TAGS, OPERATOR_ERROR, RECOVERY_TAGS, USER_TAGS
from psreg.protocols.vpp.vocabulary import ERROR as ERROR_TAG


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


@rule("VPP020", spec="vpp-1.4/VPP-10", severity=ERROR)
def no_footer(turn: VppTurn) -> Iterator[Finding]:
    """An answer does not end with a footer.

    ## Why

    Each answer ends with one line of six fields: version, tag, sources, assumptions, cycle and
    locus. Programs count and compare them over a long conversation. Without the footer, a reader
    does not know which sources an answer relies on or how much of it is assumed.

    ## Fix

    Record the run again; do not add a footer to a recorded answer. The line is:

    ```
    [Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=research]
    ```
    """
    yield from turn.found("VPP020")


@rule("VPP021", spec="vpp-1.4/VPP-10 vpp-1.4/VPP-A14", severity=ERROR)
def text_after_footer(turn: VppTurn) -> Iterator[Finding]:
    """Something other than blank lines follows the footer.

    ## Why

    The footer is the last line. A program that reads the last line finds other text instead, and a
    reader does not know whether the fields cover it. Blank lines are allowed.

    ## Fix

    Move the text above the footer.

    ```
    [Version=v1.4 | …]           One more thing: …
    One more thing: …      →     [Version=v1.4 | …]
    ```
    """
    yield from turn.found("VPP021")


@rule("VPP022", spec="vpp-1.4/VPP-A14", severity=WARNING)
def second_footer(turn: VppTurn) -> Iterator[Finding]:
    """An answer has a second footer above the last line.

    ## Why

    Only the last line counts. A second footer in the text is an example, a leftover of an earlier
    answer, or an attempt to mislead readers. Programs that search for the first line in brackets
    find the wrong one.

    ## Fix

    Delete it. If it is an example, put it between backticks:

    ```
    [Version=v1.4 | …]     →     `[Version=v1.4 | …]`
    ```
    """
    yield from turn.found("VPP022")


@rule("VPP023", spec="vpp-1.4/VPP-11 vpp-1.4/VPP-A19", severity=ERROR)
def malformed_footer(turn: VppTurn) -> Iterator[Finding]:
    """The footer cannot be read.

    ## Why

    A footer is six fields between square brackets, separated by ` | `. Each field occurs once, and
    there are no others. A value cannot contain `|` or `]`, because these characters separate and
    close the fields. If one field is missing or malformed, the others are not reliable either.

    ## Fix

    Write each of the six fields once.

    ```
    [Version=v1.4 | Tag=q_1 | Sources=a|b | Assumptions=0 | Cycle=1/3 | Locus=]
      →
    [Version=v1.4 | Tag=q_1 | Sources=a, b | Assumptions=0 | Cycle=1/3 | Locus=]
    ```
    """
    yield from turn.found("VPP023")


@rule("VPP024", spec="vpp-1.4/VPP-A11", severity=ERROR, read=WARNING)
def footer_spelling(turn: VppTurn) -> Iterator[Finding]:
    """The fields of the footer differ from the schema in order, spacing or case.

    ## Why

    The schema of the footer fixes the order of the fields, the case of their names, and one space
    on each side of the bars. Programs that read it with a pattern do not find a footer that
    differs, although its meaning is clear.

    ## Fix

    Write the footer as in the schema. `psreg` offers the change.

    ```
    [version=v1.4|Tag=q_1|Sources=none|Cycle=1/3|Assumptions=0|Locus=]
      →
    [Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=]
    ```
    """
    yield from turn.found("VPP024")


@rule("VPP025", spec="vpp-1.4/VPP-12 vpp-1.4/VPP-A12", severity=ERROR)
def footer_value(turn: VppTurn) -> Iterator[Finding]:
    """The value of a field of the footer has the wrong form.

    ## Why

    The version is `v` and two numbers, the tag is one of VPP's, the assumptions are a number, and
    the cycle is `1/3`, `2/3` or `3/3`. The sources are any text, but not empty. Only the locus may
    be empty.

    ## Fix

    Write a value of the form that the field requires.

    ```
    Assumptions=few     →     Assumptions=2
    Cycle=1/4           →     Cycle=1/3
    Sources=            →     Sources=none
    ```
    """
    yield from turn.found("VPP025")


@rule("VPP026", spec="vpp-1.4/VPP-15 vpp-1.4/VPP-A17", severity=ERROR)
def footer_version(turn: VppTurn) -> Iterator[Finding]:
    """The footer names a different version of VPP than the declared one.

    ## Why

    The version in the footer says which rules the answer follows. If the release or the command
    line declares another version, either the declaration or the assistant is wrong. psreg cannot
    decide which.

    ## Fix

    Declare the version that the assistant uses, or tell the assistant to use the declared one.

    ```
    [protocols]                       [protocols]
    vpp = "1.4"                 →     vpp = "1.4"
    [Version=v1.5 | Tag=q_1 | …       [Version=v1.4 | Tag=q_1 | …
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.version and footer.version != turn.declared:
        yield Finding(
            message=f"the footer says v{footer.version}; the declared version is v{turn.declared}",
            at=footer.spans["Version"],
            hint=f"Write `Version=v{turn.declared}`, or declare {footer.version}.",
        )


@rule("VPP027", spec="vpp-1.4/VPP-A9", severity=WARNING)
def footer_tag_form(turn: VppTurn) -> Iterator[Finding]:
    """The tag in the footer does not have the form `q_1`.

    ## Why

    The schema requires `t_n`: the tag, an underscore, a number. The specification's own examples
    have `<q>`, and assistants write `q`, `<q>` and `<q_1>`. psreg understands all of them, but only
    the form of the schema says how often the tag was used, and gives each answer its own name.

    ## Fix

    Write the tag, an underscore and a number.

    ```
    Tag=<q>     →     Tag=q_1
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.tag and not footer.numbered:
        number = footer.number or turn.count
        yield Finding(
            message=f"`Tag` is `{footer.values['Tag']}`; expected a tag and its number",
            at=footer.spans["Tag"],
            hint=f"Write `Tag={footer.tag}_{number}`.",
        )


@rule("VPP028", spec="vpp-1.4/VPP-A9", severity=ERROR)
def footer_tag_differs(turn: VppTurn) -> Iterator[Finding]:
    """The footer has a different tag than the first line.

    ## Why

    The first line and the footer of an answer name the same tag. If they differ, one of them is
    wrong, and programs that sort answers by tag do not agree on this one.

    ## Fix

    Write the tag of the first line into the footer.

    ```
    <q>                              <q>
    …                          →     …
    [Version=v1.4 | Tag=o_1 | …      [Version=v1.4 | Tag=q_1 | …
    ```
    """
    footer = _footer(turn)
    if footer is None or turn.reply is None or not footer.tag or not turn.reply.tag:
        return
    if footer.tag != turn.reply.tag:
        yield Finding(
            message=f"the footer says `{footer.tag}`; the first line says `<{turn.reply.tag}>`",
            at=footer.spans["Tag"],
            hint="Write the tag of the first line into the footer.",
        )


@rule("VPP029", spec="vpp-1.4/VPP-A10", severity=INFO)
def tag_number(turn: VppTurn) -> Iterator[Finding]:
    """The number after the tag in the footer does not count the uses of the tag.

    ## Why

    This is allowed, because the specification does not say what the number counts. A later version
    counts the uses of the tag in the conversation, so `o_2` is the second output. Most assistants
    write the number of their turn instead. Programs should not rely on either.

    ## Fix

    Count the answers with this tag.

    ```
    Tag=o_2     →     Tag=o_1          (the first output of the conversation)
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.number is not None and footer.number != turn.count:
        yield Finding(
            message=f"this is answer {turn.count} with the tag `{footer.tag}`; "
            f"the footer says {footer.number}",
            at=footer.spans["Tag"],
            hint=f"Write `{footer.tag}_{turn.count}` to count by tag.",
        )


@rule("VPP030", spec="vpp-1.4/VPP-13 vpp-1.4/VPP-A20", severity=WARNING)
def assumptions_differ(turn: VppTurn) -> Iterator[Finding]:
    """The footer counts a different number of assumptions than the command expects.

    ## Why

    `--assumptions=<n>` says how many assumptions the user expects the answer to make. More
    assumptions mean that the user left something open without knowing. Fewer mean that the
    assistant did not notice what it assumed, or that the expected number was a guess.

    ## Fix

    Look at the assumptions of the answer, and correct the number that is wrong.

    ```
    !<o> --assumptions=1     →     !<o> --assumptions=1
    … | Assumptions=4 | …          … | Assumptions=1 | …
    ```
    """
    footer = _footer(turn)
    wanted = turn.command.assumptions if turn.command is not None else None
    if footer is None or wanted is None or footer.assumptions is None:
        return
    if footer.assumptions != wanted:
        yield Finding(
            message=f"the footer counts {footer.assumptions} assumptions; "
            f"the command expects {wanted}",
            at=footer.spans["Assumptions"],
            hint="Compare the number with what the answer assumes.",
        )


@rule("VPP031", spec="vpp-1.4/VPP-A13 vpp-1.4/VPP-A21", severity=INFO)
def locus_placeholder(turn: VppTurn) -> Iterator[Finding]:
    """The locus in the footer is in angle brackets, like the placeholder of the schema.

    ## Why

    This is allowed: a locus may be any text, or empty. The brackets in the schema mark a
    placeholder, and an assistant that copies them may have copied the placeholder as well. psreg
    does not report them in `Sources`, where they are common, and does not change the value.

    ## Fix

    Write the name without brackets, or leave the field empty.

    ```
    Locus=<draft>     →     Locus=draft
    ```
    """
    footer = _footer(turn)
    value = footer.values.get("Locus", "") if footer is not None else ""
    if footer is not None and value.startswith("<") and value.endswith(">"):
        yield Finding(
            message=short(f"`Locus` is in angle brackets: `{value}`"),
            at=footer.spans["Locus"],
            hint="Write the name without brackets.",
        )


def _footer(turn: VppTurn) -> Footer | None:
    return turn.reply.footer if turn.reply is not None else None


FOOTER_RULES = (
    no_footer,
    text_after_footer,
    second_footer,
    malformed_footer,
    footer_spelling,
    footer_value,
    footer_version,
    footer_tag_form,
    footer_tag_differs,
    tag_number,
    assumptions_differ,
    locus_placeholder,
)
"""The rules about footers."""

VPP_RULES: tuple[Rule[VppTurn], ...] = (
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
    no_echo,
    bang_echo,
    unknown_reply_tag,
    wrong_echo,
    unusual_echo,
    error_tag,
    error_not_described,
    invalid_command_answered,
    one_line_reply,
    *FOOTER_RULES,
)
