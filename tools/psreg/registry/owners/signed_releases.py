"""What owners signed: their signatures in the tree become the statements in the records.

A release of a claimed name waits until enough owners have signed it. A signature that is not of the
release, or not of an owner, counts for nothing; it never stops the releases of other names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.core.ssh_key import SshKey
from psreg.formats.layout import SIGNATURES, signature_file
from psreg.registry.owners.claim import read_claim, requested_keys, signatures_in, statement_of
from psreg.registry.owners.statement import NAMESPACE, Statement
from psreg.registry.records import PackageRecord, ReleaseRecord, in_order, read_record
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.ssh_signature import SshSignature

if TYPE_CHECKING:
    from psreg.formats.tree import Entry

Files = Mapping[PurePosixPath, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A release of a claimed name that `signed` of the `threshold` owners have signed."""

    release: ReleaseId
    signed: int
    threshold: int


class SignedReleases:
    """Adds statements to the records of the registry with this state; implements `build.Signed`.

    `waiting` are the releases that too few owners have signed: they are left out, but for the one
    that is `wanted`. `ignored` is why signatures do not count. A registry that is not published
    yet, or has no log, has no statements.
    """

    def __init__(self, state: RegistryState | None, wanted: ReleaseId | None = None) -> None:
        self._wanted = wanted
        logged = state is not None and info_of(state.root).log
        self._registry_id = state.registry_id if state and logged else None
        self._claims = state.owners if state else {}
        self.waiting: list[Waiting] = []
        self.ignored: list[str] = []

    def __call__(self, record: PackageRecord, files: Files) -> PackageRecord:
        """Return `record` with what is signed in the `files` of its entry.

        Raises:
            TrustError: TRUST_METADATA: what is signed about the owners is malformed.
        """
        given = _signatures(files)
        data = self._claims.get(record.name)
        claim = read_claim(data, record.name) if data else None
        if self._registry_id is None or (claim is None and not given):
            return record
        keys, threshold = (claim.keys, claim.threshold) if claim else (requested_keys(record), 0)
        for row in sorted(record.releases, key=_is_new):
            paths = given.get(row.version, {})
            statement = statement_of(record, row, self._registry_id)
            found = self._counted(statement, row, paths, keys)
            accounts = {keys[each.key] for each in found if each.key in keys}
            after = [replace(row, statement=statement.envelope(found) if found else None)]
            if row.log is None and len(accounts) < threshold:
                release = ReleaseId(
                    entry_class=record.entry_class, name=record.name, version=row.version
                )
                waiting = Waiting(release=release, signed=len(accounts), threshold=threshold)
                self.waiting.append(waiting)
                after = after if release == self._wanted else []
            rows = (after if each is row else [each] for each in record.rows)
            record = replace(record, rows=in_order(chain(*rows)))
        return record

    def _counted(
        self,
        statement: Statement,
        row: ReleaseRecord,
        files: Files,
        keys: Mapping[SshKey, str],
    ) -> tuple[SshSignature, ...]:
        """Return the signatures that a release has already, and those in `files` that are valid."""
        found = {each.blob: each for each in signatures_in(row.statement)}
        known = {each.key for each in found.values()}
        for path, data in files.items():
            try:
                signature = SshSignature.parse(data)
                if signature.key not in known:
                    signature.check(statement.message, NAMESPACE, keys)
                    found[signature.blob] = signature
                    known.add(signature.key)
            except TrustError as error:
                self.ignored.append(f"{path}: {error.message}")
        return tuple(found.values())


def _is_new(row: ReleaseRecord) -> tuple[bool, int]:
    """Return what orders releases as the log does, new ones last."""
    return (row.log is None, row.log.index if row.log else 0)


def _signatures(files: Files) -> dict[str, dict[PurePosixPath, bytes]]:
    """Return the files with signatures by version, in the order of their numbers."""
    found: dict[str, dict[PurePosixPath, bytes]] = {}
    for release, _, path in sorted(_numbered(files)):
        found.setdefault(release, {})[path] = files[path]
    return found


def _numbered(files: Files) -> Iterator[tuple[str, int, PurePosixPath]]:
    for path in files:
        if named := signature_file(path):
            release, number = named
            yield release.version, number, path


@dataclass(frozen=True, slots=True, kw_only=True)
class Signable:
    """A release that owners can sign: what they sign, who has which key, and what is there.

    `signed` are the keys with which it is signed; `threshold` is 0 if its name is not claimed, and
    `place` is where the next signature belongs.
    """

    release: ReleaseId
    statement: Statement
    keys: Mapping[SshKey, str]
    threshold: int
    signed: frozenset[SshKey]
    place: PurePosixPath

    @property
    def signed_by(self) -> frozenset[str]:
        """The accounts of the owners who have signed it."""
        return frozenset(self.keys[key] for key in self.signed if key in self.keys)


def to_sign(entry: Entry, version: str, state: RegistryState, now: datetime) -> Signable:
    """Return what the owners of an entry sign about a version, which may be released already.

    Raises:
        UnavailableError: NO_LOG.
        TrustError: a record, or what is signed about the owners, is malformed.
    """
    from psreg.registry.build import build  # noqa: PLC0415 - `build` calls what is above

    if not info_of(state.root).log:
        hint = "Publish in a registry that a newer psreg began."
        raise UnavailableError("NO_LOG", "releases are signed only in a registry with a log", hint)
    paths = chain([entry.path], entry.signatures, *entry.folders.values())
    files = {path: entry.tree.files[path] for path in paths if path in entry.tree.files}
    packages, claim = state.packages, state.owners.get(entry.name)
    name = entry.name
    previous = {name: read_record(packages[name], name)} if name in packages else {}
    release = ReleaseId(entry_class=entry.entry_class, name=name, version=version)
    signing = SignedReleases(state, release)
    record = build(files, previous, now, signed=signing).records[name]
    row = record.release(version)
    if row is None:
        raise UnavailableError("NOT_FOUND", f"{name} {version} has no artifact")
    claimed = read_claim(claim, name) if claim else None
    numbers = [number for which, number, _ in _numbered(files) if which == version]
    place = entry.id.folder / SIGNATURES / f"{version}.{max(numbers, default=0) + 1}.txt"
    return Signable(
        release=release,
        statement=statement_of(record, row, state.registry_id),
        keys=claimed.keys if claimed else requested_keys(record),
        threshold=claimed.threshold if claimed else 0,
        signed=frozenset(each.key for each in signatures_in(row.statement)),
        place=place,
    )
