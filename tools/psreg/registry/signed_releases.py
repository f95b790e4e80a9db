"""What owners signed: their signatures in the tree become the statements in the records.

A release of a claimed name waits until enough owners have signed it. A signature that is not of the
release, or not of an owner, counts for nothing; it never stops the releases of other names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from psreg.core.errors import TrustError
from psreg.core.identity import ReleaseId
from psreg.core.ssh_key import SshKey
from psreg.formats.layout import signature_file
from psreg.registry.claim import keys_of, read_claim, signatures_in, statement_of
from psreg.registry.records import PackageRecord, ReleaseRecord, in_order
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.ssh_signature import SshSignature
from psreg.registry.trust.statement import NAMESPACE, Statement

Files = Mapping[PurePosixPath, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A release of a claimed name that `signed` of the `threshold` owners have signed."""

    release: ReleaseId
    signed: int
    threshold: int


class SignedReleases:
    """Adds statements to the records of the registry with this state; implements `build.Signed`.

    `waiting` are the releases that were held back, and `ignored` is why signatures do not count.
    A registry that is not published yet, or has no log, has no statements.
    """

    def __init__(self, state: RegistryState | None) -> None:
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
        keys, threshold = (claim.keys, claim.threshold) if claim else (_requested(record), 0)
        for row in sorted(record.releases, key=_is_new):
            paths = given.get(row.version, {})
            statement = statement_of(record, row, self._registry_id)
            found = self._counted(statement, row, paths, keys)
            accounts = {keys[each.key] for each in found if each.key in keys}
            if row.log is None and len(accounts) < threshold:
                self._hold(record, row, len(accounts), threshold)
                rows = tuple(each for each in record.rows if each is not row)
            else:
                signed = replace(row, statement=statement.envelope(found) if found else None)
                rows = tuple(signed if each is row else each for each in record.rows)
            record = replace(record, rows=in_order(rows))
        return record

    def _hold(self, record: PackageRecord, row: ReleaseRecord, signed: int, threshold: int) -> None:
        release = ReleaseId(entry_class=record.entry_class, name=record.name, version=row.version)
        self.waiting.append(Waiting(release=release, signed=signed, threshold=threshold))

    def _counted(
        self,
        statement: Statement,
        row: ReleaseRecord,
        files: Files,
        keys: Mapping[SshKey, Hashable],
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


def _requested(record: PackageRecord) -> Mapping[SshKey, Hashable]:
    """Return the keys that entry.toml lists, {} if one of them cannot be read."""
    try:
        return keys_of(record.owners)
    except ValueError:
        return {}
