"""A prompt and values in, the final text out (READINGS PROMPT-11 to PROMPT-13).

A value goes in literally, wherever it comes from: comments, braces and names in it are text. In a
default value comments are gone already, as they are everywhere in the file; its braces are text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from psreg.formats.dotprompt.braces import scan
from psreg.formats.dotprompt.document import Prompt
from psreg.formats.dotprompt.uncommented import BLANKS


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

    `squeeze` drops the blank lines of the prompt's own text (READINGS PROMPT-A2).

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


def _filled(content: str, known: Mapping[str, str]) -> str:
    braces = scan(content)
    edits = [(use.start, use.end, known[use.name]) for use in braces.uses if use.name in known]
    for opening, closing in braces.pairs:
        edits += [(opening, opening + 2, "{"), (closing, closing + 2, "}")]
    parts, done = [], 0
    for start, end, text in sorted(edits):
        parts += [content[done:start], text]
        done = end
    return "".join([*parts, content[done:]])


def _squeezed(content: str) -> str:
    return "\n".join(line for line in content.split("\n") if line.strip(BLANKS))
