"""What a PBE does, in the order a person wants to know it (PBE 1.0, class-specific fields).

Robust against any shape: a field that is not what its class demands is shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psreg.catalogue.pages.html import humanised, paragraphs, section, tag, terms, text
from psreg.catalogue.pages.json_view import json_block, readable, scalar

_IDENTITY = frozenset({"pbe_name", "pbe_version", "pbe_class", "description"})


def overview(value: Mapping[str, Any]) -> str:
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
    return section("phases", "Phases", f'<ol class="ps-steps">{steps}</ol>{more}')


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
        summary = "<summary>The save it writes</summary>"
        parts.append(f"<details>{summary}{json_block(value['save_template'])}</details>")
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
