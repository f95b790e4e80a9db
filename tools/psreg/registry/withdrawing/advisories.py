"""Advisories about what was withdrawn, in the format of OSV (Open Source Vulnerabilities, 1.8).

Each action that takes something away gives one; it is `withdrawn` once the action is lifted. Ids
that begin with `x_` are those of a database that OSV does not know. A `package` must be of an
ecosystem on OSV's list, and psreg is not on it: the name is in `database_specific`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from psreg.registry.actions.action import LIFT, Action
from psreg.registry.withdrawing.effects import Effects

OSV_VERSION = "1.8.0"
ECOSYSTEM = "psreg"

_DONE = {
    "revoke": "was revoked",
    "quarantine": "is in quarantine",
    "purge": "was removed",
    "revoke-key": "is void",
}


def advisories(effects: Effects) -> Iterator[dict[str, Any]]:
    """Yield the advisory of each action, but for lifts, as JSON data."""
    for action in effects.all:
        if action.kind != LIFT:
            yield _advisory(action, effects)


def _advisory(action: Action, effects: Effects) -> dict[str, Any]:
    lift = next((each for each in effects.lifts if each.lifts(action)), None)
    subject = action.subject
    package = {"ecosystem": ECOSYSTEM, "name": subject.name}
    affected = {"versions": [subject.version], "database_specific": package}
    return {
        "schema_version": OSV_VERSION,
        "id": f"x_PSREG-{action.registry_id[:8]}-{action.number:04}",
        "modified": lift.date if lift else action.date,
        "published": action.date,
        **({"withdrawn": lift.date} if lift else {}),
        "summary": f"{subject.title} {_DONE[action.kind]}",
        "details": action.reason,
        "affected": [affected] if subject.name else [],
        "database_specific": {
            "registry": action.registry_id,
            "action": action.number,
            "kind": action.kind,
            **{
                key: subject.to_json()[key]
                for key in ("sha256", "key", "after")
                if key in subject.to_json()
            },
        },
    }
