"""An artifact on its page, as readable HTML.

A PBE shows what it does, in the order in which a person wants to know it (PBE 1.0, class-specific
fields); a field that is not what its class demands, and custom root fields, are shown as they are,
laid out by their structure: lists of short records become a table, other objects a definition list,
strings paragraphs. A `.prompt` shows its metadata, its variables, and a form to fill it in. psreg's
own renderer splits the text at its variables, so that the browser only joins the parts and braces
are interpreted in one place (PROMPT-A5, PROMPT-A6).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from psreg.catalogue.pages.entry.phase_diagram import phase_diagram
from psreg.catalogue.pages.entry.use_view import assistants
from psreg.catalogue.pages.html import (
    chips,
    count,
    cut,
    humanised,
    paragraphs,
    section,
    table,
    tag,
    terms,
    text,
)
from psreg.core.regex import lazy
from psreg.formats.dotprompt import Prompt, render

_WIDEST = 6
"""Maximum number of columns of a table; wider records are shown one below the other."""

_CHIP = 28
_DEEPEST = 12


def readable(value: Any, depth: int = 0) -> str:
    """Return `value`, decoded JSON, as HTML."""
    if depth >= _DEEPEST:
        return _json_block(value)
    if isinstance(value, dict):
        rows = ((humanised(key), readable(item, depth + 1)) for key, item in value.items())
        return terms(rows) or "<p>empty</p>"
    if isinstance(value, list):
        return _list(value, depth)
    return paragraphs(value) if isinstance(value, str) else scalar(value)


def scalar(value: Any) -> str:
    """Return a string, number, boolean or null as inline HTML."""
    if isinstance(value, str):
        return text(value).replace("\n", "<br>")
    literal = json.dumps(value)
    return literal if isinstance(value, (int, float)) else f"<code>{literal}</code>"


def _json_block(value: Any) -> str:
    """Return `value` as indented JSON text."""
    source = json.dumps(value, ensure_ascii=False, indent=2)
    return f'<pre><code class="language-json">{text(source)}\n</code></pre>'


def _list(items: list[Any], depth: int) -> str:
    if not items:
        return "<p>empty</p>"
    if all(isinstance(item, str) and len(item) <= _CHIP and "\n" not in item for item in items):
        return chips(items)
    if columns := _columns(items):
        rows = ((scalar(item.get(key, "")) for key in columns) for item in items)
        return table((humanised(key) for key in columns), rows)
    parts = "".join(f"<li>{_inner(item, depth)}</li>" for item in items)
    return f"<ul>{parts}</ul>"


def _inner(item: Any, depth: int) -> str:
    return readable(item, depth + 1) if isinstance(item, (dict, list)) else scalar(item)


def _columns(items: list[Any]) -> list[str]:
    """Return the keys of a list of flat records that fit a table, else []."""
    keys: dict[str, None] = {}
    for item in items:
        if not isinstance(item, Mapping):
            return []
        if any(isinstance(value, (dict, list)) for value in item.values()):
            return []
        keys |= dict.fromkeys(item)
    return list(keys) if len(keys) <= _WIDEST else []


_IDENTITY = frozenset({"pbe_name", "pbe_version", "pbe_class", "description"})


def pbe_overview(value: Mapping[str, Any]) -> str:
    """Return sections that show every root field of the PBE `value`, the custom ones too."""
    shown = [render(value.get(key)) for key, render in _FIELDS.items() if key in value]
    standard = {*_IDENTITY, *_FIELDS}
    custom = {key: item for key, item in value.items() if key not in standard}
    return "".join([*shown[:-1], _custom(custom), *shown[-1:]])


def _does(value: Any) -> str:
    return section("does", "What it does", readable(value))


def _service(value: Any) -> str:
    return section("service", "What it would monitor", readable(value))


def _phases(value: Any) -> str:
    phases = value.get("phases") if isinstance(value, dict) else None
    if not _records(phases):
        return section("phases", "Phases", readable(value))
    steps = "".join(f"<li>{_phase(phase)}</li>" for phase in phases or ())
    rest = {key: item for key, item in value.items() if key != "phases"}
    more = readable(rest) if rest else ""
    picture = phase_diagram(phases or ())
    return section("phases", "Phases", f'{picture}<ol class="ps-steps">{steps}</ol>{more}')


def _phase(phase: dict[str, Any]) -> str:
    rest = {k: v for k, v in phase.items() if k not in ("phase", "name", "description")}
    title = phase.get("name", phase.get("phase", ""))
    return (
        f"<h3>{scalar(title)}</h3>{readable(phase.get('description', ''))}"
        f"{terms(((humanised(k), readable(v)) for k, v in rest.items()), 'ps-aside')}"
    )


def _techniques(value: Any) -> str:
    techniques = value.get("techniques") if isinstance(value, dict) else None
    if not _records(techniques):
        return section("techniques", "Techniques", readable(value))
    cards = "".join(_technique(technique) for technique in techniques or ())
    rest = {key: item for key, item in value.items() if key != "techniques"}
    more = readable(rest) if rest else ""
    return section("techniques", "Techniques", f'<div class="ps-grid">{cards}</div>{more}')


def _technique(technique: dict[str, Any]) -> str:
    rest = {k: v for k, v in technique.items() if k not in ("name", "purpose", "example")}
    example = technique.get("example")
    return (
        f'<div class="ps-card"><h3>{scalar(technique.get("name", ""))}</h3>'
        f"{readable(technique.get('purpose', ''))}"
        f"{tag('blockquote', readable(example)) if example else ''}"
        f"{readable(rest) if rest else ''}</div>"
    )


def _save(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return section("save", "Save and resume", readable(value))
    parts = [readable(value.get("description", ""))]
    rest = {k: v for k, v in value.items() if k not in ("description", "save_template")}
    parts.append(terms((humanised(key), readable(item)) for key, item in rest.items()))
    if "save_template" in value:
        summary = "<summary>The save it writes, with values as an example</summary>"
        parts.append(f"<details>{summary}{_json_block(value['save_template'])}</details>")
    return section("save", "Save and resume", "".join(parts))


def _stance(value: Any) -> str:
    return section("role", "The role of the assistant", readable(value))


def _start(value: Any) -> str:
    instruction = value.get("instruction") if isinstance(value, dict) else value
    if not isinstance(instruction, str):
        return section("start", "How it starts", readable(value))
    quote = f"<blockquote>{paragraphs(instruction)}</blockquote>"
    rest = {k: v for k, v in value.items() if k != "instruction"} if value != instruction else {}
    return section("start", "How it starts", quote + (readable(rest) if rest else ""))


def _install(value: Any) -> str:
    quote = f"<blockquote>{readable(value)}</blockquote>"
    return section("directive", "What it tells the assistant first", quote)


def _custom(fields: Mapping[str, Any]) -> str:
    parts = "".join(_fold(key, value) for key, value in fields.items())
    lead = "<p>Custom fields, beyond those that the format requires.</p>" if parts else ""
    return section("more", "Custom fields", lead + parts)


def _fold(key: str, value: Any) -> str:
    return (
        f'<details class="ps-fold"><summary>{text(humanised(key))} '
        f"<code>{text(key)}</code></summary><div>{readable(value)}</div></details>"
    )


def _records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


_FIELDS = {
    "execution": _does,
    "core_philosophy": _does,
    "service_config": _service,
    "start_play": _start,
    "game_structure": _phases,
    "facilitator_techniques": _techniques,
    "save_system": _save,
    "meta_instructions": _stance,
    "install_instructions": _install,
}


_TITLE_KEYS = frozenset({"name", "dotprompt_format_version", "format_version", "version"})
_LONGEST_HELP = 300
_PRIVATE_USE = range(0xE000, 0xF8FF)
_ONE_LINE = 42
_LONG = lazy(
    r"(?i)(?:code|content|context|description|diff|e?mail|input|list|log|material|message|notes|"
    r"requirements|source|statement|story|text|transcript)s?\Z"
)
"""Names whose values have several lines, as a rule."""


def prompt_overview(prompt: Prompt) -> str:
    """Return the sections of a readable prompt: its metadata and its variables."""
    about = terms(
        (humanised(key), paragraphs(value))
        for key, value in prompt.metadata.items()
        if key not in _TITLE_KEYS
    )
    return section("does", "What it does", about) + _variables(prompt)


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
    told = _help_texts(prompt)
    heads = ("Name", "Default", "What it is for")[: 3 if told else 2]
    rows = (
        (f"<code>{text(v.name)}</code>", _default(v.default), text(told.get(v.name, "")))
        for v in prompt.variables
    )
    return section("variables", "Variables", table(heads, (row[: len(heads)] for row in rows)))


def _help_texts(prompt: Prompt) -> dict[str, str]:
    """Return what the comments of a prompt say about its variables, by name."""
    used = {v.name for v in prompt.variables}
    return {name: cut(t, _LONGEST_HELP) for name, t in prompt.help_texts.items() if name in used}


def _default(value: str | None) -> str:
    if value is None:
        return '<span class="ps-required">required</span>'
    return paragraphs(value) or "<em>empty</em>"


def prompt_form(prompt: Prompt, lang: str = "") -> str:
    """Return the section in which a readable prompt is filled in; its text if it has no variables.

    The text is for the page on which prompts are run, and not shown.
    """
    if not prompt.variables:
        return _data(prompt)
    return section("fill", "Fill it in", fill_box(prompt, lang=lang))


def _data(prompt: Prompt) -> str:
    """Return the text of a prompt in parts, and its variables, as data in a page."""
    data = {
        "parts": parts(prompt),
        "names": [v.name for v in prompt.variables],
        "required": [v.default is None for v in prompt.variables],
    }
    return f'<script type="application/json" class="ps-fill__data">{script_json(data)}</script>'


def fill_box(prompt: Prompt, *, page: str = "", fewest: int = sys.maxsize, lang: str = "") -> str:
    """Return the form of a readable prompt with variables, and the text that it makes.

    `page` is the address of the entry's page, if this is another one: links with values lead there.
    After the first `fewest` fields, what has a default is folded; `lang` is an attribute.
    """
    return (
        f'<div class="ps-fill" data-page="{text(page)}"><form class="ps-fill__form" '
        f'autocomplete="off">{_fields(prompt, fewest, lang)}'
        f'<p class="ps-fill__open" role="status">{text(_open(prompt))}</p></form>'
        '<div class="ps-fill__result"><div class="ps-bar"><span>The text to use</span>'
        '<button type="button" class="ps-copy" data-copy-filled>'
        f"Copy the prompt</button>{assistants(' data-copy-filled')}</div>"
        f'<pre class="ps-fill__text" tabindex="0"{lang}>{text(render(prompt, {}).text)}</pre>'
        '<p class="ps-fill__link"><button type="button" class="ps-copy" data-copy-link '
        'data-copied="Copied the link">Copy a link with these values</button> '
        "<span>Anyone with the link can read what you typed; no server can.</span></p></div>"
        f"{_data(prompt)}</div>"
    )


def _open(prompt: Prompt) -> str:
    """Return what the form says before anything is typed."""
    missing = ", ".join(v.name for v in prompt.variables if v.default is None)
    return f"Missing: {missing}" if missing else "All variables have a value"


def _fields(prompt: Prompt, fewest: int, lang: str) -> str:
    told = _help_texts(prompt)
    fields = [
        _field(at, v.name, v.default, _help(at, told.get(v.name, ""), lang))
        for at, v in enumerate(prompt.variables)
    ]
    required = [at for at, v in enumerate(prompt.variables) if v.default is None]
    shown = max([fewest, *(at + 1 for at in required)])
    more = "".join(fields[shown:])
    summary = f"<summary>{count(len(fields) - shown, 'more value')} with a default</summary>"
    folded = f'<details class="ps-fill__more">{summary}{more}</details>' if more else ""
    return "".join(fields[:shown]) + folded


def _help(at: int, told: str, lang: str) -> str:
    return f'<p class="ps-fill__help" id="ps-h{at}"{lang}>{text(told)}</p>' if told else ""


def _field(at: int, name: str, default: str | None, told: str) -> str:
    value = default or ""
    required = default is None
    fewest = 4 if required and _LONG.search(name) else 1
    rows = min(8, max(fewest, value.count("\n") + 1, len(value) // _ONE_LINE + 1))
    mark = '<span class="ps-required">required</span>' if required else ""
    described = f' aria-describedby="ps-h{at}"' if told else ""
    # NOTE: HTML drops one line break after the start tag, hence the one written here.
    return (
        f'<label for="ps-f{at}"><span title="{text(name)}">{text(humanised(name))}{mark}</span>'
        f'<textarea id="ps-f{at}" name="{text(name)}" rows="{rows}" spellcheck="false"'
        f"{' required' if required else ''}{described}>\n{text(value)}</textarea></label>{told}"
    )


def script_json(value: object) -> str:
    """Return `value` as JSON that cannot end the script element around it."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
