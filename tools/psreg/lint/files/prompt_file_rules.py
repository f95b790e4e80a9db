"""Rules about a `.prompt` file as a whole: its bytes, its format, its sections."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.rule import rule
from psreg.formats.dotprompt import Prompt
from psreg.lint.reported import of_issues


@rule("PROMPT001", spec="dotprompt-0.0.1/PROMPT-01", severity=ERROR)
def not_utf8(prompt: Prompt) -> Iterator[Finding]:
    """The file is not UTF-8.

    ## Why

    A `.prompt` file is UTF-8 text. Bytes in another encoding mean different characters to different
    programs, so nobody can say which text the model would get. Nothing else in the file is judged
    until it can be decoded, and it cannot be rendered. Half of a surrogate pair, written as three
    bytes, is no UTF-8 either.

    ## Fix

    Save the file as UTF-8; every editor offers it. On the command line:

    ```
    iconv -f WINDOWS-1252 -t UTF-8 old.prompt > new.prompt
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT001")


@rule("PROMPT002", spec="dotprompt-0.0.1/PROMPT-02 dotprompt-0.0.1/PROMPT-A17", severity=ERROR)
def section_order(prompt: Prompt) -> Iterator[Finding]:
    """A section comes too early, too late, or twice.

    ## Why

    The order is fixed: `[METADATA]`, then `[DEFAULTS]` if there are any, then `[CONTENT]`, each
    once. Readers of a file rely on it, and a program that finds a second `[CONTENT]` cannot know
    which one is meant, so rendering is refused. The same holds for a line inside CONTENT that is
    exactly a header: sent to a model, a forgotten `[DEFAULTS]` block would be part of the prompt.

    ## Fix

    Move the section to its place, or join the two of the same name.

    ```
    [DEFAULTS]                          [METADATA]
    @tone friendly                      @dotprompt_format_version 0.0.1
    [METADATA]                    →     [DEFAULTS]
    @dotprompt_format_version 0.0.1     @tone friendly
    [CONTENT]                           [CONTENT]
    ```

    If your prompt has to show such a line to the model, put something else on it, for instance
    quotation marks: `"[METADATA]"`.
    """
    yield from of_issues(prompt.issues, "PROMPT002")


@rule("PROMPT003", spec="dotprompt-0.0.1/PROMPT-03", severity=ERROR)
def missing_section(prompt: Prompt) -> Iterator[Finding]:
    """The file has no `[METADATA]` or no `[CONTENT]`.

    ## Why

    `[CONTENT]` holds the text for the model; a file without it has nothing to say. `[METADATA]`
    states the version of the format, without which no program can know how to read the rest. Only
    `[DEFAULTS]` may be left out.

    ## Fix

    Add the header on a line of its own, spelled exactly so. The smallest complete file:

    ```
    [METADATA]
    @dotprompt_format_version 0.0.1
    [CONTENT]
    Summarise {text} in three sentences.
    ```

    A header inside a comment `(% … %)` is no header: look for a comment that was closed too late.
    """
    yield from of_issues(prompt.issues, "PROMPT003")


@rule("PROMPT015", spec="dotprompt-0.0.1/PROMPT-A16", severity=WARNING)
def header_spelling(prompt: Prompt) -> Iterator[Finding]:
    """A section header is not spelled exactly `[METADATA]`, `[DEFAULTS]` or `[CONTENT]`.

    ## Why

    The format knows the three headers in capitals, without blanks inside the brackets, at the start
    of a line. psreg also understands `[content]`, `[ CONTENT ]` and an indented header, because
    such files exist; other programs may take the line for text and then miss a whole section.
    Inside CONTENT only the exact form counts, so that ordinary text in brackets stays text.

    ## Fix

    ```
    [ Content ]     →     [CONTENT]
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT015")


@rule("PROMPT018", spec="dotprompt-0.0.1/PROMPT-A21", severity=WARNING)
def byte_order_mark(prompt: Prompt) -> Iterator[Finding]:
    """The file begins with a byte-order mark.

    ## Why

    UTF-8 needs no byte-order mark. It is an invisible character before the first header, and a
    program that does not expect it finds no `[METADATA]` at the start of the file. psreg leaves it
    out of what it renders.

    ## Fix

    Save the file as "UTF-8" instead of "UTF-8 with BOM", or strip its first three bytes:

    ```
    tail -c +4 with-mark.prompt > my.prompt
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT018")


@rule("PROMPT019", spec="dotprompt-0.0.1/PROMPT-A22", severity=ERROR)
def foreign_format(prompt: Prompt) -> Iterator[Finding]:
    """The file is a `.prompt` of another ecosystem, with YAML front matter.

    ## Why

    Two formats share the suffix. One begins with settings between two `---` lines, followed by a
    Handlebars template in which `{{name}}` is a variable. The one psreg publishes has sections in
    brackets, and there `{name}` is a variable and `{{name}}` a literal. Read as the wrong one,
    every variable would be sent to the model unfilled, so psreg says what it found and stops.

    ## Fix

    Move the settings to METADATA, the defaults to DEFAULTS, and write variables with single braces.

    ```
    ---                                 [METADATA]
    model: some-model                   @dotprompt_format_version 0.0.1
    ---                           →     @model_tested some-model
    Translate {{text}}.                 [CONTENT]
                                        Translate {text}.
    ```

    Blocks such as `{{#if}}` have no counterpart; write the cases out or make two prompts.
    """
    yield from of_issues(prompt.issues, "PROMPT019")


@rule("PROMPT024", spec="dotprompt-0.0.1/PROMPT-01", severity=ERROR)
def file_too_large(prompt: Prompt) -> Iterator[Finding]:
    """The file is larger than 1 MiB.

    ## Why

    A prompt is text that a person wrote and another person reviews; a mebibyte is a thousand pages.
    Files beyond that are data that got into the prompt by mistake, and reading them would let one
    entry slow down everybody's checks. The file is not read at all.

    ## Fix

    Take the data out and let the user bring it in through a variable.

    ```
    Answer from this handbook:          Answer from this handbook:
    (900 pages)                   →     {handbook}
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT024")
