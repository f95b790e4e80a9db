"""The table `[policy]` of a settings or project file: which releases may be used.

Every policy that applies must allow a release; a file of a clone can only refuse more.

```toml
[policy]
registries = ["main"]          # names, or addresses, of the registries to install from
licenses = ["MIT", "CC0-1.0"]  # SPDX identifiers; of `A OR B` one must be listed
minimum_score = 70             # at publication, from 0 to 100
claimed_only = true            # only names that their owners claimed
capabilities = []              # what a prompt may ask an assistant to use
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from psreg.client.project.verified import VerifiedRelease
from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError, UsageError
from psreg.core.spelling import did_you_mean
from psreg.formats.licenses import refusal

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.trust_store import TrustStore

KEYS = ("registries", "licenses", "minimum_score", "claimed_only", "capabilities")
CAPABILITIES = ("files", "memory", "network", "tools")
_HIGHEST = 100
_LISTED = 20

Fault = Callable[..., UsageError]
"""Returns the error for a key: `fault(key, why, hint)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one file allows; None is everything. `origin` is the file.

    `registries` are their names or addresses, as written.
    """

    origin: str
    registries: tuple[str, ...] | None = None
    licenses: tuple[str, ...] | None = None
    minimum_score: int | None = None
    claimed_only: bool = False
    capabilities: tuple[str, ...] | None = None

    @classmethod
    def read(cls, table: Any, origin: str, fault: Fault) -> Policy:
        """Read the table of a file; raises what `fault` returns for an invalid value."""
        if not isinstance(table, dict):
            raise fault("policy", "must be a table")
        for key in table:
            if key not in KEYS:
                raise fault(key, "is unknown in `[policy]`", did_you_mean(key, KEYS))
        score, claimed = table.get("minimum_score"), table.get("claimed_only", False)
        valid = score is None or (type(score) is int and 0 <= score <= _HIGHEST)
        if not valid:
            raise fault("minimum_score", f"must be a number from 0 to {_HIGHEST}")
        if not isinstance(claimed, bool):
            raise fault("claimed_only", "must be true or false")
        capabilities = _texts(table, "capabilities", fault)
        for each in capabilities or ():
            if each not in CAPABILITIES:
                raise fault("capabilities", f"names `{each}`", did_you_mean(each, CAPABILITIES))
        return cls(
            origin=origin,
            registries=_texts(table, "registries", fault),
            licenses=_texts(table, "licenses", fault),
            minimum_score=score,
            claimed_only=claimed,
            capabilities=capabilities,
        )

    def faults(self, found: VerifiedRelease, registry: Mapping[str, str]) -> Iterator[str]:
        """Yield why a release is not allowed, each with the key that says so.

        `registry` maps the names and addresses of known registries to their ids.
        """
        if self.registries is not None:
            allowed = {registry.get(each) for each in self.registries}
            if found.registry not in allowed:
                yield f"registries: it is from the registry {found.registry}"
        if self.licenses is not None:
            text = found.row.text("license")
            if (why := refusal(text, self.licenses)) is not None:
                yield f"licenses: {why.message}"
        if self.minimum_score is not None:
            score = found.score
            if score is None or score < self.minimum_score:
                has = "no score" if score is None else f"a score of {score}"
                yield f"minimum_score: it has {has}, and {self.minimum_score} is required"
        if self.claimed_only and not found.claimed:
            yield "claimed_only: its name is not claimed"
        if self.capabilities is not None:
            more = sorted({*found.row.texts("capabilities")} - {*self.capabilities})
            if more:
                yield f"capabilities: it asks the assistant to use {', '.join(more)}"


def check_policies(
    policies: Iterable[Policy], releases: Iterable[VerifiedRelease], registry: Mapping[str, str]
) -> None:
    """Check that all policies allow all releases.

    Raises:
        TrustError: `POLICY_REFUSED`, with each reason.
    """
    policies = [*policies]
    found = [
        f"{release.title}: {why} ({policy.origin})"
        for release in releases
        for policy in policies
        for why in policy.faults(release, registry)
    ]
    if not found:
        return
    more = len(found) - _LISTED
    raise TrustError(
        "POLICY_REFUSED",
        "your policy does not allow what would be installed:",
        "Use another version or prompt, or have the policy changed.",
        (*found[:_LISTED], *([f"and {more} more"] if more > 0 else [])),
    )


def check_settings(
    settings: Settings, store: TrustStore, releases: Iterable[VerifiedRelease]
) -> None:
    """Check that the policies of the settings allow releases. Raises as `check_policies`."""
    check_policies(policies_of(settings), releases, known_registries(settings, store))


def policies_of(settings: Settings) -> list[Policy]:
    """Return the policies of the files that apply. Raises UsageError `CONFIG_INVALID`."""
    return [Policy.read(table, path, fault) for path, table, fault in settings.policies()]


def known_registries(settings: Settings, store: TrustStore) -> dict[str, str]:
    """Return the ids of the trusted registries by name and by address."""
    known: dict[str, str] = {}
    for each in settings.registries():
        anchor = store.find(each.root_sha256) if each.root_sha256 else None
        if anchor is not None:
            known |= dict.fromkeys((each.name, each.location), anchor.id)
    return known


def _texts(table: Mapping[str, Any], key: str, fault: Fault) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise fault(key, "must be a list of texts")
    return tuple(value)
