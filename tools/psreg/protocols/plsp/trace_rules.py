"""The rules about the blocks of a conversation, one after another: PLSP030 to PLSP045."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.rule import rule
from psreg.protocols.plsp.transition import NOTHING
from psreg.protocols.plsp.units import Part


@rule("PLSP030", spec="plsp-0.5/PLSP-12 plsp-0.5/PLSP-A13", severity=WARNING)
def vanished_variable(part: Part) -> Iterator[Finding]:
    """A variable of the previous block is missing from the next one.

    ## Why

    A block is the whole state, and what it omits is forgotten. This may be intended, so it is a
    warning. It is an error if the next instruction or a later block refers to the variable. If the
    dialect of the instruction is known, its variables are compared by PLSP044 instead: no directive
    removes one.

    ## Fix

    Repeat every variable that may still be needed, whether it changed or not.

    ```
    S{$t:75;$l:70;}S  …  S{$t:80;}S     →     S{$t:75;$l:70;}S  …  S{$t:80;$l:75;}S
    ```
    """
    at = part.block.span if part.block else Span(0, 0)
    compared = part.transition.mismatches if part.transition else ()
    wrong = {each.what for each in compared}
    for variable in part.vanished:
        if f"${variable.name}" in wrong:
            continue
        message = f"`${variable.name}` of the previous block is missing"
        needed = f"{message}, but {variable.needed_by} refers to it"
        yield Finding(
            message=needed if variable.needed_by else message,
            at=at,
            hint=f"Repeat `${variable.name}` in every block.",
            severity=ERROR if variable.needed_by else None,
        )


@rule("PLSP031", spec="plsp-0.5/PLSP-14", severity=WARNING)
def first_cycle_not_empty(part: Part) -> Iterator[Finding]:
    """The first cycle of a trace does not start from an empty block.

    ## Why

    A loop starts from `S{}S`. A trace that starts from another block is a part of a longer one, or
    its first state was not written by an assistant. psreg checks it from there on, but the trace
    does not show where the state comes from.

    ## Fix

    Record the loop from its beginning, and set initial values with the first instruction.

    ```
    {"instr": "INSTR: …", "previous": "S{$a:1;}S", …}
        →     {"instr": "INSTR: @set:$a=1;", "previous": "S{}S", "next": "S{$a:1;}S"}
    ```
    """
    yield from part.found("PLSP031")


@rule("PLSP032", spec="plsp-0.5/PLSP-15", severity=WARNING)
def previous_block_differs(part: Part) -> Iterator[Finding]:
    """A cycle was sent a different block than the previous cycle answered.

    ## Why

    The program sends the last block with the next instruction, because the assistant remembers
    nothing else. If the two differ in content, a cycle is missing from the trace, or the program
    changed the state itself. The same block in another spelling is allowed, and so is a new start
    from `S{}S`.

    ## Fix

    Send the block back unchanged, and change variables with an instruction. Record every cycle in
    the trace.

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

    The prefix is common, but not required. It shows assistants and people where the instruction
    begins. In a trace, the key `instr` says the same, so this is only a note.

    ## Fix

    Begin the instruction with `INSTR:`.

    ```
    @set:$a=1;     →     INSTR: @set:$a=1;
    ```
    """
    yield from part.found("PLSP040")


@rule("PLSP041", spec="plsp-0.5/PLSP-A15", severity=ERROR, read=WARNING)
def unbalanced_quotes(part: Part) -> Iterator[Finding]:
    """An instruction has a string that is not closed.

    ## Why

    The program and its assistant agree on how instructions are written, and psreg checks little of
    it. But with an odd number of double quotes, it is unclear in any language which parts are text
    and which are directives.

    ## Fix

    Close the string.

    ```
    INSTR: @set:$p="run;     →     INSTR: @set:$p="run";
    ```
    """
    yield from part.found("PLSP041")


@rule("PLSP042", spec="plsp-0.5/PLSP-A15", severity=ERROR)
def instruction_not_in_dialect(part: Part) -> Iterator[Finding]:
    """An instruction is not written in the declared dialect.

    ## Why

    The trace or the release declares that its instructions are written in `psreg-1`, so that psreg
    can compute the next state. This instruction does not match the grammar of the dialect, so the
    block after it cannot be checked against it.

    ## Fix

    Follow the grammar on the page about PLSP. If your instructions are in a language of your own,
    do not declare a dialect; the blocks are still checked.

    ```
    INSTR: @set:$p=run;     →     INSTR: @set:$p="run";
    ```
    """
    yield from part.found("PLSP042")


@rule("PLSP043", spec="plsp-0.5/PLSP-A15", severity=ERROR)
def impossible_instruction(part: Part) -> Iterator[Finding]:
    """An instruction cannot be carried out on the state that was sent with it.

    ## Why

    It reads a variable that does not exist, computes with a string, or has a negative result, which
    a state cannot contain. The instruction has no meaning in the dialect `psreg-1`, so an assistant
    can only make up a state.

    ## Fix

    Set a variable before you read it, or test first whether it exists.

    ```
    INSTR: @upd:$c=$c+1;     →     INSTR: @if:$c?@upd:$c=$c+1:@set:$c=1;
    ```
    """
    yield from part.found("PLSP043")


@rule("PLSP044", spec="plsp-0.5/PLSP-A13b plsp-0.5/PLSP-A17", severity=ERROR)
def wrong_transition(part: Part) -> Iterator[Finding]:
    """The next block is not the result of the instruction.

    ## Why

    The trace declares the dialect `psreg-1`, so psreg computes the next state itself and compares
    the value of every variable (numbers as decimals, `1.50` is `1.5`) and the actions in their
    order. No directive removes a variable, so a missing one is an error as well. A loop continues
    with a wrong value, because nothing else is remembered. Logs are not compared, since no
    directive asks for one.

    ## Fix

    Correct the block if a person wrote it. If an assistant wrote it, keep the trace and record that
    the run failed.

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
            hint=f"Answer with the state {part.transition.expected}.",
            since="0.2.0" if each.found == NOTHING else "",
        )


@rule("PLSP045", spec="plsp-0.5/PLSP-A15", severity=INFO)
def transition_not_judged(part: Part) -> Iterator[Finding]:
    """The next block cannot be checked against the instruction.

    ## Why

    The specification leaves the language of instructions open. Without a declared dialect, psreg
    checks how blocks are written and what they contain, but not whether they are the result of the
    instruction. The same applies if the dialect is declared but something is missing: the result of
    a fetch, or the block that was sent.

    ## Fix

    Ignore this note if the language is your own. If the instructions are in `psreg-1`, declare it
    in release.toml, on the command line or in the first record of the trace, and record the results
    of fetches under `results`.

    ```
    [protocols]
    plsp = {version = "0.5", imf = "psreg-1"}
    ```
    """
    yield from part.found("PLSP045")


TRACE_RULES = (
    vanished_variable,
    first_cycle_not_empty,
    previous_block_differs,
    no_instruction_prefix,
    unbalanced_quotes,
    instruction_not_in_dialect,
    impossible_instruction,
    wrong_transition,
    transition_not_judged,
)
