"""The rules about what a `.prompt` says: comments, literals, variables, defaults, CONTENT."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.regex import lazy
from psreg.core.rule import rule
from psreg.core.spelling import meant
from psreg.formats.dotprompt import MESSAGES_KEY, Prompt
from psreg.formats.dotprompt_source import NAME
from psreg.formats.json.syntax_error import shown
from psreg.lint.content.clarity_rules import says_nothing
from psreg.lint.parser_findings import of_issues


@rule(
    "PROMPT004",
    spec="dotprompt-0.0.1/PROMPT-04 dotprompt-0.0.1/PROMPT-A9",
    severity=ERROR,
    read=WARNING,
)
def unclosed_comment(prompt: Prompt) -> Iterator[Finding]:
    """A comment is opened with `(%` but never closed with `%)`.

    ## Why

    Only text between `(%` and `%)` is a comment. Without the end, the opening mark and everything
    after it stay in the file: a note meant for colleagues goes to the model. The first `%)` closes
    a comment, on any line; comments do not nest.

    ## Fix

    ```
    (% ask Eva about this )     →     (% ask Eva about this %)
    ```

    If you mean the characters, separate them: `( %`.
    """
    yield from of_issues(prompt.issues, "PROMPT004")


@rule("PROMPT012", spec="dotprompt-0.0.1/PROMPT-12 dotprompt-0.0.1/PROMPT-A7", severity=WARNING)
def literal_spans_lines(prompt: Prompt) -> Iterator[Finding]:
    """A `{{` is closed by a `}}` on another line, so both stay doubled.

    ## Why

    `{{text}}` becomes `{text}` only if it opens and closes on the same line, so that JSON or code
    with its own doubled braces stays unchanged. Across lines the output keeps `{{` and `}}`, which
    is rarely what the author of a JSON example intended. psreg fills in the variables between them.

    ## Fix

    A single brace that is not around a name is an ordinary character. Write JSON that spans lines
    with single braces:

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

    Doubled braces make a literal: `{{name}}` renders as `{name}`, whatever value `name` has. A
    reader may expect the value there, as in other template languages. Programs that first reduce
    the braces and then fill in variables would replace it, so the output depends on the program.

    ## Fix

    If you mean the value, use single braces. If you mean the literal, rename the variable, or put
    something else between the braces.

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
                hint=f"Write `{{{name}}}` for its value, or use another name.",
            )


@rule("PROMPT014", spec="dotprompt-0.0.1/PROMPT-11 dotprompt-0.0.1/PROMPT-14", severity=INFO)
def undefined_variable(prompt: Prompt) -> Iterator[Finding]:
    """A variable has no default, so users of the prompt must provide a value.

    ## Why

    This is not a mistake. A variable without an entry in DEFAULTS is a required input, and the
    catalogue lists it as one. But check the name, because a misspelled name looks the same: without
    a value, `{name}` goes to the model unchanged. `psreg check --strict` makes it an error, as the
    validation mode of the format does.

    ## Fix

    Do nothing if the input is required. Otherwise correct the name, or add a default:

    ```
    [DEFAULTS]
    @language English
    ```

    To show braces around a word that is not a variable, double them: `{{word}}`.
    """
    required = [variable for variable in prompt.variables if variable.default is None]
    names = [f"`{variable.name}`" for variable in required[:_LISTED]]
    if len(required) == 1:
        message = f"{names[0]} has no default, so it is a required input"
        hint = "Add it to [DEFAULTS] if it should be optional."
        yield Finding(message=message, at=required[0].spans[0], hint=hint)
    elif required:
        more = f" and {len(required) - _LISTED} more" if len(required) > _LISTED else ""
        yield Finding(
            message=f"{', '.join(names)}{more} have no default, so they are required inputs",
            at=required[0].spans[0],
            hint="Add those to [DEFAULTS] that should be optional.",
        )


_LISTED = 10
"""Variables that one message lists."""


@rule(
    "PROMPT017",
    spec="dotprompt-0.0.1/PROMPT-03 dotprompt-0.0.1/PROMPT-A20",
    severity=ERROR,
    read=WARNING,
)
def empty_content(prompt: Prompt) -> Iterator[Finding]:
    """CONTENT has no text.

    ## Why

    After psreg removes comments and blank lines, no text is left to send to a model. Usually the
    text is inside a comment that ends too late, or is above the header.

    ## Fix

    ```
    [CONTENT]                           [CONTENT]
    (% Summarise {text}. %)       →     Summarise {text}.
    ```
    """
    header = next((header for header in prompt.headers if header.name == "CONTENT"), None)
    if header and not prompt.content:
        yield Finding(message="[CONTENT] has no text", at=header.span)


