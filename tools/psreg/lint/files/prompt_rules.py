"""The rules about `.prompt` files: sections, metadata, comments and variables; `PROMPT_RULES`."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Change, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.core.spelling import meant
from psreg.formats.dotprompt import SUPPORTED_VERSIONS, VERSION_KEY, Prompt
from psreg.formats.json.syntax_error import shown
from psreg.lint.content.clarity_rules import says_nothing
from psreg.lint.parser_findings import of_issues

_OTHER_KEY = "format_version"
"""What the authors' own files and reference implementation write (PROMPT-A1)."""


@rule("PROMPT001", spec="dotprompt-0.0.1/PROMPT-01", severity=ERROR)
def not_utf8(prompt: Prompt) -> Iterator[Finding]:
    """The file is not UTF-8.

    ## Why

    A `.prompt` file is UTF-8 text. Bytes in another encoding mean different characters to different
    programs, so it is unclear which text the model would receive. psreg checks nothing else in the
    file until it can decode it, and cannot render it. Half of a surrogate pair, written as three
    bytes, is not UTF-8 either.

    ## Fix

    Save the file as UTF-8; every editor offers this. On the command line:

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
    once. Programs rely on it, and cannot know which of two `[CONTENT]` sections is meant, so psreg
    refuses to render the file. The same applies to a line inside CONTENT that is exactly a header:
    a forgotten `[DEFAULTS]` block would be sent to the model as part of the prompt.

    ## Fix

    Move the section to its position, or merge the two sections of the same name.

    ```
    [DEFAULTS]                          [METADATA]
    @tone friendly                      @dotprompt_format_version 0.0.1
    [METADATA]                    →     [DEFAULTS]
    @dotprompt_format_version 0.0.1     @tone friendly
    [CONTENT]                           [CONTENT]
    ```

    If your prompt has to show such a line to the model, put other characters around it, for example
    quotation marks: `"[METADATA]"`.
    """
    yield from of_issues(prompt.issues, "PROMPT002")


@rule("PROMPT003", spec="dotprompt-0.0.1/PROMPT-03", severity=ERROR)
def missing_section(prompt: Prompt) -> Iterator[Finding]:
    """The file has no `[METADATA]` or no `[CONTENT]`.

    ## Why

    `[CONTENT]` holds the text for the model, so a file without it has nothing to send. `[METADATA]`
    states the version of the format; without it a program cannot know how to read the rest. Only
    `[DEFAULTS]` is optional.

    ## Fix

    Add the header on a line of its own, spelled exactly as shown. The smallest complete file:

    ```
    [METADATA]
    @dotprompt_format_version 0.0.1
    [CONTENT]
    Summarise {text} in three sentences.
    ```

    A header inside a comment `(% … %)` does not count: look for a comment that ends too late.
    """
    yield from of_issues(prompt.issues, "PROMPT003")


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


@rule(
    "PROMPT007",
    spec="dotprompt-0.0.1/PROMPT-07 dotprompt-0.0.1/PROMPT-A15",
    severity=ERROR,
    read=WARNING,
)
def duplicate_key(prompt: Prompt) -> Iterator[Finding]:
    """A section has the same key twice.

    ## Why

    Keys are unique within `[METADATA]` and within `[DEFAULTS]`. If a key has two values, the last
    one wins, and an edit of the first one has no effect. A key may be in both sections, where it
    means two different things.

    ## Fix

    Keep the value that you mean and delete the other line, or rename one of the keys.

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
            message = f"`@{entry.key}` is in [{entry.section}] twice; the last one counts"
            yield Finding(message=message, at=entry.key_span, hint="Keep one of them.")
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
    """A line outside CONTENT is not an entry and is ignored.

    ## Why

    In METADATA and DEFAULTS a line has the form `@key value`: an `@`, a key of letters, digits, `-`
    and `_`, one space, and the value. Programs skip anything else silently, so a typing error loses
    a value. The same applies to text before the first section. For a value of several lines, write
    `@key >` and put the lines below it; none of them may start with `@`.

    ## Fix

    ```
    @tone                   →     @tone friendly
    @reading level easy     →     @reading_level easy
    a note to myself        →     (% a note to myself %)
    ```

    To set an empty value, write `@key ` with a space at its end.
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

    This is the only mandatory entry: it tells a program which version of the format to use for
    reading the file, today and after the format has changed. Many existing files say
    `@format_version`, the key of the authors' reference implementation; the specification uses the
    longer one. psreg can read and render such a file, but does not publish it.

    ## Fix

    Add the entry below `[METADATA]`, or rename the existing one.

    ```
    [METADATA]                    [METADATA]
    @format_version 0.0.1   →     @dotprompt_format_version 0.0.1
    ```
    """
    place = next((header.span for header in prompt.headers if header.name == "METADATA"), None)
    if place is None or VERSION_KEY in prompt.metadata:
        return  # without a METADATA there is nothing to put it into: PROMPT003 speaks
    others = [e for e in prompt.entries if e.section == "METADATA" and _is_meant(e.key)]
    message = f"[METADATA] has no `@{VERSION_KEY}`"
    line = f"@{VERSION_KEY} {SUPPORTED_VERSIONS[-1]}"
    if not others:
        newline = "\r\n" if prompt.text.startswith("\r\n", place.end) else "\n"
        yield Finding(
            message=message,
            at=place,
            hint=f"Add `{line}`.",
            read=WARNING,
            fix=(Change(Span(place.end, place.end), f"{newline}{line}"),),
            fix_title=f"add `{line}`",
        )
    else:
        title = f"rename `@{others[0].key}` to `@{VERSION_KEY}`"
        # A second one, or a version we do not know, is a decision for the author.
        sure = len(others) == 1 and others[0].value in SUPPORTED_VERSIONS
        yield Finding(
            message=message,
            at=others[0].key_span,
            hint=f"R{title[1:]}.",
            read=WARNING,
            fix=(Change(others[0].key_span, VERSION_KEY),) if sure else (),
            fix_title=title,
        )


def _is_meant(key: str) -> bool:
    """Tell whether a key is probably meant as the one of the format's version."""
    return key == _OTHER_KEY or meant(key, [VERSION_KEY, _OTHER_KEY]) is not None


