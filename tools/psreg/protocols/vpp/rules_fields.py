"""Rules about what the fields of a footer say, next to the command and the rest of the answer."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.footer import Footer
from psreg.protocols.vpp.turn import VppTurn, short


@rule("VPP026", spec="vpp-1.4/VPP-15 vpp-1.4/VPP-A17", severity=ERROR)
def footer_version(turn: VppTurn) -> Iterator[Finding]:
    """The footer names another version of VPP than the one that is declared.

    ## Why

    The version in the footer says by which rules the answer wants to be read. If a release, or
    whoever judges the conversation, declares another one, then either the declaration or the
    assistant is wrong, and it is not for a program to say which.

    ## Fix

    Declare the version that the assistant was instructed in, or instruct it in the declared one.

    ```
    [protocols]                       [protocols]
    vpp = "1.4"                 →     vpp = "1.4"
    [Version=v1.5 | Tag=q_1 | …       [Version=v1.4 | Tag=q_1 | …
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.version and footer.version != turn.declared:
        yield Finding(
            message=f"the footer says v{footer.version}, declared is v{turn.declared}",
            at=footer.spans["Version"],
            hint=f"Write `Version=v{turn.declared}`, or declare {footer.version}.",
        )


@rule("VPP027", spec="vpp-1.4/VPP-A9", severity=WARNING)
def footer_tag_form(turn: VppTurn) -> Iterator[Finding]:
    """The tag in the footer is not a tag with its number, such as `q_1`.

    ## Why

    The schema asks for `t_n`: the tag, an underscore, a number. The specification's own examples
    write `<q>`, and assistants write `q`, `<q>` and `<q_1>`. All four are understood; only the form
    of the schema says how often the tag was used, and two answers with it have different names.

    ## Fix

    ```
    Tag=<q>     →     Tag=q_1
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.tag and not footer.numbered:
        number = footer.number or turn.count
        yield Finding(
            message=f"`Tag` is `{footer.values['Tag']}`, not a tag and its number",
            at=footer.spans["Tag"],
            hint=f"Write `Tag={footer.tag}_{number}`.",
        )


@rule("VPP028", spec="vpp-1.4/VPP-A9", severity=ERROR)
def footer_tag_differs(turn: VppTurn) -> Iterator[Finding]:
    """The footer names another tag than the first line.

    ## Why

    First line and footer say the same thing at both ends of an answer. If they differ, one of them
    is wrong, and everything that sorts answers by tag puts this one in two places.

    ## Fix

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
            message=f"the footer says `{footer.tag}`, the first line `<{turn.reply.tag}>`",
            at=footer.spans["Tag"],
            hint="Write the tag of the first line into the footer.",
        )


@rule("VPP029", spec="vpp-1.4/VPP-A10", severity=INFO)
def tag_number(turn: VppTurn) -> Iterator[Finding]:
    """The number behind the tag in the footer is not how often the tag was used.

    ## Why

    This is nothing wrong: the specification does not say what the number counts. A later version
    counts the uses of that tag in the conversation, so `o_2` is the second output; most assistants
    write the number of their turn instead. Programs should not rely on either.

    ## Fix

    ```
    Tag=o_2     →     Tag=o_1          (the first output of the conversation)
    ```
    """
    footer = _footer(turn)
    if footer is not None and footer.number is not None and footer.number != turn.count:
        yield Finding(
            message=f"this is answer {turn.count} with the tag `{footer.tag}`, "
            f"the footer says {footer.number}",
            at=footer.spans["Tag"],
            hint=f"Counted by tag it is `{footer.tag}_{turn.count}`.",
        )


@rule("VPP030", spec="vpp-1.4/VPP-13 vpp-1.4/VPP-A20", severity=WARNING)
def assumptions_differ(turn: VppTurn) -> Iterator[Finding]:
    """The footer counts other assumptions than the command expected.

    ## Why

    `--assumptions=<n>` says how many assumptions the user expects the answer to make. More of them
    mean that something was left open which the user took for settled; fewer, that the assistant
    did not see what it assumed, or that the number was only a guess. Either is worth a look.

    ## Fix

    Look at the assumptions of the answer, and then correct whichever number is wrong.

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
            message=f"the footer counts {footer.assumptions} assumptions, expected were {wanted}",
            at=footer.spans["Assumptions"],
            hint="Look at what the answer assumes.",
        )


@rule("VPP031", spec="vpp-1.4/VPP-A13 vpp-1.4/VPP-A21", severity=INFO)
def locus_placeholder(turn: VppTurn) -> Iterator[Finding]:
    """The locus in the footer stands in angle brackets, like the placeholder of the schema.

    ## Why

    This is nothing wrong: any text may be a locus, and so may nothing at all. The brackets in the
    schema mark the place for a name, and an assistant that copies them may have copied the
    placeholder, too. In `Sources` they are so common that nothing is said of them. Values are kept
    as they are written.

    ## Fix

    ```
    Locus=<draft>     →     Locus=draft
    ```
    """
    footer = _footer(turn)
    value = footer.values.get("Locus", "") if footer is not None else ""
    if footer is not None and value.startswith("<") and value.endswith(">"):
        yield Finding(
            message=short(f"`Locus` has the brackets of the placeholder: `{value}`"),
            at=footer.spans["Locus"],
            hint="Write the name alone, or nothing.",
        )


def _footer(turn: VppTurn) -> Footer | None:
    return turn.reply.footer if turn.reply is not None else None
