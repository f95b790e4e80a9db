"""The rules about a block as a whole and its statements: PLSP001 to PLSP009."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.plsp.units import Part


@rule("PLSP001", spec="plsp-0.5/PLSP-01", severity=ERROR)
def no_block(part: Part) -> Iterator[Finding]:
    """An answer has no state block.

    ## Why

    In a PLSP loop, the block is the only result of a cycle: the program reads actions and logs from
    it and sends it back as the state of the next cycle. Without a block the whole state is lost,
    and the loop cannot continue.

    ## Fix

    Answer with `S{`, the statements, and `}S`. If there are no statements, the block is empty.

    ```
    The temperature is fine.     →     S{$t:75;>"The temperature is fine.";}S
    ```
    """
    yield from part.found("PLSP001")


@rule("PLSP002", spec="plsp-0.5/PLSP-01", severity=ERROR)
def unclosed_block(part: Part) -> Iterator[Finding]:
    """A block is not closed with `}S`.

    ## Why

    Usually the answer was cut off because of a length limit. Any part of the state may be missing,
    so the rest is not reliable either: the next cycle would start from a state that is incomplete.

    ## Fix

    Allow longer answers, or keep less in the state. End a block with `}S`, not with `}` alone.

    ```
    S{$a:1;$b:2;     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP002")


@rule("PLSP003", spec="plsp-0.5/PLSP-17 plsp-0.5/PLSP-A12", severity=ERROR, read=WARNING)
def text_around_block(part: Part) -> Iterator[Finding]:
    """There is text or a code fence around the block.

    ## Why

    A program reads the answer, not a person. Text outside the block costs tokens in every cycle and
    is then discarded. In read mode, psreg takes the block out of the text or the fence, with a
    warning.

    ## Fix

    Tell the assistant to answer with the block alone. Put information for people into a log
    statement.

    ```
    Here is the state: S{$a:1;}S     →     S{$a:1;>"Here is the state";}S
    ```
    """
    yield from part.found("PLSP003")


@rule("PLSP004", spec="plsp-0.5/PLSP-01 plsp-0.5/PLSP-A12", severity=ERROR)
def several_blocks(part: Part) -> Iterator[Finding]:
    """An answer has more than one block.

    ## Why

    A cycle ends in one state. With two blocks, it is unclear which one counts: the last may correct
    the first, or the first may be the state and the last an example. psreg does not guess, not even
    in read mode.

    ## Fix

    Send only the block that the next cycle starts from.

    ```
    S{$a:1;}S S{$a:2;}S     →     S{$a:2;}S
    ```
    """
    yield from part.found("PLSP004")


@rule("PLSP005", spec="plsp-0.5/PLSP-04", severity=ERROR)
def comment_in_block(part: Part) -> Iterator[Finding]:
    """A block has a comment.

    ## Why

    PLSP has no comments, so nothing defines where one ends. A program that skips `#` to the end of
    the line loses different statements than one that skips to the next `;`. In a string, `#` is an
    ordinary character.

    ## Fix

    Remove the comment, or log it.

    ```
    S{$t:75;# still fine
    }S                         →     S{$t:75;>"still fine";}S
    ```
    """
    yield from part.found("PLSP005")


@rule("PLSP006", spec="plsp-0.5/PLSP-02", severity=ERROR)
def unknown_statement(part: Part) -> Iterator[Finding]:
    """A statement is not an assignment, a log or an action.

    ## Why

    A statement of a block begins with `$`, `>` or `!`. A program ignores or rejects anything else.
    Often it is a directive such as `@set:$a=1`, which belongs in the instruction: an instruction
    tells the assistant what to do, and the block tells the program the result.

    ## Fix

    Carry out the directive, and send the result.

    ```
    S{$a:1;@set:$b=2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP006")


@rule("PLSP007", spec="plsp-0.5/PLSP-02", severity=ERROR, read=WARNING)
def empty_statement(part: Part) -> Iterator[Finding]:
    """There is a `;` without a statement before it.

    ## Why

    A semicolon separates or ends statements. If the statement before it was lost, a part of the
    state was lost with it. In read mode, psreg skips the semicolon with a warning.

    ## Fix

    Write one semicolon after each statement.

    ```
    S{$a:1;;$b:2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP007")


@rule("PLSP008", spec="plsp-0.5/PLSP-A3", severity=WARNING)
def last_semicolon_missing(part: Part) -> Iterator[Finding]:
    """The last statement does not end with `;`.

    ## Why

    The specification says that semicolons separate statements, but its examples end every statement
    with one. psreg accepts both. Blocks that always end the same way are easier to compare, and a
    missing semicolon may be a sign that the answer was cut off.

    ## Fix

    End the last statement with a semicolon.

    ```
    S{$a:1;$b:2}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP008")


@rule("PLSP009", spec="plsp-0.5/PLSP-02", severity=ERROR)
def statement_not_ended(part: Part) -> Iterator[Finding]:
    """A statement is not followed by `;`.

    ## Why

    Without the semicolon, it is unclear where one statement ends and the next one begins. An
    assignment has one value, so a comma after it is an error as well; a log or an action has a list
    of values separated by commas.

    ## Fix

    End each statement with a semicolon, and separate values with commas.

    ```
    S{$a:1 $b:2;}S            →     S{$a:1;$b:2;}S
    S{$a:1;!wait 5000;}S      →     S{$a:1;!wait,5000;}S
    ```
    """
    yield from part.found("PLSP009")


BLOCK_RULES = (
    no_block,
    unclosed_block,
    text_around_block,
    several_blocks,
    comment_in_block,
    unknown_statement,
    empty_statement,
    last_semicolon_missing,
    statement_not_ended,
)
