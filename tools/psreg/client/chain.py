"""Verifies what is installed once more, from the file up to the pinned root, without a network.

Each step is a link of a chain: what vouches for what, with whose keys, and until when. The state of
the registry is that of the proof which is kept of it (`client.kept`); what was read of the registry
since is a link of its own. An expired link is told, but does not fail: nothing here claims to be
the newest state.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from psreg.client.kept import Read, drops_keys, newest_kept, proof_of, unproven
from psreg.client.registry_choice import check_pin
from psreg.client.resolve import release_id
from psreg.client.withdrawals import SeenWithdrawals
from psreg.core.errors import PsregError, TrustError
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, Witnesses, verified, witnessed
from psreg.registry.log.growth import check_continues, check_logged, tiles_of
from psreg.registry.records import PackageRecord, ReleaseRecord, read_record
from psreg.registry.trust.drafts import Draft, Progress, progress
from psreg.registry.trust.metadata import Document, info_of
from psreg.registry.trust.reading import Known, RegistryState, open_registry
from psreg.registry.trust.roles import (
    CHECKPOINT,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    owners_target,
    package_target,
)
from psreg.system.clock import now

if TYPE_CHECKING:
    from psreg.client.config import NamedRegistry
    from psreg.client.library import Receipt
    from psreg.client.trust_store import Anchor, TrustStore
    from psreg.registry.actions.withdrawal import Withdrawal
    from psreg.registry.owners.claim import Claim
    from psreg.registry.owners.statement import Statement
    from psreg.registry.trust.ssh_signature import SshSignature


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a chain: `name` is what vouches, and `text` what it says, for a person.

    `keys` says who signed metadata, and `expires` until when, UTC. `error` is why it fails.
    """

    name: str
    text: str
    keys: Progress | None = None
    expires: str | None = None
    error: PsregError | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the link as JSON data."""
        keys = self.keys
        return {
            "link": self.name,
            "text": self.text,
            "signed": list(keys.signed) if keys else [],
            "threshold": keys.threshold if keys else None,
            "keys": len(keys.signed) + len(keys.unsigned) if keys else None,
            "expires": self.expires,
            "code": self.error.code if self.error else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What owners signed about an installed release, and their signatures by account."""

    statement: Statement
    signatures: tuple[tuple[str, SshSignature], ...]


class Pins:
    """The first roots that are pinned, in the `store` and by the settings of named `registries`."""

    def __init__(self, store: TrustStore, registries: Iterable[NamedRegistry]) -> None:
        self._store = store
        self._named = {each.location: each for each in registries}
        self._newest: dict[str, RegistryState] = {}
        self._known: Known = {}
        self._signers: dict[tuple[str, bytes, bytes], Progress] = {}

    def anchor(self, receipt: Receipt) -> Anchor:
        """Return the pinned root of the registry from which something was installed.

        Raises:
            TrustError: TRUST_UNPROVEN: it is not kept; TRUST_PIN: the settings pin another one.
        """
        anchor = self._store.with_id(receipt.registry["id"])
        if anchor is None:
            raise unproven(receipt.release.name)
        if named := self._named.get(receipt.registry["url"]):
            check_pin(anchor, named.root_sha256)
        return anchor

    def newest(self, anchor: Anchor, name: str) -> RegistryState:
        """Return the state of a registry that was read last, verified once for all its chains.

        Raises:
            TrustError: TRUST_UNPROVEN: it is not kept; what verifying it raises.
        """
        if anchor.id not in self._newest:
            self._newest[anchor.id] = self.opened(newest_kept(anchor.folder), name)
        return self._newest[anchor.id]

    def opened(self, read: Read, name: str) -> RegistryState:
        """Return the state of a registry, verified from the first root on, which is the pinned one.

        The same bytes, below the same others, are verified once for all its chains.

        Raises:
            TrustError: as `newest`.
        """
        state = open_registry(read, known=self._known)
        if state is None:
            raise unproven(name)
        return state

    def signers(self, document: Document, above: Document) -> Progress:
        """Return who signed a verified document, of those who may as the one `above` says."""
        key = document.role, document.data, above.data
        if key not in self._signers:
            draft = Draft(role=document.role, version=document.version, data=document.data)
            self._signers[key] = progress(draft, above.signed)
        return self._signers[key]

    def witnesses(self, receipt: Receipt) -> Witnesses:
        """Return the witnesses that the settings demand of the registry of something installed."""
        named = self._named.get(receipt.registry["url"])
        return Witnesses.parse(named.witnesses, named.threshold) if named else Witnesses()


