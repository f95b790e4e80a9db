"""Templates with variables: Google's dotprompt, Prompty and Semantic Kernel.

Their variables become those of a `.prompt`, with the defaults that they state. A `.prompt` has no
logic: a template with conditions, loops, helpers or calls is refused, and the first one is named. A
line `system:`, `user:` or `assistant:` begins a message of this role, as it does in Prompty.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, said
from psreg.authoring.importing.markdown import prompt_of
from psreg.authoring.importing.template_languages import without_logic
from psreg.authoring.importing.variables import Variables

_SUFFIXES = (".prompt", ".prompty")
_NAME = r"(?P<name>(?!(?:else|history|this)\b)[A-Za-z_][A-Za-z0-9_-]*)"
_VARIABLE = re.compile(rf"(?<!\{{)(?P<raw>\{{)?\{{\{{[ \t]*{_NAME}[ \t]*\}}\}}(?(raw)\}})(?!\}})")
_ROLE = re.compile(r"\{\{[ \t]*role[ \t]+[\"'](system|user|model)[\"'][ \t]*\}\}[ \t]*\n?")

KERNEL_FILE, _CONFIG = "skprompt.txt", "config.json"
_KERNEL_VARIABLE = re.compile(r"\{\{[ \t]*\$(?P<name>[A-Za-z0-9_]+)[ \t]*\}\}")


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a template of dotprompt or Prompty: its suffix, and front matter."""
    return file.path.suffix in _SUFFIXES and file.text.startswith("---")


def read(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the one prompt of a template, or why it has none."""
    yield prompt_of(file, fields, reads=_template)


def _template(matter: Mapping[str, Any], body: str) -> tuple[str, Variables]:
    text = _ROLE.sub(lambda use: f"{use[1].replace('model', 'assistant')}:\n", body)
    inputs = matter.get("input", matter.get("inputs"))
    return without_logic(text, _VARIABLE, _defaults(inputs))


def _defaults(inputs: Any) -> dict[str, str]:
    """Return the defaults of dotprompt (`default: {name: value}`) or of Prompty, by name."""
    known = inputs if isinstance(inputs, dict) else {}
    stated = known.get("default")
    if isinstance(stated, dict):
        return {name: said(value) for name, value in stated.items()}
    rows = ((name, row) for name, row in known.items() if isinstance(row, dict))
    return {name: said(row["default"]) for name, row in rows if "default" in row}


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
    defaults = dict(_kernel_defaults(matter))
    reads = partial(_kernel, defaults)
    found = prompt_of(file, fields, name=folder.name, beside=beside, reads=reads, matter=matter)
    both = hashlib.sha256(file.data + data).hexdigest()
    return found if isinstance(found, Refused) else replace(found, sha256=both)


def _kernel(
    defaults: Mapping[str, str], _matter: Mapping[str, Any], body: str
) -> tuple[str, Variables]:
    return without_logic(body, _KERNEL_VARIABLE, defaults)


def _kernel_defaults(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    older = config.get("input")
    rows = config.get("input_variables", older.get("parameters") if isinstance(older, dict) else [])
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and (default := said(row.get("default", row.get("defaultValue")))):
            yield said(row.get("name")), default
