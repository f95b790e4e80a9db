"""The lock file `psreg.lock`: exactly which releases a project uses.

JSON, one line for each fact, sorted: the same releases give the same bytes, and a change of one
release changes the lines of that release. It comes with a clone and is read as the input of a
stranger: strictly, and nothing in it is trusted; what it says must be what signed records say.

```json
{
  "schema": "psreg.lock/1",
  "prompts": {
    "quiz_master": {
      "version": "1.2.0",
      "class": "interactive_engine",
      "registry": "0123456789abcdef0123456789abcdef",
      "sha256": "…",
      "size": 1234,
      "statement": null,
      "owners": [],
      "requires": {"glossary": "^1.2"}
    }
  }
}
```
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from psreg.core.classes import CLASSES
from psreg.core.dataclass import dataclass, field
from psreg.core.errors import FindingsError, PsregError
from psreg.core.identity import ReleaseId, is_name
from psreg.core.version import Range
from psreg.registry.json_members import Members, is_later_schema, newer_format
from psreg.registry.trust.roles import is_registry_id
from psreg.registry.trust.strict_json import strict_value

NAME = "psreg.lock"
SCHEMA = "psreg.lock/1"
LARGEST = 16 * 1024 * 1024
_MOST = 10_000
_MOST_OWNERS = 100
_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}", re.ASCII)
_AGAIN = (
    "Restore it from version control, or delete it and run `psreg lock`, which chooses the newest "
    "versions."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPrompt:
    """A locked release.

    `registry` is the id of its registry. `statement` is the digest of what its owners signed, None
    if nobody did, and `owners` are the fingerprints of the keys that signed it. `requires` maps
    names to ranges.
    """

    release: ReleaseId
    registry: str
    sha256: str
    size: int
    statement: str | None = None
    owners: tuple[str, ...] = ()
    requires: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name."""
        return self.release.name

    @property
    def version(self) -> str:
        """The version."""
        return self.release.version

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON data."""
        return {
            "version": self.version,
            "class": self.release.entry_class,
            "registry": self.registry,
            "sha256": self.sha256,
            "size": self.size,
            "statement": self.statement,
            "owners": sorted(self.owners),
            "requires": dict(sorted(self.requires.items())),
        }

    @classmethod
    def from_json(cls, name: str, value: Any) -> LockedPrompt:
        """Read an entry. Raises ValueError on another shape."""
        members = Members(value, f"`{name}`")
        version, entry_class = members.version("version"), members.text("class")
        if not is_name(name):
            raise ValueError(f"`{name[:100]}` is not a valid name")
        if entry_class not in CLASSES:
            raise ValueError(f"`{name}`: unknown class")
        statement = members.digest("statement") if value["statement"] is not None else None
        found = cls(
            release=ReleaseId(entry_class=entry_class, name=name, version=version),
            registry=members.text("registry"),
            sha256=members.digest("sha256"),
            size=members.integer("size"),
            statement=statement,
            owners=_owners(name, members.array("owners")),
            requires=_requires(name, members.object("requires")),
        )
        if not is_registry_id(found.registry) or found.size < 0:
            raise ValueError(f"`{name}`: `registry` or `size` is not valid")
        if unknown := sorted(members.left.keys() - {"statement"}):
            raise ValueError(f"`{name}`: unknown key {unknown[0]!r}")
        return found


def moved(before: LockedPrompt | None, after: LockedPrompt | None) -> dict[str, str] | None:
    """Return the ids `before` and `after` if a name changes its registry, else None."""
    if before is None or after is None or before.registry == after.registry:
        return None
    return {"before": before.registry, "after": after.registry}


def _owners(name: str, values: list[Any]) -> tuple[str, ...]:
    valid = all(isinstance(each, str) and _FINGERPRINT.fullmatch(each) for each in values)
    if not valid or len(values) > _MOST_OWNERS:
        raise ValueError(f"`{name}`: `owners` are not fingerprints of keys")
    return tuple(sorted(set(values)))


def _requires(name: str, values: Mapping[str, Any]) -> Mapping[str, str]:
    for other, text in values.items():
        if not is_name(other) or not isinstance(text, str) or len(values) > _MOST:
            raise ValueError(f"`{name}`: `requires` does not map names to ranges")
        Range.parse(text)
    return dict(sorted(values.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The locked releases by name."""

    prompts: Mapping[str, LockedPrompt] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        prompts = {name: self.prompts[name].to_json() for name in sorted(self.prompts)}
        return json.dumps({"schema": SCHEMA, "prompts": prompts}, indent=2).encode() + b"\n"

    @property
    def versions(self) -> dict[str, str]:
        """The version of each name."""
        return {name: prompt.version for name, prompt in self.prompts.items()}

    @classmethod
    def read(cls, data: bytes, path: str = NAME) -> Lock:
        """Read a lock file; `path` is how messages call it.

        Raises:
            UnavailableError: `NEWER_FORMAT`.
            FindingsError: `LOCK_INVALID`.
        """
        if len(data) > LARGEST:
            raise _invalid(path, f"it has more than {LARGEST:,} bytes")
        try:
            value = strict_value(data)
            members = Members(value, "the lock")
            schema = members.text("schema")
            if is_later_schema(schema, SCHEMA):
                raise newer_format(f"{path} has the format {schema}")
            if schema != SCHEMA:
                raise ValueError(f"its schema is not {SCHEMA!r}")  # noqa: TRY301
            prompts = members.object("prompts")
            if len(prompts) > _MOST or members.left:
                raise ValueError("it has too many prompts, or unknown keys")  # noqa: TRY301
            read = {name: LockedPrompt.from_json(name, prompts[name]) for name in sorted(prompts)}
        except (ValueError, KeyError) as error:
            raise _invalid(path, str(error)) from error
        except PsregError as error:
            if error.code == "NEWER_FORMAT":
                raise
            raise _invalid(path, error.message.partition(": ")[2]) from error
        return cls(prompts=read)


def line_of(data: bytes, name: str) -> int:
    """Return the line of a lock file at which the entry of a name begins; 1 if it has none."""
    at = data.find(f'\n    "{name}": {{'.encode())
    return data.count(b"\n", 0, at) + 2 if at >= 0 else 1


def _invalid(path: str, why: str) -> FindingsError:
    return FindingsError("LOCK_INVALID", f"{path} is not usable: {why}", _AGAIN)


def no_lock() -> FindingsError:
    """Return the error for a project that has no lock file."""
    return FindingsError("NO_LOCK", f"there is no {NAME}", f"Run `psreg lock`, and commit {NAME}.")
