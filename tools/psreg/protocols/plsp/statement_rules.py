"""The rules about variables and values: PLSP010 to PLSP025."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.protocols.plsp.units import Part


@rule("PLSP010", spec="plsp-0.5/PLSP-05", severity=ERROR)
def no_colon(part: Part) -> Iterator[Finding]:
    """A variable is not followed by a colon and a value.

    ## Why

    In a block, a variable gets its value after a colon. The equals sign belongs in instructions:
    `@set:$a=1` asks for what the block then states as `$a:1`. A variable alone states nothing.

    ## Fix

    Write a colon between the variable and its value.

    ```
    S{$a=1;}S     →     S{$a:1;}S
    ```
    """
    yield from part.found("PLSP010")


@rule("PLSP011", spec="plsp-0.5/PLSP-06", severity=ERROR)
def malformed_variable_name(part: Part) -> Iterator[Finding]:
    """The text after `$` is not a name.

    ## Why

    The name of a variable is a letter from a to z or A to Z, if necessary with one more character.
    Underscores, accents and other scripts are not part of the syntax, and a name cannot be empty.

    ## Fix

    Use a letter.

    ```
    S{$:1;$max_t:80;}S     →     S{$a:1;$m:80;}S
    ```
    """
    yield from part.found("PLSP011")


@rule("PLSP012", spec="plsp-0.5/PLSP-06 plsp-0.5/PLSP-A5", severity=ERROR, read=WARNING)
def long_variable_name(part: Part) -> Iterator[Finding]:
    """The name of a variable has more than two characters.

    ## Why

    Names are sent in both directions in every cycle, so PLSP keeps them short: one of 52 letters,
    and one more character only if these are used up. The specification has a word as a name in one
    example of an instruction; in a block, psreg accepts such names only in read mode.

    ## Fix

    Choose a letter for each variable, and explain it in the system prompt.

    ```
    S{$temperature:75;}S     →     S{$t:75;}S
    ```
    """
    yield from part.found("PLSP012")


@rule("PLSP013", spec="plsp-0.5/PLSP-06 plsp-0.5/PLSP-A5", severity=WARNING)
def two_character_name(part: Part) -> Iterator[Finding]:
    """The name of a variable has two characters, or is a digit.

    ## Why

    Such names are allowed if 52 letters are not enough, and cost a token or two in every cycle. The
    text of the specification and its examples differ on their form; psreg accepts both.

    ## Fix

    Use a letter as long as one is free. If none is, ignore this warning.

    ```
    S{$t1:75;$t2:70;}S     →     S{$t:75;$l:70;}S
    ```
    """
    yield from part.found("PLSP013")


@rule("PLSP018", spec="plsp-0.5/PLSP-A7", severity=ERROR, read=WARNING)
def duplicate_variable(part: Part) -> Iterator[Finding]:
    """A block assigns a variable twice.

    ## Why

    A block is a state, not a program: its statements have no order, and all of them hold at once.
    With two values for one variable, some readers take the first and some the last. In read mode,
    psreg takes the last.

    ## Fix

    Keep the intended value. If the other value is still needed, give it a name of its own.

    ```
    S{$t:70;$t:75;}S     →     S{$l:70;$t:75;}S
    ```
    """
    yield from part.found("PLSP018")


@rule("PLSP019", spec="plsp-0.5/PLSP-12 plsp-0.5/PLSP-A8", severity=ERROR)
def undefined_variable(part: Part) -> Iterator[Finding]:
    """A statement refers to a variable that the block does not assign.

    ## Why

    A block is complete in itself, because earlier blocks are forgotten. A variable that only an
    earlier block assigned has no value any more, and a reader of the log gets a name instead of a
    number.

    ## Fix

    Assign the variable in every block, or write its value.

    ```
    S{>"Temp",$t;}S     →     S{$t:75;>"Temp",$t;}S
    ```
    """
    yield from part.found("PLSP019")


@rule("PLSP020", spec="plsp-0.5/PLSP-A9", severity=ERROR)
def circular_reference(part: Part) -> Iterator[Finding]:
    """Variables refer to each other in a cycle.

    ## Why

    A variable may refer to one that is assigned later, because a state has no order, but each needs
    a value in the end. `$a:$b;$b:$a;` has none, and neither has `$a:$a;`, which is often meant to
    say that the value does not change.

    ## Fix

    Write the value itself.

    ```
    S{$a:$a;$b:2;}S     →     S{$a:1;$b:2;}S
    ```
    """
    yield from part.found("PLSP020")


@rule("PLSP023", spec="plsp-0.5/PLSP-11 plsp-0.5/PLSP-A14", severity=ERROR)
def malformed_action_name(part: Part) -> Iterator[Finding]:
    """The text after `!` is not the name of an action.

    ## Why

    A program looks up an action by its name: a letter or an underscore, then letters, digits,
    underscores and hyphens, without quotes. It cannot carry out an action under another name, so an
    alarm, for example, is not raised.

    ## Fix

    Write the name without quotes.

    ```
    S{!"wait",5000;}S     →     S{!wait,5000;}S
    ```
    """
    yield from part.found("PLSP023")


@rule("PLSP014", spec="plsp-0.5/PLSP-07 plsp-0.5/PLSP-10", severity=ERROR)
def value_missing(part: Part) -> Iterator[Finding]:
    """A value is missing.

    ## Why

    An assignment has one value, a log at least one, and each comma is followed by one. A value is a
    string in double quotes, a number, or a variable; words such as `true` or `null` are not. A
    program that fills the gap makes up a part of the state.

    ## Fix

    Write a string, a number or a variable.

    ```
    S{$a:;>;$b:true;}S     →     S{$a:"";>"done";$b:"true";}S
    ```
    """
    yield from part.found("PLSP014")


@rule("PLSP015", spec="plsp-0.5/PLSP-09 plsp-0.5/PLSP-A4", severity=ERROR)
def malformed_number(part: Part) -> Iterator[Finding]:
    """A number is not written as digits, or as digits, a point and digits.

    ## Why

    Exponents, signs and a bare decimal point are not part of PLSP, and programs disagree about
    them: `5.` is five or an error, and `1e3` is a thousand or a name. Zeros at either end are
    allowed and kept.

    ## Fix

    Write digits, if necessary with a point and more digits.

    ```
    S{$a:.5;$b:1e3;}S     →     S{$a:0.5;$b:1000;}S
    ```
    """
    yield from part.found("PLSP015")


@rule("PLSP016", spec="plsp-0.5/PLSP-09 plsp-0.5/PLSP-A4", severity=ERROR, read=WARNING)
def negative_number(part: Part) -> Iterator[Finding]:
    """A number has a minus sign.

    ## Why

    A number in PLSP has digits and a point; a program that follows the specification stops at the
    sign. Because assistants do write such numbers, psreg reads them in read mode, with a warning.

    ## Fix

    Keep the sign in a variable of its own, shift the scale so that it begins at zero, or write a
    string if nothing is computed with the number.

    ```
    S{$t:-5;}S     →     S{$t:"-5";}S
    ```
    """
    yield from part.found("PLSP016")


@rule("PLSP017", spec="plsp-0.5/PLSP-A6", severity=ERROR, read=WARNING)
def bare_word(part: Part) -> Iterator[Finding]:
    """A log or an action has a value without quotes.

    ## Why

    Values are strings in double quotes, numbers and variables. One example in the overview of the
    specification passes a bare word to an action, but its syntax does not allow that. Without
    quotes, the end of a value with a space, a comma or a point is unclear.

    ## Fix

    Put the word into double quotes.

    ```
    S{!fetch,src;}S     →     S{!fetch,"src";}S
    ```
    """
    yield from part.found("PLSP017")


@rule("PLSP021", spec="plsp-0.5/PLSP-08 plsp-0.5/PLSP-A2", severity=ERROR)
def quote_in_string(part: Part) -> Iterator[Finding]:
    r"""A string contains a double quote.

    ## Why

    A string ends at the next double quote. There are no escapes; a backslash is an ordinary
    character. The text after the quote is read as statements, so a quotation in a log can become an
    action.

    ## Fix

    Use single or typographic quotation marks in strings.

    ```
    S{>"he said \"go\"";}S     →     S{>"he said 'go'";}S
    ```
    """
    yield from part.found("PLSP021")


@rule("PLSP022", spec="plsp-0.5/PLSP-08 plsp-0.5/PLSP-A1 plsp-0.5/PLSP-A10", severity=ERROR)
def unclosed_string(part: Part) -> Iterator[Finding]:
    """A string is not closed.

    ## Why

    A string contains everything up to the next double quote: semicolons, line breaks, `}S`. If one
    quote is missing, the rest of the answer is text, and the block has no end. The missing quote
    may be further up, where a string contains the statements after it.

    ## Fix

    Close the string, or the one before it that is not closed.

    ```
    S{$a:"run;$b:2;}S     →     S{$a:"run";$b:2;}S
    ```
    """
    yield from part.found("PLSP022")


@rule("PLSP024", spec="plsp-0.5/PLSP-03 plsp-0.5/PLSP-A16", severity=ERROR)
def blank_inside_token(part: Part) -> Iterator[Finding]:
    """There is a blank inside a name, a number or a mark of the block.

    ## Why

    Blanks between tokens have no meaning, but they separate tokens: `1 0` is two numbers, not ten,
    and `} S` does not end a block. A reader that removes all blanks gets a different state than one
    that does not.

    ## Fix

    Remove the blank.

    ```
    S{$ a:1 0;} S     →     S{$a:10;}S
    ```
    """
    yield from part.found("PLSP024")


@rule("PLSP025", spec="plsp-0.5/PLSP-02", severity=ERROR)
def too_many_faults(part: Part) -> Iterator[Finding]:
    """A block has so many faults that it is not read to its end.

    ## Why

    A block with hundreds of faults is usually not a block: often a model repeated one character
    until it was stopped. psreg reports the first 500 faults and reads no further, so the content of
    the block is unknown.

    ## Fix

    Fix the reported faults, or ask for the block again.

    ```
    S{$a:1;;;;;;;;;;;;…     →     S{$a:1;}S
    ```
    """
    yield from part.found("PLSP025")


STATEMENT_RULES = (
    no_colon,
    malformed_variable_name,
    long_variable_name,
    two_character_name,
    value_missing,
    malformed_number,
    negative_number,
    bare_word,
    duplicate_variable,
    undefined_variable,
    circular_reference,
    quote_in_string,
    unclosed_string,
    malformed_action_name,
    blank_inside_token,
    too_many_faults,
)
