"""Publishing: the new releases of a tree become records, which are signed and made current.

Pure over the ports of `baseline`. Every refusal comes before the first byte is written. After an
interrupted publish the old state is still current; the next publish removes what the interrupted
one left and, with the same tree and clock, gives the same registry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from psreg import __version__
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.formats.json.canonical import canonical
from psreg.lint.release_transcripts import conformance
from psreg.registry.baseline import Baseline, Intent, Ports, read_baseline, remove_leftovers
from psreg.registry.build import BuildResult, ChangedFile, build
from psreg.registry.catalog_growth import grow
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.issuing import issue, issue_first, renew
from psreg.registry.trust.metadata import Document, MetadataSigner, info_of, signers_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    HEAD,
    KEYS,
    LIFETIMES,
    ROOT,
    SNAPSHOT,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Target,
    catalog_target,
    metadata_path,
    package_target,
    target_path,
)

KEEP = timedelta(days=30)
"""How long files are kept that no current state refers to, by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """A registry after a publish.

    `root_sha256` is of `1.root.json`; `entries` counts its names, `written` the files that this
    publish wrote; `expires` is when the first of its signatures expires. `due` are the roles that
    should be renewed, but whose keys are elsewhere; `latest` is the newest date of a release.
    """

    registry_id: str
    root_sha256: str
    mode: str
    released: tuple[ReleaseId, ...]
    entries: int
    written: int
    expires: datetime
    due: tuple[DueRole, ...]
    latest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRole:
    """A role that should be renewed before it `expires`."""

    role: str
    expires: datetime


def publish(
    tree: Mapping[PurePosixPath, bytes],
    report: Report,
    now: datetime,
    ports: Ports,
    *,
    psreg: str = __version__,
    start_over: bool = False,
    lifetimes: Mapping[str, timedelta] = LIFETIMES,
    keep: timedelta = KEEP,
) -> PublishResult:
    """Release what is new in `tree`, sign it and make it current.

    `report` is the report of the check of exactly this tree, by this version of `psreg`. If there
    is no registry yet, one is created with new keys (mode `dev`); `start_over` does so even if the
    folder held one. Signatures that are due are renewed; if there are none and nothing is new,
    nothing is written. `lifetimes` are those of the policy; files of former states are kept for
    the time `keep`.

    Raises:
        FindingsError: CHECK_FAILED; REQUIRES_REFUSED; RELEASE_CHANGED, with every released
            file that changed.
        TrustError: the registry is not as it was signed, or KEY_MISSING.
        UnavailableError: a record has a newer schema; files cannot be read or written.
    """
    if report.failed():
        raise FindingsError("CHECK_FAILED", "the check found errors; nothing was published")
    baseline = read_baseline(ports, start_over=start_over)
    previous = _records(baseline.state)
    index = build(tree, previous, now, waived=_waived(report), conformance=conformance, psreg=psreg)
    if index.changed:
        raise _release_changed(index.changed)
    _refuse_requirements(index)
    packages = _packages(index.records, previous, baseline)
    growth = grow(baseline.state, previous, index.records, packages, now, keep, ports.store)
    contents = {**packages, catalog_target(HEAD): growth.head}
    targets = {path: Target.of(data) for path, data in contents.items()}
    root, signer = _ready_to_sign(baseline, now, lifetimes, ports)
    if baseline.state is None:
        documents = issue_first(root, targets, signer)
    else:
        signer.require(root, SNAPSHOT)
        documents = issue(baseline.state, targets, signer)
    before = baseline.state.targets if baseline.state else {}
    files = growth.segments | {
        target_path(path, target.sha256): contents[path]
        for path, target in targets.items()
        if before.get(path) != target
    }
    documents = documents if baseline.root else (root, *documents)
    _remove(growth.removable, ports)
    written = _write(baseline, info_of(root).id, files, documents, ports)
    result = _result(baseline, documents, signer, index.records, written)
    return replace(result, released=index.released)


