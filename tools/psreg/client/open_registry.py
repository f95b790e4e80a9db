"""Selecting a registry and opening it: trust on first contact.

A folder is trusted when the user names it; the first time, a line says so. A registry behind a URL,
or in a folder that a project file names, is trusted only by the digest of its first root, which
`psreg registry add` pins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.client.config import SelectedRegistry
from psreg.client.kept import keep_proof, keys_replaced, proof_place
from psreg.client.library import user_library
from psreg.client.registry_choice import (
    check_pin,
    first_root,
    key_folder,
    metadata_of,
    open_source,
    unpinned,
)
from psreg.client.resolve import Request, check_record, check_yanks, missing_name
from psreg.client.trust_store import MAX_ROOT, Anchor, TrustStore, log_keys, read_mode
from psreg.client.verified.facts import digest_of
from psreg.client.verified.targets import VerifiedTargets
from psreg.client.withdrawals import FILE as WITHDRAWALS
from psreg.client.withdrawals import SeenWithdrawals
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.http.address import is_url
from psreg.http.prefetching import PrefetchingSource
from psreg.http.registry_source import NotServedError, Source, TooLongError
from psreg.http.retry_budget import Limits
from psreg.registry.records import read_record
from psreg.registry.trust.roles import (
    CHECKPOINT,
    METADATA_FOLDER,
    MOVED,
    ROOT,
    owners_target,
    package_target,
)
from psreg.system import clock
from psreg.system.files import read_named

if TYPE_CHECKING:
    from psreg.client.seen.log import SeenLog
    from psreg.client.tufclient import TufClient
    from psreg.registry.catalog_segments import Catalogue, Row
    from psreg.registry.owners.claim import Claim
    from psreg.registry.owners.ownership import Recovery
    from psreg.registry.records import PackageRecord, ReleaseRecord

MAX_RECORD = 8 * 1024 * 1024

Notify = Callable[[str], None]
Lacks = Callable[[Request, bytes], Iterable[tuple[str, int]]]


class OpenRegistry:
    """A trusted registry; implements `client.install.Registry`. Nothing is read in advance.

    `require_claimed` is whether `check_release` refuses names that are not claimed. What was
    verified is remembered with the key in `key_folder`, if there is one (`client.verified`).
    """

    as_of: str | None = None
    """The day of what it says: None for now."""

    def __init__(
        self, source: Source, anchor: Anchor, notify: Notify, key_folder: Path | None = None
    ) -> None:
        self.id, self.root_sha256 = anchor.id, anchor.sha256
        self.location = source.location
        self.source = self._source = source
        self._say = notify
        self._clock_checked = False
        self._unchecked: dict[str, bytes] = {}
        self._before: dict[str, bytes] = {}
        self._accepted: frozenset[str] = frozenset()
        self._claimed: set[str] = set()
        self.require_claimed = False
        self.witnesses: Sequence[str] = ()
        self.witness_threshold = 0
        self._folder = anchor.folder
        self._digests: dict[str, str] = {}
        self.targets = VerifiedTargets(
            source,
            anchor.folder,
            notify,
            registry=(anchor.id, anchor.sha256),
            verifier=partial(_verifier, anchor, notify),
            key_folder=key_folder,
        )
        root = self.targets.newest_root
        self._withdrawals = SeenWithdrawals(anchor.folder, anchor.id, root, notify)

    @property
    def unreached(self) -> bool:
        """Whether it did not answer when it was asked last."""
        return isinstance(self._source, PrefetchingSource) and self._source.unreached

    @cached_property
    def mode(self) -> str:
        """`dev` or `production`, as the current root says.

        Raises:
            TrustError: the metadata is refused.
        """
        _, mode = read_mode(self.targets.newest_root())
        return mode

    def expect(self, requests: Iterable[Request], lacks: Lacks) -> None:
        """Say what will be requested, so that it can be fetched ahead, if the library lacks it."""
        for request in requests:
            self.targets.ahead.want(package_target(request.name), partial(lacks, request))
            self.targets.ahead.want(owners_target(request.name))

    def accept_stale(self, until: str) -> None:
        """From now on, accept expired metadata, and say so; `until` is a day, in words for that."""
        self.targets.stale_until = until

    def first_time(self, what: str) -> bool:
        """Return whether this is the first call for `what` on this machine; later ones know."""
        place = self._folder / f"told-{what}"
        if place.exists():
            return False
        self.targets.keep(place.name, b"")
        return True

    @property
    def versions(self) -> Mapping[str, int]:
        """The current versions of root, timestamp, snapshot and targets."""
        return self.targets.versions()

    def record(self, name: str) -> bytes | None:
        """Return the verified package record of `name`, or None.

        It counts as seen only after `check_release`: a false one must not make this machine refuse
        the true one later.

        Raises:
            TrustError: it is refused; `TRUST_NAME_MISSING`: this machine has seen or installed one;
                `TRUST_ROLLBACK`: it no longer says that a release was revoked.
        """

        def judge(before: bytes | None, now: bytes | None) -> None:
            target = package_target(name)
            check_record(name, before, now, lambda: keys_replaced(self._folder, target))
            self._before[name] = before or b""

        with self._explained(name):
            data = self.targets.target(package_target(name), MAX_RECORD, judge, keep=False)
        if data is not None:
            self._unchecked[name] = data
            self._digests[name] = sha256(data).hexdigest()
        if data is None:
            receipt = user_library().receipt(name)
            if receipt is not None and receipt.registry["id"] == self.id:
                raise missing_name(name)
            return None
        record = read_record(data, name)
        self._withdrawals.check(record)
        self._check_clock(name, max((row.date for row in record.releases), default=""))
        return data

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Let the error for a file that is not there say if this is a mirror without the name."""
        try:
            yield
        except NotServedError as error:
            from psreg.client.mirror.partial import not_mirrored  # noqa: PLC0415 - it rarely is

            raise not_mirrored(name, self._source) or error from error

    def check_release(self, record: PackageRecord, row: ReleaseRecord) -> None:
        """Check that the log has a release, and that the owners of a claimed name signed it.

        The owners of a name that is not claimed must be those that this machine has seen, or
        follow them.

        Raises:
            TrustError: `TRUST_LOG`; `TRUST_STATEMENT`; `TRUST_OWNER_CHANGED`; `TRUST_UNCLAIMED`.
            UnavailableError: the log cannot be read.
        """
        name, release = record.name, f"{record.name} {row.version}"
        before = self.targets.accepted(release, partial(self._checked, name, row))
        if before is not None and (before.claimed or not self.require_claimed):
            self._claimed |= {name} if before.claimed else set()
            self._unchecked.pop(name, None)
            for path in (package_target(name), CHECKPOINT):
                self.targets.touch(path)
            return
        self._check_release(record, row)
        self.targets.accept(release, self._checked(name, row), claimed=self.is_claimed(name))

    def _checked(self, name: str, row: ReleaseRecord) -> str:
        """Return the digest of all that checking a release depends on, but for the metadata."""
        record = package_target(name)
        beside = (WITHDRAWALS, record, owners_target(name), CHECKPOINT)
        kept = [*(self._folder / path for path in beside), proof_place(self._folder, record)]
        demands = (*self.witnesses, self.witness_threshold)
        facts = (self._digests.get(name), row.version, row.sha256, *map(digest_of, kept), *demands)
        return sha256(repr(facts).encode()).hexdigest()

    def _check_release(self, record: PackageRecord, row: ReleaseRecord) -> None:
        record = self.with_void_keys(record)
        if self._log is not None:
            self._log.check(record, row)
        claim = self.claim(record)
        if claim is not None:
            self._claimed.add(record.name)
            claim.check(record, row, self.id)
            claim.check_yanks(record, self.id)
            if (before := self._seen(record.name)) is not None:
                check_yanks(before, record, claim, self.id)
        elif self.require_claimed:
            from psreg.client.seen.owners import unclaimed  # noqa: PLC0415 - they rarely have to be

            raise unclaimed(record.name)
        else:
            self._check_owners(record)
        if (data := self._unchecked.pop(record.name, None)) is not None:
            self.targets.keep(package_target(record.name), data)
            tiles = self._log.files if self._log else {}
            keep_proof(self._folder, package_target(record.name), tiles)

    def is_claimed(self, name: str) -> bool:
        """Return whether `check_release` accepted a release of a claimed name."""
        return name in self._claimed

    def accept_owners(self, names: Iterable[str]) -> None:
        """From now on, let other owners follow those of some names without a signature."""
        self._accepted |= {*names}

    def _check_owners(self, record: PackageRecord) -> None:
        """Check that the owners of a record follow those that this machine has seen."""
        before = self._seen(record.name)
        if before is None or _ownership(before) == _ownership(record):
            return
        from psreg.client.seen.owners import check_owners  # noqa: PLC0415 - they rarely change

        seen = self.targets.stored_on(package_target(record.name))
        accepted = record.name in self._accepted
        for line in check_owners(before, record, record, self.id, seen, accepted=accepted):
            self._say(line)

    def _seen(self, name: str) -> PackageRecord | None:
        """Return the record of `name` that this machine has stored, if the newest is another."""
        try:
            return read_record(self._before.pop(name, b""), name)
        except PsregError:
            return None  # there is no stored copy, or it is damaged and protects nothing

    def with_void_keys(self, record: PackageRecord) -> PackageRecord:
        """Return a record that also says which keys of owners this machine has seen revoked."""
        return self._withdrawals.with_void_keys(record)

    def claim(self, record: PackageRecord) -> Claim | None:
        """Return who owns a name with this newest record, None if it is not claimed.

        Raises:
            TrustError: it is refused; `TRUST_OWNER_CHANGED`: it was claimed, and is not any more,
                or others own it than before, who neither signed that nor had a week to object.
        """
        path, before = owners_target(record.name), list[bytes | None]()
        judge = partial(self._judge_claim, record.name, before)
        with self._explained(record.name):
            data = self.targets.target(path, MAX_RECORD, judge, keep=False)
        if data is None:
            return None
        from psreg.registry.owners.claim import read_claim  # noqa: PLC0415 - few names are claimed

        claim = read_claim(data, record.name)
        if before:  # it is not the one that is kept
            self._check_claim(before[0], claim, record)
            self.targets.keep(path, data)
        return claim

    def _judge_claim(
        self, name: str, kept: list[bytes | None], before: bytes | None, now: bytes | None
    ) -> None:
        """Refuse that a name is not claimed any more; remember what was kept of another claim."""
        kept.append(before)
        if now is None and before is not None:
            from psreg.client.seen.owners import check_unclaimed  # noqa: PLC0415 - as above

            seen = self.targets.stored_on(owners_target(name))
            for line in check_unclaimed(before, name, seen, accepted=name in self._accepted):
                self._say(line)
            self.targets.drop(owners_target(name))

    def _check_claim(self, before: bytes | None, claim: Claim, record: PackageRecord) -> None:
        """Check that the owners in a claim follow those that this machine has seen."""
        from psreg.client.seen import owners as known_owners  # noqa: PLC0415 - as above

        name = record.name
        known = self._before.get(name, self._unchecked.get(name, b""))
        last = known_owners.seen_record(name, known)
        owned = known_owners.seen_claim(name, before or b"") or last
        if owned is None:
            return
        places = (owners_target(name), package_target(name))
        seen = next(filter(None, map(self.targets.stored_on, places)), "")
        for line in known_owners.check_owners(
            owned,
            claim,
            record,
            self.id,
            seen,
            accepted=name in self._accepted,
            recovered=partial(self._check_recovered, record, last),
        ):
            self._say(line)

    def _check_recovered(
        self, record: PackageRecord, last: PackageRecord | None, recovery: Recovery
    ) -> None:
        """Check that a recovery was in the log for long enough, and nobody objected.

        Raises:
            TrustError.
        """
        from psreg.registry.owners.recoveries import check_recovered, entry_of  # noqa: PLC0415

        if self._log is None:
            raise TrustError("TRUST_LOG", f"{recovery.title} is in no log")
        found = check_recovered(recovery, record, clock.now(), self._log.last_without, last)
        self._log.check_entry(entry_of(recovery), found.log)

    @cached_property
    def _log(self) -> SeenLog | None:
        from psreg.client.seen.log import SeenLog  # noqa: PLC0415 - only `psreg install` needs it

        keys = log_keys(self.targets.newest_root())
        if any(not {*log_keys(root)} <= {*keys} for root in self.targets.former_roots()):
            raise TrustError(
                "TRUST_LOG",
                "the newest root drops a key of the log that an earlier one has",
                "Tell the maintainers of the registry; do not install from it.",
            )
        if not keys and not self.witnesses:
            return None
        from psreg.registry.log.checkpoint import Witnesses  # noqa: PLC0415 - as above

        witnesses = Witnesses.parse(self.witnesses, self.witness_threshold)
        return SeenLog(self.targets, self._source, keys, witnesses, now=clock.now())

    def rows(self) -> Mapping[str, Row]:
        """Return the rows of the verified catalogue by name, ascending. Raises as `catalogue`."""
        from psreg.registry.catalog_segments import folded_rows  # noqa: PLC0415 - `psreg install` does not need it

        return folded_rows(self.catalogue().segments)

    def catalogue(self) -> Catalogue:
        """Return the verified catalogue.

        Raises:
            TrustError: it is refused; `TRUST_ROLLBACK`: it is older than one that this machine has
                seen; `TRUST_NAME_MISSING`: a name that was in it or installed has vanished.
        """
        from psreg.client.seen.catalogue import SeenCatalogue, names_in  # noqa: PLC0415 - as above

        found, newest = SeenCatalogue(self.targets, self._folder).read()
        self._check_clock("an entry of the catalogue", newest)
        installed = user_library().readable_receipts()
        receipts = [each for each in installed if each.registry["id"] == self.id]
        known = names_in(found.segments) if receipts else frozenset()
        for receipt in receipts:
            if receipt.release.name not in known:
                self.record(receipt.release.name)  # raises, unless the name has a record
        return found

    def _check_clock(self, what: str, released: str) -> None:
        """Say so, once, if something was released in the future."""
        warning = clock.behind(released)
        if warning and not self._clock_checked:
            self._say(f"{what} is dated {released}, {warning}")
            self._clock_checked = True

    def names(self) -> tuple[str, ...]:
        """Return all names of the catalogue."""
        return tuple(self.rows())

    def artifact(self, path: str, size: int) -> bytes:
        """Return the unverified file at `path`; see `client.install.Registry`."""
        try:
            return self._source.read(path, size)
        except TooLongError as error:
            raise TrustError(
                "TRUST_DIGEST",
                f"{path} is longer than the {size:,} bytes that were signed",
                "Tell the maintainers of the registry; nothing was installed.",
            ) from error

    def describe(self) -> dict[str, Any]:
        """Return what receipts and JSON output say about the registry."""
        return {"id": self.id, "url": self.location}


