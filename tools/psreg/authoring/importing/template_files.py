"""Templates with variables: Google's dotprompt, Prompty and Semantic Kernel.

Their variables become those of a `.prompt`, with the defaults that they state. A `.prompt` has no
logic: a template with conditions, loops, helpers or calls is refused, and the first one is named.
Several messages become one text, as `messages` says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.importing.documents import table
from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, said
from psreg.authoring.importing.front_matter import Scalar
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.messages import joined
from psreg.authoring.importing.template_languages import (
    HANDLEBARS,
    JINJA,
    KERNEL,
    LANGUAGES,
    converted,
)
from psreg.authoring.importing.variables import Converted
from psreg.authoring.literal import trimmed

_DOTPROMPT, _PROMPTY = ".prompt", ".prompty"
_ROLE = re.compile(r"\{\{[ \t]*role[ \t]+[\"'](system|user|model)[\"'][ \t]*\}\}")
_INPUT, _INPUTS, _TEMPLATE = "input", "inputs", "template"
_TEXT = "string"
_OWN = ("psreg_backslash", "psreg_brace", "psreg_end", "psreg_start")
"""The variables with which `psreg export` writes what Handlebars cannot."""

_BOUNDARY = re.compile(
    r"[^\S\n]*+(?:#[^\S\n]*+)?(?P<role>system|user|assistant|developer)[^\S\n]*+"
    r"(?P<attributes>\[(?:\w++\s*+=\s*+(?:\"[^\"]*+\"|[^\",\]]*+)\s*+(?:,\s*+)?)+\])?[^\S\n]*+:[^\S\n]*+",
    re.IGNORECASE,
)
_LANGUAGE = {"format": {"kind": JINJA}, "parser": {"kind": "prompty"}}
_MUSTACHE = "mustache"

KERNEL_FILE, _CONFIG = "skprompt.txt", "config.json"


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a template of dotprompt or Prompty, by its suffix.

    Of the two, only dotprompt has files without front matter.
    """
    is_prompty = file.path.suffix == _PROMPTY and file.text.startswith("---")
    return is_prompty or file.path.suffix == _DOTPROMPT


