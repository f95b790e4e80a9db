"""The rules about footers: VPP020 to VPP031."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.footer import Footer
from psreg.protocols.vpp.units import VppTurn, short


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
