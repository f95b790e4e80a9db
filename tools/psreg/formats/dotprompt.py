"""A `.prompt` file as a typed document; positions are offsets into the file's own text.

`read` never raises: it returns what it understood plus issues. A file whose structure
is wrong is not `readable` and cannot be rendered; everything else is forgiven by a renderer and
judged by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from psreg.core.dataclass import dataclass, field
from psreg.core.diagnostics import Change, Issue, Span
from psreg.core.spelling import meant
from psreg.formats.dotprompt_sections import (
    CONTENT,
    DEFAULTS,
    METADATA,
    Entry,
    Header,
    Sections,
    cut,
    help_texts,
)
from psreg.formats.dotprompt_source import (
    BLANKS,
    BOM,
    Braces,
    Excerpt,
    Source,
    line_end,
    scan,
    without_comments,
)

T = TypeVar("T")

MAX_BYTES = 262_144
"""Size of the largest `.prompt` psreg reads: 256 KiB."""

VERSION_KEY = "dotprompt_format_version"
SUPPORTED_VERSIONS = ("0.0.1",)
MESSAGES_KEY = "messages"
"""The key in METADATA that names the roles of messages (`conversation.prompt_messages`)."""

MOST_BRACES = 20_000
"""The most variables and doubled braces in the text, each counted as often as it occurs."""

_BLANK_LINES = f"{BLANKS}\n"

_LIKE_A_HEADER = re.compile(r"^\[([A-Za-z_ -]{4,20})\]", re.MULTILINE)
_MOST_HEADERS = 100

_MOST_NESTED = 500
"""Comments in comments that are reported."""

_UNREADABLE = frozenset(
    ("PROMPT001", "PROMPT002", "PROMPT003", "PROMPT011", "PROMPT019", "PROMPT024")
)
"""Issues after which the text of a prompt is unknown or a guess."""

_SHAPE = "Write [METADATA], [DEFAULTS] if there are any, and [CONTENT], in this order."


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A `{name}` of CONTENT with all its spans; `default` is None if there is none."""

    name: str
    spans: tuple[Span, ...]
    default: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A `{{name}}`, which would be a variable if its braces were not doubled."""

    name: str
    span: Span


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property
class Prompt:
    """A `.prompt` file.

    `text` is the whole file, a byte-order mark included. `metadata` and `defaults` map keys to
    values, the last of two equal keys winning; `entries` has all of them. `content` has no
    comments and no blank lines around it and is ready for rendering; `variables` are in order of
    first use. `readable` is False where rendering is refused.
    """

    text: str
    readable: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    headers: tuple[Header, ...] = ()
    content: str = ""
    variables: tuple[Variable, ...] = ()
    literals: tuple[Literal, ...] = ()
    issues: tuple[Issue, ...] = ()

    @cached_property
    def contents(self) -> dict[tuple[str, ...] | None, Any]:
        """The text as content rules read it, by declared capabilities; they fill it in."""
        return {}

    @cached_property
    def help_texts(self) -> dict[str, str]:
        """What comments say about variables, by name (`dotprompt_sections.help_texts`)."""
        return help_texts(self.text, self.entries)

    def span(self, pointer: str) -> Span:
        """Return where the value at `/metadata/KEY` or `/defaults/KEY` is.

        What does not exist resolves to its section, and without that to the start of the file.
        """
        entry = self._entry(pointer)
        return entry.span if entry else self._header(pointer)

    def key_span(self, pointer: str) -> Span:
        """Return where the key at `pointer` is; see `span` for pointers to nothing."""
        entry = self._entry(pointer)
        return entry.key_span if entry else self._header(pointer)

    def _entry(self, pointer: str) -> Entry | None:
        return self._entries.get(pointer)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {f"/{entry.section.lower()}/{entry.key}": entry for entry in self.entries}

    def _header(self, pointer: str) -> Span:
        name = pointer.removeprefix("/").partition("/")[0].upper()
        return next((header.span for header in self.headers if header.name == name), Span(0, 0))


def read(data: bytes) -> Prompt:
    """Return the prompt in `data`; never raises."""
    if len(data) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES:,} bytes"
        hint = "a prompt this long fits no model; move its data into a variable"
        return _unreadable("", "PROMPT024", message, Span(0, 0), hint)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        hint = "the file looks like UTF-16; save it as UTF-8" if utf16 else "save the file as UTF-8"
        text = data.decode("utf-8", "replace")
        return _unreadable(text, "PROMPT001", message, Span(at, at + 1), hint)
    source = without_comments(text)
    if foreign := _front_matter(source):
        message = "this is a template with YAML front matter, a different format of the same suffix"
        return _unreadable(text, "PROMPT019", message, foreign, _SHAPE)
    return _understood(text, source)


def why_unreadable(prompt: Prompt) -> str:
    """Return why a prompt is not `readable`; "" if it is."""
    return next((issue.message for issue in prompt.issues if issue.code in _UNREADABLE), "")


def _unreadable(text: str, code: str, message: str, span: Span, hint: str) -> Prompt:
    return Prompt(text=text, issues=(Issue(code=code, message=message, span=span, hint=hint),))


def _front_matter(source: Source) -> Span | None:
    """Return the `---` that comes first, after blank lines and YAML comments (PROMPT-A22)."""
    for start, end in source.lines():
        line = source.text[start:end].rstrip(BLANKS)
        if line == "---":
            return source.excerpt.span(start, start + len(line))
        if line and not line.startswith("#"):
            return None
    return None


def _understood(text: str, source: Source) -> Prompt:
    sections = cut(source)
    metadata, defaults = (
        {e.key: e.value for e in sections.entries if e.section == name}
        for name in (METADATA, DEFAULTS)
    )
    content = source.excerpt.cut(_content_ranges(source, sections))
    braces, excess = _bounded(scan(content.text), content)
    issues = (
        *excess,
        *_file_issues(text, source),
        *sections.issues,
        *_missing_sections(source, sections, text),
        *_version_issues(sections, metadata),
        *_spanning_pairs(content, braces),
    )
    return Prompt(
        text=text,
        readable=not any(issue.code in _UNREADABLE for issue in issues),
        metadata=metadata,
        defaults=defaults,
        entries=sections.entries,
        headers=sections.headers,
        content=content.text,
        variables=_variables(content, braces, defaults),
        literals=tuple(
            Literal(name=use.name, span=content.span(use.start, use.end)) for use in braces.literals
        ),
        issues=issues,
    )


def _bounded(braces: Braces, content: Excerpt) -> tuple[Braces, tuple[Issue, ...]]:
    """Return `braces`, or an issue in place of more of them than anyone fills in."""
    pairs = (opening for opening, _ in braces.pairs)
    places = [*(use.start for use in braces.uses), *pairs]
    if len(places) <= MOST_BRACES:
        return braces, ()
    at = sorted(places)[MOST_BRACES]
    message = f"the text has more than {MOST_BRACES:,} variables and doubled braces"
    hint = "Move repeated parts into one variable."
    span = content.span(at, at + 1)
    return Braces(), (Issue(code="PROMPT024", message=message, span=span, hint=hint),)


def _content_ranges(source: Source, sections: Sections) -> Iterator[tuple[int, int]]:
    """Yield the lines of CONTENT that are sent, as ranges; all but the last with its line break.

    Lines that follow each other are one range. A line that held nothing but a comment is gone
    (PROMPT-A3), as are blank lines at either end (PROMPT-A2).
    """
    text = source.text
    runs = [run for lines in sections.content for run in source.without_blank_comments(*lines)]
    filled = [n for n, (start, end) in enumerate(runs) if text[start:end].strip(_BLANK_LINES)]
    if not filled:
        return
    *runs, (start, end) = runs[filled[0] : filled[-1] + 1]
    stop = start + len(text[start:end].rstrip(_BLANK_LINES))
    runs.append((start, line_end(text, stop, end)))
    start, end = runs[0]
    blank = end - start - len(text[start:end].lstrip(_BLANK_LINES))
    runs[0] = (text.rfind("\n", start, start + blank) + 1 or start, end)
    for start, end in runs[:-1]:
        yield start, end + 1
    yield runs[-1]


def _file_issues(text: str, source: Source) -> Iterator[Issue]:
    if text.startswith(BOM):
        message = "the file starts with a byte order mark"
        hint = "Save the file as UTF-8 without a byte order mark."
        mark = Span(0, len(BOM))
        marks = Span(0, len(text) - len(text.lstrip(BOM)))  # tools that add one may have run twice
        yield Issue(
            code="PROMPT018",
            message=message,
            span=mark,
            hint=hint,
            fix=(Change(marks, ""),),
            fix_title="delete the byte order mark",
        )
    if source.unclosed:
        message = "this comment is not closed, so it is part of the text"
        hint = "Close it with `%)`, or put a space between `(` and `%`."
        yield Issue(code="PROMPT004", message=message, span=source.unclosed, hint=hint)
    message = "this comment contains another `(%`, so it may end later than intended"
    hint = "Close it with `%)` where it should end; the text up to there is not sent."
    for comment in source.nested[:_MOST_NESTED]:
        yield Issue(code="PROMPT029", message=message, span=comment, hint=hint)
    message = "this comment begins behind text, and may remove text that should be sent"
    hint = "Give the comment a line of its own, or put a space between `(` and `%`."
    for comment in source.torn[:_MOST_NESTED]:
        yield Issue(code="PROMPT029", message=message, span=comment, hint=hint)


def _missing_sections(source: Source, sections: Sections, text: str) -> Iterator[Issue]:
    found = {header.name for header in sections.headers}
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    for name, at in ((METADATA, start), (CONTENT, end)):
        if name not in found:
            message = f"section [{name}] is missing"
            spelled = _misspelt(source, name)
            yield Issue(
                code="PROMPT003",
                message=message,
                span=spelled or Span(at, at),
                hint=f"Write `[{name}]` here." if spelled else _SHAPE,
            )


def _misspelt(source: Source, name: str) -> Span | None:
    """Return what is probably meant as the header of section `name`; None if nothing is."""
    lines = islice(_LIKE_A_HEADER.finditer(source.text), _MOST_HEADERS)
    found = (source.excerpt.span(*line.span()) for line in lines if meant(line[1], [name]))
    return next(found, None)


def _version_issues(sections: Sections, metadata: Mapping[str, str]) -> Iterator[Issue]:
    version = metadata.get(VERSION_KEY)
    if version is None or version in SUPPORTED_VERSIONS:
        return
    entry = [e for e in sections.entries if (e.section, e.key) == (METADATA, VERSION_KEY)][-1]
    supported = ", ".join(SUPPORTED_VERSIONS)
    message = f"format version {version!r} is not supported; supported: {supported}"
    hint = f"Write `@{VERSION_KEY} {SUPPORTED_VERSIONS[-1]}`."
    span = entry.span if version else entry.key_span
    right = version.strip("\"'`vV. ")
    sure = right in SUPPORTED_VERSIONS and len(version) == span.end - span.start
    yield Issue(
        code="PROMPT011",
        message=message,
        span=span,
        hint=hint,
        fix=(Change(span, right),) if sure else (),
        fix_title=f"write the version as `{right}`" if sure else "",
    )


def _spanning_pairs(content: Excerpt, braces: Braces) -> Iterator[Issue]:
    message = "this `{{` is closed on a later line, so both stay doubled in the output"
    hint = "Open and close a literal pair on one line, or write single braces."
    for opening, _ in sorted(braces.spanning):
        span = content.span(opening, opening + 2)
        yield Issue(code="PROMPT012", message=message, span=span, hint=hint)


def _variables(
    content: Excerpt, braces: Braces, defaults: Mapping[str, str]
) -> tuple[Variable, ...]:
    places: dict[str, list[Span]] = {}
    for use in braces.uses:
        places.setdefault(use.name, []).append(content.span(use.start, use.end))
    return tuple(
        Variable(name=name, spans=tuple(spans), default=defaults.get(name))
        for name, spans in places.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """The final text, without a final line break.

    `missing` names the variables that stay as `{name}`, in order of first use; `unknown` the given
    values that the prompt has neither a variable nor a default for.
    """

    text: str
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def render(prompt: Prompt, values: Mapping[str, str], *, squeeze: bool = False) -> Rendering:
    """Fill in `prompt`: a given value, even an empty one, wins over a default.

    `squeeze` drops the blank lines of the prompt's own text (PROMPT-A2).

    Raises:
        ValueError: the prompt is not `readable`.
    """
    if not prompt.readable:
        raise ValueError("a prompt that is not readable cannot be rendered")
    known = {**prompt.defaults, **values}
    content = _squeezed(prompt.content) if squeeze else prompt.content
    names = [variable.name for variable in prompt.variables]
    return Rendering(
        text=_filled(content, known),
        missing=tuple(name for name in names if name not in known),
        unknown=tuple(name for name in values if name not in {*names, *prompt.defaults}),
    )


def parts(prompt: Prompt) -> Iterator[str | Variable]:
    """Yield CONTENT as literal texts, in which doubled braces are single, and variables."""
    yield from _parts(prompt.content, {variable.name: variable for variable in prompt.variables})


def _filled(content: str, known: Mapping[str, str]) -> str:
    return "".join(_parts(content, known))


def _parts(content: str, known: Mapping[str, T]) -> Iterator[str | T]:
    """Yield literal texts, and what is known of each variable; without that, it is literal."""
    braces = scan(content)
    edits: list[tuple[int, int, str | T]] = [
        (use.start, use.end, known[use.name]) for use in braces.uses if use.name in known
    ]
    for opening, closing in braces.pairs:
        edits += [(opening, opening + 2, "{"), (closing, closing + 2, "}")]
    done = 0
    for start, end, what in sorted(edits, key=itemgetter(0)):
        yield content[done:start]
        yield what
        done = end
    yield content[done:]


def _squeezed(content: str) -> str:
    return "\n".join(line for line in content.split("\n") if line.strip(BLANKS))
