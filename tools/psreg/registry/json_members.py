"""The members of a JSON object in signed data, each taken with the type that it must have."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from psreg.core.errors import UnavailableError
from psreg.core.regex import lazy
from psreg.core.version import parse_version


class Members:
    """Takes members of a JSON object one by one; `left` are those that remain.

    Raises ValueError, which names `what`, for a member that is missing or of another type.
    """

    def __init__(self, value: Any, what: str) -> None:
        self._what = what
        self.left = dict(as_object(value, what))
        self.text = partial(self._take, kind=str)
        self.integer = partial(self._take, kind=int)
        self.array = partial(self._take, kind=list)
        self.object = partial(self._take, kind=dict)
        self.boolean = partial(self._take, kind=bool)

    def _take(self, key: str, kind: type) -> Any:
        value = self.any(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise ValueError(f"{self._what}: {key!r} is not {_KINDS[kind]}")
        return value

    def any(self, key: str) -> Any:
        """Take a member of any type. Raises ValueError if it is missing."""
        if key not in self.left:
            raise ValueError(f"{self._what}: {key!r} is missing")
        return self.left.pop(key)

    def optional_array(self, key: str) -> list[Any]:
        """Take an array; [] if it is missing. Raises ValueError if it is something else."""
        found: list[Any] = self.array(key) if key in self.left else []
        return found

    def version(self, key: str) -> str:
        """Take a version. Raises ValueError if it is not one."""
        return str(parse_version(self.text(key)))

    def digest(self, key: str) -> str:
        """Take a SHA-256. Raises ValueError if it is not one."""
        value: str = self.text(key)
        if not _SHA256.fullmatch(value):
            raise ValueError(f"{self._what}: {key!r} is not 64 lower-case hexadecimal digits")
        return value

    def optional_text(self, key: str) -> str | None:
        """Take a text or null. Raises ValueError if it is neither."""
        value = self.any(key)
        return None if value is None else as_text(value, f"{self._what}: {key!r}")


_SHA256 = lazy(r"[0-9a-f]{64}", re.ASCII)

_KINDS = {
    str: "a string",
    int: "an integer",
    list: "an array",
    dict: "an object",
    bool: "true or false",
}


def as_object(value: Any, what: str) -> dict[str, Any]:
    """Return `value`, an object; raises ValueError, which names `what`, for anything else."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is not an object")  # noqa: TRY004 - bad data, not a bad call
    return value


def objects(items: list[Any], what: str) -> tuple[dict[str, Any], ...]:
    """Return the objects in a list; raises ValueError, which names `what`, for anything else."""
    return tuple(as_object(item, what) for item in items)


def as_text(value: Any, what: str) -> str:
    """Return `value`, a string; raises ValueError, which names `what`, for anything else."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is not a string")  # noqa: TRY004 - bad data, not a bad call
    return value


def is_later_schema(schema: object, known: str) -> bool:
    """Tell whether `schema` names a later version of the schema `known`, such as `psreg.x/2`."""
    if schema == known:
        return False
    family, _, version = known.rpartition("/")
    match = _LATER.fullmatch(schema) if isinstance(schema, str) else None
    return match is not None and match["family"] == family and int(match["version"]) > int(version)


_LATER = lazy(r"(?P<family>[a-z.-]+)/(?P<version>[0-9]{1,9})", re.ASCII)


def newer_format(why: str) -> UnavailableError:
    """Return the error for data that only a newer psreg can read."""
    return UnavailableError(
        "NEWER_FORMAT", f"{why}, which this psreg does not know", "Install a newer psreg."
    )
