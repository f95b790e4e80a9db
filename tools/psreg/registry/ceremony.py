"""Signing events: people with keys of their own sign the next version of the offline roles.

The drafts are in the registry's folder `signing`. `psreg publish` makes them current once enough
keys have signed all of them. `registry.keys` has the changes that begin so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.registry.baseline import Ports, Store, read_baseline, signers_at_hand
from psreg.registry.owners.claim import Claim, read_claim
from psreg.registry.owners.ownership import Recovery, check_succession, pending_recovery
from psreg.registry.owners.recoveries import check_recovered, logged
from psreg.registry.owners.to_sign import owned_now
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.draft_summary import digest_of, listed, summary
from psreg.registry.trust.drafts import (
    Draft,
    Progress,
    differences,
    progress,
    read_draft,
    unsigned,
    with_signatures,
)
from psreg.registry.trust.metadata import (
    Document,
    accepts,
    verified,
    verified_root,
)
from psreg.registry.trust.reading import Read, RegistryState, read_target, targets_in
from psreg.registry.trust.roles import (
    OWNERS,
    ROOT,
    SIGNING_FOLDER,
    TARGETS,
    kind_and_name,
)

_AGAIN = f"Remove registry/{SIGNING_FOLDER}, and begin again."

_ORDER = (ROOT, TARGETS, OWNERS)
"""The roles of drafts in the order in which one delegates to the next; bins come last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """A draft, and what each set of keys that must sign it has signed."""

    draft: Draft
    progress: tuple[Progress, ...]

    @property
    def complete(self) -> bool:
        """Whether nobody's signature is missing."""
        return not any(each.missing for each in self.progress)

    @property
    def lacking(self) -> str:
        """How many signatures of whom are missing, in words; "" if none is."""
        short = (each for each in self.progress if each.missing)
        told = (f"{each.missing} of {', '.join(sorted(each.unsigned))}" for each in short)
        return "; ".join(dict.fromkeys(told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What enough keys have signed: bins first, and a root last.

    `paths` are those of the drafts, which then may go.
    """

    documents: tuple[Document, ...]
    paths: tuple[str, ...]


def begin(drafts: Iterable[Draft], state: RegistryState, ports: Ports) -> tuple[Signing, ...]:
    """Put drafts into the folder `signing`, signed with the keys at hand.

    Raises:
        FindingsError: SIGNING_PENDING: others are there and not in force yet.
    """
    check_none_pending(ports.store, state)
    _store(drafts, ports.store)
    return sign(ports)


def check_none_pending(store: Store, state: RegistryState) -> None:
    """Raise FindingsError SIGNING_PENDING if there are drafts that are not in force yet."""
    if drafts_in(store, state):
        raise FindingsError(
            "SIGNING_PENDING",
            f"there are drafts in registry/{SIGNING_FOLDER} that are not in force yet",
            "Sign them and publish first, or remove the folder.",
        )


def sign(ports: Ports) -> tuple[Signing, ...]:
    """Add the signatures of the keys at hand to all drafts; return who has signed what.

    Raises:
        TrustError: a draft is not one of this registry; TRUST_MIXED: one is missing.
        UnavailableError: NOT_PUBLISHED; files cannot be read or written.
    """
    state = published(ports)
    drafts = drafts_in(ports.store, state)
    if role := _missing(drafts, state):
        told = (
            f"the drafts in registry/{SIGNING_FOLDER} require a draft of {role}, which is missing"
        )
        raise TrustError("TRUST_MIXED", told, _AGAIN)
    signers = signers_at_hand(ports.keys, state.registry_id)
    signed = [with_signatures(each, signers, _delegators(each, drafts, state)) for each in drafts]
    _store((new for new, old in zip(signed, drafts, strict=True) if new != old), ports.store)
    return signing(ports.store, state)


def review(ports: Ports, *, raw: bool = False) -> tuple[str, ...]:
    """Return what the keys at hand would sign, in lines for a person; () if they sign nothing.

    Everything that changes is in a line, with `raw` each member of the metadata in one of its own.
    The claim of a name is shown as its file says. The last lines say who has signed, and a digest
    that is the same for all who see the same drafts.

    Raises:
        TrustError: a draft, or a claim in it, is not one.
        UnavailableError: NOT_PUBLISHED; files cannot be read.
    """
    state = published(ports)
    drafts = drafts_in(ports.store, state)
    signers = signers_at_hand(ports.keys, state.registry_id)
    waiting = [each for each in drafts if unsigned(each, signers, _delegators(each, drafts, state))]
    if not waiting:
        return ()
    lines: list[str] = []
    pairs = [(draft, state.documents[draft.role]) for draft in waiting]
    for draft, before in pairs:
        lines += (f"{draft.role}: {line}" for line in (differences(draft, before) if raw else ()))
        for claim in _changed_claims(draft, state, ports.store.read):
            lines += _claim_lines(claim, state)
    told = () if raw else summary(pairs)
    return (*told, *lines, *_who_signed(signing(ports.store, state)), _compared(drafts))


def _who_signed(found: Iterable[Signing]) -> Iterator[str]:
    """Yield who has signed drafts, and who is missing; those of the same people are on one line."""
    said: dict[str, list[str]] = {}
    for each in found:
        signed = dict.fromkeys(name for one in each.progress for name in one.signed)
        who = each.lacking
        line = f"signed by {', '.join(signed) or 'nobody'}{f', missing {who}' if who else ''}"
        said.setdefault(line, []).append(each.draft.role)
    yield from (f"{listed(roles)}: {line}" for line, roles in said.items())


def _compared(drafts: Iterable[Draft]) -> str:
    return f"digest of all drafts, to compare with the other holders: {digest_of(drafts)}"


def _claim_lines(claim: Claim, state: RegistryState) -> Iterator[str]:
    record = _record(claim.name, state)
    recoveries: list[Recovery] = []
    try:
        _check_succession(claim, record, state, recoveries.append)
    except TrustError as error:
        yield f"{claim.name}: {error.message}"
    for each in recoveries:
        yield f"{claim.name}: it is recovered: {each.reason}"
    told = f"{claim.name}: {claim.threshold} of its owners sign; one is"
    for key, account in claim.keys.items():
        yield f"{told} {account}, {key.fingerprint}"
    if recovery := pending_recovery(claim, claim.recovery, state.registry_id):
        told = f"{claim.name}: it is recovered on {recovery.not_before[:10]}: {recovery.reason}"
        yield from (f"{told}; an owner is then {line}" for line in recovery.after.lines)


def _check_succession(
    claim: Claim,
    record: PackageRecord,
    state: RegistryState,
    recovered: Callable[[Recovery], object],
) -> None:
    """Check that the owners in a claim are those in force, or that these signed that they follow.

    `record` says which keys are void, and `recovered` refuses a recovery.

    Raises:
        TrustError: TRUST_STATEMENT.
    """
    void, owned = {each.key for each in record.void}, owned_now(claim.name, state)
    check_succession(owned, claim, state.registry_id, void, recovered=recovered)


def announced(
    documents: Iterable[Document], state: RegistryState, read: Read
) -> Mapping[str, Recovery]:
    """Return the recoveries in the claims of `documents` that are not in the log yet, by name."""
    found = {}
    for document in documents:
        for claim in _changed_claims(document, state, read):
            recovery = pending_recovery(claim, claim.recovery, state.registry_id)
            if recovery is not None and logged(_record(claim.name, state), recovery) is None:
                found[claim.name] = recovery
    return found


def _record(name: str, state: RegistryState) -> PackageRecord:
    """Return the record of a name that is claimed.

    Raises:
        TrustError: TRUST_STATEMENT: it has none.
    """
    if (data := state.packages.get(name)) is None:
        raise TrustError("TRUST_STATEMENT", f"{name} is claimed, and not published", _AGAIN)
    return read_record(data, name)


def _changed_claims(
    document: Draft | Document, state: RegistryState, read: Read
) -> Iterator[Claim]:
    """Yield the claims in a bin that are not those in force; other roles have none."""
    listed = {} if document.role in _ORDER else targets_in(document)
    for path, target in listed.items():
        if state.targets.get(path) != target:
            _, name = kind_and_name(path) or ("", "")
            yield read_claim(read_target(path, target, read).data, name)


def signing(store: Store, state: RegistryState) -> tuple[Signing, ...]:
    """Return the drafts in the folder `signing`, and who has signed what."""
    drafts = drafts_in(store, state)
    return tuple(
        Signing(
            draft=each,
            progress=tuple(progress(each, above) for above in _delegators(each, drafts, state)),
        )
        for each in drafts
    )


def drafts_in(store: Store, state: RegistryState) -> tuple[Draft, ...]:
    """Return the drafts of what follows the state; those that are in force are left out.

    Raises:
        TrustError: TRUST_METADATA, TRUST_ROLE: a file is not a draft of this registry; TRUST_MIXED:
            it does not follow the version in force.
    """
    found = []
    bins = state.bins_below[OWNERS].roles if OWNERS in state.bins_below else {}
    for name in sorted(store.names(SIGNING_FOLDER)):
        draft = read_draft(name, store.read(f"{SIGNING_FOLDER}/{name}") or b"", state.registry_id)
        current = state.versions.get(draft.role, 0) if draft.role in {*_ORDER, *bins} else 0
        if draft.version > current + 1 or not current:
            told = f"{draft.path} does not follow what people sign: version {current} is in force"
            raise TrustError("TRUST_MIXED", told, _AGAIN)
        if draft.version == current + 1:
            found.append(draft)
    return tuple(sorted(found, key=_place))


def completed(store: Store, state: RegistryState) -> Completed:
    """Return what enough keys have signed; no documents if a signature or a draft is missing."""
    found = signing(store, state)
    paths = [f"{SIGNING_FOLDER}/{name}" for name in store.names(SIGNING_FOLDER)]
    waits = not all(each.complete for each in found)
    if waits or _missing([each.draft for each in found], state):
        waiting = {each.draft.path for each in found}
        return Completed(documents=(), paths=tuple(p for p in paths if p not in waiting))
    drafts = {each.draft.role: each.draft for each in found}
    root = verified_root(drafts[ROOT].data, state.root) if ROOT in drafts else None
    new: dict[str, Document] = {}

    def checked(role: str, *delegators: Document) -> None:
        for delegator in delegators:
            new[role] = verified(drafts[role].data, role, delegator, entry=None, bound=True)

    if TARGETS in drafts:
        checked(TARGETS, state.root, root or state.root)
    if OWNERS in drafts:
        checked(OWNERS, new.get(TARGETS, state.documents[TARGETS]))
    for role in drafts.keys() - _ORDER:
        checked(role, new.get(OWNERS, state.documents[OWNERS]))
    others = [new[role] for role in reversed([*new])]
    return Completed(documents=(*others, *([root] if root else [])), paths=tuple(paths))


def _missing(drafts: Iterable[Draft], state: RegistryState) -> str:
    """Return a role that must be signed again with some drafts, but has none; "" if all is there.

    That is one whose keys change: the command that wrote the drafts was interrupted.
    """
    new = {each.role: each.signed for each in drafts}
    bins = state.bins_below[OWNERS].roles if OWNERS in state.bins_below else {}
    below = {ROOT: [TARGETS], TARGETS: [OWNERS] if bins else [], OWNERS: [*bins]}
    for delegator, roles in below.items():
        for role in roles if delegator in new else ():
            if role not in new and not accepts(new[delegator], state.documents[role]):
                return role
    return ""


def check_claims(
    documents: Iterable[Document],
    state: RegistryState,
    records: Mapping[str, PackageRecord],
    read: Read,
    now: datetime,
) -> None:
    """Check that the claims in `documents` accept all that is released in the meantime.

    Their owners must be those in force, or follow them `now`. `records` are the newest ones, as far
    as they are not those of the state.

    Raises:
        TrustError: TRUST_STATEMENT, and what reading the claims raises.
    """
    for document in documents:
        for claim in _changed_claims(document, state, read):
            name = claim.name
            record = records.get(name) or _record(name, state)
            recovered = partial(check_recovered, record=record, now=now)
            _check_succession(claim, record, state, recovered)
            try:
                claim.check_yanks(record, state.registry_id)
                for row in record.releases:
                    claim.check(record, row, state.registry_id)
            except TrustError as error:
                told = f"the new claim of {name} would refuse what is released: {error.message}"
                raise TrustError("TRUST_STATEMENT", told, _AGAIN) from error


def _place(draft: Draft) -> tuple[int, str]:
    return (_ORDER.index(draft.role) if draft.role in _ORDER else len(_ORDER)), draft.role


def _delegators(draft: Draft, drafts: Iterable[Draft], state: RegistryState) -> list[Any]:
    """Return the signed parts that say who signs a draft: those in force, and those that follow."""
    new = {each.role: each.signed for each in drafts if each.role in _ORDER}

    def newest(role: str) -> Any:
        return new.get(role) or state.documents[role].signed

    if draft.role in (ROOT, TARGETS):
        return [state.root.signed, *([new[ROOT]] if ROOT in new else [])]
    return [newest(TARGETS if draft.role == OWNERS else OWNERS)]


def published(ports: Ports) -> RegistryState:
    """Return the state of the registry. Raises UnavailableError NOT_PUBLISHED if there is none."""
    state = read_baseline(ports).state
    if state is None:
        told = "nothing is published yet"
        raise UnavailableError("NOT_PUBLISHED", told, "Run `psreg publish` first.")
    return state


def _store(drafts: Iterable[Draft], store: Store) -> None:
    for draft in drafts:
        store.write(draft.path, draft.data)
    store.sync()
