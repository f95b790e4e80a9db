"""Any text as the CONTENT of a `.prompt` that renders to exactly this text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from psreg.core.dataclass import dataclass
from psreg.formats import dotprompt
from psreg.formats.dotprompt_sections import ORDER
from psreg.formats.dotprompt_source import BLANKS, NAME, Use, comment_ranges, scan

_BLANK_LINES = f"{BLANKS}\n"
_TOO_MANY = "PROMPT024"
_BRACED = re.compile(rf"(?<!\{{)(\{{++)({NAME})(\}}++)")


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

    Each `{name}` of one of the `variables` is a variable; all other braces in `text` are literal.

    Raises:
        ValueError: no `.prompt` renders to it; the message says what it contains.
    """
    defaults = {name: default for name, default in variables.items() if default is not None}
    meant = _meant(text, variables)
    head = "".join(_head(variables, metadata))
    limits = dict[str, None]()
    for content in _ways(text, variables):
        data = f"{head}[CONTENT]\n{content}\n".encode()
        prompt = dotprompt.read(data)
        same = prompt.readable and prompt.defaults == defaults
        if same and _read(prompt, variables) == meant:
            names = (variable.name for variable in prompt.variables)
            return Wrapped(data=data, unmeant=tuple(n for n in names if n not in variables))
        limits |= {each.message: None for each in prompt.issues if each.code == _TOO_MANY}
    has_defaults = prompt.defaults == defaults
    size = len(head.encode()) + len(text.encode())
    raise ValueError(_reason(text, size, [*limits], has_defaults=has_defaults))


def _meant(text: str, variables: Mapping[str, str | None]) -> list[str]:
    """Return the literal texts of `text`, and between them the names of the variables."""
    parts, done = [], 0
    for use in _BRACED.finditer(text):
        if use[2] in variables:
            parts += [text[done : use.end(1) - 1], use[2]]
            done = use.start(3) + 1
    return [*parts, text[done:]]


def _read(prompt: dotprompt.Prompt, variables: Mapping[str, str | None]) -> list[str]:
    """Return the same of a `.prompt`."""
    parts: list[str] = []
    literal: list[str] = []
    for part in dotprompt.parts(prompt):
        if isinstance(part, str):
            literal.append(part)
        elif part.name in variables:
            parts += ["".join(literal), part.name]
            literal = []
        else:
            literal.append(f"{{{part.name}}}")
    return [*parts, "".join(literal)]


def _ways(text: str, variables: Mapping[str, str | None]) -> Iterator[str]:
    """Yield `text` as CONTENT in which only `variables` are variables, then with more of them."""
    braces = scan(text)
    uses = [use for use in braces.uses if use.name not in variables]
    yield _doubled(text, uses, braces.pairs)
    # NOTE: in `{{x}`, doubled braces around `x` would mean something else.
    yield _doubled(
        text, [use for use in uses if text[use.start - 1 : use.start] != "{"], braces.pairs
    )
    # NOTE: `{{x}}` with a variable `x` is written `{{{x}}}`.
    around = [*_around(text, variables)]
    masked = _doubled(text, [], [], [(start, end, " " * (end - start)) for start, end, _ in around])
    others = scan(masked)
    yield _doubled(text, others.uses, others.pairs, around)


def _around(text: str, variables: Mapping[str, str | None]) -> Iterator[tuple[int, int, str]]:
    """Yield each variable with the pairs of braces around it, and how they are written."""
    for use in _BRACED.finditer(text):
        if use[2] in variables:
            pairs = min(len(use[1]), len(use[3])) - 1
            written = f"{'{{' * pairs}{{{use[2]}}}{'}}' * pairs}"
            yield use.end(1) - 1 - pairs, use.start(3) + 1 + pairs, written


def _doubled(
    text: str,
    uses: Iterable[Use],
    pairs: Iterable[tuple[int, int]],
    others: Iterable[tuple[int, int, str]] = (),
) -> str:
    """Return `text` with the braces of `uses` and `pairs` doubled, and with `others` edited."""
    edits = [*others, *((use.start, use.end, f"{{{{{use.name}}}}}") for use in uses)]
    for opening, closing in pairs:
        edits += [(opening, opening + 2, "{{{{"), (closing, closing + 2, "}}}}")]
    parts, done = [], 0
    for start, end, what in sorted(edits):
        parts += [text[done:start], what]
        done = end
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


def _reason(text: str, size: int, limits: Sequence[str], *, has_defaults: bool) -> str:
    """Return what in `text` no `.prompt` can have; `limits` say what there is too much of in it."""
    if size > dotprompt.MAX_BYTES:
        return f"it has {size:,} bytes; a `.prompt` has at most {dotprompt.MAX_BYTES:,}"
    for start, _ in comment_ranges(text):
        line = text.count("\n", 0, start) + 1
        return f"it contains `(% … %)`, which is a comment in a `.prompt`: line {line:,} of it"
    if any(f"\n[{name}]\n" in f"\n{text}\n" for name in ORDER):
        return "it contains the header of a section of a `.prompt`"
    if limits:
        return f"as a `.prompt`, {limits[0]}"
    if has_defaults:
        return "a `.prompt` cannot have these braces around its variables"
    return "a `.prompt` cannot have a default that it states"