@rule("PROMPT011", spec="dotprompt-0.0.1/PROMPT-10", severity=ERROR)
def unsupported_format_version(prompt: Prompt) -> Iterator[Finding]:
    """The value of `@dotprompt_format_version` is not a supported version.

    ## Why

    The same characters may mean something else in another version. psreg supports version 0.0.1 and
    refuses to render other versions rather than guess. The entry states the version of the
    *format*; the version of your prompt is the name of its folder.

    ## Fix

    ```
    @dotprompt_format_version 1.2     →     @dotprompt_format_version 0.0.1
                                            @version 1.2.0
    ```

    If the file was written for a newer version of the format, update psreg.
    """
    yield from of_issues(prompt.issues, "PROMPT011")


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


@rule("PROMPT015", spec="dotprompt-0.0.1/PROMPT-A16", severity=WARNING)
def header_spelling(prompt: Prompt) -> Iterator[Finding]:
    """A section header is not spelled exactly `[METADATA]`, `[DEFAULTS]` or `[CONTENT]`.

    ## Why

    The format defines three headers, in capitals, without spaces inside the brackets, at the start
    of a line. psreg also accepts `[content]`, `[ CONTENT ]` and an indented header, because such
    files exist. Other programs may read the line as text and miss a whole section. Inside CONTENT
    only the exact form is a header, so that ordinary text in brackets stays text.

    ## Fix

    ```
    [ Content ]     →     [CONTENT]
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT015")


@rule("PROMPT016", spec="dotprompt-0.0.1/PROMPT-A14", severity=WARNING)
def two_spaces_after_key(prompt: Prompt) -> Iterator[Finding]:
    """There is more than one space between a key and its value.

    ## Why

    The format asks for a single space. psreg accepts more and trims them, but another program may
    treat the second space as part of the value or skip the line. You cannot align values in
    columns.

    ## Fix

    ```
    @name     Ana     →     @name Ana
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT016")


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


@rule("PROMPT018", spec="dotprompt-0.0.1/PROMPT-A21", severity=WARNING)
def byte_order_mark(prompt: Prompt) -> Iterator[Finding]:
    """The file starts with a byte order mark.

    ## Why

    UTF-8 does not need a byte order mark. It is an invisible character before the first header, and
    a program that does not expect it finds no `[METADATA]` at the start of the file. psreg leaves
    it out of the rendered text.

    ## Fix

    Save the file as "UTF-8" instead of "UTF-8 with BOM", or strip its first three bytes:

    ```
    tail -c +4 with-mark.prompt > my.prompt
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT018")


