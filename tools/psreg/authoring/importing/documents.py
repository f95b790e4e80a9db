"""Files that are JSON or YAML as a whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from psreg.authoring.importing.found import SourceFile
from psreg.authoring.importing.front_matter import loaded

JSON, YAML = (".json",), (".yaml", ".yml")
_NOTHING: tuple[Any, ...] = (None, False, "", "null", "~", "false", [], {})


def document(file: SourceFile) -> Any:
    """Return what a file says, which is YAML unless its suffix is that of JSON.

    Raises:
        ValueError: it is not valid, or too complex.
        UnavailableError: `EXTRA_MISSING`.
    """
    if file.path.suffix.lower() not in JSON:
        return loaded(file.text, "it")
    try:
        return json.loads(file.text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not valid JSON") from error


def table(value: Any) -> Mapping[str, Any]:
    """Return a mapping with texts as keys; {} for anything else."""
    return {str(key): said for key, said in value.items()} if isinstance(value, dict) else {}


def stated(value: Any) -> Mapping[str, Any]:
    """Return what a mapping says something about; {} for anything else."""
    return {key: said for key, said in table(value).items() if said not in _NOTHING}
