"""The templates of the PBE Creator Tool: a PBE of each class with blanks, and what fills each.

`data/pbe_templates.json` has the templates and blanks of tools/pbct.txt unchanged. `psreg new`
fills them in, and findings about missing text say what the blank asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import get_data
from typing import Any

from psreg.core.classes import PBE_CLASSES
from psreg.core.dataclass import dataclass

BLANK = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
"""A blank in a template: `{{tone}}`."""

_UNFILLED = re.compile(r"\{\{ ?([a-z][a-z0-9_]*) ?\}\}")

_LONGEST = 400
"""Characters of the longest example in a hint."""

_AS_ABOVE = "as above"

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """What the author writes in place of a blank, and an example of it."""

    meaning: str
    example: str

    @property
    def advice(self) -> str:
        """A hint that asks for the text."""
        return f'Write: {self.meaning}, for example "{self.example.rstrip(".")}".'


def template(entry_class: str) -> Any:
    """Return the template of a PBE class as a JSON value with blanks `{{key}}` in its texts."""
    return _document()["templates"][entry_class]


@cache
def blanks() -> Mapping[str, Blank]:
    """Return the blanks of all templates by key."""
    rows = _document()["blanks"]
    found = {}
    for key, row in rows.items():
        meaning = row["meaning"]
        if meaning == _AS_ABOVE:  # said of technique_2_purpose: see technique_1_purpose
            first, _, last = key.split("_")
            meaning = rows[f"{first}_1_{last}"]["meaning"]
        found[key] = Blank(meaning=meaning, example=row["example"])
    return found


def blanks_in(value: Any) -> list[str]:
    """Return the keys of the blanks in a template, in order of first use."""
    return list(dict.fromkeys(key for text in _texts(value) for key in BLANK.findall(text)))


def advice(entry_class: str, path: _Path, otherwise: str = "") -> str:
    """Return a hint that says what to write at `path` of a PBE, with an example.

    For a path that no template has, it is `otherwise`.
    """
    value = _at(entry_class, path)
    if value is None:
        return otherwise or "Write the content of this field in a sentence."
    if isinstance(value, str) and (found := BLANK.search(value)):
        return blanks()[found[1]].advice
    example = json.dumps(_filled(value), ensure_ascii=False)
    if len(example) > _LONGEST and isinstance(value, dict):
        example = "{" + ", ".join(f'"{key}": …' for key in value) + "}"
    return f"{otherwise} For example: {example}".lstrip() if len(example) <= _LONGEST else otherwise


def _at(entry_class: str, path: _Path) -> Any:
    """Return the value at `path` of a template; None if there is none.

    For items of a list beyond those of the template, it is the last one.
    """
    value = template(entry_class if entry_class in PBE_CLASSES else PBE_CLASSES[0])
    for key in path:
        if isinstance(value, list) and isinstance(key, int):
            value = value[min(key, len(value) - 1)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value


def _filled(value: Any) -> Any:
    """Return part of a template with the examples in place of the blanks."""
    if isinstance(value, dict):
        return {_filled(key): _filled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if isinstance(value, str):
        return BLANK.sub(lambda found: blanks()[found[1]].example, value)
    return value


def unfilled(text: str) -> str:
    """Return the first blank of a template in `text`, as `{{tone}}`; "" if there is none."""
    if "{{" not in text:
        return ""
    return next((found[0] for found in _UNFILLED.finditer(text) if found[1] in blanks()), "")


def _texts(value: Any) -> Iterator[str]:
    """Yield every string and member name in a template."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


@cache
def _document() -> Any:
    return json.loads(get_data("psreg.formats", "data/pbe_templates.json") or b"")
