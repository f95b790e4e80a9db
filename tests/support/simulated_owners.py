"""Claimed names for the simulator: a role that the online keys do not sign, and what owners sign.

It shares no code with psreg: statements are written from in-toto and DSSE, signatures from OpenSSH.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import DelegatedRole, Delegations, SuccinctRoles, TargetFile, Targets

from simulator import LATER, Simulator
from support.owners import Owner
from support.simulated_log import encode

ROLE = "owners"
TYPE = "application/vnd.in-toto+json"


class SimulatedOwners:
    """The role `owners` of a simulated registry, and its 16 bins; `claims` are by name."""

    def __init__(self, registry: Simulator) -> None:
        self.registry = registry
        registry.signers[ROLE] = CryptoSigner.generate_ed25519()
        key = registry.signers[ROLE].public_key
        self._roles = SuccinctRoles([key.keyid], 1, 4, "o4")
        delegations = registry.targets.delegations
        delegations.keys[key.keyid] = key
        delegations.roles[ROLE] = DelegatedRole(
            ROLE, [key.keyid], 1, terminating=True, paths=["owners/*"]
        )
        above = Delegations({key.keyid: key}, succinct_roles=self._roles)
        self.above = Targets(expires=LATER, delegations=above)
        self.bins = {name: Targets(expires=LATER) for name in self._roles.get_roles()}
        self.claims: dict[str, dict[str, Any]] = {}
        registry.others |= {ROLE: (self.above, ROLE)}
        registry.others |= {name: (bin_, ROLE) for name, bin_ in self.bins.items()}

    def claim(
        self, name: str, *owners: Owner, threshold: int = 1, **members: Any
    ) -> SimulatedOwners:
        """Let owners claim a name; `members` override those of the claim."""
        record, log = self.registry.records[name], self.registry.log
        before = [
            [row["log"]["index"], row["version"], row["sha256"]]
            for row in record["releases"]
            if "log" in row
        ]
        self.claims[name] = {
            "schema": "psreg.owners/1",
            "name": name,
            "owners": [
                {"forge": "github", "id": owner.number, "keys": [owner.line]} for owner in owners
            ],
            "threshold": threshold,
            "since": len(log.leaves) if log else 0,
            "released": hashlib.sha256(encode(sorted(before))).hexdigest(),
            **members,
        }
        self.serve(name, encode(self.claims[name]))
        return self

    def serve(self, name: str, data: bytes) -> None:
        """Vouch for `data` as what is signed about the owners of a name, and serve it."""
        path = f"owners/{name}.json"
        info = TargetFile.from_data(path, data, ["sha256"])
        bin_ = self.bin_of(name)
        bin_.version += 1
        bin_.targets[path] = info
        self.registry.files[f"registry/targets/owners/{info.hashes['sha256']}.{name}.json"] = data

    def bin_of(self, name: str) -> Targets:
        """Return the bin that is responsible for a name."""
        return self.bins[self._roles.get_role_for_target(f"owners/{name}.json")]

    def sign(self, name: str, version: str, /, *owners: Owner, **changes: Any) -> None:
        """Sign a release that is not in the log yet; `changes` are members of the predicate."""
        record = self.registry.records[name]
        row = next(each for each in record["releases"] if each["version"] == version)
        row["statement"] = self.envelope(record, row, *owners, **changes)

    def envelope(
        self,
        record: dict[str, Any],
        row: dict[str, Any],
        /,
        *owners: Owner,
        namespace: str = "release@psreg",
        **changes: Any,
    ) -> dict[str, Any]:
        """Return what owners sign about a release, in an envelope (in-toto Statement v1, DSSE)."""
        earlier = [
            each["log"]["statement"]
            for each in sorted(record["releases"], key=lambda r: r.get("log", {}).get("index", 0))
            if "statement" in each.get("log", {}) and each is not row
        ]
        payload = encode(
            {
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [
                    {
                        "name": file["path"],
                        "digest": {"sha256": file["sha256"]},
                        "annotations": {"length": file["size"]},
                    }
                    for file in sorted(row["files"], key=lambda file: file["path"])
                ],
                "predicateType": "psreg:release/1",
                "predicate": {
                    "name": record["name"],
                    "version": row["version"],
                    "registry": self.registry.registry_id,
                    "requires": row["release"].get("requires", {}),
                    "previous": earlier[-1] if earlier else None,
                    **changes,
                },
            }
        )
        return _envelope(payload, owners, namespace)


def files_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a release lists if its artifact is its only file."""
    return [{"path": row["path"], "sha256": row["sha256"], "size": row["size"]}]


def _unarmoured(text: bytes) -> str:
    return "".join(text.decode().splitlines()[1:-1])


def owned_by(*owners: Owner, threshold: int = 1) -> dict[str, Any]:
    """Return the members of a record that say who owns its name."""
    rows = [{"forge": "github", "id": owner.number, "keys": [owner.line]} for owner in owners]
    return {"owners": rows, "threshold": threshold}


def _ownership(owners: tuple[Owner, ...], threshold: int) -> dict[str, Any]:
    rows = [
        {"account": f"github:{owner.number}", "key": " ".join(owner.line.split()[:2])}
        for owner in owners
    ]
    rows.sort(key=lambda row: (row["account"], row["key"]))
    return {"owners": rows, "threshold": min(threshold, len(owners))}


