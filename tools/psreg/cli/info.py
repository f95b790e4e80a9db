"""`psreg info NAME`: what the registry says about a prompt."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    ask_registry,
    described,
)
from psreg.client.install import required_record
from psreg.client.resolve import parse_request, pick
from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.core.version import ANY
from psreg.formats.protocol_versions import STUB
from psreg.formats.release import told_origin
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.selection.opened import AnyRegistry
    from psreg.registry.owners.claim import Claim
    from psreg.registry.owners.recoveries import Standing
    from psreg.registry.records import PackageRecord, ReleaseRecord

EXAMPLE = "psreg info quiz_master"
SCHEMA = "psreg.info/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a registry says about a name; `row` is the release that was asked for."""

    registry: dict[str, Any]
    record: PackageRecord
    row: ReleaseRecord | None
    claim: Claim | None
    signed: list[str]
    reviewers: list[str]
    recoveries: list[Standing]


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME[@RANGE]", help="prompt to show: quiz_master")
    add_registry_option(parser, "look in this registry")
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print the record of one name; exit 4 if the registry has no such name or version."""
    request = parse_request(args.name)

    def ask(registry: AnyRegistry) -> _Known:
        record = required_record(request.name, registry)
        row = record.latest if request.range is ANY else pick(record, request, revoked=True)
        valid = registry.with_void_keys(record)
        claim = registry.claim(valid)
        return _Known(
            registry=described(registry),
            record=record,
            row=row,
            claim=claim,
            signed=_signed(valid, row, registry.id, claim),
            reviewers=_reviewers(valid, row, registry.id),
            recoveries=_recoveries(valid, registry.id, claim),
        )

    known = ask_registry(args, console, request.name, ask)
    if console.machine:
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "registry": known.registry,
            "record": known.record.to_json(),
            "claim": known.claim.to_json() if known.claim else None,
            "signed": known.signed,
            "reviewers": known.reviewers,
            "recoveries": [each.to_json() for each in known.recoveries],
            "selected": known.row.version if known.row else None,
        }
        console.json(document)
        return 0
    for line in _lines(known):
        console.paragraph(line)
    return 0


def _signed(
    record: PackageRecord, row: ReleaseRecord | None, registry_id: str, claim: Claim | None
) -> list[str]:
    """Return the accounts of the owners who signed a release."""
    if row is None or row.statement is None:
        return []
    from psreg.registry.owners.claim import signed_by

    try:
        found = signed_by(record, row, registry_id, claim)
    except TrustError:
        return []  # `psreg install` says what is wrong with it
    return sorted({account for account, _ in found})


def _recoveries(record: PackageRecord, registry_id: str, claim: Claim | None) -> list[Standing]:
    """Return what became of recoveries of a name."""
    if not (record.recoveries or (claim and claim.recovery)):
        return []
    from psreg.registry.owners.recoveries import standing

    return [*standing(record, claim, registry_id)]


def _reviewers(record: PackageRecord, row: ReleaseRecord | None, registry_id: str) -> list[str]:
    """Return the names of those who signed that they reviewed a release."""
    if row is None or not row.reviews:
        return []
    from psreg.registry.owners.review import reviews_of

    return [*reviews_of(record, row, registry_id).names]  # `psreg verify` tells of invalid ones


def _lines(known: _Known) -> Iterator[str]:
    record, row = known.record, known.row
    yield f"{record.name} ({record.entry_class})"
    if record.deprecated is not None:
        yield f"  deprecated  {record.deprecated.get('reason', '')}"
    if row is not None:
        yield f"  {row.text('summary')}"
        if use_case := row.text("use_case"):
            yield f"  use case    {use_case}"
        yield from (f"  limitation  {text}" for text in row.texts("limitations"))
        yield f"  version     {row.version}, released {row.date[:10]}"
        yield f"  licence     {row.text('license') or 'not stated'}"
        yield f"  tags        {', '.join(row.texts('tags'))}"
        if origin := told_origin(row.release):
            yield f"  origin      {origin}"
        yield from _trust(known)
        yield from _runs(row)
        yield from _protocols(row)
        yield from _score(row)
        for waived in row.waived:
            yield f"  waived      {waived.code} by {waived.who}: {waived.reason}"
        yield f"  sha256      {row.sha256}"
        yield f"  path        {row.path}"
    yield "  versions"
    for each in reversed(record.releases):
        yanked = f"  yanked: {each.yanked}" if each.yanked is not None else ""
        revoked = f"  {each.revoked.told('it')}" if each.revoked else ""
        yield f"    {each.version:<10} {each.date[:10]}{yanked}{revoked}"
    yield f"  next: psreg install {record.name}"


def _trust(known: _Known) -> Iterator[str]:
    claim = known.claim
    if claim is not None:
        owners = ", ".join(sorted(set(claim.keys.values())))
        yield f"  owners      {owners}; {claim.threshold} must sign each release"
    for each in known.recoveries:
        yield f"  recovery    {each.words}: {each.told.get('reason', '?')}"
    if known.signed:
        yield f"  signed      by {', '.join(known.signed)}"
    if known.reviewers:
        yield f"  reviewed    by {', '.join(known.reviewers)}"


def _runs(row: ReleaseRecord) -> Iterator[str]:
    """Yield a line for each test run; what older records list was never compared."""
    claimed = row.runs is None and any(
        claim.get("platform") != STUB for claim in row.tables("tested")
    )
    if not claimed and not any(run_.counts for run_ in row.runs or ()):
        yield "  tested      not yet tested on any platform"
    if row.runs is None:
        for claim in row.tables("tested"):
            platform, result = claim.get("platform"), claim.get("result")
            label = f"{platform} (no model)" if platform == STUB else platform
            yield f"  tested      {label}: {result} ({claim.get('date')}), reported by the author"
    for run_ in row.runs or ():
        label = f"{run_.platform} (no model)" if run_.platform == STUB else run_.platform
        when = f"{run_.date}, added {run_.added[:10]}" if run_.added else run_.date
        yield f"  tested      {label}: {run_.result} ({when}), {run_.standing}"


def _protocols(row: ReleaseRecord) -> Iterator[str]:
    from psreg.formats.protocol_versions import read_conformances

    for spoken in read_conformances(row.protocols):
        shown = "declared, not shown"
        if spoken.rate is not None:
            places = ", ".join(spoken.platforms) or "a platform that is not stated"
            shown = f"{spoken.sound} of {spoken.answers} answers without error, on {places}"
        yield f"  protocol    {spoken.name} {spoken.version}: {shown}"


def _score(row: ReleaseRecord) -> Iterator[str]:
    from psreg.lint.score import read_score

    score = read_score(row.score)
    if score is not None:
        yield f"  score       {score.told}"
