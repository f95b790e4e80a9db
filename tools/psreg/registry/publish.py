"""Publishing: the new releases of a tree become records, which are signed and made current.

Pure over the ports of `baseline`. Every refusal comes before the first byte is written. After an
interrupted publish the old state is still current; the next publish removes what the interrupted
one left and, with the same tree and clock, gives the same registry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg import __version__
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.action import Action
from psreg.registry.baseline import (
    Baseline,
    Ports,
    Store,
    read_baseline,
)
from psreg.registry.catalog_growth import grow
from psreg.registry.catalog_head import Head, changed_inputs
from psreg.registry.current_state import NO_EVENT, SignedEvent, make_current, ready_to_sign
from psreg.registry.logged_releases import LoggedReleases, is_signed_by_one, log_releases
from psreg.registry.owners.ownership import text_of
from psreg.registry.owners.recoveries import OBJECTED, Standing, entry_of, with_recovery
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.requirements.installable import unmet
from psreg.registry.trust.issuing import issue, issue_first, renew
from psreg.registry.trust.metadata import Document, MetadataSigner, info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    HEAD,
    LIFETIMES,
    OWNERS,
    RELEASES,
    ROOT,
    SIGNING_FOLDER,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    RootInfo,
    Target,
    catalog_target,
    package_target,
    target_path,
)
from psreg.registry.withdrawing.effects import Effects
from psreg.registry.withdrawing.purging import leftovers

if TYPE_CHECKING:
    from psreg.registry.build import BuildResult, ChangedFile
    from psreg.registry.owners.ownership import Recovery
    from psreg.registry.owners.signed_releases import Waiting

KEEP = timedelta(days=30)
"""How long files are kept that no current state refers to, by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """A registry after a publish.

    `root_sha256` is of `1.root.json`; `entries` counts its names, `written` the files that this
    publish wrote; `expires` is when the first of its signatures expires. `due` are the roles that
    should be renewed, but whose keys are elsewhere; `latest` is the newest date of a release, and
    `head` the digest of the catalogue's head, "" if it has none. `waiting` are releases that too
    few owners have signed, `recoveries` those of names that were logged, or to which an owner
    objected, and `ignored` is why signatures do not count. `completable` are the recoveries that a
    renewal found to be due.
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
    head: str = ""
    waiting: tuple[Waiting, ...] = ()
    recoveries: tuple[Standing, ...] = ()
    ignored: tuple[str, ...] = ()
    completable: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRole:
    """A role that should be renewed before it `expires`."""

    role: str
    expires: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The part of a registry that a publish is about.

    `names` are the names whose files are in the tree, or would be if they had any; None stands for
    all. `inputs` are digests of what the records are computed from besides the entries; if they
    changed, it must be about all names, unless it is the digest of the `actions`, which are about
    the names that they name. `baseline` is the state before, if it was read already. `synonyms` are
    those of the policy; None for those that were published before.
    """

    names: Collection[str] | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    baseline: Baseline | None = None
    actions: Sequence[Action] = ()
    synonyms: tuple[str, ...] | None = None

    def synonyms_after(self, head: Head | None) -> tuple[str, ...]:
        """Return the synonyms of the next head, where `head` is the one before."""
        if self.synonyms is None:
            return head.synonyms if head else ()
        return self.synonyms