def change(
    record: dict[str, Any],
    registry_id: str,
    *,
    before: tuple[Owner, ...],
    after: tuple[Owner, ...],
    signers: tuple[Owner, ...],
    thresholds: tuple[int, int] = (1, 1),
    namespace: str = "owners@psreg",
    **changes: Any,
) -> dict[str, Any]:
    """Return the next link of a record's chain; `changes` are members of the predicate."""
    old, new = _ownership(before, thresholds[0]), _ownership(after, thresholds[1])
    payload = encode(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [
                {
                    "name": f"owners/{record['name']}",
                    "digest": {"sha256": hashlib.sha256(encode(new)).hexdigest()},
                }
            ],
            "predicateType": "psreg:owners/1",
            "predicate": {
                "name": record["name"],
                "registry": registry_id,
                "number": len(record.get("owner_changes", [])) + 1,
                "before": hashlib.sha256(encode(old)).hexdigest(),
                **new,
                **changes,
            },
        }
    )
    message = b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(payload), payload)
    envelope = {
        "payloadType": TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": "any", "sig": _unarmoured(owner.sign(message, namespace))}
            for owner in signers
        ],
    }
    return {**new, "statement": envelope}


def recovery(
    record: dict[str, Any],
    registry_id: str,
    *,
    before: tuple[Owner, ...],
    after: tuple[Owner, ...],
    told: dict[str, str],
    thresholds: tuple[int, int] = (1, 1),
    **changes: Any,
) -> dict[str, Any]:
    """Return the statement of a recovery; `told` are its reason and dates, `changes` as above."""
    old, new = _ownership(before, thresholds[0]), _ownership(after, thresholds[1])
    digest = hashlib.sha256(encode(new)).hexdigest()
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": f"owners/{record['name']}", "digest": {"sha256": digest}}],
        "predicateType": "psreg:recovery/1",
        "predicate": {
            "name": record["name"],
            "registry": registry_id,
            "number": 1,
            "before": hashlib.sha256(encode(old)).hexdigest(),
            **new,
            **told,
            **changes,
        },
    }


def completed(statement: dict[str, Any]) -> dict[str, Any]:
    """Return the link of a claim's chain with which a recovery is in force."""
    told = statement["predicate"]
    link = {key: told[key] for key in ("owners", "threshold")}
    return {**link, "recovery": {key: told[key] for key in ("reason", "date", "not_before")}}


def log_recovery(
    registry: Simulator, record: dict[str, Any], statement: dict[str, Any], date: str
) -> dict[str, Any]:
    """Log a recovery, and let the record say where, and that it was on `date`."""
    assert registry.log
    digest, owners = _digest(statement), statement["subject"][0]["digest"]["sha256"]
    entry = {
        "kind": "recovery", "name": statement["predicate"]["name"], "version": None, "artifact": None,
        "statement": digest, "owners": owners,
    }  # fmt: skip
    registry.log.leaves.append(encode(entry))
    place = registry.log.place(record, len(registry.log.leaves) - 1)
    said = {"statement": statement, "date": date, "log": {**place, "owners": owners}}
    record.setdefault("recoveries", []).append(said)
    record["serial"] += 1
    return said


def objection(
    statement: dict[str, Any], *signers: Owner, namespace: str = "owners@psreg", **changes: Any
) -> dict[str, Any]:
    """Return what owners sign to prevent a recovery, in an envelope."""
    told = statement["predicate"]
    value = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": f"owners/{told['name']}", "digest": {"sha256": _digest(statement)}}],
        "predicateType": "psreg:objection/1",
        "predicate": {"name": told["name"], "registry": told["registry"], **changes},
    }
    payload = encode(value)
    return _envelope(payload, signers, namespace)


def _envelope(payload: bytes, signers: Iterable[Owner], namespace: str) -> dict[str, Any]:
    """Return what owners sign, in DSSE."""
    message = b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(payload), payload)
    return {
        "payloadType": TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": "any", "sig": _unarmoured(owner.sign(message, namespace))}
            for owner in signers
        ],
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(encode(value)).hexdigest()


def yank(
    registry: Simulator,
    row: dict[str, Any],
    reason: str | None,
    /,
    *signers: Owner,
    number: int = 1,
    namespace: str = "yank@psreg",
    name: str = "quiz_master",
    **changes: Any,
) -> dict[str, Any]:
    """Let owners sign whether a release is yanked; `changes` are members of the predicate."""
    payload = encode(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": row["path"], "digest": {"sha256": row["sha256"]}}],
            "predicateType": "psreg:yank/1",
            "predicate": {
                "name": name,
                "version": row["version"],
                "registry": registry.registry_id,
                "number": number,
                "reason": reason,
                **changes,
            },
        }
    )
    message = b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(payload), payload)
    envelope = {
        "payloadType": TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": "any", "sig": _unarmoured(owner.sign(message, namespace))}
            for owner in signers
        ],
    }
    row |= {"yanked": reason, "yank": {"number": number, "statement": envelope}}
    return row
