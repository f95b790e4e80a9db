"""The rules about `.prompt` files: sections, metadata and lines; `PROMPT_RULES` lists all."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.core.spelling import meant
from psreg.formats.dotprompt import SUPPORTED_VERSIONS, VERSION_KEY, Prompt
from psreg.lint.files.prompt_text_rules import (
    comment_in_comment,
    content_says_nothing,
    empty_content,
    literal_is_variable,
    literal_spans_lines,
    other_messages,
    unclosed_comment,
    undefined_variable,
    unused_default,
)
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
    """The file is larger than 256 KiB or has more than 10,000 entries or 20,000 variables.

    ## Why

    A prompt is text that one person writes and another reviews; 256 KiB are about 40,000 words, a
    novel. A larger file contains data that got into the prompt by mistake, and reading it would let
    one entry slow down everyone's checks. psreg does not read the file at all. The same applies to
    more variables than anyone fills in; each counts as often as it occurs, and so does each pair of
    doubled braces.

    ## Fix

    Take the data out of the prompt and let the user provide it through a variable.

    ```
    Answer from this handbook:          Answer from this handbook:
    (200 pages)                   →     {handbook}
    ```
    """
    yield from of_issues(prompt.issues, "PROMPT024")


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
    other_messages,
)
