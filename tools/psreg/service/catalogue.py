"""Open what a registry has published: each record with the bytes it vouches for.

Pure: records and a reader in, entries out. Nothing is shown that does not have the digest and the
size of its signed record; all differences are reported at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from psreg.errors import FindingsError, UnavailableError
from psreg.identity import CLASSES, ReleaseId, is_name
from psreg.index.records import PackageRecord, ReleaseRecord

Read = Callable[[str], bytes | None]
"""Returns the bytes at a repo-relative path, or None if there is no such file."""

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release with the bytes of its version folder, by repo-relative path.

    `folder` is that folder, `pbes/<class>/<name>/<version>`.
    """

    id: ReleaseId
    record: ReleaseRecord
    folder: str
    files: Mapping[str, bytes]

    @property
    def artifact(self) -> bytes:
        """The bytes a user installs."""
        return self.files[self.record.path]

    @property
    def readme(self) -> str:
        """The text of its README.md, or ""."""
        return self.files.get(f"{self.folder}/README.md", b"").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name of the registry. `raw` is its signed record; `releases` descend, never empty."""

    record: PackageRecord
    raw: bytes
    latest: Release
    releases: tuple[Release, ...]


def entries(packages: Mapping[str, bytes], read: Read) -> Iterator[Entry]:
    """Yield every name that has a release this psreg understands, in order of names.

    Args:
        packages: the verified record of each name.
        read: gives the bytes of the checkout.

    Raises:
        FindingsError: after the last entry, if a file differs from its record.
        UnavailableError: a record is of a newer format.
    """
    problems: list[str] = []
    for name in sorted(packages):
        entry = _entry(name, packages[name], read, problems)
        if entry is not None:
            yield entry
    if problems:
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise FindingsError(
            "SITE_DRIFT",
            "the checkout differs from what the registry has signed:\n  "
            + "\n  ".join(problems[:_SHOWN])
            + more,
            "check out the published commit, or run 'psreg publish'",
        )


def _entry(name: str, raw: bytes, read: Read, problems: list[str]) -> Entry | None:
    try:
        record = PackageRecord.from_json(json.loads(raw))
    except ValueError as error:
        raise UnavailableError(
            "NEWER_FORMAT", f"the record of {name} cannot be read: {error}", "upgrade psreg"
        ) from error
    latest = record.latest
    if latest is None:
        return None
    if record.name != name or not is_name(name) or record.entry_class not in CLASSES:
        problems.append(f"{name}: the record names {record.entry_class}/{record.name}")
        return None
    found = [_release(record, row, read, problems) for row in reversed(record.releases)]
    releases = tuple(release for release in found if release is not None)
    current = next((r for r in releases if r.record.version == latest.version), None)
    if current is None:
        return None
    return Entry(record=record, raw=raw, latest=current, releases=releases)


def _release(
    record: PackageRecord, row: ReleaseRecord, read: Read, problems: list[str]
) -> Release | None:
    identity = ReleaseId(entry_class=record.entry_class, name=record.name, version=row.version)
    folder = str(identity.folder)
    if row.path != f"{folder}/{identity.filename}":
        problems.append(f"{row.path}: not the path of {record.name} {row.version}")
        return None
    claims = {file.path: (file.sha256, file.size) for file in row.files}
    claims[row.path] = (row.sha256, row.size)
    files: dict[str, bytes] = {}
    before = len(problems)
    for path, claim in claims.items():
        if not _inside(path, folder):
            problems.append(f"{path}: outside the folder of {record.name} {row.version}")
        elif (data := read(path)) is None:
            problems.append(f"{path}: missing")
        elif (hashlib.sha256(data).hexdigest(), len(data)) != claim:
            problems.append(f"{path}: other bytes than released")
        else:
            files[path] = data
    if len(problems) > before:
        return None
    return Release(id=identity, record=row, folder=folder, files=files)


def _inside(path: str, folder: str) -> bool:
    """Tell whether `path` is a plain path below `folder`: no record makes us write elsewhere."""
    before, _, rest = path.partition(f"{folder}/")
    return not before and all(part not in ("", ".", "..") for part in rest.split("/"))
