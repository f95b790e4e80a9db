"""The rules about PLSP: blocks, statements and traces; `PLSP_RULES` lists them."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
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


PLSP_RULES: tuple[Rule[Part], ...] = (
    no_block,
    unclosed_block,
    text_around_block,
    several_blocks,
    comment_in_block,
    unknown_statement,
    empty_statement,
    last_semicolon_missing,
    statement_not_ended,
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