_OF_WHAT_IS_KEPT = frozenset(
    f"TRUST_{each}"
    for each in ("DIGEST", "LOG", "METADATA", "MIXED", "ROLE", "SIGNATURE", "UNPROVEN")
)
"""Codes of errors that only what is on this machine can have: all was verified before."""


class Files(Protocol):
    """Where the files are: the library, or the folder of a project.

    `source` is what says of a file what it must be, for a person. `restore` and `replace` are the
    commands that restore it and that take another version; in them, `{}` is its name.
    """

    source: str
    restore: str
    replace: str

    def drift(self, receipt: Receipt) -> str | None:
        """Return how a file differs from what was installed or locked, or None."""

    def withdrawal(self, receipt: Receipt) -> Withdrawal | None:
        """Return why this machine knows a release as revoked, None if it does not."""


class Chain:
    """The chain of a release among the `files`, up to the root that is pinned.

    `links` ends with the first one that fails. `signed` is what the owners signed; None if nobody
    did, or if a link before that fails. `row` is what the record says, None if a link before that
    fails, and `claimed` whether the name is claimed.
    """

    def __init__(self, receipt: Receipt, files: Files, pins: Pins) -> None:
        self.receipt = receipt
        self._files = files
        self._pins = pins
        self._now = f"{now():%Y-%m-%dT%H:%M:%SZ}"
        self._title = f"{receipt.release.name} {receipt.release.version}"
        self.signed: Signed | None = None
        self.row: ReleaseRecord | None = None
        self.claimed = False
        self.links = tuple(self._told())

    @property
    def error(self) -> PsregError | None:
        """Why it does not lead to the root, None if it does."""
        return self.links[-1].error

    def _told(self) -> Iterator[Link]:
        """Yield the links up to one that fails, which is told as that."""
        links = self._links()
        self._at = "file"
        try:
            yield from links
        except PsregError as error:
            if error.code in _OF_WHAT_IS_KEPT:  # the hint is for others
                error.hint = f"{self._again[:-1]} while the registry can be reached."
            yield Link(name=self._at, text=error.message, error=error)

    def _links(self) -> Iterator[Link]:
        yield self._file()
        self._at = "proof"
        name = self.receipt.release.name
        anchor = self._pins.anchor(self.receipt)
        read = proof_of(anchor.folder, package_target(name))
        state = self._pins.opened(read, name)
        self._at = "record"
        record = self._record(state)
        row = self.row = self._row(record)
        yield Link(name="record", text=f"serial {record.serial}, which has the same bytes")
        yield from self._metadata(state, anchor)
        self._at = "claim"
        yield from self._owners(state, _withdrawals(anchor, state).with_void_keys(record), row)
        self._at = "log"
        witnesses = self._pins.witnesses(self.receipt)
        newest = yield from self._log(state, record, row, read, witnesses)
        self._at = "last seen"
        last = newest_kept(anchor.folder)
        yield self._seen(self._pins.newest(anchor, name), state, newest, last(CHECKPOINT))
        self._at = "revocations"
        yield self._revocations()

    def _file(self) -> Link:
        if problem := self._files.drift(self.receipt):
            raise TrustError("TRUST_DIGEST", problem, self._again)
        size, digest = self.receipt.size, self.receipt.sha256
        text = f"{size:,} bytes with SHA-256 {digest}, as in {self._files.source}"
        return Link(name="file", text=text)

    @property
    def _again(self) -> str:
        return f"Run `{self._files.restore.format(self.receipt.release.name)}`."

    def _record(self, state: RegistryState) -> PackageRecord:
        name = self.receipt.release.name
        if (data := state.packages.get(name)) is None:
            raise unproven(name)
        return read_record(data, name)

    def _row(self, record: PackageRecord) -> ReleaseRecord:
        """Return the row of the installed release, which says the same as the receipt."""
        receipt = self.receipt
        row = record.release(receipt.release.version)
        if row is None:
            raise TrustError("TRUST_DIGEST", f"its record has no {self._title}", self._again)
        said = (release_id(record, row), row.sha256, row.size)
        if said != (receipt.release, receipt.sha256, receipt.size):
            told = f"the record has {row.size:,} bytes of {row.path} with SHA-256 {row.sha256}"
            raise TrustError("TRUST_DIGEST", told, self._again)
        return row

    def _metadata(self, state: RegistryState, anchor: Anchor) -> Iterator[Link]:
        """Yield the roles that vouch for the record, and the roots; the last one is pinned."""
        bin_ = state.bins.of(package_target(self.receipt.release.name))
        for role, above in (
            (bin_, RELEASES),
            (RELEASES, TARGETS),
            (SNAPSHOT, ROOT),
            (TIMESTAMP, ROOT),
            (TARGETS, ROOT),
        ):
            self._at = role
            yield self._vouched(state, role, above)
        self._at = ROOT
        self._check_age(state, state.root)
        for at in range(len(state.roots) - 1, 0, -1):
            yield self._link(state.roots[at], state.roots[at - 1])
        pinned = f", pinned on this machine as {anchor.sha256}"
        yield self._link(state.roots[0], state.roots[0], pinned)

    def _vouched(self, state: RegistryState, role: str, above: str) -> Link:
        """Return the link of a role to which the role `above` delegates."""
        document = state.documents[role]
        self._check_age(state, document)
        return self._link(document, state.documents[above])

    def _check_age(self, state: RegistryState, document: Document) -> None:
        """Refuse a version before that of the receipt, unless other keys counted that one."""
        role, versions = document.role, self.receipt.metadata
        known = versions.get(role, 0)
        then = next((r.data for r in state.roots if r.version == versions.get(ROOT)), None)
        if document.version < known and not drops_keys(then, state.root.data, role):
            told = f"version {document.version} is kept; {self._title} came with version {known}"
            raise TrustError("TRUST_ROLLBACK", told, self._again)

    def _link(self, document: Document, above: Document, more: str = "") -> Link:
        keys = self._pins.signers(document, above)
        expires = f"{document.expires:%Y-%m-%dT%H:%M:%SZ}"
        text = (
            f"version {document.version}, signed by {', '.join(keys.signed)} "
            f"({keys.threshold} of {len(keys.signed) + len(keys.unsigned)} must), "
            f"{'expired on' if expires <= self._now else 'until'} {expires[:10]}{more}"
        )
        return Link(name=document.role, text=text, keys=keys, expires=expires)

    def _owners(
        self, state: RegistryState, record: PackageRecord, row: ReleaseRecord
    ) -> Iterator[Link]:
        """Yield who owns the name, and who of them signed the release."""
        data = state.owners.get(record.name)
        if data is None:
            text = "the name is not claimed: only the registry says who released it"
            yield Link(name="claim", text=text)
        if data is None and row.statement is None:
            yield Link(name="statement", text="none of the owners signed the release")
            return
        from psreg.registry.owners import claim as claims  # noqa: PLC0415 - most names have none

        claim = claims.read_claim(data, record.name) if data is not None else None
        if claim is not None:
            self.claimed = True
            yield from self._claimed(state, claim, row)
            self._at = "statement"
            claim.check(record, row, state.registry_id)
        self._at = "statement"
        signatures = claims.signed_by(record, row, state.registry_id, claim)
        statement = claims.statement_of(record, row, state.registry_id)
        self.signed = Signed(statement=statement, signatures=signatures)
        for account, signature in signatures:
            text = f"signed by {account} with the SSH key {signature.key.fingerprint}"
            yield Link(name="statement", text=text)
        if not signatures:
            yield Link(name="statement", text="none of the owners signed the release")
        for key, counts in claims.revoked_signers(record, row, state.registry_id):
            text = f"the SSH key {key.key} is revoked for what the log has after entry {key.after}"
            why = "; the release was there before" if counts else ", so that it does not count"
            yield Link(name="revoked key", text=text + why)

    def _claimed(self, state: RegistryState, claim: Claim, row: ReleaseRecord) -> Iterator[Link]:
        owners = ", ".join(sorted(set(claim.keys.values())))
        text = f"the name is claimed by {owners}; {claim.threshold} must sign a release"
        if row.log and row.log.index < claim.since:
            text += ", and this one was there before"
        yield Link(name="claim", text=text)
        bin_ = state.bins_below[OWNERS].of(owners_target(claim.name))
        for role, above in ((bin_, OWNERS), (OWNERS, TARGETS)):
            self._at = role
            yield self._vouched(state, role, above)

    def _log(
        self,
        state: RegistryState,
        record: PackageRecord,
        row: ReleaseRecord,
        read: Read,
        witnesses: Witnesses,
    ) -> Generator[Link, None, Checkpoint | None]:
        """Yield where the log has the release; return the checkpoint of then, None without log."""
        keys = _log_keys(state)
        if not keys and not witnesses.keys:
            yield Link(name="log", text="the registry has no log")
            return None
        if row.log is None or state.checkpoint is None:
            raise TrustError("TRUST_LOG", f"the log does not have {self._title}", self._again)
        at = check_logged(record.log_entry(row), row.log, keys)
        newest = verified(state.checkpoint, *keys)
        check_continues(at, newest, tiles_of(read))
        text = f"entry {row.log.index} of {newest.origin}, proven from {at.size} entries on"
        yield Link(name="log", text=text)
        yield Link(name="checkpoint", text=f"{newest.size} entries, which begin with those")
        self._at = "witness"
        for key in witnesses.keys:
            if (seen := witnessed(state.checkpoint, key)) is not None:
                yield Link(name="witness", text=f"{key.name} saw that on {seen:%Y-%m-%dT%H:%M:%SZ}")
        witnesses.check(state.checkpoint)
        return newest

    def _seen(
        self, last: RegistryState, state: RegistryState, log: Checkpoint | None, note: bytes | None
    ) -> Link:
        """Return the link of the newest state that was read, which is not older than the proof.

        `note` is the newest checkpoint of the log that was read.
        """
        newest, then = (each.documents[TIMESTAMP] for each in (last, state))
        replaced = drops_keys(state.root.data, last.root.data, TIMESTAMP)
        if newest.version < then.version and not replaced:
            told = f"timestamp {newest.version} was read after timestamp {then.version}"
            raise TrustError("TRUST_ROLLBACK", told, self._again)
        text = f"timestamp {newest.version}, which is valid until {newest.expires:%Y-%m-%d}"
        if log is not None:
            longest = verified(note or b"", *_log_keys(last))
            if longest.size <= log.size:  # longer ones were compared when they were read
                check_continues(log, longest, tiles_of(lambda _: None))
            text += f", and {longest.size} entries of the log"
        return Link(name="last seen", text=text)

    def _revocations(self) -> Link:
        if revoked := self._files.withdrawal(self.receipt):
            hint = f"Run `{self._files.replace.format(self.receipt.release.name)}`."
            raise TrustError("TRUST_REVOKED", revoked.told(self._title), hint)
        return Link(name="revocations", text="none of it is known to this machine")


def _log_keys(state: RegistryState) -> tuple[NoteKey, ...]:
    return tuple(map(NoteKey.parse, info_of(state.root).log))


def _withdrawals(anchor: Anchor, state: RegistryState) -> SeenWithdrawals:
    return SeenWithdrawals(anchor.folder, anchor.id, lambda: state.root.data, lambda _: None)