def read(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a template, or why it has none."""
    reads = _dotprompt if file.path.suffix == _DOTPROMPT else _prompty
    yield prompt_of(file, fields, reads=reads, is_strict=True)


def _dotprompt(matter: Mapping[str, Any], body: str) -> Converted:
    # NOTE: dotprompt drops blanks around the whole text, and messages without text.
    first, *others = _ROLE.split(body.strip())
    pieces = [("user", first), *zip(others[::2], others[1::2], strict=True)]
    messages = [(role.replace("model", "assistant"), text) for role, text in pieces if text.strip()]
    about = table(matter.get(_INPUT))
    stated = {name: value for name, value in table(about.get("default")).items() if _says(value)}
    constants = {name: str(stated.pop(name)) for name in _OWN if name in stated}
    made = converted(joined(messages), HANDLEBARS, stated, f"{_INPUT}.default", constants)
    rows = about.get("schema")
    known = {use["name"] for use in HANDLEBARS.variable.finditer(body)}
    lost = [f"{_INPUT}.{key}" for key in about if key not in ("default", "schema")]
    lost += [f"{_INPUT}.schema"] * (rows is not None and not table(rows))
    has_default = {*stated, *constants}
    for name, value in table(rows).items():
        its_name = name.removesuffix("?")
        is_optional = name != its_name and its_name not in has_default
        if value != _TEXT or its_name not in known or is_optional:
            lost.append(f"{_INPUT}.schema.{its_name}")
    roles = tuple(role for role, _ in messages)
    return Converted(
        trimmed(made.text), made.variables, (*made.lost, *lost), roles, frozenset((_INPUT,))
    )


def _says(value: Any) -> bool:
    """Tell whether a default is one."""
    return value is not None and not (isinstance(value, Scalar) and value.is_null)


def _prompty(matter: Mapping[str, Any], body: str) -> Converted:
    # NOTE: as with dotprompt, a message without text says nothing.
    lines = body.lstrip().split("\n")
    uses = [(at, use) for at, line in enumerate(lines) if (use := _BOUNDARY.fullmatch(line))]
    starts = [("system", -1), *((use["role"].lower(), at) for at, use in uses), ("", len(lines))]
    messages = [
        (role, "\n".join(lines[start + 1 : end]))
        for (role, start), (_, end) in pairwise(starts)
        if any(lines[start + 1 : end])
    ]
    template = table(matter.get(_TEMPLATE))
    is_mustache = said(table(template.get("format")).get("kind")) == _MUSTACHE
    language = LANGUAGES[_MUSTACHE if is_mustache else JINJA]
    known = {use["name"] for use in language.variable.finditer(body)}
    rows = [*_inputs(matter.get(_INPUTS))]
    stated = {name: row["default"] for name, row in rows if _says(row.get("default"))}
    # NOTE: Prompty reads `${env:NAME}` and `${file:PATH}` in the place of such a default.
    values = {name: None if str(said_)[:2] == "${" else said_ for name, said_ in stated.items()}
    made = converted(joined(messages), language, values, f"{_INPUTS}.default")
    lost = [use["attributes"] for _, use in uses if use["attributes"]]
    for name, row in rows:
        lost += [f"{_INPUTS}.{name}"] * (name not in known)
        lost += [f"{_INPUTS}.{name}.{key}" for key, each in row.items() if not _held(key, each)]
    return Converted(
        made.text,
        made.variables,
        (*made.lost, *lost),
        tuple(role for role, _ in messages),
        frozenset((_INPUTS, *[_TEMPLATE] * (template == _LANGUAGE))),
    )


def _inputs(inputs: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and facts of each input; what is not a mapping is a fact without a name."""
    named = (
        [(said(table(row).get("name")), row) for row in inputs]
        if isinstance(inputs, list)
        else table(inputs).items()
    )
    for name, row in named:
        yield name, table(row) or {"value": row}


def _held(key: str, value: Any) -> bool:
    """Tell whether a `.prompt` has a fact about an input."""
    if key in ("kind", "type"):
        return bool(value == _TEXT)
    return key in ("name", "default") or (key == "required" and value == "true")


def claims_kernel(names: Collection[str]) -> bool:
    """Tell whether a folder with files of these names is a function of Semantic Kernel."""
    return KERNEL_FILE in names


def read_kernel(
    file: SourceFile, fields: Fields, others: Collection[PurePosixPath]
) -> Found | Refused:
    """Return the prompt of a function, or why it has none; `others` are its other files."""
    folder = file.path.parent
    config = folder / _CONFIG
    data = file.files[config] if config in others else b"{}"
    try:
        matter = json.loads(data)
    except (ValueError, RecursionError):
        return Refused(path=str(file.path), reason=f"its {_CONFIG} is not valid JSON")
    matter = matter if isinstance(matter, dict) else {}
    beside = tuple(str(path.relative_to(folder)) for path in sorted(others) if path != config)
    reads = partial(_kernel, dict(_kernel_defaults(matter)))
    found = prompt_of(file, fields, name=folder.name, beside=beside, reads=reads, matter=matter)
    both = hashlib.sha256(file.data + data).hexdigest()
    return found if isinstance(found, Refused) else replace(found, sha256=both)


def _kernel(defaults: Mapping[str, Any], _matter: Mapping[str, Any], body: str) -> Converted:
    return converted(body, KERNEL, defaults, "default")


def _kernel_defaults(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    older = config.get("input")
    rows = config.get("input_variables", older.get("parameters") if isinstance(older, dict) else [])
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            default = row.get("default", row.get("defaultValue"))
            if default not in (None, ""):
                yield said(row.get("name")), default
