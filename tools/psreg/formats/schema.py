"""Checks a value against one of psreg's JSON Schemas and maps each violation to its rule.

The schemas (draft 2020-12, `schemas/<name>.schema.json`) hold types, required keys, enums and
counts; `CODES` maps them to rules; grammars are rules. The only module that
imports jsonschema, and only when something is judged: a client that installs never pays for it.

Where jsonschema-rs is installed (`psreg[fast]`) it may say that a value is fine, and nothing else:
whatever it refuses, or cannot read, jsonschema judges.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from functools import cache, reduce
from itertools import islice
from operator import getitem
from pkgutil import get_data
from typing import TYPE_CHECKING, Any

from psreg.core.classes import PBE_CLASSES
from psreg.core.dataclass import dataclass
from psreg.core.excerpt import cropped
from psreg.core.spelling import did_you_mean, meant
from psreg.formats.json.pointer import dotted, join, split
from psreg.formats.json.syntax_error import shown

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema import Draft202012Validator
    from referencing import Resource

MAX_VIOLATIONS = 500
"""Maximum violations found in one value: a hostile file of 1 MiB could have a million."""

Path = tuple[str | int, ...]

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
    **dict.fromkeys(PBE_CLASSES, _PBE),
    "release": _RELEASE,
    "entry": tuple(("", keyword, "REG016") for keyword in _KEYWORDS),
    "golden": tuple(("", keyword, "REG030") for keyword in _KEYWORDS),
    "policy": tuple(("", keyword, "REG020") for keyword in _KEYWORDS),
}
"""The rows of every schema, by the schema's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One way in which a value violates its schema.

    `pointer` names the value at fault, for a missing key the object that lacks it; `key` says
    that the member's name is the place to show.
    """

    code: str
    pointer: str
    message: str
    hint: str = ""
    key: bool = False


def violations(schema_name: str, value: Any, written: Any = None) -> tuple[Violation, ...]:
    """Return the violations of the schema `schema_name` in `value`, at most `MAX_VIOLATIONS`.

    One cause has one violation: a value of the wrong type is not judged further, and what a missing
    key should hold is not asked for. `written` is `value` before it was converted to JSON data.
    """
    if _surely_valid(schema_name, value):
        return ()
    errors = islice(_validator(schema_name).iter_errors(value), MAX_VIOLATIONS)
    faults = [_Fault.of(error, written) for error in errors]
    mistyped = {fault.path for fault in faults if fault.keyword == "type"}
    found = (
        violation
        for fault in faults
        if fault.keyword != "enum" or fault.path not in mistyped
        for violation in _of(schema_name, fault)  # one fault may be of many keys
    )
    # NOTE: jsonschema names one object once per missing key.
    return tuple(dict.fromkeys(islice(found, MAX_VIOLATIONS)))


def strings(schema_name: str, value: Any) -> list[tuple[str, str]]:
    """Return (pointer, text) of every text in `value` that the schema `schema_name` names."""
    found: list[tuple[str, str]] = []
    _strings(document(schema_name), value, "", found)
    return found


def fields(schema_name: str) -> tuple[str, ...]:
    """Return the names of the members that the schema `schema_name` gives to its root object."""
    return tuple(document(schema_name)["properties"])


@cache
def document(schema_name: str) -> Mapping[str, Any]:
    """Return the schema itself, to read only.

    Raises:
        FileNotFoundError: psreg has no schema of this name.
    """
    data = get_data("psreg.formats", f"schemas/{schema_name}.schema.json")
    schema: Mapping[str, Any] = json.loads(data or b"")
    return schema


@cache
def _validator(schema_name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 70 ms, paid when first needed
    from referencing import Registry  # noqa: PLC0415

    registry: Registry[Any] = Registry(retrieve=_resource)  # type: ignore[call-arg]
    return Draft202012Validator(document(schema_name), registry=registry)


def _resource(uri: str) -> Resource[Any]:
    from referencing import Resource  # noqa: PLC0415

    return Resource.from_contents(_named_by(uri))


def _named_by(uri: str) -> dict[str, Any]:
    """Return the schema that a `$ref` such as `pbe.schema.json` names."""
    return dict(document(uri.rpartition("/")[2].removesuffix(".schema.json")))


def _surely_valid(schema_name: str, value: Any) -> bool:
    """Tell whether jsonschema-rs is installed and accepts `value`; False means "ask jsonschema"."""
    validator = _fast_validator(schema_name)
    try:
        return validator is not None and validator.is_valid(value)
    except ValueError:  # a lone surrogate, or another thing that Rust has no type for
        return False


@cache
def _fast_validator(schema_name: str) -> jsonschema_rs.Draft202012Validator | None:
    try:
        import jsonschema_rs  # noqa: PLC0415 - an extra, and 10 ms
    except ImportError:
        return None
    return jsonschema_rs.Draft202012Validator(_named_by(schema_name), retriever=_named_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """An error of jsonschema, reduced to what it is about."""

    keyword: str
    limit: Any
    path: Path
    value: Any
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, error: Any, written: Any) -> _Fault:
        path = tuple(error.absolute_path)
        mistyped = error.validator == "type" and written is not None
        return cls(
            keyword=error.validator,
            limit=error.validator_value,
            path=path,
            value=reduce(getitem, path, written) if mistyped else error.instance,
            schema=error.schema,
        )


def _of(schema_name: str, fault: _Fault) -> Iterator[Violation]:
    """Yield the violations in one fault: one per key where it is about keys."""
    known = fault.schema.get("properties", {})
    if fault.keyword == "required":
        for key in (key for key in fault.limit if key not in fault.value):
            place = (*fault.path, key)
            spelled = _misspelt(key, fault)
            hint = f"Write `{key}` in place of {shown(spelled)}." if spelled else ""
            yield Violation(
                code=code_of(schema_name, place, fault.keyword),
                pointer=join((*fault.path, spelled) if spelled else fault.path),
                message=f"`{dotted(place)}` is missing",
                hint=hint or _advice(schema_name, place, known.get(key, {})),
                key=True,
            )
    elif fault.keyword == "additionalProperties":
        for key in (key for key in fault.value if key not in known):
            place = (*fault.path, key)
            yield Violation(
                code=code_of(schema_name, place, fault.keyword),
                pointer=join(place),
                message=f"`{dotted(place)}` is an unknown key",
                hint=did_you_mean(key, known),
                key=True,
            )
    else:
        place = fault.path
        yield Violation(
            code=code_of(schema_name, place, fault.keyword),
            pointer=join(place),
            message=_message(fault),
            hint=_advice(schema_name, place, fault.schema),
        )


def _misspelt(key: str, fault: _Fault) -> str | None:
    """Return the unknown member that was probably meant as `key`; None if there is none."""
    if fault.schema.get("additionalProperties") is False:
        return None  # a finding of its own says so
    known = fault.schema.get("properties", {})
    return meant(key, [name for name in fault.value if name not in known])


def _advice(schema_name: str, place: Path, schema: Mapping[str, Any]) -> str:
    """Return what to write at `place`."""
    description: str = schema.get("description", "")
    if CODES[schema_name] is not _PBE or "minItems" in schema:
        return description
    from psreg.formats.pbe_templates import advice  # noqa: PLC0415 - only a fault needs it

    return advice(schema_name, place, description)


def code_of(schema_name: str, path: Path, keyword: str) -> str:
    """Return the rule code of the first row that fits."""
    tokens = [str(token) for token in path]
    for template, row_keyword, code in CODES[schema_name]:
        pattern = split(template)
        if keyword == row_keyword and len(pattern) <= len(tokens):
            pairs = zip(pattern, tokens, strict=False)
            if all(wanted in ("*", token) for wanted, token in pairs):
                return code
    raise LookupError(f"no rule code for {keyword!r} at {join(path)!r} of schema {schema_name!r}")


def _message(fault: _Fault) -> str:
    place = f"`{dotted(fault.path)}`" if fault.path else "the file"
    return f"{place} {_SENTENCES[fault.keyword](fault.limit, fault.value)}"


_KINDS = {
    "string": "a string",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}

_SENTENCES: Mapping[str, Callable[[Any, Any], str]] = {
    "type": lambda wanted, value: f"must be {_wanted(wanted)}, not {kind(value)}",
    "enum": lambda allowed, value: (
        f"is {_shown(value)}; allowed values are {', '.join(map(str, allowed))}"
    ),
    "minItems": lambda least, value: f"has {len(value)} items; the minimum is {least}",
    "maxItems": lambda most, value: f"has {len(value)} items; the maximum is {most}",
    "minProperties": lambda least, value: f"has {len(value)} keys; the minimum is {least}",
    "maxProperties": lambda most, value: f"has {len(value)} keys; the maximum is {most}",
    "minLength": lambda least, value: f"has {len(value)} characters; the minimum is {least}",
    "maxLength": lambda most, value: f"has {len(value)} characters; the maximum is {most}",
    "minimum": lambda least, value: f"is {value}; the minimum is {least}",
    "maximum": lambda most, value: f"is {value}; the maximum is {most}",
    "uniqueItems": lambda _, __: "contains the same item twice",
}
"""The messages by keyword; arguments: the keyword's value, the value at fault."""


def _wanted(types: str | list[str]) -> str:
    names = [types] if isinstance(types, str) else types
    return " or ".join(_KINDS[name] for name in names)


def kind(value: Any) -> str:
    """Return what `value` is, in words: `a number`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return cropped(str(value))
    if isinstance(value, (date, time)):
        return "a date or time"
    kinds = {str: "string", dict: "object", list: "array", type(None): "null"}
    return _KINDS[kinds.get(type(value), "number")]


def _shown(value: Any) -> str:
    return shown(value) if isinstance(value, str) else kind(value)


def _strings(
    schema: Mapping[str, Any], value: Any, place: str, found: list[tuple[str, str]]
) -> None:
    # NOTE: recursion follows the schema, which is ours and shallow, never the value.
    if isinstance(value, str):
        if schema.get("type") == "string":
            found.append((place, value))
    elif isinstance(value, dict):
        for key, inner in schema.get("properties", {}).items():
            if key in value:
                _strings(inner, value[key], f"{place}/{key}", found)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            _strings(schema["items"], item, f"{place}/{index}", found)
