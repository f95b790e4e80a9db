"""The Update Framework's client over our own source of bytes. Only importer of `tuf.ngclient`.

The pinned first root is the only trust anchor; cached metadata only ever adds protection against
rollback. Every metadata file passes `strict_json` before python-tuf parses it. Target files are
fetched, verified and written here: `Updater.download_target` writes in place, through links.
One process at a time works on a registry's state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tuf.ngclient import FetcherInterface, TargetFile, Updater

# python-tuf's errors, by way of the module that raises them: `tuf.api` belongs to
# registry/trust/metadata.py.
from tuf.ngclient.fetcher import exceptions

from psreg.client.metadata_cache import repair, signed_field
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.http.source import NotServedError, Source, SourceError, TooLongError
from psreg.registry.trust.roles import ROOT, SNAPSHOT, TARGETS, TIMESTAMP, target_path
from psreg.registry.trust.strict_json import strict_json
from psreg.system.atomic import exclusive, real_folder, write_file
from psreg.system.files import read_named

METADATA = "registry/metadata/"
_REGISTRY = "registry/"
_MAX_UNBOUNDED = 5_000_000
_HASHES = ("sha256", "sha512")
_ROLES = (ROOT, TIMESTAMP, SNAPSHOT, TARGETS)

Judge = Callable[[bytes, bytes], None]
"""Compares what was verified before with what is verified now; raises to refuse the new."""


class _MalformedError(exceptions.DownloadError):
    """Metadata that two readers could understand differently."""


class Fetcher(FetcherInterface):
    """python-tuf's fetcher over a `Source`; remembers the last file, to explain a refusal."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = ""
        self.data = b""

    def _fetch(self, url: str) -> Iterator[bytes]:
        return iter((self.download_bytes(url, _MAX_UNBOUNDED),))

    def download_bytes(self, url: str, max_length: int) -> bytes:
        """Return the metadata file at `url`, a path below the base, if it is strict JSON."""
        self.name, self.data = url.rpartition("/")[2], b""
        try:
            self.data = self._source.read(url, max_length)
            strict_json(self.data)
        except NotServedError as error:
            raise exceptions.DownloadHTTPError(error.message, 404) from error
        except TooLongError as error:
            raise exceptions.DownloadLengthMismatchError(error.message) from error
        except TrustError as error:
            raise _MalformedError(error.message) from error
        except SourceError as error:
            raise exceptions.DownloadError(error.message) from error
        return self.data


class TufClient:
    """A registry's verified metadata. `say` tells a person what had to be repaired."""

    def __init__(
        self, source: Source, root: bytes, folder: Path, say: Callable[[str], None]
    ) -> None:
        self._source = source
        self._folder = folder
        self._metadata = folder / "metadata"
        self._root = root
        self._say = say
        self._fetcher = Fetcher(source)
        self._updater: Updater | None = None

    def refresh(self) -> Updater:
        """Bring root, timestamp, snapshot and targets up to date, once.

        Raises:
            TrustError: what is served is not what the root vouches for (codes in `explain`).
            UnavailableError: it cannot be had, or the state folder cannot be written.
        """
        if self._updater is None:
            real_folder(self._folder)
            with self._at_work():
                if repair(self._metadata):
                    self._say(f"the client state in {self._folder} was damaged and is rebuilt")
                updater = Updater(
                    str(self._metadata), METADATA, fetcher=self._fetcher, bootstrap=self._root
                )
                updater.refresh()
                self._updater = updater
        return self._updater

    def target(self, path: str, limit: int, judge: Judge | None = None) -> bytes | None:
        """Return the verified bytes of a target; None if no role vouches for the path.

        A copy verified before is used if it is still the one vouched for. `judge` is given the
        copy verified before and the new bytes.

        Raises:
            TrustError, UnavailableError: as `refresh`; `TRUST_DIGEST`: length or hash differ.
        """
        updater = self.refresh()
        with self._at_work():
            info = updater.get_targetinfo(path)
            if info is None:
                return None
            file = self._folder / path
            known = _known(file, limit)
            if known is not None and _verified(info, known):
                return known
            data = self._download(info, limit)
            if known is not None and judge is not None:
                judge(known, data)
            write_file(real_folder(file.parent) / file.name, data)
            return data

    def versions(self) -> Mapping[str, int]:
        """Return the version of each top-level role that is in force."""
        self.refresh()
        files = {role: read_named(self._metadata / f"{role}.json") for role in _ROLES}
        return {role: int(signed_field(data, "version")) for role, data in files.items()}

    def newest_root(self) -> bytes:
        """Return the root in force, the last of the chain that starts at the pinned one."""
        self.refresh()
        return read_named(self._metadata / "root.json")

    def _download(self, info: TargetFile, limit: int) -> bytes:
        if info.length > limit:
            raise TrustError(
                "TRUST_METADATA", f"{info.path} is said to have {info.length} bytes, over {limit}"
            )
        digest = next((info.hashes[name] for name in _HASHES if name in info.hashes), None)
        if digest is None:
            raise TrustError(
                "TRUST_METADATA", f"{info.path} is vouched for without a SHA-256 or SHA-512"
            )
        try:
            data = self._source.read(_REGISTRY + target_path(info.path, digest), info.length)
        except TooLongError as error:
            raise _wrong_bytes(info.path) from error
        if not _verified(info, data):
            raise _wrong_bytes(info.path)
        return data

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Hold the lock, and turn python-tuf's errors into ours."""
        try:
            with exclusive(self._folder / "lock"):
                yield
        except (exceptions.RepositoryError, exceptions.DownloadError, ValueError) as error:
            raise explain(error, self._fetcher.name, self._fetcher.data) from error
        except OSError as error:
            raise UnavailableError(
                "STATE_UNUSABLE", f"cannot use {self._folder}: {error.strerror or error}"
            ) from error