def _verifier(anchor: Anchor, notify: Notify, source: Source) -> TufClient:
    from psreg.client.tufclient import TufClient  # noqa: PLC0415 - not for what was verified before

    return TufClient(source, anchor.data, anchor.folder, notify)


def _ownership(record: PackageRecord) -> object:
    return record.owners, record.threshold, record.owner_changes


@contextmanager
def open_registry(
    selected: SelectedRegistry, store: TrustStore, notify: Notify
) -> Iterator[OpenRegistry]:
    """Yield the selected registry, if it is trusted; the connection closes after the block.

    Raises:
        TrustError: `TRUST_UNPINNED`, whose hint is the command to trust it; `TRUST_PIN`.
        UnavailableError: nothing is published there, or it cannot be reached.
    """
    # What is known can answer for a registry (`client.offline`): who is offline should not wait.
    known = selected.root_sha256 is not None and store.find(selected.root_sha256) is not None
    limits = Limits(unreached=1) if known else Limits()
    with closing(open_source(selected.location, limits, access=selected.access)) as source:
        anchor = _trusted(source, selected, store, notify)
        registry = OpenRegistry(source, anchor, notify, key_folder(selected))
        registry.witnesses, registry.witness_threshold = selected.witnesses, selected.threshold
        try:
            yield registry
        finally:
            tell_move(anchor, selected.location, notify)
        registry.targets.remember()


