"""What is deployed: the files of a site, after a proof that they are one whole registry.

A registry from which a segment or an artifact is missing is refused before the first byte is sent,
because clients would refuse it.
"""

from __future__ import annotations

import gzip
from collections.abc import Container, Mapping
from datetime import datetime

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.core.identity import PBES
from psreg.registry.catalog_head import head_of
from psreg.registry.deploy.deployed import mark_of
from psreg.registry.deploy.headers import DRAFTS_FILE, TIMESTAMP_FILE, Headers, headers_of
from psreg.registry.deploy.ports import Site, Upload
from psreg.registry.log.growth import log_files, tiles_of
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.records import read_record
from psreg.registry.trust.metadata import Document
from psreg.registry.trust.reading import RegistryState, open_registry
from psreg.registry.trust.roles import (
    CHECKPOINT,
    TIMESTAMP,
    Target,
    kind_and_name,
    target_path,
)

_REGISTRY = "registry/"
_PACKAGES = "registry/targets/pkg/"
_ENTRIES = f"{PBES}/"
_SEGMENTS = "registry/targets/segments/"
_REBUILD = "Build the site again with `psreg site build`."


class Deployable:
    """A site that a client which has never read its registry would accept as it is.

    `state` is that of the registry, `marks` are of all files but the timestamp. With `pack`, pages
    are stored in gzip.

    Raises:
        TrustError: TRUST_FROZEN (a signature has expired), TRUST_MIXED (a file is missing),
            TRUST_DIGEST (one was altered), and what `open_registry` raises.
        UnavailableError: NOT_PUBLISHED: there is no registry in it; what `Site` raises.
        UsageError: DRAFT_SITE: it shows drafts.
    """

    def __init__(self, site: Site, now: datetime, *, pack: bool) -> None:
        self._site, self._pack = site, pack
        self._files = site.files()
        _check_is_released(self._files)
        self.state = _opened(site)
        _check_dates(self.state, now)
        self.releases: set[tuple[str, str]] = set()
        """Name and version of every release."""
        self._purged: set[tuple[str, str]] = set()
        """Name and folder of every release that was purged."""
        self._check_registry()
        self.marks: Mapping[str, str] = {
            path: mark_of(target.sha256, self._headers(path))
            for path, target in self._files.items()
            if path != TIMESTAMP_FILE
        }

    @property
    def timestamp(self) -> Document:
        """The timestamp, which makes the rest current."""
        return self.state.documents[TIMESTAMP]

    def is_purged(self, path: str) -> bool:
        """Tell whether a file that the site no longer has may be about something purged.

        It is in the folder of a purged release, or its page, or a former record of its name, or a
        former segment of the catalogue.
        """
        if path.startswith(_SEGMENTS):
            return bool(self._purged)
        return any(
            path.startswith((f"{folder}/", f"{folder.removeprefix(_ENTRIES)}/"))
            or (path.startswith(_PACKAGES) and path.endswith(f".{name}.json"))
            for name, folder in self._purged
        )

    def upload(self, path: str) -> Upload:
        """Return a file as it is written to a bucket."""
        headers = self._headers(path)

        def body() -> bytes:
            data = self._site.read(path)
            if data is None or Target.of(data) != self._files[path]:
                told = f"{path} changed during the deployment"
                raise UnavailableError("SITE_CHANGED", told, "Deploy again.")
            return stored(data, headers)

        return Upload(path=path, headers=headers, body=body)

    def _headers(self, path: str) -> Headers:
        return headers_of(path, self._files[path].length, pack=self._pack)

    def _check_registry(self) -> None:
        for path, target in self.state.targets.items():
            place = _REGISTRY + target_path(path, target.sha256)
            self._check_file(place, target)
            kind, name = kind_and_name(path) or ("", "")
            if kind == "pkg":
                record = read_record(self._site.read(place) or b"", name)
                self.releases.update((name, row.version) for row in record.rows)
                self._purged.update(
                    (name, row.path.rpartition("/")[0]) for row in record.releases if row.is_purged
                )
                for file in (file for release in record.releases for file in release.all_files):
                    self._check_file(file.path, Target(length=file.size, sha256=file.sha256))
        if checkpoint := checkpoint_of(self.state):
            files = tiles_of(lambda path: self._site.read(_REGISTRY + path))
            for path, data in log_files(checkpoint, files):
                self._check_file(_REGISTRY + path, Target.of(data))
            self._check_file(_REGISTRY + CHECKPOINT, self.state.targets[CHECKPOINT])
        head = head_of(self.state)
        for segment in head.segments if head else ():
            self._check_file(_REGISTRY + segment.path, segment.target)

    def _check_file(self, path: str, target: Target) -> None:
        if path not in self._files:
            raise TrustError("TRUST_MIXED", f"{path} is missing from the site", _REBUILD)
        if self._files[path] != target:
            raise TrustError("TRUST_DIGEST", f"{path} is not the file that was signed", _REBUILD)


def _check_is_released(files: Container[str]) -> None:
    if DRAFTS_FILE in files:
        raise UsageError(
            "DRAFT_SITE",
            "the site shows drafts, which are for preview only",
            "Build the site without `--draft`.",
        )


def _opened(site: Site) -> RegistryState:
    state = open_registry(lambda path: site.read(_REGISTRY + path))
    if state is None:
        raise UnavailableError("NOT_PUBLISHED", "the site contains no registry", _REBUILD)
    return state


def _check_dates(state: RegistryState, now: datetime) -> None:
    first = min(state.documents.values(), key=lambda document: document.expires)
    if first.expires <= now:
        raise TrustError(
            "TRUST_FROZEN",
            f"the signature of {first.role} expired on {first.expires:%Y-%m-%d}",
            "Check this machine's clock, or run `psreg publish` and build the site again.",
        )


def stored(data: bytes, headers: Headers) -> bytes:
    """Return the bytes as a host stores them."""
    return gzip.compress(data, mtime=0) if headers.coding else data
