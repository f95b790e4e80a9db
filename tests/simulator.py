"""A registry in memory that can lie: implements the fetcher port, and signs whatever it is told.

It is built with python-tuf's own metadata classes and none of psreg's publishing code, so that
publisher and client are not tested against each other's mistakes.
"""

from __future__ import annotations

import copy
import hashlib
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole,
    Delegations,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    SuccinctRoles,
    TargetFile,
    Targets,
    Timestamp,
)

from psreg.core.identity import ReleaseId
from psreg.http.registry_source import NotServedError, TooLongError
from support.simulated_log import SimulatedLog, encode

LATER = datetime.now(UTC).replace(microsecond=0) + timedelta(days=365)
PAST = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)
_STATE = (
    *("records", "artifacts", "head_version", "targets", "releases", "bins", "others"),
    *("snapshot", "timestamp", "bound"),
)
TEXT = b'{"pbe_name": "quiz_master", "pbe_version": "1.0.0"}\n'
METADATA = "registry/metadata/"


_SIGNED: dict[str, bytes] = {}
"""Metadata files of bins that list nothing, signed with a lasting key: a registry has hundreds."""


class Simulator:
    """`files` is everything it serves, by path; tests change it at will. A `Source`."""

    location = "https://registry.invalid"

    def __init__(
        self,
        *,
        mode: str = "production",
        registry_id: str = "0123456789abcdef" * 2,
        bound: bool = True,
        signers: dict[str, CryptoSigner] | None = None,
        log: bool = False,
    ):
        self.registry_id = registry_id
        self.log = SimulatedLog(f"psreg/{registry_id}") if log else None
        self.bound = bound
        self.head_version = 0
        self.signers = signers or {
            name: CryptoSigner.generate_ed25519() for name in ("root", "online", "stamp")
        }
        self.files: dict[str, bytes] = {}
        self.reads: list[str] = []
        self.records: dict[str, dict[str, Any]] = {}
        self.artifacts: dict[str, bytes] = {}
        key = {name: signer.public_key for name, signer in self.signers.items()}
        self.root = Root(
            expires=LATER,
            consistent_snapshot=True,
            unrecognized_fields={"psreg": {"id": registry_id, "mode": mode}},
        )
        if self.log:
            self.root.unrecognized_fields["psreg"]["log"] = [self.log.key]
        for role, name in (
            ("root",) * 2,
            ("targets", "root"),
            ("snapshot", "online"),
            ("timestamp", "stamp"),
        ):
            self.root.add_key(key[name], role)
        online = key["online"]
        releases = DelegatedRole(
            "releases", [online.keyid], 1, terminating=True, paths=["pkg/*", "catalog/*", "log/*"]
        )
        bins = SuccinctRoles([online.keyid], 1, 8, "r")
        self.targets = Targets(
            expires=LATER,
            delegations=Delegations({online.keyid: online}, roles={"releases": releases}),
        )
        self.releases = Targets(
            expires=LATER, delegations=Delegations({online.keyid: online}, succinct_roles=bins)
        )
        self.bins = {name: Targets(expires=LATER) for name in bins.get_roles()}
        self.others: dict[str, tuple[Targets, str]] = {}
        """Further roles, each with the name of the key that signs it."""
        self.snapshot = Snapshot(expires=LATER)
        self.timestamp = Timestamp(expires=LATER)
        self._first = True
        self.write_root()

    # What it serves

    def read(self, path: str, limit: int) -> bytes:
        """Return a served file, as `Source` demands."""
        self.reads.append(path)
        if path not in self.files:
            raise NotServedError(path)
        if len(self.files[path]) > limit:
            raise TooLongError(path, limit)
        return self.files[path]

    def store(self, folder: Path) -> Path:
        """Write everything served into `folder`, which then is a registry; return it."""
        for path, data in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        return folder

    def close(self) -> None:
        """Do nothing, as `Source` demands."""

    # Before and after an attack

    def state(self) -> dict[str, Any]:
        """Return a copy of all that it publishes and signs."""
        kept = {name: copy.deepcopy(getattr(self, name)) for name in _STATE}
        log = self.log and ([*self.log.leaves], self.log.signer)
        return {**kept, "log": log, "files": {**self.files}}

    def restore(self, state: dict[str, Any]) -> Simulator:
        """Publish a former state as the newest one, and serve nothing that is newer."""
        versions = {name: signed.version for name, signed in self._roles().items()}
        head = self.head_version
        for name in _STATE:
            setattr(self, name, copy.deepcopy(state[name]))
        if self.log:
            leaves, self.log.signer = state["log"]
            self.log.leaves = [*leaves]
        self.files.clear()
        self.files |= state["files"]
        for name, signed in self._roles().items():
            signed.version = max(signed.version, versions.get(name, 0)) + 1
        self.head_version = max(head, self.head_version)
        for record in self.records.values():
            record["serial"] += 99
        return self.publish()

    def _roles(self) -> dict[str, Any]:
        return {
            "targets": self.targets, "releases": self.releases, "snapshot": self.snapshot,
            "timestamp": self.timestamp, **self.bins, **{name: each for name, (each, _) in self.others.items()},
        }  # fmt: skip

    # What it publishes

    def release(
        self, name: str = "quiz_master", version: str = "1.0.0", data: bytes = TEXT, **row: Any
    ) -> Simulator:
        """Add a release; keywords override members of its row, `entry_class` the class."""
        entry_class = row.pop("entry_class", "interactive_engine")
        release = ReleaseId(entry_class=entry_class, name=name, version=version)
        record = self.records.setdefault(
            name,
            {
                "schema": "psreg.package/1", "name": name, "class": entry_class, "serial": 0, "owners": [],
                "threshold": 1, "aliases": [], "deprecated": None, "releases": [],
            },
        )  # fmt: skip
        record["serial"] += 1
        details = {
            "summary": f"A summary of {name}.", "license": "MIT", "tags": ["quiz"], "use_case": "When testing.",
            **row.pop("release", {}),
        }  # fmt: skip
        record["releases"].append({
            "v": 1, "version": version, "path": str(release.artifact), "media_type": release.format.media_type,
            "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "date": "2026-11-21T05:00:00Z",
            "files": [], "release": details, "waived": [], "yanked": None, "statement": None, **row,
        })  # fmt: skip
        self.artifacts[str(release.artifact)] = data
        return self

    def publish(self) -> Simulator:
        """Sign the state: records and catalogue into bins, then snapshot, then timestamp."""
        self.files |= self.artifacts
        if self.log:
            self._grow(self.log)
        targets = {f"pkg/{name}.json": encode(record) for name, record in self.records.items()}
        targets["catalog/head.json"] = self._catalogue()
        for path, data in targets.items():
            self.target(path, data)
        return self.sign_all()

    def _grow(self, log: SimulatedLog) -> None:
        """Log what is new, and serve the log."""
        rows = [(r, row) for r in self.records.values() for row in r["releases"]]
        new = [(r, row) for r, row in rows if "log" not in row]
        first = len(log.leaves)
        for record, row in new:
            log.add(record, row)
        for index, (record, row) in enumerate(new, start=first):
            row["log"] = log.place(record, index)
        self.serve_log(log.note())

    def serve_log(self, note: bytes) -> None:
        """Serve the files of the log, and vouch for `note` as its checkpoint."""
        assert self.log
        self.files |= {f"registry/{path}": data for path, data in self.log.files().items()}
        self.target("log/checkpoint", note)

    def target(self, path: str, data: bytes) -> None:
        """Vouch for `data` as the target `path`, and serve it."""
        info = TargetFile.from_data(path, data, ["sha256"])
        if path == "log/checkpoint":
            self.releases.version += not self._first and self.releases.targets.get(path) != info
            self.releases.targets[path] = info
            self.files[f"registry/targets/log/{info.hashes['sha256']}.checkpoint"] = data
            return
        owner = self.bins[self.releases.delegations.succinct_roles.get_role_for_target(path)]
        if owner.targets.get(path) != info and not self._first:
            owner.version += path not in owner.unrecognized_fields
        owner.targets[path] = info
        folder, _, name = path.rpartition("/")
        self.files[f"registry/targets/{folder}/{info.hashes['sha256']}.{name}"] = data

    def sign_all(self) -> Simulator:
        """Sign every role; snapshot and timestamp get a new version after the first time."""
        self.snapshot.version += not self._first
        self.timestamp.version += not self._first
        self._first = False
        online = {"releases": self.releases, **self.bins}
        roles = {name: (signed, "online") for name, signed in online.items()}
        for name, (signed, key) in {
            **roles,
            "targets": (self.targets, "root"),
            **self.others,
        }.items():
            self.snapshot.meta[f"{name}.json"] = MetaFile(signed.version)
            self.files[f"{METADATA}{signed.version}.{name}.json"] = self.signed(signed, key, name)
        self.write_snapshot()
        self.timestamp.snapshot_meta = MetaFile(self.snapshot.version)
        self.write_timestamp()
        return self

    def write_root(self) -> None:
        """Sign and serve the root as it is now."""
        self.files[f"{METADATA}{self.root.version}.root.json"] = self.signed(self.root, "root")

    def write_snapshot(self) -> None:
        """Sign and serve the snapshot as it is now."""
        path = f"{METADATA}{self.snapshot.version}.snapshot.json"
        self.files[path] = self.signed(self.snapshot, "online", "snapshot")

    def write_timestamp(self) -> None:
        """Sign and serve the timestamp as it is now."""
        self.files[f"{METADATA}timestamp.json"] = self.signed(self.timestamp, "stamp", "timestamp")

    def signed(self, signed: Any, signer: str, role: str = "") -> bytes:
        """Return `signed` as a metadata file with the signature of one key, bound to `role`."""
        copied = copy.copy(signed)
        if self.bound and role:
            binding = {"psreg": {"id": self.registry_id, "role": role}}
            copied.unrecognized_fields = binding | signed.unrecognized_fields
        key = self.signers[signer]
        empty = isinstance(copied, Targets) and not copied.targets
        if not (empty and key is _lasting_signers()["online"]):
            return _with_signature(copied, key)
        made = json.dumps(copied.to_dict())
        if made not in _SIGNED:
            _SIGNED[made] = _with_signature(copied, key)
        return _SIGNED[made]

    @property
    def first_root(self) -> bytes:
        """The bytes of 1.root.json."""
        return self.files[f"{METADATA}1.root.json"]

    @property
    def pin(self) -> str:
        """The digest a person would be given."""
        return hashlib.sha256(self.first_root).hexdigest()

    def _catalogue(self) -> bytes:
        """Serve a segment with every record, and return the head that lists it."""
        data = encode(self.segment())
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"registry/targets/segments/{digest}.json"] = data
        self.head_version += 1
        count = len(self.records)
        return encode({
            "schema": "psreg.head/1", "needs": "0.2.0", "version": self.head_version, "count": count, "facets": {},
            "segments": [{"sha256": digest, "length": len(data), "count": count}],
        })  # fmt: skip

    def segment(self) -> dict[str, Any]:
        """Return a segment with the newest release of every record."""
        rows = [(r, r["releases"][-1]) for _, r in sorted(self.records.items())]

        def coded(cells: list[list[str]]) -> dict[str, Any]:
            values = sorted({value for cell in cells for value in cell})
            return {
                "values": values,
                "rows": [[values.index(value) for value in cell] for cell in cells],
            }

        return {
            "schema": "psreg.segment/1", "count": len(rows), "gone": [],
            "name": [r["name"] for r, _ in rows],
            "class": coded([[r["class"]] for r, _ in rows]),
            "version": [row["version"] for _, row in rows],
            "summary": [row["release"]["summary"] for _, row in rows],
            "use_case": [row["release"]["use_case"] for _, row in rows],
            "date": [row["date"] for _, row in rows],
            "sha256": [row["sha256"] for _, row in rows],
            "tags": coded([row["release"]["tags"] for _, row in rows]),
            "license": coded([[row["release"]["license"]] for _, row in rows]),
            **{key: coded([[] for _ in rows]) for key in ("language", "platform", "protocol")},
            "deprecated": [r["deprecated"]["reason"] if r["deprecated"] else None for r, _ in rows],
        }  # fmt: skip


def lasting(**options: Any) -> Simulator:
    """Return a registry with the same keys in all tests of this process; see `Simulator`."""
    return Simulator(signers={**_lasting_signers()}, **options)


@cache
def _lasting_signers() -> dict[str, CryptoSigner]:
    return {name: CryptoSigner.generate_ed25519() for name in ("root", "online", "stamp")}


def _with_signature(signed: Any, key: CryptoSigner) -> bytes:
    metadata = Metadata(signed)
    metadata.sign(key)
    return metadata.to_bytes()
