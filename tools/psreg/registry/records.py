"""Package records: everything that a registry publishes about one name.

The record is the only thing that catalogue, JSON API, feeds and client read about a release.
`from_json` and `to_json` are inverse: unknown members and rows of another schema version are
preserved, so that an older tool never loses what a newer one wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from psreg.core.classes import CLASSES
from psreg.core.dataclass import dataclass, field
from psreg.core.errors import TrustError
from psreg.core.version import FIRST_PSREG, Version, is_version, parse_version
from psreg.registry.actions.withdrawal import SignedYank, VoidKey, Withdrawal
from psreg.registry.json_members import (
    Members,
    as_object,
    as_text,
    is_later_schema,
    newer_format,
    objects,
)
from psreg.registry.log.entry import LogEntry, LogRecord, owners_digest, statement_digest

if TYPE_CHECKING:
    from psreg.core.ssh_key import SshKey

SCHEMA = "psreg.package/1"
ROW_VERSION = 1
REVOKED_VERSION = 2
"""The version of a row that is revoked, so that an older psreg does not install it either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file of a version folder: repo-relative path, lower-case hex digest, size in bytes."""

    path: str
    sha256: str
    size: int
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> FileRecord:
        """Read one element of `files`. Raises ValueError on another shape."""
        members = Members(value, "a file")
        return cls(
            path=members.text("path"),
            sha256=members.digest("sha256"),
            size=members.integer("size"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {**self.extra, "path": self.path, "sha256": self.sha256, "size": self.size}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedFile(FileRecord):
    """A transcript that was added to a published version on `date` (UTC), checked by `psreg`."""

    date: str
    psreg: str

    @classmethod
    def from_json(cls, value: Any) -> AddedFile:
        """Read one element of `added`. Raises ValueError on another shape."""
        members = Members(value, "an added file")
        return cls(
            path=members.text("path"),
            sha256=members.digest("sha256"),
            size=members.integer("size"),
            date=members.text("date"),
            psreg=members.version("psreg"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {
            **self.extra,
            "path": self.path,
            "sha256": self.sha256,
            "size": self.size,
            "date": self.date,
            "psreg": self.psreg,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WaivedFinding:
    """A finding that was waived at publication; `by` is `policy` or `release`."""

    code: str
    reason: str
    by: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def who(self) -> str:
        """Who waived it, in words."""
        return {"policy": "the registry", "release": "the author"}.get(self.by, self.by)

    @classmethod
    def from_json(cls, value: Any) -> WaivedFinding:
        """Read one element of `waived`. Raises ValueError on another shape."""
        members = Members(value, "a waived finding")
        return cls(
            code=members.text("code"),
            reason=members.text("reason"),
            by=members.text("by"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {**self.extra, "code": self.code, "reason": self.reason, "by": self.by}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A test run, as its author reports it.

    `standing` says whether it counts, and why if it does not. `added` is when a transcript was
    added to the published release, as UTC; None if the release was published with it.
    """

    platform: str
    model: str
    date: str
    result: str
    evidence: str
    counts: bool
    standing: str
    notes: str = ""
    added: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> RunRecord:
        """Read one element of `runs`. Raises ValueError on another shape."""
        members = Members(value, "a test run")
        texts = ("platform", "model", "date", "result", "evidence", "standing", "notes")
        return cls(
            **{key: members.text(key) for key in texts},
            counts=members.boolean("counts"),
            added=members.optional_text("added"),
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the element as JSON data."""
        return {
            **self.extra,
            "platform": self.platform,
            "model": self.model,
            "date": self.date,
            "result": self.result,
            "evidence": self.evidence,
            "counts": self.counts,
            "standing": self.standing,
            "notes": self.notes,
            "added": self.added,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """One published version of a name (a row with `"v": 1`, or 2 if it is revoked).

    `date` is UTC as `2026-11-21T05:00:00Z`; `release` is all of release.toml as JSON data;
    `yanked` is the reason or None; `statement` is the owners' signed statement or None; `score` is
    the score at publication, None in records older than scores. `protocols` is what was found about
    each declared protocol, None if none was declared or checked. `runs` are the test runs, and
    which of them count; None in records from before they were judged. `added` are the transcripts
    that the version gained later; statements of the owners do not cover them. `psreg` is the
    version that published it; older ones did not state theirs. `sketch` is that of its text, "" if
    the text is short or was published by an older psreg (`lint.likeness`). `words` are those of its
    text and README (`search.own_words`), "" from an older psreg. `log` says where the log
    has it, None in a registry without one. `revoked` is why it is never installed, None if it can
    be; of a purged release, only what identifies it is left. `reviews` are what reviewers signed
    about it, each `{"reviewer", "key", "statement"}` (`owners.review`). `yank` is what owners of a
    claimed name signed about `yanked` (`owners.yank`), None if they signed nothing. `yanked_at` is
    when it was yanked, "" if it is not, or was by an older psreg.
    """

    version: str
    path: str
    media_type: str
    sha256: str
    size: int
    date: str
    files: tuple[FileRecord, ...]
    release: Mapping[str, Any]
    waived: tuple[WaivedFinding, ...] = ()
    yanked: str | None = None
    statement: Any = None
    score: Mapping[str, Any] | None = None
    protocols: Sequence[Any] | None = None
    runs: tuple[RunRecord, ...] | None = None
    added: tuple[AddedFile, ...] = ()
    psreg: str = FIRST_PSREG
    sketch: str = ""
    words: str = ""
    log: LogRecord | None = None
    revoked: Withdrawal | None = None
    reviews: tuple[Mapping[str, Any], ...] = ()
    yank: SignedYank | None = None
    yanked_at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_purged(self) -> bool:
        """Whether its bytes are gone."""
        return self.revoked is not None and self.revoked.is_purge

    @property
    def all_files(self) -> tuple[FileRecord, ...]:
        """The files that it was published with, and those added later."""
        return (*self.files, *self.added)

    @property
    def semver(self) -> Version:
        """The version, ordered as SemVer orders versions."""
        return parse_version(self.version)

    def text(self, key: str) -> str:
        """Return a text of release.toml; "" if it is missing or not a text."""
        value = self.release.get(key)
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        """Return the texts in a list of release.toml; whatever else is in it is skipped."""
        value = self.release.get(key)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        """Return the tables in a list of release.toml; whatever else is in it is skipped."""
        value = self.release.get(key)
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @classmethod
    def from_json(cls, value: Any) -> ReleaseRecord:
        """Read one row of `releases`. Raises ValueError on another shape."""
        members = Members(value, "a release")
        expected = REVOKED_VERSION if "revoked" in value else ROW_VERSION
        if members.integer("v") != expected:
            raise ValueError(f"a release is not of schema version {expected}")
        version = members.text("version")
        parse_version(version)
        return cls(
            version=version,
            path=members.text("path"),
            media_type=members.text("media_type"),
            sha256=members.digest("sha256"),
            size=members.integer("size"),
            date=members.text("date"),
            files=tuple(FileRecord.from_json(item) for item in members.array("files")),
            release=members.object("release"),
            waived=tuple(WaivedFinding.from_json(item) for item in members.array("waived")),
            yanked=members.optional_text("yanked"),
            statement=members.any("statement"),
            score=members.object("score") if "score" in value else None,
            protocols=members.array("protocols") if "protocols" in value else None,
            runs=tuple(map(RunRecord.from_json, members.array("runs")))
            if "runs" in value
            else None,
            added=tuple(map(AddedFile.from_json, members.array("added")))
            if "added" in value
            else (),
            psreg=members.version("psreg") if "psreg" in value else FIRST_PSREG,
            sketch=members.text("sketch") if "sketch" in value else "",
            words=members.text("words") if "words" in value else "",
            log=LogRecord.from_json(members.object("log")) if "log" in value else None,
            revoked=Withdrawal.from_json(members.object("revoked")) if "revoked" in value else None,
            reviews=objects(members.optional_array("reviews"), "a review"),
            yank=SignedYank.from_json(members.object("yank")) if "yank" in value else None,
            yanked_at=members.text("yanked_at") if "yanked_at" in value else "",
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            **self.extra,
            "v": REVOKED_VERSION if self.revoked else ROW_VERSION,
            "version": self.version,
            "path": self.path,
            "media_type": self.media_type,
            "sha256": self.sha256,
            "size": self.size,
            "date": self.date,
            "files": [file.to_json() for file in self.files],
            "release": dict(self.release),
            "waived": [finding.to_json() for finding in self.waived],
            "yanked": self.yanked,
            "statement": self.statement,
            **({} if self.score is None else {"score": dict(self.score)}),
            **({} if self.protocols is None else {"protocols": list(self.protocols)}),
            **({} if self.runs is None else {"runs": [run.to_json() for run in self.runs]}),
            **({"added": [file.to_json() for file in self.added]} if self.added else {}),
            **({} if self.psreg == FIRST_PSREG else {"psreg": self.psreg}),
            **({"sketch": self.sketch} if self.sketch else {}),
            **({"words": self.words} if self.words else {}),
            **({"log": self.log.to_json()} if self.log else {}),
            **({"revoked": self.revoked.to_json()} if self.revoked else {}),
            **({"reviews": [dict(review) for review in self.reviews]} if self.reviews else {}),
            **({"yank": self.yank.to_json()} if self.yank else {}),
            **({"yanked_at": self.yanked_at} if self.yanked_at else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownRow:
    """A row of a schema version that this psreg does not know: preserved, never installed."""

    data: Mapping[str, Any]

    @property
    def version(self) -> str:
        """The version in the row, or "" if there is none."""
        version = self.data.get("version")
        return version if isinstance(version, str) else ""

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return dict(self.data)


Row = ReleaseRecord | UnknownRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRecord:
    """Everything published about one name.

    `serial` counts the states of the record from 1; `owners` are those in entry.toml;
    `deprecated` is None or `{"reason", "replacement"?}`, since `deprecated_at` ("" in older
    records); `rows` ascend by SemVer precedence. `folder` is the digest of the entry's folder
    (`folder_digest`), "" in older records.
    `owner_changes` are the changes of owners that those before signed (`owners.ownership`). `void`
    are keys of owners that no longer count, and `lifts` the actions, as JSON data, by which a
    revoked release or key counts again. `recoveries` are those of the name that are in the log
    (`owners.recoveries`).
    """

    name: str
    entry_class: str
    serial: int
    rows: tuple[Row, ...]
    owners: tuple[Mapping[str, Any], ...] = ()
    threshold: int = 1
    aliases: tuple[str, ...] = ()
    deprecated: Mapping[str, Any] | None = None
    folder: str = ""
    owner_changes: tuple[Mapping[str, Any], ...] = ()
    void: tuple[VoidKey, ...] = ()
    lifts: tuple[Mapping[str, Any], ...] = ()
    recoveries: tuple[Mapping[str, Any], ...] = ()
    deprecated_at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def releases(self) -> tuple[ReleaseRecord, ...]:
        """The rows that this psreg understands, ascending, including yanked and revoked ones."""
        return tuple(row for row in self.rows if isinstance(row, ReleaseRecord))

    @property
    def is_purged(self) -> bool:
        """Whether it had versions, and the bytes of all of them are gone."""
        gone = [isinstance(row, ReleaseRecord) and row.is_purged for row in self.rows]
        return bool(gone) and all(gone)

    @property
    def latest(self) -> ReleaseRecord | None:
        """The highest final version that is not yanked, else the highest version, else None.

        One that is not revoked comes first; purged ones have nothing to show.
        """
        releases = [row for row in self.releases if not row.is_purged]
        releases = [row for row in releases if not row.revoked] or releases
        good = [row for row in releases if row.yanked is None and not row.semver.prerelease]
        return max(good or releases, key=lambda row: row.semver, default=None)

    def valid_keys(self, keys: Mapping[SshKey, str], index: int | None) -> Mapping[SshKey, str]:
        """Return those keys of owners that count for what the log has at `index`, or will have."""
        valid = dict(keys)
        for each in self.void:
            if index is None or index > each.after:
                valid = {key: who for key, who in valid.items() if key.fingerprint != each.key}
        return valid

    def log_entry(self, row: ReleaseRecord) -> LogEntry:
        """Return what the log says about a release, or will say about one that is not in it."""
        at = row.log
        return LogEntry(
            name=self.name,
            version=row.version,
            artifact=row.sha256,
            owners=at.owners if at else owners_digest(self.owners, self.threshold),
            statement=at.statement if at else statement_digest(row.statement),
        )

    def release(self, version: str) -> ReleaseRecord | None:
        """Return the release whose version text is exactly `version`, or None."""
        return next((row for row in self.releases if row.version == version), None)

    @classmethod
    def from_json(cls, value: Any) -> PackageRecord:
        """Read a package record.

        Raises:
            ValueError: another schema, or a member missing or of another type.
        """
        members = Members(value, "the package record")
        if (schema := members.text("schema")) != SCHEMA:
            raise ValueError(f"the package record has schema {schema!r}, not {SCHEMA!r}")
        rows = tuple(_row(item) for item in members.array("releases"))
        versions = [row.version for row in rows if isinstance(row, ReleaseRecord)]
        if len(versions) != len(set(versions)):
            raise ValueError("the package record: it lists a version twice")
        deprecated = members.any("deprecated")
        if deprecated is not None and not isinstance(deprecated, dict):
            raise ValueError("the package record: 'deprecated' is neither null nor an object")
        return cls(
            name=members.text("name"),
            entry_class=members.text("class"),
            serial=members.integer("serial"),
            rows=rows,
            owners=objects(members.array("owners"), "an owner"),
            threshold=members.integer("threshold"),
            aliases=tuple(as_text(item, "an alias") for item in members.array("aliases")),
            deprecated=deprecated,
            folder=members.digest("folder") if "folder" in value else "",
            owner_changes=objects(members.optional_array("owner_changes"), "a change of owners"),
            void=tuple(map(VoidKey.from_json, members.optional_array("void"))),
            lifts=objects(members.optional_array("lifts"), "a lift"),
            recoveries=objects(members.optional_array("recoveries"), "a recovery"),
            deprecated_at=members.text("deprecated_at") if "deprecated_at" in value else "",
            extra=members.left,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON data; `canonical` turns it into the signed bytes."""
        return {
            **self.extra,
            "schema": SCHEMA,
            "name": self.name,
            "class": self.entry_class,
            "serial": self.serial,
            "owners": [dict(owner) for owner in self.owners],
            "threshold": self.threshold,
            "aliases": list(self.aliases),
            "deprecated": None if self.deprecated is None else dict(self.deprecated),
            **({"folder": self.folder} if self.folder else {}),
            **({"owner_changes": [*self.owner_changes]} if self.owner_changes else {}),
            **({"void": [key.to_json() for key in self.void]} if self.void else {}),
            **({"lifts": [dict(lift) for lift in self.lifts]} if self.lifts else {}),
            **({"recoveries": [*self.recoveries]} if self.recoveries else {}),
            **({"deprecated_at": self.deprecated_at} if self.deprecated_at else {}),
            "releases": [row.to_json() for row in self.rows],
        }


@lru_cache(maxsize=8)
def read_record(data: bytes, name: str) -> PackageRecord:
    """Return the package record in `data`, the verified bytes of the target `pkg/<name>.json`.

    Raises:
        TrustError: `TRUST_METADATA`: it is not a strict package record, or that of another name.
        UnavailableError: `NEWER_FORMAT`: its schema is one this psreg does not know.
    """
    from psreg.registry.trust.strict_json import strict_value  # noqa: PLC0415 - not for a review

    try:
        value = strict_value(data)
    except TrustError as error:
        raise bad_record(name, error.message) from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if is_later_schema(schema, SCHEMA):
        raise newer_format(f"the record of {name} has the format {schema}")
    try:
        record = PackageRecord.from_json(value)
    except ValueError as error:
        raise bad_record(name, str(error)) from error
    if record.name != name:
        raise bad_record(name, f"it is the record of {record.name!r}")
    if record.entry_class not in CLASSES:
        raise newer_format(f"{name} has the class {record.entry_class!r}")
    return record


def bad_record(name: str, why: str) -> TrustError:
    """Return the error for a malformed record."""
    return TrustError("TRUST_METADATA", f"the registry's record of {name} is malformed: {why}")


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return `rows` ascending by SemVer precedence, then text; rows without a version first."""
    return tuple(sorted(rows, key=_precedence))


def _precedence(row: Row) -> tuple[bool, Version, str]:
    known = is_version(row.version)
    return known, parse_version(row.version) if known else Version(0), row.version


def _row(value: Any) -> Row:
    data = as_object(value, "a release")
    version = data.get("v")
    known = version == ROW_VERSION or (version == REVOKED_VERSION and "revoked" in data)
    return ReleaseRecord.from_json(data) if known else UnknownRow(data=data)
