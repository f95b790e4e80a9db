"""The auditor's list: every release in the order of the log, and where anything disagrees.

The log says what was released, the records say what clients install, and the checkout has the
files. All three are compared in full.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from psreg.core.errors import TrustError, UnavailableError
from psreg.formats.layout import MOST_SIGNATURES, REVIEWS
from psreg.registry.actions.action import Action
from psreg.registry.actions.chain import stored_actions
from psreg.registry.catalog_head import head_of
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, verified
from psreg.registry.log.entry import LogEntry, LogRecord
from psreg.registry.log.growth import check_continues, check_logged, logged_entries, tiles_of
from psreg.registry.log.tiles import Files
from psreg.registry.logged_releases import Read, checkpoint_of
from psreg.registry.owners.claim import claim_of, read_claim, signed_by
from psreg.registry.owners.recoveries import Standing, entry_said, standing
from psreg.registry.owners.review import Reviewed, reviews_of
from psreg.registry.records import FileRecord, PackageRecord, ReleaseRecord, read_record
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.ssh_signature import SshSignature
from psreg.registry.trust.strict_json import strict_value
from psreg.registry.withdrawing.effects import entry_of

ReadFile = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the repository, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedAction:
    """An action, where the log has it, None if it does not, and what disagrees about it."""

    action: Action
    index: int | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Every release by its place in the log, those without one last; every action and recovery."""

    releases: tuple[AuditedRelease, ...]
    actions: tuple[AuditedAction, ...]
    recoveries: tuple[AuditedRecovery, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedRecovery:
    """What became of a recovery, and what disagrees about it."""

    standing: Standing
    problems: tuple[str, ...] = ()

    @property
    def index(self) -> int | None:
        """Where the log has it, None if it does not."""
        return self.standing.found.log.index if self.standing.found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedRelease:
    """A release, and what disagrees about it.

    `index` is where the log has it, None if the log does not. `record` and `row` say what clients
    are told, None if they are told nothing; name and version are then those in the log. `signed`
    are the owners who signed it, by account, such as `github:583231`, and `reviewers` the names of
    those who signed that they reviewed it.
    """

    name: str
    version: str
    index: int | None
    record: PackageRecord | None = None
    row: ReleaseRecord | None = None
    problems: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()


def audit(state: RegistryState, read: Read, read_file: ReadFile) -> Audit:
    """Return every release and action of a registry.

    `read` reads the registry of which `state` is the state, and `read_file` the repository.

    Raises:
        TrustError: TRUST_LOG, the files of the log are not those of its checkpoint; and what
            reading `state` raises.
        FindingsError: ACTIONS_INVALID.
        UnavailableError: NO_LOG, or a record cannot be read.
    """
    newest = checkpoint_of(state)
    if newest is None:
        raise UnavailableError(
            "NO_LOG",
            "the registry has no log: it was begun by a psreg that did not write one",
            "Run `psreg publish`: it compares released files with their records.",
        )
    tiles = tiles_of(read)
    entries = logged_entries(newest, tiles)
    log = _Log(newest, tiles, entries, info_of(state.root).log)
    records = [read_record(state.packages[name], name) for name in state.packages]
    releases = [
        _audited(record, row, log, read_file, state)
        for record in records
        for row in record.releases
    ]
    head = head_of(state)
    actions = stored_actions(head.actions, read) if head else ()
    acted = tuple(_acted(each, entries) for each in actions)
    recovered = tuple(each for record in records for each in _recovered(record, log, state))
    known = {each.index for each in releases}
    known |= {each.index for each in acted} | {each.index for each in recovered}
    releases += [_unknown(at, data) for at, data in enumerate(entries) if at not in known]
    ordered = tuple(sorted(releases, key=_order))
    return Audit(releases=ordered, actions=acted, recoveries=recovered)


def _recovered(record: PackageRecord, log: _Log, state: RegistryState) -> Iterator[AuditedRecovery]:
    claim = claim_of(record.name, state.owners)
    for each in standing(record, claim, state.registry_id):
        problems = ["the log does not have it"]
        if each.found:
            problems = [*log.differences(entry_said(record.name, each.found), each.found.log)]
        yield AuditedRecovery(standing=each, problems=tuple(problems))


def _acted(action: Action, entries: Sequence[bytes]) -> AuditedAction:
    entry = entry_of(action).data
    index = entries.index(entry) if entry in entries else None
    problems = ("the log does not have it",) if index is None else ()
    return AuditedAction(action=action, index=index, problems=problems)


def _order(release: AuditedRelease) -> tuple[bool, int, str, str]:
    index = release.index
    return (index is None, index or 0, release.name, release.version)


class _Log:
    """The log at its newest checkpoint, whose files were verified."""

    def __init__(
        self, newest: Checkpoint, tiles: Files, entries: Sequence[bytes], keys: Iterable[str]
    ) -> None:
        self._entries = entries
        self._keys = tuple(map(NoteKey.parse, keys))

        @cache
        def check_note(note: str) -> None:
            at = verified(note.encode("utf-8", "surrogatepass"), *self._keys)
            check_continues(at, newest, tiles)

        self._check_note = check_note

    def problems(self, record: PackageRecord, row: ReleaseRecord) -> Iterator[str]:
        """Yield what the log says otherwise than the record of a release."""
        if row.log is None:
            yield "the log does not have it"
            return
        yield from self.differences(record.log_entry(row), row.log)

    def differences(self, said: LogEntry, place: LogRecord) -> Iterator[str]:
        """Yield what the log says otherwise than a record says about an entry."""
        index = place.index
        if index >= len(self._entries) or self._entries[index] != said.data:
            yield f"entry {index} of the log says something else"
        try:
            check_logged(said, place, self._keys)
            self._check_note(place.checkpoint)
        except TrustError as error:
            yield f"its proof is not one: {error.message}"


def _audited(
    record: PackageRecord, row: ReleaseRecord, log: _Log, read_file: ReadFile, state: RegistryState
) -> AuditedRelease:
    problems = [*log.problems(record, row), *_differing(row.all_files, read_file)]
    data = state.owners.get(record.name)
    claim = read_claim(data, record.name) if data else None
    signed: tuple[str, ...] = ()
    try:
        if claim:
            claim.check_yank(record, row, state.registry_id)
    except TrustError as error:
        problems.append(error.message)
    try:
        if claim:
            claim.check(record, row, state.registry_id)
        signed = tuple(account for account, _ in signed_by(record, row, state.registry_id, claim))
    except TrustError as error:
        problems.append(error.message)
    reviewed = reviews_of(record, row, state.registry_id)
    problems += reviewed.ignored
    problems += _unfiled(row, reviewed, read_file)
    return AuditedRelease(
        name=record.name,
        version=row.version,
        index=row.log.index if row.log else None,
        record=record,
        row=row,
        problems=tuple(problems),
        signed=tuple(dict.fromkeys(signed)),
        reviewers=reviewed.names,
    )


def _unfiled(row: ReleaseRecord, reviewed: Reviewed, read_file: ReadFile) -> Iterator[str]:
    """Yield the valid reviews in a record that are not among the files of its entry."""
    if not reviewed.by:
        return
    folder = PurePosixPath(row.path).parent.parent / REVIEWS
    filed = set()
    for number in range(1, MOST_SIGNATURES + 1):
        with suppress(TrustError):
            data = read_file(f"{folder}/{row.version}.{number}.txt")
            filed.add(SshSignature.parse(data or b"").key)
    for key, name in reviewed.by.items():
        if key not in filed:
            yield f"the review by {name} with {key.fingerprint} is not in {folder}"


def _differing(files: Iterable[FileRecord], read_file: ReadFile) -> Iterator[str]:
    for file in files:
        data = read_file(file.path)
        if data is None:
            yield f"{file.path} is missing"
        elif hashlib.sha256(data).hexdigest() != file.sha256:
            yield f"{file.path} is not the file that was released"


def _unknown(index: int, entry: bytes) -> AuditedRelease:
    """Return what only the log has."""
    try:
        said = strict_value(entry)
    except TrustError:
        said = None
    named = said if isinstance(said, dict) else {}
    return AuditedRelease(
        name=str(named.get("name", "?")),
        version=str(named.get("version", "?")),
        index=index,
        problems=("only the log has it, and no record that this psreg can read",),
    )