@rule("PROMPT019", spec="dotprompt-0.0.1/PROMPT-A22", severity=ERROR)
def foreign_format(prompt: Prompt) -> Iterator[Finding]:
    """The file is a `.prompt` file of another format, with YAML front matter.

    ## Why

    Two formats share the suffix. The other one begins with settings between two `---` lines,
    followed by a Handlebars template in which `{{name}}` is a variable. The format that psreg
    publishes has sections in brackets, and there `{name}` is a variable and `{{name}}` a literal.
    If psreg read the file as its own format, it would send every variable to the model unfilled, so
    it reports the difference and stops.

    ## Fix

    Move the settings to METADATA and the defaults to DEFAULTS, and write variables with single
    braces.

    ```
    ---                                 [METADATA]
    model: some-model                   @dotprompt_format_version 0.0.1
    ---                           →     @model_tested some-model
    Translate {{text}}.                 [CONTENT]
                                        Translate {text}.
    ```

    Blocks such as `{{#if}}` have no counterpart: write out the cases or make two prompts.
    """
    yield from of_issues(prompt.issues, "PROMPT019")


@rule("PROMPT024", spec="dotprompt-0.0.1/PROMPT-01", severity=ERROR)
def file_too_large(prompt: Prompt) -> Iterator[Finding]:
    """The file is larger than 1 MiB or has more than 10,000 entries.

    ## Why

    A prompt is text that one person writes and another reviews; one mebibyte is about a thousand
    pages. A larger file contains data that got into the prompt by mistake, and reading it would let
    one entry slow down everyone's checks. psreg does not read the file at all.

    ## Fix

    Take the data out of the prompt and let the user provide it through a variable.

    ```
    Answer from this handbook:          Answer from this handbook:
    (900 pages)                   →     {handbook}
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT024")


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
    if "{" not in prompt.content and says_nothing(prompt.content):
        what = f"says nothing: {shown(prompt.content)}"
    elif whose := copied_from(prompt.content, prompt.metadata.get("name", "")):
        what = f"is {whose}"
    if what:
        hint = "Write what the model should do."
        yield Finding(message=f"[CONTENT] {what}", at=header.span, hint=hint)


@rule("PROMPT026", spec="dotprompt-0.0.1/PROMPT-06", severity=WARNING, since="0.2.0")
def indented_entry(prompt: Prompt) -> Iterator[Finding]:
    """An entry of METADATA or DEFAULTS is indented.

    ## Why

    The format says that a valid line starts with `@`. psreg reads an indented entry, but another
    program may ignore the line, or take it for a part of the value above it.

    ## Fix

    ```
    [DEFAULTS]              [DEFAULTS]
      @tone friendly   →    @tone friendly
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT026")


@rule("PROMPT027", spec="dotprompt-0.0.1/PROMPT-06", severity=WARNING, since="0.2.0")
def key_without_letters(prompt: Prompt) -> Iterator[Finding]:
    """A key has no letter and no digit: `@- x`.

    ## Why

    Keys are alphanumeric and may also have hyphens and underscores. A key of nothing but these is
    usually an item of a list that was meant as text; another program may ignore the line.

    ## Fix

    Give the key a name, or write the lines below a key with `>`.

    ```
    @- be brief      →     @rules >
    @- be kind             - be brief
                           - be kind
    ```
    """
    for entry in prompt.entries:
        if not any(character.isalnum() for character in entry.key):
            yield Finding(
                message=f"the key `{entry.key}` has no letter and no digit",
                at=entry.key_span,
                hint="Write a name, such as `@tone friendly`.",
            )


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
    for name in prompt.defaults if header else ():
        if name not in known:
            near = meant(name, undefined)
            yield Finding(
                message=f"no `{{{name}}}` in [CONTENT] uses this default",
                at=prompt.key_span(f"/defaults/{name}"),
                hint=f"Did you mean `@{near}`?" if near else "Use it, or delete it.",
            )


@rule("PROMPT029", spec="dotprompt-0.0.1/PROMPT-04", severity=WARNING, since="0.2.0")
def comment_in_comment(prompt: Prompt) -> Iterator[Finding]:
    """A comment contains another `(%`, so it may hide text that should be sent.

    ## Why

    Comments do not nest: the first `%)` ends a comment, on whatever line it is. If a comment lacks
    its own `%)`, it goes on to the end of the next one, and all text between the two is removed
    without a word.

    ## Fix

    End the first comment.

    ```
    (% for beginners                      (% for beginners %)
    Explain every term.              →    Explain every term.
    Use examples. (% or one only %)       Use examples. (% or one only %)
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT029")


VALIDATION = frozenset(("PROMPT008", "PROMPT014"))
"""The rules whose findings are errors in a validation (PROMPT-14), which is `check --strict`."""

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
    content_says_nothing,
    indented_entry,
    key_without_letters,
    unused_default,
    comment_in_comment,
)
