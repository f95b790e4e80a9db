"""The published entries of a registry: each record with the files that it lists.

Pure: records and a reader in, entries out. A file is used only if it has the digest and the size in
its signed record; all differences are reported at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from psreg.core.errors import FindingsError
from psreg.core.identity import ReleaseId
from psreg.registry.owners.claim import Claim, claim_of
from psreg.registry.records import PackageRecord, ReleaseRecord, read_record

Read = Callable[[str], bytes | None]
"""Returns the bytes of the file at a repo-relative path, or None."""

_LISTED = 20
_NO_OWNERS: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release with the bytes of its version folder, by repo-relative path.

    `folder` is that folder, `pbes/<class>/<name>/<version>`. A `draft` is not released: its record
    is what a publish would sign.
    """

    id: ReleaseId
    record: ReleaseRecord
    folder: str
    files: Mapping[str, bytes]
    draft: bool = False

    @property
    def artifact(self) -> bytes:
        """The bytes that a user installs."""
        return self.files[self.record.path]

    @property
    def readme(self) -> str:
        """The text of its README.md, or ""."""
        return self.files.get(f"{self.folder}/README.md", b"").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name of the registry; `releases` descend, at least one, without those that were purged.

    `raw` is its signed record, b"" if all releases are drafts; `claim` says who owns the name, None
    if it is not claimed.
    """

    record: PackageRecord
    raw: bytes
    latest: Release
    releases: tuple[Release, ...]
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRecord:
    """One verified record, parsed and as exact bytes, and who claimed its name, if anyone did."""

    record: PackageRecord
    raw: bytes
    claim: Claim | None = None


def signed_records(packages: Mapping[str, bytes]) -> list[SignedRecord]:
    """Return the record of every name, sorted by name.

    Raises:
        TrustError: TRUST_METADATA, a record is malformed or about another name.
        UnavailableError: NEWER_FORMAT, a record needs a newer psreg.
    """
    return [signed_record(name, packages[name]) for name in sorted(packages)]


def signed_record(name: str, raw: bytes, owners: Mapping[str, bytes] = _NO_OWNERS) -> SignedRecord:
    """Return the record of a name; `owners` are the verified claims of names.

    Raises:
        TrustError, UnavailableError: as `signed_records`.
    """
    return SignedRecord(record=read_record(raw, name), raw=raw, claim=claim_of(name, owners))


def entries(records: Iterable[SignedRecord], read: Read, drift: list[str]) -> Iterator[Entry]:
    """Yield every entry with a release that this psreg can read.

    Args:
        records: the signed records.
        read: returns the files of the checkout.
        drift: gets a line for every file that differs from its record; such releases are left
            out, and `check_drift` raises an error with the lines.
    """
    for signed in records:
        record = signed.record
        rows = (row for row in reversed(record.releases) if not row.is_purged)
        found = [_release(record, row, read, drift) for row in rows]
        releases = tuple(release for release in found if release is not None)
        latest = next((r for r in releases if r.record is record.latest), None)
        if latest is not None:
            yield Entry(
                record=record,
                raw=signed.raw,
                latest=latest,
                releases=releases,
                claim=signed.claim,
            )


def check_drift(drift: Sequence[str]) -> None:
    """Raise an error if there are differences.

    Raises:
        FindingsError: SITE_DRIFT.
    """
    if not drift:
        return
    more = [f"and {len(drift) - _LISTED} more"] if len(drift) > _LISTED else []
    raise FindingsError(
        "SITE_DRIFT",
        "the checkout differs from what the registry has signed:",
        "Check out the published commit, or run `psreg publish`.",
        (*drift[:_LISTED], *more),
    )


def _release(
    record: PackageRecord, row: ReleaseRecord, read: Read, drift: list[str]
) -> Release | None:
    identity = ReleaseId(entry_class=record.entry_class, name=record.name, version=row.version)
    folder = str(identity.folder)
    if row.path != f"{folder}/{identity.filename}":
        drift.append(f"{row.path}: not the path of {record.name} {row.version}")
        return None
    claims = {file.path: (file.sha256, file.size) for file in row.all_files}
    claims[row.path] = (row.sha256, row.size)
    files: dict[str, bytes] = {}
    before = len(drift)
    for path, claim in claims.items():
        if not _inside(path, folder):
            drift.append(f"{path}: outside the folder of {record.name} {row.version}")
        elif (data := read(path)) is None:
            drift.append(f"{path}: missing")
        elif (hashlib.sha256(data).hexdigest(), len(data)) != claim:
            drift.append(f"{path}: differs from the released file")
        else:
            files[path] = data
    if len(drift) > before:
        return None
    return Release(id=identity, record=row, folder=folder, files=files)


def _inside(path: str, folder: str) -> bool:
    """Return whether `path` is a plain path below `folder`: no record makes us write elsewhere."""
    before, _, rest = path.partition(f"{folder}/")
    return not before and all(part not in ("", ".", "..") for part in rest.split("/"))
