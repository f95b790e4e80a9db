"""Rules about values: how strings, numbers and lists of them are written."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.plsp.parts import Part


@rule("PLSP014", spec="plsp-0.5/PLSP-07 plsp-0.5/PLSP-10", severity=ERROR)
def value_missing(part: Part) -> Iterator[Finding]:
    """There is no value where one has to be.

    ## Why

    An assignment has one value, a log at least one, and after each comma there is another. A value
    is a string in quotes, a number, or a variable; words such as `true` or `null` are none of them.
    A program that fills the gap by itself makes up a part of the state.

    ## Fix

    ```
    S{$a:;>;$b:true;}S     →     S{$a:"";>"done";$b:"true";}S
    ```
    """
    yield from part.found("PLSP014")


@rule("PLSP015", spec="plsp-0.5/PLSP-09 plsp-0.5/PLSP-A4", severity=ERROR)
def malformed_number(part: Part) -> Iterator[Finding]:
    """A number is not written as digits, perhaps with a point and more digits.

    ## Why

    Exponents, a sign and a bare decimal point are not part of PLSP. Programs disagree about them:
    to some `5.` is five, to others an error, and `1e3` may be a thousand or a name. Zeros at either
    end are fine and are kept as they are written.

    ## Fix

    ```
    S{$a:.5;$b:1e3;}S     →     S{$a:0.5;$b:1000;}S
    ```
    """
    yield from part.found("PLSP015")


@rule("PLSP016", spec="plsp-0.5/PLSP-09 plsp-0.5/PLSP-A4", severity=ERROR, read=WARNING)
def negative_number(part: Part) -> Iterator[Finding]:
    """A number has a minus sign.

    ## Why

    The syntax of PLSP has digits and a point. A program that was written after the specification
    stops at the sign. Because assistants do write such numbers, psreg reads them with a warning
    when it does not judge.

    ## Fix

    Keep the sign in a variable of its own, move the scale so that zero is its lower end, or write
    the number as a string if nobody computes with it.

    ```
    S{$t:-5;}S     →     S{$t:"-5";}S
    ```
    """
    yield from part.found("PLSP016")


@rule("PLSP017", spec="plsp-0.5/PLSP-A6", severity=ERROR, read=WARNING)
def bare_word(part: Part) -> Iterator[Finding]:
    """A log or an action has a word without quotes among its values.

    ## Why

    Values are strings in quotes, numbers and variables. An example in the overview of the
    specification passes a bare word to an action, but the section on syntax does not know them.
    Without quotes nothing says where the word ends once it has a blank, a comma or a dot in it.

    ## Fix

    ```
    S{!fetch,src;}S     →     S{!fetch,"src";}S
    ```
    """
    yield from part.found("PLSP017")


@rule("PLSP021", spec="plsp-0.5/PLSP-08 plsp-0.5/PLSP-A2", severity=ERROR)
def quote_in_string(part: Part) -> Iterator[Finding]:
    r"""A string has a double quote in it.

    ## Why

    A string ends at the next double quote, whatever stands before it: there are no escapes, and a
    backslash is a character like any other. What follows is read as statements, so that a quotation
    in a log can become an action.

    ## Fix

    Use single or typographic quotation marks within strings.

    ```
    S{>"he said \"go\"";}S     →     S{>"he said 'go'";}S
    ```
    """
    yield from part.found("PLSP021")


@rule("PLSP022", spec="plsp-0.5/PLSP-08 plsp-0.5/PLSP-A1 plsp-0.5/PLSP-A10", severity=ERROR)
def unclosed_string(part: Part) -> Iterator[Finding]:
    """A string is not closed.

    ## Why

    Everything up to the next double quote is part of a string: semicolons, line breaks, `}S`. So
    when one quote is missing, the rest of the answer is text, and the block has no end. Sometimes
    the quote is missing further up, where a string swallowed the statements behind it.

    ## Fix

    Close the string, or look for the one before it that is not closed.

    ```
    S{$a:"run;$b:2;}S     →     S{$a:"run";$b:2;}S
    ```
    """
    yield from part.found("PLSP022")


@rule("PLSP024", spec="plsp-0.5/PLSP-03 plsp-0.5/PLSP-A16", severity=ERROR)
def blank_inside_token(part: Part) -> Iterator[Finding]:
    """A blank stands within a name, a number or a mark of the block.

    ## Why

    Blanks mean nothing between tokens, but they do part them: `1 0` is two numbers and not ten, and
    `} S` does not end a block. A reader that leaves out all blanks gets another state than one that
    does not.

    ## Fix

    ```
    S{$ a:1 0;} S     →     S{$a:10;}S
    ```
    """
    yield from part.found("PLSP024")
