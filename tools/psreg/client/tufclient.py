"""The client of The Update Framework over a `Source`. The only importer of `tuf.ngclient`.

The pinned first root is the only trust anchor; cached metadata only protects against rollback, and
python-tuf verifies its signatures whenever it is read here. (Whether the state that a registry
shows was verified before, `client.verified` says; then it is not read.) Every metadata file passes
`strict_value` before python-tuf parses it, and must be that of the role that was asked for: once a
file of a registry names its role, all of them must. Target files are fetched, verified and written
here, because `Updater.download_target` writes in place and through links. One process at a time
uses the state of a registry.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from psreg.registry.trust import plain_signers  # noqa: F401 - comes before `tuf`

# isort: split
from psreg.client import plain_updater  # noqa: F401 - comes before `tuf.ngclient`

# isort: split
from tuf.ngclient import FetcherInterface, TargetFile, Updater, UpdaterConfig

# The errors of python-tuf, from the module that raises them: only registry/trust/metadata.py
# imports `tuf.api`.
from tuf.ngclient.fetcher import exceptions

from psreg.client.metadata_cache import (
    LISTED,
    MAX_METADATA,
    clock_warning,
    id_of,
    is_of,
    names_role,
    repair_cache,
    signed_field,
    signed_in,
)
from psreg.client.verified.facts import cached, digests
from psreg.client.verified.target_files import PARTS, REGISTRY, TargetFiles, wrong_bytes
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.http.registry_source import NotServedError, Source, SourceError, TooLongError
from psreg.registry.trust.roles import (
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    check_binding,
    check_keys,
    is_bound,
    possible_bins,
    target_path,
)
from psreg.registry.trust.strict_json import strict_value
from psreg.system import clock
from psreg.system.atomic import (
    clear_unfinished,
    delete,
    real_folder,
    write_own,
)
from psreg.system.files import read_named

METADATA = "registry/metadata/"
_MAX_ROOTS = 10_000
"""How many root rotations are followed; each needs the signatures of the one before."""

_HASHES = ("sha256", "sha512")
_ROLES = (ROOT, TIMESTAMP, SNAPSHOT, TARGETS)


Judge = Callable[[bytes | None, bytes | None], None]
"""Gets the bytes verified before and the new ones, None where there are none; raises to refuse."""


class _MalformedError(exceptions.DownloadError):
    """Metadata that two readers could understand differently."""


class Fetcher(FetcherInterface):
    """A fetcher for python-tuf over a `Source`; remembers the last file, to explain a refusal.

    `bound` is whether a file of the registry has named its role, so that every file has to.
    """

    def __init__(self, source: Source, registry_id: str | None = None) -> None:
        self._source = source
        self._registry_id = registry_id
        self.bound = False
        self.name = ""
        self.data = b""
        self.files: dict[str, bytes] = {}

    def _fetch(self, url: str) -> Iterator[bytes]:
        return iter((self.download_bytes(url, MAX_METADATA),))

    def download_bytes(self, url: str, max_length: int) -> bytes:
        """Return the metadata file at `url`, a path below the base.

        It is strict JSON, and that of the role in its name.
        """
        self.name, self.data = url.rpartition("/")[2], b""
        try:
            self.data = self.files[self.name] = self._source.read(url, max_length)
            value = strict_value(self.data)
        except NotServedError as error:
            raise exceptions.DownloadHTTPError(error.message, 404) from error
        except TooLongError as error:
            raise exceptions.DownloadLengthMismatchError(error.message) from error
        except TrustError as error:
            raise _MalformedError(error.message) from error
        except SourceError as error:
            raise exceptions.DownloadError(error.message) from error
        self._check_role(value.get("signed") if isinstance(value, dict) else None)
        return self.data

    def _check_role(self, signed: Any) -> None:
        if not isinstance(signed, dict) or "_type" not in signed:
            return  # not metadata, which python-tuf refuses
        stem = unquote(self.name).removesuffix(".json")
        version, _, role = stem.partition(".")
        role = role if role and version.isdecimal() else stem
        try:
            check_keys(signed)
            check_binding(signed, role, self._registry_id, required=self.bound and role != ROOT)
        except TrustError as error:
            raise exceptions.DownloadError(error.message) from error
        self.bound |= role != ROOT and is_bound(signed)


class TufClient(TargetFiles):
    """The verified metadata of a registry. `notify` tells the user what was repaired."""

    def __init__(
        self, source: Source, root: bytes, folder: Path, notify: Callable[[str], None]
    ) -> None:
        super().__init__(source, folder, notify)
        self._root = root
        self._registry_id = id_of(root)
        self._fetcher = Fetcher(source, self._registry_id)
        self._updater: Updater | None = None
        self.verified: Mapping[str, str] = {}
        """The SHA-256 of the files of root, timestamp, snapshot and targets, once verified."""
        self.stale_until = ""
        """The day until which expired metadata is accepted; "" for never. All else is checked."""

    def refresh(self) -> Updater:
        """Bring root, timestamp, snapshot and targets up to date, once.

        Raises:
            TrustError: the served metadata is refused (codes in `psreg_error`).
            UnavailableError: it cannot be read, or the state folder cannot be written.
        """
        if self._updater is None:
            real_folder(self._folder)
            with self._locked():
                for part in (".", *PARTS):
                    clear_unfinished(self._folder / part)
                damaged = repair_cache(self._metadata, self._registry_id)
                self._fetcher.bound = any(names_role(self._metadata, role) for role in LISTED)
                for role in (TARGETS, RELEASES, OWNERS):
                    self._distrust_unbound(role)
                if warning := clock_warning(self._metadata):
                    self._say(warning)
                if damaged:
                    self._say_rebuilt()
                updater = Updater(
                    str(self._metadata),
                    METADATA,
                    fetcher=self._fetcher,
                    config=UpdaterConfig(max_root_rotations=_MAX_ROOTS),
                    bootstrap=self._root,
                )
                if self.stale_until:
                    # python-tuf compares each date of expiry with this one, and nothing else.
                    updater._trusted_set.reference_time = _LONG_AGO  # noqa: SLF001 - it has no option
                updater.refresh()
                self._updater = updater
                self.verified = digests(cached(self._metadata, _ROLES))
                if self.stale_until:
                    self._say(self._accepted())
        return self._updater

    def target(
        self, path: str, limit: int, judge: Judge | None = None, *, keep: bool = True
    ) -> bytes | None:
        """Return the verified bytes of a target; None if no role lists the path.

        A stored copy is used if it is still the one listed. Otherwise `judge` gets that copy and
        the new bytes, which are then stored, if they are to be kept.

        Raises:
            TrustError, UnavailableError: as `refresh`; `TRUST_DIGEST`: length or hash differ.
        """
        updater = self.refresh()
        with self._locked():
            self._distrust_unbound_bins(path)
            info = updater.get_targetinfo(path)
            file = self._place(path)
            stored = self._stored(file, limit)
            if info is not None and stored is not None and _verified(info, stored):
                return stored
            data = None if info is None else self._download(info, limit)
            if judge is not None:
                judge(stored, data)
            if data is not None and keep:
                write_own(file, data, self._folder, durable=False)
            return data

    def lists(self, path: str) -> bool:
        """Return whether a role lists the target `path`; for a `Judge`, which runs locked."""
        self._distrust_unbound_bins(path)
        return self.refresh().get_targetinfo(path) is not None

    def versions(self) -> Mapping[str, int]:
        """Return the current version of each top-level role."""
        self.refresh()
        with self._locked():  # python-tuf of another process links the root again
            files = {role: read_named(self._metadata / f"{role}.json") for role in _ROLES}
        return {role: int(signed_field(data, "version")) for role, data in files.items()}

    def newest_root(self) -> bytes:
        """Return the current root, the last of the chain that starts at the pinned one."""
        self.refresh()
        with self._locked():
            return read_named(self._metadata / "root.json")

    def former_roots(self) -> Iterator[bytes]:
        """Yield the roots from the pinned one on, as they were verified, the current one included.

        Raises:
            TrustError, UnavailableError: as `refresh`; one cannot be read.
        """
        yield self._root
        for version in range(2, self.versions()[ROOT] + 1):
            yield read_named(self._metadata / "root_history" / f"{version}.{ROOT}.json")

    def _download(self, info: TargetFile, limit: int) -> bytes:
        if info.length > limit:
            raise TrustError(
                "TRUST_METADATA",
                f"{info.path} claims {info.length:,} bytes; the limit is {limit:,}",
            )
        digest = next((info.hashes[name] for name in _HASHES if name in info.hashes), None)
        if digest is None:
            raise TrustError(
                "TRUST_METADATA", f"{info.path} is listed without a SHA-256 or SHA-512"
            )
        try:
            data = self._source.read(REGISTRY + target_path(info.path, digest), info.length)
        except TooLongError as error:
            raise wrong_bytes(info.path) from error
        if not _verified(info, data):
            raise wrong_bytes(info.path)
        return data

    def _distrust_unbound_bins(self, path: str) -> None:
        """Do that for the bins of `path`, however many bins the registry has."""
        for role in possible_bins(path):
            # NOTE: python-tuf reads the file of a role once; what it has read, was checked.
            if role not in self.refresh()._trusted_set:  # noqa: SLF001 - it has no property
                self._distrust_unbound(role)

    def _distrust_unbound(self, role: str) -> None:
        """Remove the cached file of a role that does not name it, so that it is fetched again.

        It may stand for another one that the same key signed; python-tuf could not tell.
        """
        if self._registry_id is None or not os.path.exists(f"{self._metadata}/{role}.json"):  # noqa: PTH110
            return
        file = self._metadata / f"{role}.json"
        signed = signed_in(file)
        if signed is not None and not is_of(signed, role, self._registry_id, required=True):
            delete(file)

    def _expired(self) -> TrustError:
        """Return the error for the first file of the chain that has expired."""
        root = read_named(self._metadata / "root.json")
        name = f"{signed_field(root, 'version')}.{ROOT}.json"
        fetched = {n: data for n, data in self._fetcher.files.items() if f".{ROOT}." not in n}
        chain = ((signed_field(data, "expires"), n) for n, data in {name: root, **fetched}.items())
        expires, name = min((str(date), n) for date, n in chain)
        return TrustError("TRUST_FROZEN", f"{name} of the registry expired on {expires}", _FROZEN)

    def _accepted(self) -> str:
        """Return what to say of metadata that is accepted although it has expired."""
        now = f"{clock.exact_time():%Y-%m-%dT%H:%M:%SZ}"
        files = {role: read_named(self._metadata / f"{role}.json") for role in _ROLES}
        dates = {role: str(signed_field(data, "expires")) for role, data in files.items()}
        told = [f"{role} expired on {at[:10]}" for role, at in dates.items() if at <= now]
        what = ", ".join(told) or "nothing has expired"
        return f"expired metadata of the registry is accepted until {self.stale_until}: {what}"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock, and translate the errors of python-tuf."""
        try:
            with super()._locked():
                yield
        except exceptions.ExpiredMetadataError as error:
            raise self._expired() from error
        except (exceptions.RepositoryError, exceptions.DownloadError, ValueError) as error:
            raise psreg_error(error, self._fetcher.name, self._fetcher.data) from error


