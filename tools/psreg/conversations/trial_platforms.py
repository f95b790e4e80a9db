"""The platforms of one `psreg try --platforms FILE`: a table per platform, in TOML.

```toml
[[platform]]
id = "llama-cpp"
endpoint = "http://127.0.0.1:8080"
model = "qwen3"
key = "LLAMA_KEY"              # the variable with the key, if it is not PSREG_API_KEY
```
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from psreg.core.errors import UsageError
from psreg.formats.platforms import PLATFORMS
from psreg.formats.protocol_versions import STUB

_MEMBERS = ("id", "endpoint", "model", "key")
_HINT = "Write [[platform]] tables with `id`, `endpoint`, `model` and `key`, all of them texts."


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One platform to try. `model` is "" for the endpoint's own, `key` for the usual variable."""

    id: str
    endpoint: str
    model: str = ""
    key: str = ""


def platforms_of(data: bytes, path: str) -> tuple[Platform, ...]:
    """Return the platforms in `data`, at least one.

    Raises:
        UsageError: BAD_PLATFORMS; NO_SUCH_PLATFORM.
    """
    try:
        rows = tomllib.loads(data.decode()).get("platform")
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError("BAD_PLATFORMS", f"{path} is not TOML: {error}", _HINT) from error
    if not isinstance(rows, list) or not rows:
        raise UsageError("BAD_PLATFORMS", f"{path} has no [[platform]]", _HINT)
    found = tuple(_platform(row, path) for row in rows)
    ids = [platform.id for platform in found]
    if twice := next((name for name in ids if ids.count(name) > 1), ""):
        raise UsageError("BAD_PLATFORMS", f"{path}: `{twice}` occurs twice", _HINT)
    return found


def _platform(row: Any, path: str) -> Platform:
    if not isinstance(row, dict) or not {"id", "endpoint"} <= row.keys() <= set(_MEMBERS):
        raise UsageError("BAD_PLATFORMS", f"{path}: a platform has other members", _HINT)
    if not all(isinstance(value, str) for value in row.values()):
        raise UsageError("BAD_PLATFORMS", f"{path}: a member is not a text", _HINT)
    return Platform(**{**row, "id": known_platform(row["id"])})


def known_platform(name: str) -> str:
    """Return `name` if it is the id of a platform. Raises UsageError NO_SUCH_PLATFORM."""
    if name not in {*PLATFORMS, STUB}:
        hint = f"Use one of {', '.join(PLATFORMS)}."
        raise UsageError("NO_SUCH_PLATFORM", f"unknown platform `{name}`", hint)
    return name
