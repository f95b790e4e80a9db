"""What owners sign about a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psreg.registry.owners.in_toto import STATEMENT_TYPE, InTotoStatement, subjects
from psreg.registry.trust.roles import Target

NAMESPACE = "release@psreg"
"""The namespace of owners' signatures: none that was made for something else is one."""

PREDICATE_TYPE = "psreg:release/1"


@dataclass(frozen=True, kw_only=True)
class Statement(InTotoStatement):
    """That a version of a name in the registry `registry_id` consists of these `files`.

    `files` are all of the version folder when it was signed, by path; `requires` is what
    release.toml says; `previous` is the digest of the owners' statement before this one, if any.
    """

    namespace = NAMESPACE

    name: str
    version: str
    registry_id: str
    files: Mapping[str, Target]
    requires: Mapping[str, Any]
    previous: str | None = None

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    @property
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""
        return {
            "_type": STATEMENT_TYPE,
            "subject": subjects(self.files),
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "name": self.name,
                "version": self.version,
                "registry": self.registry_id,
                "requires": dict(self.requires),
                "previous": self.previous,
            },
        }
