"""Rules about the names of variables and actions: how they are written, what they refer to."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.plsp.parts import Part


@rule("PLSP010", spec="plsp-0.5/PLSP-05", severity=ERROR)
def no_colon(part: Part) -> Iterator[Finding]:
    """A variable is not followed by a colon and a value.

    ## Why

    In a block a variable gets its value after a colon. The equals sign belongs to instructions,
    where `@set:$a=1` asks for what the block then says as `$a:1`. A variable that stands alone says
    nothing.

    ## Fix

    ```
    S{$a=1;}S     →     S{$a:1;}S
    ```
    """
    yield from part.found("PLSP010")


@rule("PLSP011", spec="plsp-0.5/PLSP-06", severity=ERROR)
def malformed_variable_name(part: Part) -> Iterator[Finding]:
    """What follows `$` is no name.

    ## Why

    A variable is called by a letter of the alphabet from a to z, small or capital, and if need be
    by a digit behind it. Underscores, accents and other scripts are not part of the syntax, and an
    empty name calls nothing.

    ## Fix

    ```
    S{$:1;$max_t:80;}S     →     S{$a:1;$m:80;}S
    ```
    """
    yield from part.found("PLSP011")


@rule("PLSP012", spec="plsp-0.5/PLSP-06 plsp-0.5/PLSP-A5", severity=ERROR, read=WARNING)
def long_variable_name(part: Part) -> Iterator[Finding]:
    """The name of a variable has more than a letter and one more character.

    ## Why

    Names travel in both directions in every cycle, so PLSP wants them as short as can be: one
    letter, 52 in all, and one more character only where those run out. The specification itself
    uses a word in one example of an instruction; in a block psreg accepts such names only when it
    reads rather than judges.

    ## Fix

    Agree on a letter for each variable, and say in the system prompt what it stands for.

    ```
    S{$temperature:75;}S     →     S{$t:75;}S
    ```
    """
    yield from part.found("PLSP012")


@rule("PLSP013", spec="plsp-0.5/PLSP-06 plsp-0.5/PLSP-A5", severity=WARNING)
def two_character_name(part: Part) -> Iterator[Finding]:
    """The name of a variable is a letter with one more character, or a digit.

    ## Why

    It is allowed where 52 letters are not enough, and costs a token or two in every cycle. The
    specification shows both one character and two for such names; psreg takes what is in its text
    and what is in its examples.

    ## Fix

    Use a letter while there are any left. If there are none, ignore this.

    ```
    S{$t1:75;$t2:70;}S     →     S{$t:75;$l:70;}S
    ```
    """
    yield from part.found("PLSP013")


@rule("PLSP018", spec="plsp-0.5/PLSP-A7", severity=ERROR, read=WARNING)
def duplicate_variable(part: Part) -> Iterator[Finding]:
    """A block assigns a variable twice.

    ## Why

    A block is a state and not a program: its statements have no order, and everything in it is true
    at once. With two values for one variable some readers take the first and some the last. When
    psreg reads rather than judges, the last one counts.

    ## Fix

    Keep the value that is meant. An earlier value that is still needed gets a name of its own.

    ```
    S{$t:70;$t:75;}S     →     S{$l:70;$t:75;}S
    ```
    """
    yield from part.found("PLSP018")


@rule("PLSP019", spec="plsp-0.5/PLSP-12 plsp-0.5/PLSP-A8", severity=ERROR)
def undefined_variable(part: Part) -> Iterator[Finding]:
    """A statement refers to a variable that the block does not have.

    ## Why

    A block is complete in itself, because the blocks before it are forgotten. What was assigned two
    cycles ago and not since has no value any more, and whoever reads the log gets a name instead of
    a number.

    ## Fix

    Carry the variable forward in every block, or write its value.

    ```
    S{>"Temp",$t;}S     →     S{$t:75;>"Temp",$t;}S
    ```
    """
    yield from part.found("PLSP019")


@rule("PLSP020", spec="plsp-0.5/PLSP-A9", severity=ERROR)
def circular_reference(part: Part) -> Iterator[Finding]:
    """Variables refer to each other in a circle.

    ## Why

    A reference may stand before what it refers to, because a state has no order; but in the end
    there has to be a value. `$a:$b;$b:$a;` has none, and neither has `$a:$a;`, which usually was
    meant to say that the value stays what it was.

    ## Fix

    Write the value itself.

    ```
    S{$a:$a;$b:2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP020")


@rule("PLSP023", spec="plsp-0.5/PLSP-11 plsp-0.5/PLSP-A14", severity=ERROR)
def malformed_action_name(part: Part) -> Iterator[Finding]:
    """What follows `!` is no name of an action.

    ## Why

    The program looks the action up by its name: a letter or an underscore, then letters, digits,
    underscores and hyphens, without quotes. With anything else it does not know what to do, and an
    alarm that was to be raised is not.

    ## Fix

    ```
    S{!"wait",5000;}S     →     S{!wait,5000;}S
    ```
    """
    yield from part.found("PLSP023")
