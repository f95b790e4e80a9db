"""Publishing: what a tree adds to a registry becomes records, signed and put in force.

Pure over the ports of `ground`. Whatever refuses, refuses before the first byte is written. A
publish that is cut short leaves the old state in force; the next one clears away what it left
and, with the same tree and clock, gives the same registry as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.formats.json.canonical import canonical
from psreg.lint.release_transcripts import conformance
from psreg.registry.build import ChangedFile, build
from psreg.registry.catalog import catalog_shards
from psreg.registry.records import SCHEMA, PackageRecord
from psreg.registry.state import Ground, Intent, Ports, clear, survey
from psreg.registry.trust.issuing import issue, renew
from psreg.registry.trust.metadata import Document, Notary, info_of, signers
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    KEYS,
    LIFETIME,
    ROOT,
    SNAPSHOT,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Target,
    catalog_target,
    is_due,
    metadata_path,
    package_target,
    target_path,
)
from psreg.registry.trust.strict_json import strict_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A registry after a publish.

    `root_sha256` is of `1.root.json`; `entries` counts the names it holds, `written` the files
    this publish wrote; `expires` is when the first of its signatures runs out, and `due` tells
    that it is time to renew them.
    """

    registry_id: str
    root_sha256: str
    mode: str
    released: tuple[ReleaseId, ...]
    entries: int
    written: int
    expires: datetime
    due: bool


def publish(
    tree: Mapping[PurePosixPath, bytes], report: Report, now: datetime, ports: Ports
) -> Published:
    """Release what is new in `tree`, sign it and put it in force.

    `report` is what the check of this very tree said. Where no registry is yet, one is founded
    with new keys (mode `dev`). If nothing is new, nothing is written.

    Raises:
        FindingsError: CHECK_FAILED; RELEASE_CHANGED, naming every released file that is not as
            it was published.
        TrustError: the registry is not as it was signed, or KEY_MISSING.
        UnavailableError: a record is of a newer schema; files cannot be read or written.
    """
    if report.failed():
        raise FindingsError("CHECK_FAILED", "the check found errors; nothing was published")
    ground = survey(ports)
    previous = _records(ground.state)
    index = build(tree, previous, now, waived=_waived(report), conformance=conformance)
    if index.changed:
        raise _release_changed(index.changed)
    contents = {package_target(n): _bytes(r, n, previous, ground) for n, r in index.records.items()}
    shards = catalog_shards(index.records)
    contents |= {catalog_target(shard): data for shard, data in shards.items()}
    targets = {path: Target.of(data) for path, data in contents.items()}
    root, notary = _ready_to_sign(ground, now, ports)
    documents = issue(ground.state, root, targets, notary)
    was = ground.state.targets if ground.state else {}
    files = {
        target_path(path, target.sha256): contents[path]
        for path, target in targets.items()
        if was.get(path) != target
    }
    if ground.root is None:
        documents = (root, *documents)
    written = _put(ground, info_of(root).id, files, documents, ports)
    released, entries = index.released, len(index.records)
    return _outcome(ground, documents, now, released=released, entries=entries, written=written)


def resign(now: datetime, ports: Ports) -> Published:
    """Renew the timestamp, and every other signature that is due; release nothing.

    Raises:
        TrustError: the registry is not as it was signed, or KEY_MISSING.
        UnavailableError: NOT_PUBLISHED; files cannot be read or written.
    """
    ground = survey(ports)
    if ground.state is None:
        raise UnavailableError(
            "NOT_PUBLISHED", "there is nothing to renew yet", "run psreg publish without --resign"
        )
    root, notary = _ready_to_sign(ground, now, ports)
    documents = renew(ground.state, now, notary)
    written = _put(ground, info_of(root).id, {}, documents, ports)
    entries = len(ground.state.packages)
    return _outcome(ground, documents, now, released=(), entries=entries, written=written)


def _records(state: RegistryState | None) -> dict[str, PackageRecord]:
    """Return the verified records by name."""
    records = {}
    for name, data in state.packages.items() if state else ():
        value = strict_value(data)
        if isinstance(value, dict) and value.get("schema", SCHEMA) != SCHEMA:
            raise UnavailableError(
                "NEWER_FORMAT",
                f"the record of {name} has schema {value['schema']!r}",
                "use a newer psreg to publish here",
            )
        try:
            records[name] = PackageRecord.from_json(value)
        except ValueError as error:
            raise TrustError("TRUST_METADATA", f"the record of {name}: {error}") from error
    return records


