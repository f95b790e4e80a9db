"""What `psreg doctor` knows about a registry, and what a check says about it.

Pure values: `cli.doctor` collects them from the checkout, the keys on this machine, the forge and
the site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from psreg.registry.ceremony import Signing
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import LIFETIMES


class Status(StrEnum):
    """What a check found; UNSEEN is what only a person can look at from here."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What one check found, and what to do about it, "" if nothing."""

    id: str
    status: Status
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeSettings:
    """The settings of a repository on a forge, as its API tells; None for what it does not.

    `merging` are the ways to merge: "merge", "squash" and "rebase"; `required` are the names of the
    checks that must pass. `up_to_date` is whether a pull request is only merged onto the commit
    that it was reviewed against.
    """

    merging: frozenset[str] | None = None
    dismisses_stale: bool | None = None
    code_owners_approve: bool | None = None
    required: frozenset[str] | None = None
    up_to_date: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a host answers for one file of a site: the status, and the header `Cache-Control`."""

    status: int
    caching: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A registry as it is seen from a maintainer's machine.

    `state` is None if nothing verifiable is published; `problem` says why, and `remedy` what to do.
    `keys` are the ids of the keys that this machine can sign with by the name of their file, and
    `exposed` says why they were not read. `root_files` are the versions of all roots there are.
    `files` are the texts of the pipelines and of what they install, by path in the checkout.
    `moved_root` is the SHA-256 of the first root at the address that the registry announces, "" if
    it was not read. `served` is what the site at `site` answers, by path. `forge` is "github",
    "gitlab" or "".
    """

    production: bool
    now: datetime
    state: RegistryState | None = None
    problem: str = ""
    remedy: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    exposed: str = ""
    root_files: frozenset[int] = frozenset()
    checkpoint_copy: bytes | None = None
    lifetimes: Mapping[str, timedelta] = field(default_factory=lambda: LIFETIMES)
    signing: tuple[Signing, ...] = ()
    moved_root: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    forge: str = ""
    settings: ForgeSettings = ForgeSettings()
    site: str = ""
    served: Mapping[str, Served] = field(default_factory=dict)

    @property
    def grave(self) -> Status:
        """The status of what only a registry in production must not have."""
        return Status.ERROR if self.production else Status.WARNING
