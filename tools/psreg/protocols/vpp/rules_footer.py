"""Rules about the footer of an assistant's turn: that it is there, last, and well-formed."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.vpp.turn import VppTurn


@rule("VPP020", spec="vpp-1.4/VPP-10", severity=ERROR)
def no_footer(turn: VppTurn) -> Iterator[Finding]:
    """An answer does not end with a footer.

    ## Why

    Each answer of an assistant closes with one line of six fields: version, tag, sources,
    assumptions, cycle and locus. It is what one can count and compare over a long conversation.
    Without it nobody knows which sources an answer rests on or how much in it is assumed.

    ## Fix

    An answer that was given without a footer stays without; record the run again. The line is:

    ```
    [Version=v1.4 | Tag=q_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=research]
    ```
    """
    yield from turn.found("VPP020")


@rule("VPP021", spec="vpp-1.4/VPP-10 vpp-1.4/VPP-A14", severity=ERROR)
def text_after_footer(turn: VppTurn) -> Iterator[Finding]:
    """Something other than blank lines follows the footer.

    ## Why

    The footer is the last line. A program that reads the last line finds a sentence there, and a
    reader cannot tell whether the fields cover what comes after them. Blank lines do no harm.

    ## Fix

    ```
    [Version=v1.4 | …]           One more thing: …
    One more thing: …      →     [Version=v1.4 | …]
    ```
    """
    yield from turn.found("VPP021")


@rule("VPP022", spec="vpp-1.4/VPP-A14", severity=WARNING)
def second_footer(turn: VppTurn) -> Iterator[Finding]:
    """A line above the last one is a footer, too.

    ## Why

    Only the last line counts. A second footer in the text is an example, a leftover of an earlier
    answer, or an attempt to make readers take it for the real one; programs that search for the
    first line in brackets find the wrong one.

    ## Fix

    Delete it. An example of a footer stands between backticks:

    ```
    [Version=v1.4 | …]     →     `[Version=v1.4 | …]`
    ```
    """
    yield from turn.found("VPP022")


@rule("VPP023", spec="vpp-1.4/VPP-11 vpp-1.4/VPP-A19", severity=ERROR)
def malformed_footer(turn: VppTurn) -> Iterator[Finding]:
    """The last line is meant as a footer and cannot be read as one.

    ## Why

    A footer is six fields between square brackets, parted by ` | `: each is there once, and there
    are no others. A value cannot hold `|` or `]`, because nothing tells such a character from the
    one that parts or closes the fields. With a field missing or in pieces the others cannot be
    relied upon either.

    ## Fix

    ```
    [Version=v1.4 | Tag=q_1 | Sources=a|b | Assumptions=0 | Cycle=1/3 | Locus=]
      →
    [Version=v1.4 | Tag=q_1 | Sources=a, b | Assumptions=0 | Cycle=1/3 | Locus=]
    ```
    """
    yield from turn.found("VPP023")


@rule("VPP024", spec="vpp-1.4/VPP-A11", severity=ERROR, read=WARNING)
def footer_spelling(turn: VppTurn) -> Iterator[Finding]:
    """The footer has its six fields, but not in the order, spacing and case of the schema.

    ## Why

    The schema of the footer fixes the order of the fields, the capitals of their names, and one
    blank on each side of the bars. Programs that read it with a pattern find nothing if any of that
    differs. What is meant is clear all the same.

    ## Fix

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

    The version is `v` and exactly two numbers, the tag one of VPP, assumptions are a number, and
    the cycle is a place out of three: `1/3`, `2/3` or `3/3`. Sources are any text, but not nothing.
    Only the locus may be empty.

    ## Fix

    ```
    Assumptions=few     →     Assumptions=2
    Cycle=1/4           →     Cycle=1/3
    Sources=            →     Sources=none
    ```
    """
    yield from turn.found("VPP025")