def _waived(report: Report) -> Mapping[ReleaseId, Collection[str]]:
    """Return which rules' findings stood about a release and were waived."""
    waived: dict[ReleaseId, set[str]] = {}
    for diagnostic in report.diagnostics:
        release = ReleaseId.of(PurePosixPath(diagnostic.path))
        if release is not None and diagnostic.waived is not None:
            waived.setdefault(release, set()).add(diagnostic.code)
    return waived


def _release_changed(changed: Sequence[ChangedFile]) -> FindingsError:
    lines = [
        f"  {file.path}: released {_digest(file.was)}, now {_digest(file.now)}" for file in changed
    ]
    return FindingsError(
        "RELEASE_CHANGED",
        "\n".join(["a released version never changes, but these files did:", *lines]),
        "put them back as they were released, and release a new version instead",
    )


def _digest(sha256: str | None) -> str:
    return f"sha256 {sha256}" if sha256 else "absent"


def _bytes(
    record: PackageRecord, name: str, previous: Mapping[str, PackageRecord], ground: Ground
) -> bytes:
    """Return the bytes to sign; a record that says what it said keeps its very bytes."""
    if ground.state and record == previous.get(name):
        return ground.state.packages[name]
    return canonical(record.to_json())


def _ready_to_sign(ground: Ground, now: datetime, ports: Ports) -> tuple[Document, Notary]:
    """Return the root to sign under, and who signs; founds a registry where there is none.

    The order is: note which registry is begun, make its keys, then sign. A first publish that is
    cut short finds its note and its keys again.
    """
    expires = now + LIFETIME
    if ground.root is not None:
        registry_id = info_of(ground.root).id
        pems = ports.keys.load(registry_id)
        notary = Notary(
            at_hand=signers(pems.values()), source=ports.keys.folder(registry_id), expires=expires
        )
        for role in (SNAPSHOT, TIMESTAMP):
            notary.require(ground.root, role)
        return ground.root, notary
    registry_id = ground.intent.registry_id if ground.intent else ports.keys.new_id()
    if ground.intent is None:
        ports.journal.begin(Intent(registry_id=registry_id))
    made = ports.keys.load(registry_id)
    pems = {name: made.get(name) or ports.keys.create(registry_id, name) for name in KEYS}
    notary = Notary(
        at_hand=signers(pems.values()), source=ports.keys.folder(registry_id), expires=expires
    )
    return notary.first_root(registry_id, pems), notary


def _put(
    ground: Ground,
    registry_id: str,
    files: Mapping[str, bytes],
    documents: Sequence[Document],
    ports: Ports,
) -> int:
    """Write a new root, `files`, and the other `documents`, the last of which is the timestamp.

    What lies there already is left alone. Returns how many files were written.
    """
    clear(ground, ports)
    roots = [document for document in documents if document.role == ROOT]
    others = [document for document in documents if document.role != ROOT]
    fresh = {path: data for path, data in files.items() if ports.store.read(path) != data}
    if documents:
        ports.journal.begin(
            Intent(registry_id=registry_id, after=ground.version, targets=tuple(fresh))
        )
    for root in roots:
        ports.store.write(metadata_path(ROOT, root.version), root.data)
        ports.store.sync()  # so that no metadata is ever without its root
    for path, data in fresh.items():
        ports.store.write(path, data)
    for document in others:
        if document.role == TIMESTAMP:
            ports.store.sync()  # so that nothing in force is ever missing
            ports.store.write(TIMESTAMP_PATH, document.data)
            ports.store.sync()
        else:
            ports.store.write(metadata_path(document.role, document.version), document.data)
    if documents or ground.intent:
        ports.journal.finish()
    return len(fresh) + len(documents)


def _outcome(
    ground: Ground,
    documents: Sequence[Document],
    now: datetime,
    *,
    released: tuple[ReleaseId, ...],
    entries: int,
    written: int,
) -> Published:
    in_force = {**ground.documents, **{document.role: document for document in documents}}
    info = info_of(in_force[ROOT])
    expires = min(document.expires for document in in_force.values())
    return Published(
        registry_id=info.id,
        root_sha256=ground.root_sha256 or info.sha256,
        mode=info.mode,
        released=released,
        entries=entries,
        written=written,
        expires=expires,
        due=is_due(expires, now),
    )
