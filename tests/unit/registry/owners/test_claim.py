"""What is signed about the owners of a name, and what it accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from psreg.core.errors import TrustError, UnavailableError
from psreg.core.ssh_key import SshKey
from psreg.formats.json.canonical import canonical
from psreg.registry.log.entry import LogRecord, statement_digest
from psreg.registry.owners.claim import (
    SCHEMA,
    Claim,
    read_claim,
    released_digest,
    signatures_in,
    signed_by,
    statement_of,
)
from psreg.registry.records import FileRecord, PackageRecord, ReleaseRecord
from psreg.registry.trust.ssh_signature import SshSignature
from support.owners import ANA, BEN, CEM, Owner

ID = "a" * 32
OWNERS: list[dict[str, Any]] = [
    {"forge": "github", "id": 1, "login": "ana", "keys": [ANA.line]},
    {"forge": "gitlab", "id": 1, "keys": [BEN.line]},
]
VALUE: dict[str, Any] = {
    "schema": SCHEMA,
    "name": "alpha",
    "owners": OWNERS,
    "threshold": 1,
    "since": 1,
    "released": "0" * 64,
    "later": True,
}


def row(version: str, index: int | None = None, **members: Any) -> ReleaseRecord:
    """Return a release; one with an index is in the log."""
    folder = f"pbes/prompt/alpha/{version}"
    sha = version[0] * 64
    found = ReleaseRecord(
        version=version,
        path=f"{folder}/alpha.prompt",
        media_type="text/plain",
        sha256=sha,
        size=9,
        date="2026-11-21T05:00:00Z",
        files=(FileRecord(path=f"{folder}/alpha.prompt", sha256=sha, size=9),),
        release={},
        log=None if index is None else place(index),
    )
    return replace(found, **members)


def place(index: int, statement: str | None = None) -> LogRecord:
    return LogRecord(index=index, owners="0" * 64, proof=(), checkpoint="", statement=statement)


def record(*rows: ReleaseRecord) -> PackageRecord:
    return PackageRecord(
        name="alpha", entry_class="prompt", serial=1, rows=rows, owners=tuple(OWNERS)
    )


def signed(row_: ReleaseRecord, among: PackageRecord, *owners: Owner) -> ReleaseRecord:
    """Return a release with the signatures of owners, in the log if it was."""
    statement = statement_of(among, row_, ID)
    made = [SshSignature.parse(owner.sign(statement.message)) for owner in owners]
    at = row_.log and replace(row_.log, statement=statement.digest)
    return replace(row_, statement=statement.envelope(made), log=at)


def test_a_claim_keeps_what_it_does_not_know() -> None:
    claim = read_claim(canonical(VALUE), "alpha")
    assert claim.extra == {"later": True}
    assert claim.to_json() == VALUE
    assert claim.keys == {
        SshKey.parse(ANA.line): "github:1",
        SshKey.parse(BEN.line): "gitlab:1",
    }


BROKEN = {
    "not an object": [],
    "a claim of another name": VALUE | {"name": "beta"},
    "another schema": VALUE | {"schema": "psreg.package/1"},
    "a schema that is a number": VALUE | {"schema": 1},
    "no owners": VALUE | {"owners": []},
    "owners that are a text": VALUE | {"owners": "ana"},
    "an owner that is a text": VALUE | {"owners": ["ana"]},
    "an owner without a forge": VALUE | {"owners": [{"id": 1, "keys": [ANA.line]}]},
    "an owner whose id is a text": VALUE | {"owners": [OWNERS[0] | {"id": "1"}]},
    "an owner whose id is true": VALUE | {"owners": [OWNERS[0] | {"id": True}]},
    "a key that is a number": VALUE | {"owners": [OWNERS[0] | {"keys": [1]}]},
    "keys that are no list": VALUE | {"owners": [OWNERS[0] | {"keys": {}}]},
    "a key that is none": VALUE | {"owners": [OWNERS[0] | {"keys": ["ssh-rsa AAAA"]}]},
    "one key of two owners": VALUE | {"owners": [OWNERS[0], OWNERS[1] | {"keys": [ANA.line]}]},
    "a threshold of 0": VALUE | {"threshold": 0},
    "a threshold that nobody reaches": VALUE | {"threshold": 3},
    "a threshold that is true": VALUE | {"threshold": True},
    "no digest": VALUE | {"released": "0"},
    "no number of entries": {key: each for key, each in VALUE.items() if key != "since"},
}


@pytest.mark.parametrize("value", BROKEN.values(), ids=BROKEN)
def test_a_claim_that_means_nothing(value: Any) -> None:
    with pytest.raises(TrustError) as caught:
        read_claim(json.dumps(value).encode(), "alpha")
    assert caught.value.code == "TRUST_METADATA"
    assert "alpha" in str(caught.value)


def test_a_claim_that_two_readers_could_read_otherwise() -> None:
    with pytest.raises(TrustError) as caught:
        read_claim(b'{"name": "alpha", "name": "beta"}', "alpha")
    assert caught.value.code == "TRUST_METADATA"


def test_a_claim_in_a_later_format() -> None:
    with pytest.raises(UnavailableError) as caught:
        read_claim(canonical(VALUE | {"schema": "psreg.owners/2"}), "alpha")
    assert caught.value.code == "NEWER_FORMAT"


def test_the_digest_of_what_was_released() -> None:
    rows = row("1.0.0", 4), row("2.0.0", 2), row("3.0.0")
    before = released_digest(record(*rows), 5)
    assert before == released_digest(record(*rows[::-1]), 5)
    assert before == released_digest(record(*rows[:2]), 99)
    assert before != released_digest(record(*rows), 4)
    assert before != released_digest(record(row("1.0.0", 4, sha256="f" * 64), rows[1]), 5)
    assert before != released_digest(record(row("1.0.0", 3), rows[1]), 5)
    assert before != released_digest(record(row("1.0.1", 4), rows[1]), 5)


def test_each_statement_names_the_one_before() -> None:
    """The order is that of the log, and of versions where it has them not yet."""
    old = row("2.0.0", 0, log=place(0, "b" * 64))
    late = row("1.0.0", 1)
    backport = row("1.0.1", 2, log=place(2, "c" * 64))
    new, newer = row("2.1.0"), row("2.2.0")
    every = record(late, backport, old, new, newer)

    def previous(of: ReleaseRecord, among: PackageRecord = every) -> str | None:
        return statement_of(among, of, ID).previous

    assert [previous(each) for each in (old, late, backport)] == [None, "b" * 64, "b" * 64]
    assert previous(new) == "c" * 64
    assert previous(newer) == "c" * 64
    both = record(late, backport, old, first := signed(new, every, ANA), newer)
    assert previous(newer, both) == statement_digest(first.statement)
    assert previous(signed(late, every, ANA), both) == "b" * 64


def test_what_is_required_is_signed() -> None:
    needs = row("1.0.0", release={"requires": {"beta": "^1"}})
    assert statement_of(record(needs), needs, ID).requires == {"beta": "^1"}
    odd = row("1.0.0", release={"requires": "beta"})
    assert statement_of(record(odd), odd, ID).requires == {}


@pytest.mark.parametrize(
    "members",
    [
        {"release": {"requires": {"beta": 2**60}}},
        {"release": {"requires": {"beta": "\ud800"}}},
        {"files": (FileRecord(path="x", sha256="0" * 64, size=2**60),)},
        {"files": (FileRecord(path="\ud800", sha256="0" * 64, size=1),)},
    ],
    ids=["a number", "a text", "a size", "a path"],
)
def test_what_nobody_can_have_signed(members: dict[str, Any]) -> None:
    odd = row("1.1.0", 1, **members)
    with pytest.raises(TrustError) as caught:
        statement_of(record(odd), odd, ID).message  # noqa: B018 - raises
    assert caught.value.code == "TRUST_STATEMENT"
    said = replace(odd, statement=SECOND.statement, log=place(1, "0" * 64))
    refused(claim_of(), record(FIRST, said), said, "nobody can have signed")
    assert signed_by(record(said), said, ID, None) == ()


def test_who_signed() -> None:
    one = row("1.0.0", 0)
    both = signed(one, record(one), ANA, CEM, BEN)
    found = signed_by(record(both), both, ID, None)
    assert [account for account, _ in found] == ["github:1", "gitlab:1"]
    claim = claim_of(owners=tuple(OWNERS[1:]))
    assert [account for account, _ in signed_by(record(both), both, ID, claim)] == ["gitlab:1"]
    assert signed_by(record(both), both, "b" * 32, None) == ()
    assert signed_by(record(one), one, ID, None) == ()
    assert signatures_in(None) == signatures_in({}) == signatures_in("signed") == ()
    with pytest.raises(TrustError):
        signatures_in({"signatures": [{"sig": "%"}]})


def test_the_digest_of_an_envelope() -> None:
    assert statement_digest(None) is None
    for value in ("signed", {}, {"payload": 1}, {"payload": "%"}):
        with pytest.raises(TrustError) as caught:
            statement_digest(value)
        assert caught.value.code == "TRUST_STATEMENT"


def claim_of(**members: Any) -> Claim:
    known: dict[str, Any] = {
        "name": "alpha",
        "owners": tuple(OWNERS),
        "threshold": 1,
        "since": 1,
        "released": released_digest(record(row("1.0.0", 0)), 1),
    }
    return Claim(**known | members)


def refused(claim: Claim, found: PackageRecord, row_: ReleaseRecord, why: str) -> None:
    with pytest.raises(TrustError, match=why) as caught:
        claim.check(found, row_, ID)
    assert caught.value.code == "TRUST_STATEMENT"


FIRST = row("1.0.0", 0)
SECOND = signed(row("1.1.0", 1), record(FIRST, row("1.1.0", 1)), ANA)


def test_what_owners_signed_is_accepted() -> None:
    claim_of().check(record(FIRST, SECOND), SECOND, ID)
    by_both = signed(row("1.1.0", 1), record(FIRST, row("1.1.0", 1)), ANA, BEN)
    claim_of(threshold=2).check(record(FIRST, by_both), by_both, ID)


def test_what_is_older_than_the_claim_is_accepted() -> None:
    claim_of().check(record(FIRST, SECOND), FIRST, ID)
    refused(claim_of(released="1" * 64), record(FIRST), FIRST, "not what was released then")
    other = row("0.9.0", 0)
    refused(claim_of(), record(other, FIRST), other, "not what was released then")


def test_what_owners_did_not_sign_is_refused() -> None:
    outside = row("1.1.0")
    refused(claim_of(), record(FIRST, outside), outside, "not in the log")
    unsigned = row("1.1.0", 1)
    refused(claim_of(), record(FIRST, unsigned), unsigned, "not signed by its owners when")
    late = replace(SECOND, log=place(1))
    refused(claim_of(), record(FIRST, late), late, "not signed by its owners when")
    other = replace(SECOND, log=place(1, "0" * 64))
    refused(claim_of(), record(FIRST, other), other, "signed something else")
    moved = replace(row("1.1.0", 1), path="pbes/prompt/alpha/1.1.0/other.prompt")
    moved = signed(moved, record(FIRST, moved), ANA)
    refused(claim_of(), record(FIRST, moved), moved, "another artifact")
    refused(claim_of(threshold=2), record(FIRST, SECOND), SECOND, "1 of the 2 signatures")
    stranger = signed(row("1.1.0", 1), record(FIRST, row("1.1.0", 1)), CEM)
    refused(claim_of(), record(FIRST, stranger), stranger, "0 of the 1 signatures")
