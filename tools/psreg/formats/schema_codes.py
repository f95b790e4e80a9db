"""Which rule speaks when a schema is not met: one row per (place, keyword).

A row holds for its place and everything below it; the first row that fits wins, so the narrow
ones stand first. A place is a JSON pointer in which `*` is any item. The place of a missing key
(`required`) or of one too many (`additionalProperties`) is that key's own.
"""

from __future__ import annotations

from collections.abc import Mapping

Rows = tuple[tuple[str, str, str], ...]

_PBE: Rows = (
    ("/execution", "required", "PBE008"),
    ("/description", "required", "PBE009"),
    ("/core_philosophy", "required", "PBE009"),
    ("/meta_instructions", "required", "PBE009"),
    ("/start_play", "required", "PBE009"),
    ("/game_structure", "required", "PBE010"),
    ("/game_structure/phases", "minItems", "PBE010"),
    ("/facilitator_techniques", "required", "PBE011"),
    ("/facilitator_techniques/techniques", "minItems", "PBE011"),
    ("/facilitator_techniques/techniques", "maxItems", "PBE022"),
    ("/save_system", "required", "PBE012"),
    ("/save_system/trigger_phrases", "minItems", "PBE020"),
    ("/save_system/save_template", "minProperties", "PBE023"),
    ("/save_system/save_template", "maxProperties", "PBE023"),
    ("/service_config", "required", "PBE015"),
    ("/pbe_class", "enum", "PBE007"),
    ("", "required", "PBE003"),
    ("", "type", "PBE021"),
)

_SHAPE = (
    "type",
    "enum",
    "minItems",
    "maxItems",
    "maxProperties",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
)

_RELEASE: Rows = (
    ("", "required", "REG007"),
    ("", "additionalProperties", "REG009"),
    *(("", keyword, "REG008") for keyword in _SHAPE),
)
_KEYWORDS = ("required", "additionalProperties", *_SHAPE)

CODES: Mapping[str, Rows] = {
    "pbe": _PBE,
    "stateless_executor": _PBE,
    "interactive_engine": _PBE,
    "persistent_service": _PBE,
    "release": _RELEASE,
    "entry": tuple(("", keyword, "REG016") for keyword in _KEYWORDS),
    "golden": tuple(("", keyword, "REG030") for keyword in _KEYWORDS),
    "policy": tuple(("", keyword, "REG020") for keyword in _KEYWORDS),
}
"""The rows of every schema, by the schema's name."""
