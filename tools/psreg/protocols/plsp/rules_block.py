"""Rules about the block as a whole, and about where its statements begin and end."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.plsp.parts import Part


@rule("PLSP001", spec="plsp-0.5/PLSP-01", severity=ERROR)
def no_block(part: Part) -> Iterator[Finding]:
    """An answer has no state block.

    ## Why

    In a PLSP loop the block is all that is left of a cycle: the program reads its actions and logs
    from it and sends it back as the state of the next one. An answer without a block loses
    everything that was known, and the loop cannot go on.

    ## Fix

    Answer with `S{`, the statements, and `}S`. If there is nothing to say, the block is empty.

    ```
    The temperature is fine.     →     S{$t:75;>"The temperature is fine.";}S
    ```
    """
    yield from part.found("PLSP001")


@rule("PLSP002", spec="plsp-0.5/PLSP-01", severity=ERROR)
def unclosed_block(part: Part) -> Iterator[Finding]:
    """A block is not closed by `}S`.

    ## Why

    Usually the answer was cut off because it may not be longer. What is missing may be any part of
    the state, so what is there cannot be trusted either: the next cycle would go on from a state
    that nobody decided on.

    ## Fix

    Let the assistant answer at greater length, or keep less in the state. A block ends with `}S`
    and not with `}` alone.

    ```
    S{$a:1;$b:2;     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP002")


@rule("PLSP003", spec="plsp-0.5/PLSP-17 plsp-0.5/PLSP-A12", severity=ERROR, read=WARNING)
def text_around_block(part: Part) -> Iterator[Finding]:
    """There is text or a code fence around the block.

    ## Why

    The answer is for a program and is read by nobody. Text outside of the block is paid for in
    every cycle and then thrown away. When psreg reads rather than judges, it takes the block out of
    a fence or out of the text, with a warning.

    ## Fix

    Tell the assistant to answer with the block alone. What a person should learn belongs into a log
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

    A cycle ends in one state. Of two blocks nobody can say which one counts: the last may correct
    the first, or the first may be the state and the last an example. Even a lenient reader does not
    guess.

    ## Fix

    Send the block that the next cycle is to start from, and no other one.

    ```
    S{$a:1;}S S{$a:2;}S     →     S{$a:2;}S
    ```
    """
    yield from part.found("PLSP004")


@rule("PLSP005", spec="plsp-0.5/PLSP-04", severity=ERROR)
def comment_in_block(part: Part) -> Iterator[Finding]:
    """A block has a comment.

    ## Why

    There are no comments in PLSP, so nothing says where one would end: a program that skips `#` to
    the end of the line loses other statements than one that skips to the next `;`. Within a string
    `#` is a character like any other.

    ## Fix

    Leave the comment out, or log it.

    ```
    S{$t:75;# still fine
    }S                         →     S{$t:75;>"still fine";}S
    ```
    """
    yield from part.found("PLSP005")


@rule("PLSP006", spec="plsp-0.5/PLSP-02", severity=ERROR)
def unknown_statement(part: Part) -> Iterator[Finding]:
    """A statement is neither an assignment nor a log nor an action.

    ## Why

    A statement of a block begins with `$`, `>` or `!`. Others mean nothing to the program that
    reads them. Often they are directives such as `@set:$a=1`, which belong to the instruction: they
    tell the assistant what to do, and the block tells the program what came of it.

    ## Fix

    Carry the directive out and send the result.

    ```
    S{$a:1;@set:$b=2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP006")


@rule("PLSP007", spec="plsp-0.5/PLSP-02", severity=ERROR, read=WARNING)
def empty_statement(part: Part) -> Iterator[Finding]:
    """There is a `;` with no statement before it.

    ## Why

    A semicolon parts or ends statements, and there is none here. The statement may have been lost,
    and with it a part of the state. A reader that only wants to go on skips it, with a warning.

    ## Fix

    Write one semicolon behind each statement.

    ```
    S{$a:1;;$b:2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP007")


@rule("PLSP008", spec="plsp-0.5/PLSP-A3", severity=WARNING)
def last_semicolon_missing(part: Part) -> Iterator[Finding]:
    """The last statement does not end with `;`.

    ## Why

    The specification says that semicolons part statements, and ends every statement with one in all
    its examples. So both are read. Blocks that always end the same way are easier to compare, and
    the missing character may be the first one of an answer that was cut off and closed in haste.

    ## Fix

    ```
    S{$a:1;$b:2}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP008")


@rule("PLSP009", spec="plsp-0.5/PLSP-02", severity=ERROR)
def statement_not_ended(part: Part) -> Iterator[Finding]:
    """Something else than `;` follows a statement.

    ## Why

    Without the semicolon it is a guess where one statement ends and the next one begins. An
    assignment has one value, so a comma after it is an error, too; a log or an action has a list of
    values with commas between them.

    ## Fix

    ```
    S{$a:1 $b:2;}S            →     S{$a:1;$b:2;}S
    S{$a:1;!wait 5000;}S      →     S{$a:1;!wait,5000;}S
    ```
    """
    yield from part.found("PLSP009")


@rule("PLSP025", spec="plsp-0.5/PLSP-02", severity=ERROR)
def too_many_faults(part: Part) -> Iterator[Finding]:
    """A block has so many faults that it is not read to its end.

    ## Why

    A block with hundreds of faults is no block that went a little wrong: often a model has repeated
    one character until it was stopped. psreg tells the first 500 and looks no further, so what the
    block says as a whole is not known.

    ## Fix

    Mend what is told, or ask for the block again.

    ```
    S{$a:1;;;;;;;;;;;;…     →     S{$a:1;}S
    ```
    """
    yield from part.found("PLSP025")
