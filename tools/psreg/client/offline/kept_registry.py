"""A registry as this machine keeps it: what `--offline` reads, verified, without a network.

It has the records of what was installed and the catalogue that was read last, each in the state of
its own proof (`client.kept`). That something has expired is told, but does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from psreg.client.chain import Chain, Pins
from psreg.client.kept import newest_kept, proof_of, proof_place, seen_on
from psreg.client.library import Library, Receipt, user_library
from psreg.client.open_registry import Lacks, tell_move
from psreg.client.resolve import Request, release_id
from psreg.client.seen.owners import unclaimed
from psreg.client.withdrawals import SeenWithdrawals
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.version import Range, parse_version
from psreg.http.address import is_url
from psreg.registry.catalog_head import read_head
from psreg.registry.catalog_segments import Catalogue, read_segment
from psreg.registry.trust.reading import RegistryState, open_registry
from psreg.registry.trust.roles import (
    HEAD,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Target,
    catalog_target,
    package_target,
)
from psreg.system.clock import exact_time
from psreg.system.files import read_own

if TYPE_CHECKING:
    from datetime import datetime

    from psreg.client.config import SelectedRegistry, Settings
    from psreg.client.trust_store import Anchor, TrustStore
    from psreg.registry.owners.claim import Claim
    from psreg.registry.records import PackageRecord, ReleaseRecord

_OFFLINE = "Run it again without `--offline`."


class KeptRegistry:
    """The registry with the first root `anchor`, at `location`; `notify` tells how old it is.

    Implements `client.install.Registry` for the records that are kept, and `pins` says with which
    root they are verified. `require_claimed` is whether `check_release` refuses unclaimed names.
    """

    def __init__(
        self, anchor: Anchor, location: str, pins: Pins, notify: Callable[[str], None]
    ) -> None:
        self.id = anchor.id
        self.mode = anchor.mode
        self.location = location
        self.require_claimed = False
        self._pins = pins
        self._library = user_library()
        self._anchor, self._folder = anchor, anchor.folder
        self._say = notify
        self._states: dict[str, RegistryState] = {}
        self.as_of: str | None = None
        """The first day on which something that was asked was seen last, such as `2026-11-21`."""

    @property
    def versions(self) -> Mapping[str, int]:
        """The lowest versions of root, timestamp, snapshot and targets that vouch for records."""
        states = [state for at, state in self._states.items() if at != catalog_target(HEAD)]
        return {
            role: min(state.documents[role].version for state in states)
            for role in (ROOT, TIMESTAMP, SNAPSHOT, TARGETS)
            if states
        }

    @property
    def expires(self) -> datetime | None:
        """When the first of what was asked expires; None before something was."""
        return min((state.expires for state in self._states.values()), default=None)

    def record(self, name: str) -> bytes:
        """Return the verified record of `name`.

        Raises:
            UnavailableError: NOT_KEPT.
            TrustError: what is kept is not what was signed.
        """
        found = self._state(package_target(name), f"`{name}`").packages.get(name)
        if found is None:
            raise _not_kept(f"`{name}`")
        return found

    def claim(self, record: PackageRecord) -> Claim | None:
        """Return who owns the name of a record, None if it is not claimed. Raises as `record`."""
        return self._claim(record.name)

    def _claim(self, name: str) -> Claim | None:
        data = self._state(package_target(name), f"`{name}`").owners.get(name)
        if data is None:
            return None
        from psreg.registry.owners.claim import read_claim  # noqa: PLC0415 - few names are claimed

        return read_claim(data, name)

    def with_void_keys(self, record: PackageRecord) -> PackageRecord:
        """Return a record that also says which keys of owners this machine has seen revoked."""
        state = self._state(package_target(record.name), record.name)
        withdrawals = SeenWithdrawals(self._folder, self.id, lambda: state.root.data, self._say)
        return withdrawals.with_void_keys(record)

    def catalogue(self) -> Catalogue:
        """Return the catalogue that was read last. Raises as `record`."""
        signed = self._state(catalog_target(HEAD), "the catalogue").catalog.get(HEAD)
        if signed is None:
            raise _not_kept("the catalogue")
        read, head = newest_kept(self._folder), read_head(signed.data)
        found = []
        for segment in head.segments:
            data = read(segment.path)
            if data is None:
                raise _not_kept("the whole catalogue")
            if Target.of(data) != segment.target:
                told = f"{segment.path} is not the file that signed metadata lists"
                raise TrustError("TRUST_DIGEST", told)
            found.append(read_segment(data))
        return Catalogue(segments=found, synonyms=head.synonyms)

    def check_release(self, record: PackageRecord, row: ReleaseRecord) -> None:
        """Verify a release up to the root; whether its file is intact, only if it is installed.

        Raises:
            TrustError: a link of its chain fails; TRUST_UNCLAIMED.
            UnavailableError: as `record`.
        """
        receipt, library = self._installed(record.name, row.path), self._library
        if self.require_claimed and not self.is_claimed(record.name):
            raise unclaimed(record.name)
        if receipt is None:
            self._check_newest(record)
            receipt, library = self._as_installed(record, row), _AnyFile(library.folder)
        if (error := Chain(receipt, library, self._pins).error) is not None:
            raise error

    @staticmethod
    def never_read(location: str) -> UnavailableError:
        """Return the error for a registry that this machine has never read."""
        return _not_kept(location)

    def _check_newest(self, record: PackageRecord) -> None:
        """Do nothing: with `--offline`, what is kept is good enough to be installed."""

    def _as_installed(self, record: PackageRecord, row: ReleaseRecord) -> Receipt:
        return Receipt(
            release=release_id(record, row),
            sha256=row.sha256,
            size=row.size,
            registry=self.describe(),
            metadata=self.versions,
            installed="",
        )

    def artifact(self, path: str, size: int) -> bytes:
        """Return the file of an installed release. Raises UnavailableError NOT_KEPT."""
        receipt = self._installed(PurePosixPath(path).parts[-3], path)
        if receipt is None:
            raise _not_kept(path)
        return read_own(self._library.path(receipt), size)

    def _installed(self, name: str, path: str) -> Receipt | None:
        """Return the receipt of the release with a path in the registry; None if there is none."""
        receipt = self._library.receipt(name)
        if receipt is None or str(receipt.release.artifact) != path:
            return None
        return receipt if receipt.registry["id"] == self.id else None

    def is_claimed(self, name: str) -> bool:
        """Return whether a name that is kept is claimed."""
        return self._claim(name) is not None

    def first_time(self, what: str) -> bool:  # noqa: ARG002 - as `OpenRegistry.first_time`
        """Return False: what is told once was told when it was read."""
        return False

    def expect(self, requests: Iterable[Request], lacks: Lacks) -> None:
        """Do nothing: nothing is fetched."""

    def accept_owners(self, names: Iterable[str]) -> None:
        """Do nothing: what is kept has the owners that it was accepted with."""

    def names(self) -> Sequence[str]:
        """Return no name: which ones there are, only the registry knows."""
        return ()

    def describe(self) -> dict[str, Any]:
        """Return what JSON output says about the registry."""
        return {"id": self.id, "url": self.location}

    def _state(self, target: str, what: str) -> RegistryState:
        """Return the state in which a stored target was verified, and tell its age."""
        if target not in self._states:
            if not proof_place(self._folder, target).exists():
                raise _not_kept(what)
            read = proof_of(self._folder, target)
            state = open_registry(read, owners=target != catalog_target(HEAD))
            if state is None:
                raise _not_kept(what)
            if not self._states:
                self._tell_move()
            self._states[target] = state
            day = seen_on(self._folder, target)
            self.as_of = min(day, self.as_of or day)
            self._tell_age(state, day)
        return self._states[target]

    def _tell_move(self) -> None:
        """Say so if the registry has moved."""
        tell_move(self._anchor, self.location, self._say)

    def _tell_age(self, state: RegistryState, day: str) -> None:
        """Say how old answers from a state are that was seen last on a day."""
        timestamp = state.documents[TIMESTAMP]
        word = "expired on" if timestamp.expires <= exact_time() else "is valid until"
        until = f"which {word} {timestamp.expires:%Y-%m-%d}"
        self._say(f"offline: as of {day}, timestamp {timestamp.version} of the registry, {until}")


def _not_kept(what: str) -> UnavailableError:
    return UnavailableError("NOT_KEPT", f"{what} is not kept on this machine", _OFFLINE)


class _AnyFile(Library):
    """A library whose files are not looked at: who fetches a file compares it with its digest."""

    def drift(self, receipt: Receipt) -> str | None:  # noqa: ARG002 - as `Library.drift`
        """Return None: no file differs from its receipt."""
        return None


Kind = TypeVar("Kind", bound=KeptRegistry)


def kept_registry(
    selected: SelectedRegistry,
    settings: Settings,
    store: TrustStore,
    notify: Callable[[str], None],
    kind: type[Kind],
) -> Kind | None:
    """Return a selected registry as this machine keeps it; None if it is in a folder.

    Raises:
        UnavailableError: NOT_KEPT: this machine has never read it.
    """
    if not is_url(selected.location):
        return None
    anchor = store.find(selected.root_sha256) if selected.root_sha256 else None
    if anchor is None:
        raise kind.never_read(selected.location)
    kept = kind(anchor, selected.location, Pins(store, settings.registries()), notify)
    kept.require_claimed = settings.require_claimed
    return kept


def of_installed(requests: Iterable[Request], library: Library) -> tuple[Request, ...]:
    """Return requests, each for exactly the version that is installed if that satisfies it."""
    return tuple(_exact(request, library.receipt(request.name)) for request in requests)


def _exact(request: Request, receipt: Receipt | None) -> Request:
    if receipt is None or not request.range.matches(parse_version(receipt.release.version)):
        return request
    return Request(name=request.name, range=Range.parse(receipt.release.version))