@rule("PROMPT025", spec="dotprompt-0.0.1/PROMPT-A20", severity=WARNING, since="0.2.0")
def content_says_nothing(prompt: Prompt) -> Iterator[Finding]:
    """CONTENT is a text that says nothing: `.`, `n/a`, `none`, or a copied example.

    ## Why

    The text goes to a model as the whole of its instructions. A full stop or "n/a" is as good as an
    empty text: the answer has nothing to do with the prompt. The example of the specification, or
    the text of a prompt that psreg comes with, is a prompt of its own already.

    ## Fix

    Write what the model should do.

    ```
    [CONTENT]            [CONTENT]
    n/a            →     Summarise {text} in three sentences.
    ```
    """
    header = next((header for header in prompt.headers if header.name == "CONTENT"), None)
    if not header or not prompt.content:
        return
    from psreg.lint.copied_texts import copied_from  # noqa: PLC0415 - reads the examples

    what = ""
    others = prompt.variables or prompt.defaults or "\n" in prompt.content
    if not ("{" in prompt.content and others) and says_nothing(prompt.content):
        what = f"says nothing: {shown(prompt.content)}"
    elif whose := copied_from(prompt.content, prompt.metadata.get("name", "")):
        what = f"is {whose}"
    if what:
        hint = "Write what the model should do."
        yield Finding(message=f"[CONTENT] {what}", at=header.span, hint=hint)


@rule("PROMPT028", spec="dotprompt-0.0.1/PROMPT-11", severity=WARNING, since="0.2.0")
def unused_default(prompt: Prompt) -> Iterator[Finding]:
    """A default belongs to no variable of CONTENT.

    ## Why

    A default without a variable has no effect. Usually the variable in CONTENT is spelled
    differently and stays as `{name}` in the text that is sent, or it was removed.

    ## Fix

    Use the variable, correct its name, or delete the default.

    ```
    [DEFAULTS]                 [DEFAULTS]
    @langauge English          @language English
    [CONTENT]             →    [CONTENT]
    Answer in {language}.      Answer in {language}.
    ```
    """
    header = next((header for header in prompt.headers if header.name == "CONTENT"), None)
    variables = [variable.name for variable in prompt.variables]
    known = {*variables, *(literal.name for literal in prompt.literals)}
    undefined = [name for name in variables if name not in prompt.defaults]
    found = [(match[1], match[0]) for match in _WITH_BLANKS.finditer(prompt.content)]
    blanked = dict(reversed(found))
    for name in prompt.defaults if header else ():
        if name not in known:
            yield Finding(
                message=f"no `{{{name}}}` in [CONTENT] uses this default",
                at=prompt.key_span(f"/defaults/{name}"),
                hint=_hint_for_unused(name, undefined, blanked.get(name)),
            )


_WITH_BLANKS = lazy(rf"\{{(?=\s|{NAME}\s)\s{{0,9}}({NAME})\s{{0,9}}\}}")
"""What is not a variable because of the blanks around its name."""


def _hint_for_unused(name: str, undefined: list[str], blanked: str | None) -> str:
    if near := meant(name, undefined):
        return f"Did you mean `@{near}`?"
    return f"Write `{{{name}}}` in place of `{blanked}`." if blanked else "Use it, or delete it."


@rule("PROMPT029", spec="dotprompt-0.0.1/PROMPT-04", severity=WARNING, since="0.2.0")
def comment_in_comment(prompt: Prompt) -> Iterator[Finding]:
    """A comment contains another `(%` or begins behind text, so it may hide text.

    ## Why

    Comments do not nest: the first `%)` ends a comment, on whatever line it is. If a comment lacks
    its own `%)`, it goes on to the end of the next one, and all text between the two is removed
    without a word. A comment that begins behind text and ends in another line, or behind a `)` of
    its own, is perhaps none: of "50 (% of all) or 30 %)", only "50 " is sent.

    ## Fix

    End the first comment, or give it a line of its own. Write `( %` for a percent sign in brackets.

    ```
    (% for beginners                      (% for beginners %)
    Explain every term.              →    Explain every term.
    Use examples. (% or one only %)       Use examples. (% or one only %)
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT029")


@rule("PROMPT030", spec="registry/MESSAGES", severity=WARNING, since="0.2.0")
def other_messages(prompt: Prompt) -> Iterator[Finding]:
    """`@messages` names other messages than CONTENT has.

    ## Why

    A prompt may be several messages: `@messages` in METADATA names their roles, and in CONTENT each
    message begins with a line of its role. If the two differ, the whole text is one message of the
    user for the programs that psreg exports to. Roles are `system`, `developer`, `user` and
    `assistant`.

    ## Fix

    Write the roles and the lines alike. To send one message of the user, delete the key.

    ```
    [METADATA]                    [METADATA]
    @messages system, user        @messages system, user
    [CONTENT]                     [CONTENT]
    system:                       system:
    Translate into French.   →    Translate into French.
    User:                         user:
    {text}                        {text}
    ```
    """
    if MESSAGES_KEY not in prompt.metadata:
        return
    from psreg.formats.conversation.prompt_messages import (  # noqa: PLC0415 - few prompts have any
        ROLES,
        messages,
        roles_named,
    )

    if messages(prompt):
        return
    other = next((role for role in roles_named(prompt) or [""] if role not in ROLES), None)
    if other is None:
        message = "[CONTENT] has other lines of roles than `@messages` names"
        hint = "Begin each message with a line of its role, or delete the key."
    else:
        message = f"`@messages` names {shown(other)}, which is not a role"
        hint = f"Name roles: {', '.join(f'`{role}`' for role in ROLES)}."
    yield Finding(message=message, at=prompt.span(f"/metadata/{MESSAGES_KEY}"), hint=hint)
