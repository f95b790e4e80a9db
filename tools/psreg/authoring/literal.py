"""Any text as the CONTENT of a `.prompt` that renders to exactly this text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from psreg.core.dataclass import dataclass
from psreg.formats import dotprompt
from psreg.formats.dotprompt_sections import ORDER
from psreg.formats.dotprompt_source import BLANKS, Use, comment_ranges, scan

_BLANK_LINES = f"{BLANKS}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A `.prompt` made of a text, and the variables in it that the text did not mean as such."""

    data: bytes
    unmeant: tuple[str, ...] = ()


def trimmed(text: str) -> str:
    """Return `text` without blank lines before it and blanks after it, which no `.prompt` keeps."""
    blank = len(text) - len(text.lstrip(_BLANK_LINES))
    return text[text.rfind("\n", 0, blank) + 1 :].rstrip(_BLANK_LINES)


def wrapped(
    text: str, variables: Mapping[str, str | None], metadata: Iterable[tuple[str, str]]
) -> Wrapped:
    """Return the `.prompt` that renders to `text`, with the defaults of `variables` filled in.

    All braces in `text` are literal but those around the names of `variables`.

    Raises:
        ValueError: no `.prompt` renders to it; the message says what it contains.
    """
    defaults = {name: default for name, default in variables.items() if default is not None}
    said = _filled(text, defaults)
    head = "".join(_head(variables, metadata))
    for content in _ways(text, variables):
        data = f"{head}[CONTENT]\n{content}\n".encode()
        prompt = dotprompt.read(data)
        same = prompt.readable and prompt.defaults == defaults
        if same and dotprompt.render(prompt, {}).text == said:
            names = (variable.name for variable in prompt.variables)
            return Wrapped(data=data, unmeant=tuple(n for n in names if n not in variables))
    raise ValueError(_reason(text, len(head.encode()) + len(text.encode())))


def _ways(text: str, variables: Mapping[str, str | None]) -> Iterator[str]:
    """Yield `text` as CONTENT in which only `variables` are variables, then with more of them."""
    braces = scan(text)
    uses = [use for use in braces.uses if use.name not in variables]
    yield _doubled(text, uses, braces.pairs)
    # NOTE: in `{{x}`, doubled braces around `x` would mean something else.
    yield _doubled(
        text, [use for use in uses if text[use.start - 1 : use.start] != "{"], braces.pairs
    )


def _doubled(text: str, uses: Iterable[Use], pairs: Iterable[tuple[int, int]]) -> str:
    edits = [(use.start, use.end, f"{{{{{use.name}}}}}") for use in uses]
    for opening, closing in pairs:
        edits += [(opening, opening + 2, "{{{{"), (closing, closing + 2, "}}}}")]
    parts, done = [], 0
    for start, end, what in sorted(edits):
        parts += [text[done:start], what]
        done = end
    return "".join([*parts, text[done:]])


def _filled(text: str, defaults: Mapping[str, str]) -> str:
    """Return `text` with the default of each variable in its place."""
    parts, done = [], 0
    for use in scan(text).uses if defaults else ():
        parts += [text[done : use.start], defaults.get(use.name, text[use.start : use.end])]
        done = use.end
    return "".join([*parts, text[done:]])


def _head(
    variables: Mapping[str, str | None], metadata: Iterable[tuple[str, str]]
) -> Iterator[str]:
    yield f"[METADATA]\n@{dotprompt.VERSION_KEY} {dotprompt.SUPPORTED_VERSIONS[-1]}\n"
    yield from (f"@{key} {value}\n" for key, value in metadata)
    defaults = [(name, value) for name, value in variables.items() if value is not None]
    if defaults:
        yield "\n[DEFAULTS]\n"
    yield from (f"@{name} {value}\n" for name, value in defaults)
    yield "\n"


def _reason(text: str, size: int) -> str:
    """Return what in `text` no `.prompt` can have."""
    if size > dotprompt.MAX_BYTES:
        return f"it has {size:,} bytes; a `.prompt` has at most {dotprompt.MAX_BYTES:,}"
    if any(True for _ in comment_ranges(text)):
        return "it contains `(% … %)`, which is a comment in a `.prompt`"
    if any(f"\n[{name}]\n" in f"\n{text}\n" for name in ORDER):
        return "it contains the header of a section of a `.prompt`"
    return "a `.prompt` cannot have a default that it states"
