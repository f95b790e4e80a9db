"""Rules about a trace: what is carried from cycle to cycle, and what instructions ask for."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.rule import rule
from psreg.protocols.plsp.parts import Part


@rule("PLSP030", spec="plsp-0.5/PLSP-12 plsp-0.5/PLSP-A13", severity=WARNING)
def vanished_variable(part: Part) -> Iterator[Finding]:
    """A variable of the previous block is missing from the next one.

    ## Why

    A block holds the whole state: what it leaves out is forgotten. That is right for a value that
    nobody needs any more, so it is a warning; and it is an error if the next instruction or a later
    block refers to the variable, because then somebody does.

    ## Fix

    Carry every variable forward that may still be needed, changed or not.

    ```
    S{$t:75;$l:70;}S  …  S{$t:80;}S     →     S{$t:75;$l:70;}S  …  S{$t:80;$l:75;}S
    ```
    """
    at = part.block.span if part.block else Span(0, 0)
    for lost in part.vanished:
        message = f"`${lost.name}` was in the previous block and is gone"
        yield Finding(
            message=f"{message}, but {lost.wanted} refers to it" if lost.wanted else message,
            at=at,
            hint=f"carry `${lost.name}` forward; only the last block is remembered",
            severity=ERROR if lost.wanted else None,
        )


@rule("PLSP031", spec="plsp-0.5/PLSP-14", severity=WARNING)
def first_cycle_not_empty(part: Part) -> Iterator[Finding]:
    """The first cycle of a trace starts from a block that is not empty.

    ## Why

    A loop starts from `S{}S`. A trace that starts elsewhere is a part of a longer one, or somebody
    put a state in that no assistant ever answered. It can be judged from there on, but it does not
    show where the state comes from.

    ## Fix

    Record the loop from its beginning, and set first values by the first instruction.

    ```
    {"instr": "INSTR: …", "previous": "S{$a:1;}S", …}
        →     {"instr": "INSTR: @set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}
    ```
    """
    yield from part.found("PLSP031")


@rule("PLSP032", spec="plsp-0.5/PLSP-15", severity=WARNING)
def previous_block_differs(part: Part) -> Iterator[Finding]:
    """A cycle was sent another block than the one that the cycle before answered.

    ## Why

    The program sends the last block with the next instruction, because the assistant remembers
    nothing else. When the two differ in what they say, a cycle is missing from the trace or the
    program changed the state by itself, and then the trace does not show how it came about. Another
    spelling of the same block is fine, and so is a new start from `S{}S`.

    ## Fix

    Send the block back as it is; change a variable by an instruction. In a trace, record every
    cycle.

    ```
    … "next": "S{$a:1;}S"}
    {"previous": "S{$a:2;}S", …     →     {"previous": "S{$a:1;}S", …
    ```
    """
    yield from part.found("PLSP032")


@rule("PLSP040", spec="plsp-0.5/PLSP-15 plsp-0.5/PLSP-A15", severity=INFO)
def no_instruction_prefix(part: Part) -> Iterator[Finding]:
    """An instruction does not begin with `INSTR:`.

    ## Why

    The prefix is usual and not required. It tells an assistant where the instruction begins, and a
    person who reads the exchange which part of it is which. In a trace the key `instr` says the
    same, so this is a remark and no more.

    ## Fix

    ```
    @set:$a=1;     →     INSTR: @set:$a=1;
    ```
    """
    yield from part.found("PLSP040")


@rule("PLSP041", spec="plsp-0.5/PLSP-A15", severity=ERROR, read=WARNING)
def unbalanced_quotes(part: Part) -> Iterator[Finding]:
    """An instruction has a string that is not closed.

    ## Why

    How instructions are written is between the program and its assistant, and psreg looks at little
    of it. But where quotes do not come in pairs, it is unclear which parts are text and which are
    directives, in any language.

    ## Fix

    ```
    INSTR: @set:$p="run;     →     INSTR: @set:$p="run";
    ```
    """
    yield from part.found("PLSP041")


@rule("PLSP042", spec="plsp-0.5/PLSP-A15", severity=ERROR)
def instruction_not_in_dialect(part: Part) -> Iterator[Finding]:
    """An instruction is not written in the dialect that is declared.

    ## Why

    The trace or the release says that its instructions are written in `psreg-1`, so that psreg can
    compute what should follow. This one does not fit the grammar of that dialect, and nothing can
    be said about the block it leads to.

    ## Fix

    The page about PLSP has the grammar. If the instructions are in a language of your own, do not
    declare a dialect: the blocks are still judged.

    ```
    INSTR: @set:$p=run;     →     INSTR: @set:$p="run";
    ```
    """
    yield from part.found("PLSP042")


@rule("PLSP043", spec="plsp-0.5/PLSP-A15", severity=ERROR)
def impossible_instruction(part: Part) -> Iterator[Finding]:
    """An instruction cannot be carried out on the state that was sent with it.

    ## Why

    It reads a variable that is not there, computes with a text, or has a result below zero, which a
    state cannot hold. The dialect `psreg-1` gives it no meaning, so an assistant can only make
    something up.

    ## Fix

    Set a variable before it is read, or ask first whether it is there.

    ```
    INSTR: @upd:$c=$c+1;     →     INSTR: @if:$c?@upd:$c=$c+1:@set:$c=1;
    ```
    """
    yield from part.found("PLSP043")


@rule("PLSP044", spec="plsp-0.5/PLSP-A17", severity=ERROR)
def wrong_transition(part: Part) -> Iterator[Finding]:
    """The next block is not what the instruction makes of the previous one.

    ## Why

    The trace declares the dialect `psreg-1`, so psreg computes the next state itself and compares:
    every variable by its value (numbers as decimals, `1.50` is `1.5`), and the actions in their
    order. A loop goes on from the wrong value for good, because nothing else is remembered. Logs
    are free, since no directive asks for one.

    ## Fix

    Correct the block if it was written by hand. If an assistant wrote it, this is what the trace
    shows about that assistant: leave it, and record that the run failed.

    ```
    INSTR: @set:$a=1;     S{$a:2;}S     →     S{$a:1;}S
    ```
    """
    if part.transition is None:
        return
    for each in part.transition.mismatches:
        difference = f"expected {each.expected}, found {each.found}"
        yield Finding(
            message=f"wrong transition of {each.what}: {difference}",
            at=each.span,
            hint=f"the state that follows is {part.transition.expected}",
        )


@rule("PLSP045", spec="plsp-0.5/PLSP-A15", severity=INFO)
def transition_not_judged(part: Part) -> Iterator[Finding]:
    """Nobody can tell whether the next block is what the instruction asked for.

    ## Why

    The specification leaves the language of instructions open, so without a declared dialect psreg
    judges how blocks are written and what they carry, and not whether they are right. The same
    holds where the dialect is declared but something is missing: the result of a fetch, or the
    block that was sent.

    ## Fix

    Nothing to do if the language is your own. If the instructions are in `psreg-1`, say so in
    release.toml, on the command line or in the first record of the trace, and record what fetches
    gave under `results`.

    ```
    [protocols]
    plsp = {version = "0.5", imf = "psreg-1"}
    ```
    """
    yield from part.found("PLSP045")