def resign(
    now: datetime, ports: Ports, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> PublishResult:
    """Renew the timestamp, and every other signature that is due and has its key here.

    Raises:
        TrustError: the registry is not as it was signed, or KEY_MISSING: the key of the timestamp,
            or of a role that has expired.
        UnavailableError: NOT_PUBLISHED; files cannot be read or written.
    """
    baseline = read_baseline(ports)
    if baseline.state is None:
        raise UnavailableError(
            "NOT_PUBLISHED",
            "there is nothing to renew yet",
            "Run `psreg publish` without --resign.",
        )
    root, signer = _ready_to_sign(baseline, now, lifetimes, ports)
    if not baseline.state.documents[TIMESTAMP].bound:
        signer = replace(signer, registry_id=None)  # all documents change at once, in a publish
    documents = renew(baseline.state, signer)
    written = _write(baseline, info_of(root).id, {}, documents, ports)
    return _result(baseline, documents, signer, _records(baseline.state), written)


def _records(state: RegistryState | None) -> dict[str, PackageRecord]:
    """Return the verified records by name."""
    packages = state.packages if state else {}
    return {name: read_record(data, name) for name, data in packages.items()}


def _waived(report: Report) -> Mapping[ReleaseId, Collection[str]]:
    """Return the codes of the waived findings about each release."""
    waived: dict[ReleaseId, set[str]] = {}
    for diagnostic in report.diagnostics:
        release = ReleaseId.of(PurePosixPath(diagnostic.path))
        if release is not None and diagnostic.waived is not None:
            waived.setdefault(release, set()).add(diagnostic.code)
    return waived


def _refuse_requirements(index: BuildResult) -> None:
    released = {(release.name, release.version) for release in index.released}
    requiring = [
        f"{name} {row.version}"
        for name, record in index.records.items()
        for row in record.releases
        if (name, row.version) in released and row.release.get("requires")
    ]
    if requiring:
        raise FindingsError(
            "REQUIRES_REFUSED",
            f"not installable yet, because of `[requires]`: {', '.join(requiring)}",
            "Remove `[requires]` from release.toml, and name the other prompts in README.md.",
        )


def _release_changed(changed: Sequence[ChangedFile]) -> FindingsError:
    return FindingsError(
        "RELEASE_CHANGED",
        "a released version never changes, but these files changed:",
        "Restore the files as they were released, and release a new version instead.",
        tuple(
            f"{file.path}: released {_digest(file.was)}, now {_digest(file.now)}"
            for file in changed
        ),
    )


def _digest(sha256: str | None) -> str:
    return f"sha256 {sha256}" if sha256 else "absent"


def _packages(
    records: Mapping[str, PackageRecord], previous: Mapping[str, PackageRecord], baseline: Baseline
) -> dict[str, bytes]:
    """Return the bytes of the records, by target; an unchanged record keeps its exact bytes."""
    signed = baseline.state.packages if baseline.state else {}
    return {
        package_target(name): signed[name]
        if record == previous.get(name)
        else canonical(record.to_json())
        for name, record in records.items()
    }


def _remove(paths: Iterable[str], ports: Ports) -> None:
    for path in paths:
        if ports.store.read(path) is not None:  # an interrupted publish may have removed it
            ports.store.remove(path)


def _ready_to_sign(
    baseline: Baseline, now: datetime, lifetimes: Mapping[str, timedelta], ports: Ports
) -> tuple[Document, MetadataSigner]:
    """Return the root and its signer; creates a registry if there is none.

    The order is: write the journal, create the keys, then sign. The next run finds the journal and
    the keys of an interrupted first publish.
    """
    if baseline.root is not None:
        registry_id = info_of(baseline.root).id
        pems = ports.keys.load(registry_id)
        signer = MetadataSigner(
            keys=signers_of(pems.values()),
            source=ports.keys.folder(registry_id),
            now=now,
            registry_id=registry_id,
            lifetimes=lifetimes,
        )
        signer.require(baseline.root, TIMESTAMP)
        return baseline.root, signer
    registry_id = baseline.intent.registry_id if baseline.intent else ports.keys.new_id()
    if baseline.intent is None:
        ports.journal.begin(Intent(registry_id=registry_id))
    made = ports.keys.load(registry_id)
    pems = {name: made.get(name) or ports.keys.create(registry_id, name) for name in KEYS}
    signer = MetadataSigner(
        keys=signers_of(pems.values()),
        source=ports.keys.folder(registry_id),
        now=now,
        registry_id=registry_id,
        lifetimes=lifetimes,
    )
    return signer.first_root(registry_id, pems), signer


def _write(
    baseline: Baseline,
    registry_id: str,
    files: Mapping[str, bytes],
    documents: Sequence[Document],
    ports: Ports,
) -> int:
    """Write a new root, `files`, and the other `documents`, the last of which is the timestamp.

    Identical files are not written again. Returns the number of files written.
    """
    remove_leftovers(baseline, ports)
    roots = [document for document in documents if document.role == ROOT]
    others = [document for document in documents if document.role != ROOT]
    fresh = {path: data for path, data in files.items() if ports.store.read(path) != data}
    if documents:
        ports.journal.begin(
            Intent(registry_id=registry_id, after=baseline.version, targets=tuple(fresh))
        )
    for root in roots:
        ports.store.write(metadata_path(ROOT, root.version), root.data)
        ports.store.sync()  # so that metadata always has its root
    for path, data in fresh.items():
        ports.store.write(path, data)
    for document in others:
        if document.role == TIMESTAMP:
            ports.store.sync()  # so that nothing current is ever missing
            ports.store.write(TIMESTAMP_PATH, document.data)
            ports.store.sync()
        else:
            ports.store.write(metadata_path(document.role, document.version), document.data)
    if documents or baseline.intent:
        ports.journal.finish(registry_id)
    return len(fresh) + len(documents)


def _result(
    baseline: Baseline,
    documents: Sequence[Document],
    signer: MetadataSigner,
    records: Mapping[str, PackageRecord],
    written: int,
) -> PublishResult:
    """Return the state of the registry that has `records`, without naming what is new in it."""
    current = {**baseline.documents, **{document.role: document for document in documents}}
    info = info_of(current[ROOT])
    return PublishResult(
        registry_id=info.id,
        root_sha256=baseline.root_sha256 or info.sha256,
        mode=info.mode,
        released=(),
        entries=len(records),
        written=written,
        expires=min(document.expires for document in current.values()),
        due=tuple(
            DueRole(role=each.role, expires=each.expires)
            for each in current.values()
            if signer.is_due(each)
        ),
        latest=max(
            (row.date for record in records.values() for row in record.releases), default=""
        ),
    )
