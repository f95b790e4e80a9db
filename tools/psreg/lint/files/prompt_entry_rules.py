"""Rules about the entries of METADATA and DEFAULTS."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, WARNING, Change, Finding
from psreg.core.rule import rule
from psreg.formats.dotprompt import SUPPORTED_VERSIONS, VERSION_KEY, Prompt
from psreg.lint.reported import of_issues

_OTHER_KEY = "format_version"
"""What the authors' own files and reference implementation write (READINGS PROMPT-A1)."""


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
