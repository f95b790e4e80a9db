"""A `.prompt` on its page: its metadata, its variables, and a form to fill it in.

psreg's own renderer splits the text at its variables, so that the browser only joins the parts and
braces are interpreted in one place (PROMPT-A5, PROMPT-A6).
"""

from __future__ import annotations

import json

from psreg.catalogue.pages.html import humanised, paragraphs, section, table, terms, text
from psreg.formats.dotprompt import Prompt, render

_TITLE_KEYS = frozenset({"name", "dotprompt_format_version", "format_version", "version"})
_PRIVATE_USE = range(0xE000, 0xF8FF)
_ONE_LINE = 42


def overview(prompt: Prompt) -> str:
    """Return the sections of a readable prompt: its metadata, its variables, the form."""
    about = terms(
        (humanised(key), paragraphs(value))
        for key, value in prompt.metadata.items()
        if key not in _TITLE_KEYS
    )
    return section("does", "What it does", about) + _variables(prompt) + _form(prompt)


def parts(prompt: Prompt) -> list[str | int]:
    """Return the final text in parts: literal text, and the indexes of variables.

    Joining them, with each index replaced by a value, gives what `render` returns for that value.
    """
    mark = next(c for c in map(chr, _PRIVATE_USE) if c not in prompt.text)
    values = {v.name: f"{mark}{at}{mark}" for at, v in enumerate(prompt.variables)}
    split = render(prompt, values).text.split(mark)
    return [int(part) if at % 2 else part for at, part in enumerate(split) if at % 2 or part]


def _variables(prompt: Prompt) -> str:
    if not prompt.variables:
        return section(
            "variables",
            "Variables",
            "<p>This prompt has no variables: the text is ready to use.</p>",
        )
    rows = ((f"<code>{text(v.name)}</code>", _default(v.default)) for v in prompt.variables)
    return section("variables", "Variables", table(("Name", "Default"), rows))


def _default(value: str | None) -> str:
    if value is None:
        return '<span class="ps-required">required</span>'
    return paragraphs(value) or "<em>empty</em>"


def _form(prompt: Prompt) -> str:
    if not prompt.variables:
        return ""
    data = {
        "parts": parts(prompt),
        "names": [v.name for v in prompt.variables],
        "required": [v.default is None for v in prompt.variables],
    }
    fields = "".join(_field(at, v.name, v.default) for at, v in enumerate(prompt.variables))
    return section(
        "fill",
        "Fill it in",
        '<div class="ps-fill"><form class="ps-fill__form" autocomplete="off">'
        f'{fields}<p class="ps-fill__open" role="status"></p></form>'
        '<div class="ps-fill__result"><div class="ps-bar"><span>The text to use</span>'
        '<button type="button" class="ps-copy" data-copy-filled>Copy text</button></div>'
        f'<pre class="ps-fill__text" tabindex="0">{text(render(prompt, {}).text)}</pre></div>'
        f'<script type="application/json" class="ps-fill__data">{script_json(data)}</script></div>',
    )


def _field(at: int, name: str, default: str | None) -> str:
    value = default or ""
    rows = min(8, max(1, value.count("\n") + 1, len(value) // _ONE_LINE + 1))
    required = default is None
    mark = '<span class="ps-required">required</span>' if required else ""
    # NOTE: HTML drops one line break after the start tag, hence the one written here.
    return (
        f'<label for="ps-f{at}"><span>{text(name)}{mark}</span>'
        f'<textarea id="ps-f{at}" name="{text(name)}" rows="{rows}" spellcheck="false"'
        f"{' required' if required else ''}>\n{text(value)}</textarea></label>"
    )


def script_json(value: object) -> str:
    """Return `value` as JSON that cannot end the script element around it."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
