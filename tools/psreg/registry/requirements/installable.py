"""What releases require, and whether it can be installed together with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from psreg.core.errors import FindingsError, PsregError
from psreg.core.identity import ReleaseId
from psreg.core.version import Range
from psreg.registry.records import PackageRecord, ReleaseRecord, bad_record
from psreg.registry.requirements.resolution import Offer, Requirement, resolve

Records = Callable[[str], PackageRecord | None]
"""Returns the record of a name, None if there is no such entry."""


def requires_of(name: str, row: ReleaseRecord) -> dict[str, str]:
    """Return what a release requires: ranges by name, without blanks.

    Raises:
        TrustError: `TRUST_METADATA`: the row says something else.
    """
    table = row.release.get("requires") or {}
    if not isinstance(table, dict):
        raise bad_record(name, f"version {row.version} requires {table!r}")
    found = {}
    for other, text in sorted(table.items()):
        try:
            found[other] = Range.parse("".join(str(text).split())).text
        except ValueError as error:
            raise bad_record(name, f"version {row.version} requires {other} {text!r}") from error
    return found


def unmet(releases: Iterable[ReleaseId], records: Records) -> Iterator[tuple[ReleaseId, str]]:
    """Yield the releases that cannot be installed with what they require, each with the reason."""
    for release in releases:
        wanted = Range.parse(f"={release.version}")
        root = Requirement(name=release.name, range=wanted, origin="this change")
        try:
            resolve([root], _Published(records))
        except PsregError as error:
            yield release, "; ".join((error.message, *error.details))


class _Published:
    """The records of a registry; implements `registry.requirements.resolution.Releases`."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def offers(self, name: str, *, required_by: str) -> list[Offer]:
        record = self._records(name)
        if record is None:
            told = f"there is no entry `{name}`, which {required_by} requires"
            raise FindingsError("REQUIRES_REFUSED", told)
        return [
            Offer(
                version=row.version,
                semver=row.semver,
                yanked=row.yanked is not None,
                refusal=_refusal(name, row),
            )
            for row in record.releases
        ]

    def requires(self, name: str, version: str) -> list[Requirement]:
        record = self._records(name)
        row = record.release(version) if record else None
        wanted = requires_of(name, row) if row else {}
        return [Requirement(name=n, range=Range.parse(text)) for n, text in wanted.items()]


def _refusal(name: str, row: ReleaseRecord) -> PsregError | None:
    if row.revoked is None:
        return None
    return FindingsError("REQUIRES_REFUSED", row.revoked.told(f"{name} {row.version}"))