_FROZEN = (
    "The maintainers must renew it with `psreg publish --resign`; what is installed works on. "
    "Check this machine's clock, or use a newer copy; `--accept-stale-until DATE` accepts this one."
)

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

_REFUSALS: tuple[tuple[type[Exception], TrustError], ...] = (
    (
        exceptions.DownloadLengthMismatchError,
        TrustError("TRUST_METADATA", "metadata is longer than its kind may be"),
    ),
    (
        _MalformedError,
        TrustError(
            "TRUST_METADATA",
            "the registry's metadata is malformed",
            "Check the address; a host that serves a page instead of status 404 looks like this.",
        ),
    ),
    (
        exceptions.UnsignedMetadataError,
        TrustError("TRUST_SIGNATURE", "metadata is not signed by the registry's keys"),
    ),
    (
        exceptions.LengthOrHashMismatchError,
        TrustError("TRUST_MIXED", "metadata is not the file that signed metadata lists"),
    ),
)
"""The errors of python-tuf that have one meaning, and our error for each."""


def psreg_error(error: Exception, name: str, data: bytes) -> PsregError:
    """Translate an error of python-tuf; `name` and `data` are of the last file fetched.

    TRUST_SIGNATURE · TRUST_ROLLBACK · TRUST_MIXED (files of different
    states) · TRUST_METADATA (malformed) · else the source's own error.
    """
    detail = f"{name}: {error}" if name else str(error)
    if isinstance(error, exceptions.BadVersionNumberError):
        return _wrong_version(detail, name, data)
    for kind, refusal in _REFUSALS:
        if isinstance(error, kind):
            return TrustError(refusal.code, f"{refusal.message}: {detail}", refusal.hint)
    if isinstance(error, exceptions.DownloadError):
        cause = error.__cause__
        return cause if isinstance(cause, PsregError) else UnavailableError("NETWORK", detail)
    if signed_field(data, "_type") == SNAPSHOT and name.endswith(f".{SNAPSHOT}.json"):
        return TrustError("TRUST_ROLLBACK", f"the snapshot goes back to an older version: {detail}")
    return TrustError("TRUST_METADATA", f"the registry's metadata is malformed: {detail}")


def _wrong_version(detail: str, name: str, data: bytes) -> TrustError:
    """Return TRUST_MIXED if the file has another version than requested, else TRUST_ROLLBACK."""
    asked, _, role = name.removesuffix(".json").partition(".")
    mixed = role not in ("", ROOT) and (
        role != SNAPSHOT or str(signed_field(data, "version")) != asked
    )
    if mixed:
        return TrustError("TRUST_MIXED", f"the metadata files are of different states: {detail}")
    return TrustError(
        "TRUST_ROLLBACK",
        f"the registry shows an older state than this machine has seen: {detail}",
        "Try again later or use another mirror; this one is behind, or hides newer releases.",
    )


def _verified(info: TargetFile, data: bytes) -> bool:
    try:
        info.verify_length_and_hashes(data)
    except exceptions.LengthOrHashMismatchError:
        return False
    return True