def tell_move(anchor: Anchor, location: str, notify: Notify) -> None:
    """Say so if the newest root that this machine has seen announces that the registry has moved.

    If the registry does not answer any more, or has expired, that tells why.
    """
    newest = anchor.folder / METADATA_FOLDER / f"{ROOT}.json"
    with suppress(UnavailableError):
        if MOVED.encode() in read_named(newest, MAX_ROOT):
            from psreg.client.settings.moving import notice  # noqa: PLC0415 - few have moved

            if told := notice(anchor, location):
                notify(told)


def _trusted(
    source: Source, selected: SelectedRegistry, store: TrustStore, notify: Notify
) -> Anchor:
    if not is_url(selected.location):
        metadata_of(Path(selected.location))
    if not (is_url(selected.location) or selected.from_project):
        anchor = store.anchor(first_root(source, store))
        check_pin(anchor, selected.root_sha256)
        if store.add(anchor):
            notify(f"trusting the registry in {selected.location} (root {anchor.sha256[:16]}…)")
    elif selected.root_sha256 is None:
        raise unpinned(store.anchor(first_root(source, store)), selected)
    else:
        stored = store.find(selected.root_sha256)
        anchor = stored or store.anchor(first_root(source, store))
        check_pin(anchor, selected.root_sha256)
        if stored is None:
            store.add(anchor)
    return anchor