WHOLE = Change()


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
    change: Change = WHOLE,
) -> PublishResult:
    """Release what is new in `tree`, sign it and make it current.

    `report` is the report of the check of exactly this tree, by this version of `psreg`; `change`
    says which part of the registry both are about. If there is no registry yet, one is created with
    new keys (mode `dev`); `start_over` does so even if the folder held one. Signatures that are due
    are renewed; if there are none and nothing is new, nothing is written. `lifetimes` are those of
    the policy; files of former states are kept for the time `keep`.

    Raises:
        FindingsError: CHECK_FAILED; REQUIRES_REFUSED; RELEASE_CHANGED, with every released
            file that changed; ACTIONS_INVALID.
        TrustError: the registry is not as it was signed, or KEY_MISSING.
        UnavailableError: a record has a newer schema; files cannot be read or written.
    """
    if report.failed():
        raise FindingsError("CHECK_FAILED", "the check found errors; nothing was published")
    baseline = change.baseline or read_baseline(ports, start_over=start_over)
    state, head, store = baseline.state, baseline.head, ports.store
    previous = _records(state, change.names)
    effects = Effects.after(baseline, change.actions)
    new = _built(tree, previous, now, report, psreg, baseline, effects, change)
    event = _signed_event(store, state)
    root, signer, pems = ready_to_sign(baseline, now, lifetimes, ports, event)
    roots = info_of(root), info_of(event.root or root)
    announced = _announced(event, state, store)
    previous, new = new.beside(_records(state, None if _begins(roots) else announced), previous)
    others = (*effects.entries(whole=_begins(roots)), *map(entry_of, announced.values()))
    log = log_releases(new.records, state, roots, pems.values(), store.read, others)
    log, recoveries = _with_recoveries(log, announced, previous, now)
    signed = _signed_contents(log, previous, baseline)
    basis = effects.basis(change.inputs, change.synonyms_after(head))
    growth = grow(state, head, previous, log, signed, now, keep, store, basis)
    contents = {**signed, catalog_target(HEAD): growth.data}
    targets = {path: Target.of(data) for path, data in contents.items()}
    _check_event(event, state, log.records, store, now)
    documents = _documents(baseline, root, targets, signer, growth.head.count, event=event, log=log)
    files = {**log.files, **growth.files, **effects.files, **_new_targets(contents, targets, state)}
    _remove(growth.removable, ports)
    written = make_current(baseline, roots[0].id, files, documents, ports, copies=log.copy)
    _remove([*event.paths, *leftovers(effects.purged, growth.head, signed, state, store)], ports)
    result = result_of(baseline, documents, signer, growth.head, written)
    return new.told(result, Target.of(growth.data).sha256, recoveries)


