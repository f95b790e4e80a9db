"""Rules about CONTENT: comments, braces, variables."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.formats.dotprompt import Prompt
from psreg.lint.reported import of_issues


@rule(
    "PROMPT004",
    spec="dotprompt-0.0.1/PROMPT-04 dotprompt-0.0.1/PROMPT-A9",
    severity=ERROR,
    read=WARNING,
)
def unclosed_comment(prompt: Prompt) -> Iterator[Finding]:
    """A comment `(%` is never closed by `%)`.

    ## Why

    Only text between `(%` and `%)` is a comment. Without the end nothing is enclosed, so the mark
    and all that follows stay in the file: a note meant for colleagues goes to the model. The first
    `%)` closes a comment, on whatever line it stands; comments do not nest.

    ## Fix

    ```
    (% ask Eva about this )     →     (% ask Eva about this %)
    ```

    If you mean the characters, keep them apart: `( %`.
    """
    yield from of_issues(prompt.issues, "PROMPT004")


@rule("PROMPT012", spec="dotprompt-0.0.1/PROMPT-12 dotprompt-0.0.1/PROMPT-A7", severity=WARNING)
def literal_spans_lines(prompt: Prompt) -> Iterator[Finding]:
    """A `{{` is closed by a `}}` on another line, so both stay doubled.

    ## Why

    `{{text}}` becomes `{text}` only when it opens and closes on the same line; so JSON or code with
    doubled braces of its own is left alone. Over several lines the output keeps `{{` and `}}`,
    which is rarely what the author of a JSON example had in mind. Variables in between are filled
    in.

    ## Fix

    A single brace that is not around a name is just a brace. Write JSON that spans lines plainly:

    ```
    {{                            {
      "name": "{name}"      →       "name": "{name}"
    }}                            }
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT012")


@rule("PROMPT013", spec="dotprompt-0.0.1/PROMPT-13 dotprompt-0.0.1/PROMPT-A5", severity=WARNING)
def literal_is_variable(prompt: Prompt) -> Iterator[Finding]:
    """A literal `{{name}}` has the name of a variable.

    ## Why

    Doubled braces make a literal: `{{name}}` comes out as `{name}`, whatever value `name` has. A
    reader may expect the value there, as in other template languages. Moreover, programs that
    first reduce the braces and then fill in variables would replace it, so that the output depends
    on the program.

    ## Fix

    If you mean the value, use single braces. If you mean the literal, give the variable another
    name, or put something else between the braces.

    ```
    Dear {{name}},     →     Dear {name},
    ```
    """
    known = {variable.name for variable in prompt.variables} | prompt.defaults.keys()
    for literal in prompt.literals:
        if literal.name in known:
            name = literal.name
            yield Finding(
                message=f"`{{{{{name}}}}}` is a literal, but `{name}` is a variable of this prompt",
                at=literal.span,
                hint=f"write `{{{name}}}` for its value, or use another name",
            )


@rule("PROMPT014", spec="dotprompt-0.0.1/PROMPT-11 dotprompt-0.0.1/PROMPT-14", severity=INFO)
def undefined_variable(prompt: Prompt) -> Iterator[Finding]:
    """A variable has no default: whoever uses the prompt must give a value.

    ## Why

    This is nothing wrong. A variable without an entry in DEFAULTS is a required input, and the
    catalogue lists it as one. It is worth a look all the same, because a misspelled name looks just
    like this: without a value, `{name}` goes to the model as it stands.

    ## Fix

    Nothing to do for a required input. Otherwise correct the name, or add a default:

    ```
    [DEFAULTS]
    @language English
    ```

    To show braces around a word that is no variable, double them: `{{word}}`.
    """
    for variable in prompt.variables:
        if variable.default is None:
            yield Finding(
                message=f"`{variable.name}` has no default, so it is a required input",
                at=variable.spans[0],
                hint="add it to [DEFAULTS] if it should be optional",
            )


@rule(
    "PROMPT017",
    spec="dotprompt-0.0.1/PROMPT-03 dotprompt-0.0.1/PROMPT-A20",
    severity=ERROR,
    read=WARNING,
)
def empty_content(prompt: Prompt) -> Iterator[Finding]:
    """CONTENT has no text.

    ## Why

    After comments and blank lines are gone, nothing is left to send to a model. Usually the text is
    inside a comment that ends too late, or stands above the header.

    ## Fix

    ```
    [CONTENT]                           [CONTENT]
    (% Summarise {text}. %)       →     Summarise {text}.
    ```
    """
    header = next((header for header in prompt.headers if header.name == "CONTENT"), None)
    if header and not prompt.content:
        yield Finding(message="[CONTENT] has no text", at=header.span)
