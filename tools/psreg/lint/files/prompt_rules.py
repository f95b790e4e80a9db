"""The rules of family PROMPT: what the `.prompt` format 0.0.1 asks of a file."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.dotprompt import SUPPORTED_VERSIONS, VERSION_KEY, Prompt
from psreg.lint.reported import of_issues

_OTHER_KEY = "format_version"
"""What the authors' own files and reference implementation write (READINGS PROMPT-A1)."""


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


@rule(
    "PROMPT007",
    spec="dotprompt-0.0.1/PROMPT-07 dotprompt-0.0.1/PROMPT-A15",
    severity=ERROR,
    read=WARNING,
)
def duplicate_key(prompt: Prompt) -> Iterator[Finding]:
    """A section has the same key twice.

    ## Why

    Keys are unique within `[METADATA]` and within `[DEFAULTS]`. With two values for one key,
    whoever edits the first one later wonders why nothing changes: the last one wins. A key may be
    in both sections, where it means two things.

    ## Fix

    Keep the value you mean and delete the other line, or rename one of the keys.

    ```
    @tone friendly
    @length short           →     @tone formal
    @tone formal                  @length short
    ```
    """
    seen: set[tuple[str, str]] = set()
    for entry in prompt.entries:
        name = (entry.section, entry.key)
        if name in seen:
            message = f"`@{entry.key}` is in [{entry.section}] a second time; the last one counts"
            yield Finding(message=message, at=entry.key_span, hint="keep one of them")
        seen.add(name)


@rule(
    "PROMPT008",
    spec=(
        "dotprompt-0.0.1/PROMPT-06 dotprompt-0.0.1/PROMPT-08 dotprompt-0.0.1/PROMPT-14"
        " dotprompt-0.0.1/PROMPT-A14"
    ),
    severity=WARNING,
)
def invalid_line(prompt: Prompt) -> Iterator[Finding]:
    """A line outside CONTENT means nothing and is ignored.

    ## Why

    In METADATA and DEFAULTS a line is `@key value`: an `@`, a key of letters, digits, `-` and `_`,
    one space, and the value. Anything else is skipped without a word by every program, so a slip of
    the finger silently loses a value. The same goes for text before the first section. For a value
    of several lines write `@key >` and put the lines below it, none of them starting with `@`.

    ## Fix

    ```
    @tone                   →     @tone friendly
    @reading level easy     →     @reading_level easy
    a note to myself        →     (% a note to myself %)
    ```

    An empty value is `@key ` with a space at its end.
    """
    yield from of_issues(prompt.issues, "PROMPT008")


@rule(
    "PROMPT010",
    spec="dotprompt-0.0.1/PROMPT-10 dotprompt-0.0.1/PROMPT-A1",
    severity=ERROR,
)
def missing_format_version(prompt: Prompt) -> Iterator[Finding]:
    """METADATA has no `@dotprompt_format_version`.

    ## Why

    It is the one mandatory entry: it tells a program by which version of the format to read the
    file, today and after the format has changed. Many files in the wild say `@format_version`, the
    key of the authors' reference implementation; the specification names the longer one. Such a
    file can be read and rendered, but not published.

    ## Fix

    Add the entry right below `[METADATA]`, or rename the one that is there.

    ```
    [METADATA]                    [METADATA]
    @format_version 0.0.1   →     @dotprompt_format_version 0.0.1
    ```
    """
    place = next((header.span for header in prompt.headers if header.name == "METADATA"), None)
    if place is None or VERSION_KEY in prompt.metadata:
        return  # without a METADATA there is nothing to put it into: PROMPT003 speaks
    others = [e for e in prompt.entries if (e.section, e.key) == ("METADATA", _OTHER_KEY)]
    message = f"[METADATA] has no `@{VERSION_KEY}`"
    if not others:
        hint = f"add `@{VERSION_KEY} {SUPPORTED_VERSIONS[-1]}`"
        yield Finding(message=message, at=place, hint=hint)
    else:
        hint = f"rename `@{_OTHER_KEY}` to `@{VERSION_KEY}`"
        # A second one, or a version we do not know, is a decision for the author.
        sure = len(others) == 1 and others[0].value in SUPPORTED_VERSIONS
        yield Finding(
            message=message,
            at=others[0].key_span,
            hint=hint,
            read=WARNING,
            fix=(Change(others[0].key_span, VERSION_KEY),) if sure else (),
            fix_title=hint,
        )


@rule("PROMPT011", spec="dotprompt-0.0.1/PROMPT-10", severity=ERROR)
def unsupported_format_version(prompt: Prompt) -> Iterator[Finding]:
    """The value of `@dotprompt_format_version` is no version that psreg knows.

    ## Why

    Another version may mean something else by the same characters. Rather than guess, psreg refuses
    to render the file. It knows version 0.0.1. The entry names the version of the *format*; the
    version of your prompt is the name of its folder.

    ## Fix

    ```
    @dotprompt_format_version 1.2     →     @dotprompt_format_version 0.0.1
                                            @version 1.2.0
    ```

    If the file was written for a newer version of the format, update psreg.
    """
    yield from of_issues(prompt.issues, "PROMPT011")


@rule("PROMPT016", spec="dotprompt-0.0.1/PROMPT-A14", severity=WARNING)
def two_spaces_after_key(prompt: Prompt) -> Iterator[Finding]:
    """There is more than one blank between a key and its value.

    ## Why

    The format asks for a single space. psreg takes more, and trims them; another program may take
    the second one as part of the value or skip the line. Values cannot be aligned in columns.

    ## Fix

    ```
    @name     Ana     →     @name Ana
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT016")


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


PROMPT_RULES: tuple[Rule[Prompt], ...] = (
    not_utf8,
    section_order,
    missing_section,
    unclosed_comment,
    duplicate_key,
    invalid_line,
    missing_format_version,
    unsupported_format_version,
    literal_spans_lines,
    literal_is_variable,
    undefined_variable,
    header_spelling,
    two_spaces_after_key,
    empty_content,
    byte_order_mark,
    foreign_format,
    file_too_large,
)
