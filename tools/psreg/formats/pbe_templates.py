"""The templates of the PBE Creator Tool: a PBE of each class with blanks, and what fills each.

`data/pbe_templates.json` has the templates and blanks of tools/pbct.txt unchanged. `psreg new`
fills them in, and findings about missing text say what the blank asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

BLANK = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
"""A blank in a template: `{{tone}}`."""

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


def blank_at(entry_class: str, path: _Path) -> Blank | None:
    """Return the blank that fills the value at `path` of a PBE; None if there is none.

    For items of a list beyond those of the template, it is that of the last one.
    """
    value = template(entry_class)
    for key in path:
        if isinstance(value, list) and isinstance(key, int) and value:
            value = value[min(key, len(value) - 1)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    found = BLANK.search(value) if isinstance(value, str) else None
    return blanks()[found[1]] if found else None


def advice(entry_class: str, path: _Path) -> str:
    """Return a hint that says what to write at `path` of a PBE."""
    found = blank_at(entry_class, path)
    return found.advice if found else "Write the content of this field in a sentence."


def unfilled(text: str) -> str:
    """Return the first blank of a template in `text`, as `{{tone}}`; "" if there is none."""
    return next((found[0] for found in BLANK.finditer(text) if found[1] in blanks()), "")


def is_example(text: str) -> bool:
    """Tell whether `text` is the example of a blank."""
    return text.strip() in {found.example for found in blanks().values()}


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
    path = files("psreg.formats") / "data" / "pbe_templates.json"
    return json.loads(path.read_text(encoding="utf-8"))