@dataclass(frozen=True, slots=True, kw_only=True)
class _New:
    """The records after a publish, what is new in them, and what `PublishResult` says of others."""

    records: Mapping[str, PackageRecord]
    released: tuple[ReleaseId, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    objected: tuple[Recovery, ...] = ()
    ignored: tuple[str, ...] = ()

    def beside(
        self, others: Mapping[str, PackageRecord], previous: Mapping[str, PackageRecord]
    ) -> tuple[dict[str, PackageRecord], _New]:
        """Return the previous records and the new ones, both with the `others`."""
        records = dict(sorted({**others, **self.records}.items()))
        return {**previous, **others}, replace(self, records=records)

    def told(
        self, result: PublishResult, head: str, announced: Iterable[Standing]
    ) -> PublishResult:
        """Return a result that names them, with the digest of the catalogue's head."""
        objected = (Standing(name=r.name, state=OBJECTED, told=r.told) for r in self.objected)
        return replace(
            result,
            released=self.released,
            head=head,
            waiting=self.waiting,
            recoveries=(*announced, *objected),
            ignored=self.ignored,
        )


def _begins(roots: tuple[RootInfo, RootInfo]) -> bool:
    """Tell whether the registry gets a log."""
    return bool(roots[1].log and not roots[0].log)


def _announced(
    event: SignedEvent, state: RegistryState | None, store: Store
) -> Mapping[str, Recovery]:
    """Return the recoveries that this publish logs, by name; only what people sign has any."""
    if state is None or not event.documents:
        return {}
    from psreg.registry.ceremony import announced  # noqa: PLC0415 - it is rare

    return announced(event.documents, state, store.read)


def _with_recoveries(
    log: LoggedReleases,
    announced: Mapping[str, Recovery],
    previous: Mapping[str, PackageRecord],
    now: datetime,
) -> tuple[LoggedReleases, tuple[Standing, ...]]:
    """Return the log with records that say where it has the recoveries, its last entries."""
    records, found = dict(log.records), []
    places = log.others[len(log.others) - len(announced) :]
    for (name, recovery), place in zip(announced.items(), places, strict=False):
        record, standing = with_recovery(records[name], recovery, place, now)
        records[name] = replace(record, serial=previous[name].serial + 1)
        found.append(standing)
    return replace(log, records=records), tuple(found)


def _built(  # noqa: PLR0917 - before, after, and the time
    tree: Mapping[PurePosixPath, bytes],
    previous: Mapping[str, PackageRecord],
    now: datetime,
    report: Report,
    psreg: str,
    baseline: Baseline,
    effects: Effects,
    change: Change,
) -> _New:
    """Return the records after a publish, if there is nothing to refuse."""
    if change.names is not None and not change.names:
        return _New(records=previous)
    from psreg.registry import build  # noqa: PLC0415 - often nothing changed
    from psreg.registry.owners import signed_releases  # noqa: PLC0415 - as above

    waived, said = build.waived_codes(report), build.declared_conformance
    head = baseline.head
    again = head is not None and any(changed_inputs(head.inputs, change.inputs))
    by = signed_releases.reviewers_in(tree)
    signed = signed_releases.SignedReleases(baseline.state, void=effects.void, reviewers=by)
    index = build.build(
        tree,
        previous,
        now,
        waived,
        conformance=said,
        psreg=psreg,
        again=again,
        signed=signed,
        withdrawals=effects,
    )
    _refuse_changes(index)
    _refuse_requirements(index, baseline.state)
    return _New(
        records=index.records,
        released=index.released,
        waiting=tuple(signed.waiting),
        objected=tuple(signed.objected),
        ignored=tuple(signed.ignored),
    )


def _documents(
    baseline: Baseline,
    root: Document,
    targets: Mapping[str, Target],
    signer: MetadataSigner,
    names: int,
    *,
    event: SignedEvent,
    log: LoggedReleases,
) -> tuple[Document, ...]:
    """Return the documents that make `targets` current, beside the other ones of the registry.

    `names` is how many names the catalogue then has; `event` is what others signed.
    """
    if baseline.state is None:
        documents = issue_first(root, targets, signer, names)
        return documents if baseline.root else (root, *documents)
    signer.require(event.root or root, SNAPSHOT)
    shards = () if baseline.head else map(catalog_target, baseline.state.catalog)
    changes = {**dict.fromkeys(shards), **targets}
    former = info_of(root).log
    root_first = bool(former and log.checkpoint and not is_signed_by_one(log.checkpoint, former))
    return issue(
        baseline.state, changes, signer, names, drafts=event.documents, root_first=root_first
    )


def _signed_event(store: Store, state: RegistryState | None) -> SignedEvent:
    """Return what the holders of offline keys have signed.

    Raises:
        TrustError: a draft is not one of this registry.
    """
    if state is None or not any(store.names(SIGNING_FOLDER)):
        return NO_EVENT
    from psreg.registry.ceremony import completed  # noqa: PLC0415 - it is rare

    found = completed(store, state)
    return SignedEvent(documents=found.documents, paths=found.paths)


def _check_event(
    event: SignedEvent,
    state: RegistryState | None,
    records: Mapping[str, PackageRecord],
    store: Store,
    now: datetime,
) -> None:
    """Check that claims that become current accept all `records`.

    Raises:
        TrustError: TRUST_STATEMENT.
    """
    if state is None or not event.documents:
        return
    from psreg.registry.ceremony import check_claims  # noqa: PLC0415 - it is rare

    check_claims(event.documents, state, records, store.read, now)


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
    baseline.state.check_bins()
    root, signer, _ = ready_to_sign(baseline, now, lifetimes, ports)
    if not baseline.state.documents[TIMESTAMP].bound:
        signer = replace(signer, registry_id=None)  # all documents change at once, in a publish
    documents = renew(baseline.state, signer)
    written = make_current(baseline, info_of(root).id, {}, documents, ports)
    result = result_of(baseline, documents, signer, baseline.head, written)
    return replace(result, completable=tuple(_completable(baseline.state, now)))


def _completable(state: RegistryState, now: datetime) -> Iterator[Standing]:
    """Yield the recoveries whose time to object has passed."""
    if OWNERS not in state.bins_below:
        return
    from psreg.registry.owners.recoveries import pending  # noqa: PLC0415 - few registries have any

    yield from (each for each in pending(state) if each.due <= text_of(now))


def _records(
    state: RegistryState | None, names: Collection[str] | None = None
) -> dict[str, PackageRecord]:
    """Return the verified records of some names that have one, or of all, by name."""
    packages: Mapping[str, bytes] = state.packages if state else {}
    wanted = packages if names is None else [name for name in names if name in packages]
    return {name: read_record(packages[name], name) for name in wanted}


def _refuse_requirements(index: BuildResult, state: RegistryState | None) -> None:
    def record(name: str) -> PackageRecord | None:
        return index.records.get(name) or _records(state, [name]).get(name)

    for release, why in unmet(index.requiring, record):
        raise FindingsError(
            "REQUIRES_REFUSED",
            f"{release.name} {release.version} cannot be installed with what it requires: {why}",
            "Correct `[requires]` in its release.toml.",
        )


def _refuse_changes(index: BuildResult) -> None:
    if not index.changed:
        return
    raise FindingsError(
        "RELEASE_CHANGED",
        "a released version never changes, but these files changed:",
        " ".join(_ways_back(index.changed)),
        tuple(
            f"{file.path}: released {_digest(file.was)}, now {_digest(file.now)}"
            for file in index.changed
        ),
    )


def _ways_back(changed: Iterable[ChangedFile]) -> Iterator[str]:
    """Yield what to do about files of released versions, and about those of purged ones."""
    if not all(file.purged for file in changed):
        yield "Restore the files as they were released, and release a new version instead."
    purged = {release for file in changed if file.purged and (release := ReleaseId.of(file.path))}
    for folder in sorted(str(release.folder) for release in purged):
        yield f"Delete {folder}: a purged version does not come back."


def _digest(sha256: str | None) -> str:
    return f"sha256 {sha256}" if sha256 else "absent"


def _new_targets(
    contents: Mapping[str, bytes], targets: Mapping[str, Target], state: RegistryState | None
) -> dict[str, bytes]:
    """Return the target files that the registry does not have yet, by path."""
    return {
        target_path(path, target.sha256): contents[path]
        for path, target in targets.items()
        if state is None or state.targets.get(path) != target
    }


def _signed_contents(
    log: LoggedReleases, previous: Mapping[str, PackageRecord], baseline: Baseline
) -> dict[str, bytes]:
    """Return the bytes of records and checkpoint, by target; unchanged ones keep their bytes."""
    signed = baseline.state.packages if baseline.state else {}
    packages = {
        package_target(name): signed[name]
        if record == previous.get(name)
        else canonical(record.to_json())
        for name, record in log.records.items()
    }
    return packages | log.copy


def _remove(paths: Iterable[str], ports: Ports) -> None:
    for path in paths:
        if ports.store.read(path) is not None:  # an interrupted publish may have removed it
            ports.store.remove(path)


_TOP = (ROOT, TARGETS, RELEASES, SNAPSHOT, TIMESTAMP)
"""The roles above the bins."""


def result_of(
    baseline: Baseline,
    documents: Sequence[Document],
    signer: MetadataSigner,
    head: Head | None,
    written: int,
) -> PublishResult:
    """Return the state of the registry with the catalogue `head`, not naming what is new in it."""
    state = baseline.state
    current = {ROOT: baseline.root} if baseline.root else {}
    current |= {role: state.documents[role] for role in _TOP} if state else {}
    current |= {each.role: each for each in documents}
    above_bins, snapshot = state.bins_below if state else (RELEASES,), current[SNAPSHOT]
    if state and any(signer.may_have_due_bins(snapshot, above) for above in above_bins):
        current = {**state.documents, **current}
    info, bins_expire = (
        info_of(current[ROOT]),
        [snapshot.bins_expire(above) for above in above_bins],
    )
    expiries = [document.expires for document in current.values()]
    if head is None or not head.latest:
        records = _records(state).values()
        head = Head(
            count=len(records),
            latest=max((row.date for record in records for row in record.releases), default=""),
        )
    return PublishResult(
        registry_id=info.id,
        root_sha256=baseline.root_sha256 or info.sha256,
        mode=info.mode,
        released=(),
        entries=head.count,
        written=written,
        expires=min([*expiries, *filter(None, bins_expire)]),
        due=tuple(
            DueRole(role=each.role, expires=each.expires)
            for each in current.values()
            if signer.is_due(each)
        ),
        latest=head.latest,
    )