_REFUSALS: tuple[tuple[type[Exception], TrustError], ...] = (
    (
        exceptions.DownloadLengthMismatchError,
        TrustError("TRUST_METADATA", "longer than its kind of metadata can be"),
    ),
    (
        _MalformedError,
        TrustError(
            "TRUST_METADATA",
            "the registry's metadata is malformed",
            "a host that answers a missing file with a page instead of status 404 does this",
        ),
    ),
    (
        exceptions.ExpiredMetadataError,
        TrustError(
            "TRUST_FROZEN",
            "the registry's metadata is out of date",
            "its keepers must publish again, or this is an old copy, or this machine's clock is"
            " wrong",
        ),
    ),
    (
        exceptions.UnsignedMetadataError,
        TrustError("TRUST_SIGNATURE", "not signed by the registry's keys"),
    ),
    (
        exceptions.LengthOrHashMismatchError,
        TrustError("TRUST_MIXED", "not the file that signed metadata lists"),
    ),
)
"""python-tuf's errors that mean one thing, and what they mean."""


def explain(error: Exception, name: str, data: bytes) -> PsregError:
    """Return our error for one of python-tuf's; `name` and `data` are of the last file fetched.

    TRUST_SIGNATURE · TRUST_FROZEN (expired) · TRUST_ROLLBACK · TRUST_MIXED (files of different
    states) · TRUST_METADATA (malformed) · else the source's own error.
    """
    told = f"{name}: {error}" if name else str(error)
    if isinstance(error, exceptions.BadVersionNumberError):
        return _wrong_version(told, name, data)
    for kind, meant in _REFUSALS:
        if isinstance(error, kind):
            until = _until(data) if kind is exceptions.ExpiredMetadataError else ""
            return TrustError(meant.code, f"{meant.message}{until}: {told}", meant.hint)
    if isinstance(error, exceptions.DownloadError):
        cause = error.__cause__
        return cause if isinstance(cause, PsregError) else UnavailableError("NETWORK", told)
    if signed_field(data, "_type") == SNAPSHOT and name.endswith(f".{SNAPSHOT}.json"):
        return TrustError("TRUST_ROLLBACK", f"the snapshot takes something back: {told}")
    return TrustError("TRUST_METADATA", f"the registry's metadata is malformed: {told}")


def _wrong_version(told: str, name: str, data: bytes) -> TrustError:
    """Tell an older state from a mixed one: a file of another version than asked for is mixed."""
    asked, _, role = name.removesuffix(".json").partition(".")
    mixed = role not in ("", ROOT) and (
        role != SNAPSHOT or str(signed_field(data, "version")) != asked
    )
    if mixed:
        return TrustError("TRUST_MIXED", f"files of different states are mixed: {told}")
    return TrustError(
        "TRUST_ROLLBACK",
        f"the registry shows an older state than this machine has seen: {told}",
        "a mirror may be behind, or somebody is hiding newer releases",
    )


def _until(data: bytes) -> str:
    expires = signed_field(data, "expires")
    return f" since {expires}" if isinstance(expires, str) else ""


def _wrong_bytes(path: str) -> TrustError:
    return TrustError("TRUST_DIGEST", f"{path} is not the file that signed metadata lists")


def _verified(info: TargetFile, data: bytes) -> bool:
    try:
        info.verify_length_and_hashes(data)
    except exceptions.LengthOrHashMismatchError:
        return False
    return True


def _known(file: Path, limit: int) -> bytes | None:
    try:
        return read_named(file, limit)
    except UnavailableError:
        return None
