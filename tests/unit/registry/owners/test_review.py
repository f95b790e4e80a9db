"""Reviewers sign that they read a release; a review is shown, and nothing waits for one."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.formats import policy
from psreg.formats.tree import POLICY
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.actions.withdrawal import VoidKey
from psreg.registry.owners.claim import signed_by as owners_of
from psreg.registry.owners.claim import statement_of
from psreg.registry.owners.review import review_of, reviews_of
from psreg.registry.owners.to_sign import to_review
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.ssh_signature import SshSignature
from support.claims import ALPHA, claimed, owned, record_of
from support.owners import ANA, BEN, CEM, Owner, entry_toml
from support.publishing import NOW, release, state_of

DAY = timedelta(days=1)
NAMESPACE = "review@psreg"


def reviewing(*reviewers: tuple[str, Owner]) -> dict[PurePosixPath, bytes]:
    """Return a policy that lists reviewers."""
    rows = (f'[[reviewer]]\nname = "{name}"\nkeys = ["{who.line}"]\n' for name, who in reviewers)
    return {POLICY: "".join(rows).encode()}


BEN_REVIEWS = reviewing(("Ben", BEN))


def place(version: str = "1.0.0", number: int = 1) -> PurePosixPath:
    return PurePosixPath(f"pbes/prompt/alpha/reviews/{version}.{number}.txt")


def row_of(record: PackageRecord, version: str = "1.0.0") -> ReleaseRecord:
    row = record.release(version)
    assert row is not None
    return row


def message(registry: Path, version: str = "1.0.0") -> bytes:
    """Return what a reviewer signs, as the record says it."""
    record = record_of(registry)
    return review_of(record, row_of(record, version), state_of(registry).registry_id).message


def names(registry: Path) -> tuple[str, ...]:
    record = record_of(registry)
    return reviews_of(record, row_of(record), state_of(registry).registry_id).names


def test_a_review_is_added_to_a_release_at_any_time(home: Path, registry: Path) -> None:
    tree = claimed(home, registry) | BEN_REVIEWS
    assert names(registry) == ()
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    reviewers = RegistryTree(tree).policy.reviewers
    found = to_review(alpha, "1.0.0", state_of(registry), NOW, reviewers)
    assert (found.place, found.signed) == (place(), frozenset())
    assert found.keys == {SshKey.parse(BEN.line): "Ben"}
    assert found.statement.message == message(registry)
    before = record_of(registry)
    tree[place()] = BEN.sign(found.statement.message, NAMESPACE)
    result = release(home, registry, tree, NOW + DAY)
    assert (result.released, result.ignored, names(registry)) == ((), (), ("Ben",))
    after = record_of(registry)
    assert replace(row_of(after), reviews=()) == row_of(before)  # and nothing else changed
    assert release(home, registry, tree, NOW + DAY).written == 0
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    found = to_review(alpha, "1.0.0", state_of(registry), NOW, reviewers)
    assert (found.place, found.signed) == (place(number=2), {SshKey.parse(BEN.line)})


def test_several_versions_are_reviewed(home: Path, registry: Path) -> None:
    tree = owned("1.0.0", "1.1.0") | reviewing(("Ben", BEN), ("Cem", CEM))
    release(home, registry, tree)
    for version in ("1.1.0", "1.0.0"):
        for number, who in ((10, BEN), (2, CEM)):
            tree[place(version, number)] = who.sign(message(registry, version), NAMESPACE)
    assert release(home, registry, tree, NOW + DAY).ignored == ()
    for row in record_of(registry).releases:
        assert [each["reviewer"] for each in row.reviews] == ["Cem", "Ben"]


def test_a_review_stays_when_its_reviewer_is_listed_no_more(home: Path, registry: Path) -> None:
    tree = owned("1.0.0") | BEN_REVIEWS
    release(home, registry, tree)
    tree[place()] = BEN.sign(message(registry), NAMESPACE)
    release(home, registry, tree, NOW + DAY)
    release(home, registry, tree | {POLICY: b""}, NOW + 2 * DAY)
    assert names(registry) == ("Ben",)


@pytest.mark.parametrize(
    ("by", "namespace", "policy_file"),
    [
        (CEM, NAMESPACE, BEN_REVIEWS),
        (BEN, "release@psreg", BEN_REVIEWS),
        (BEN, "owners@psreg", BEN_REVIEWS),
        (BEN, NAMESPACE, {}),
        (ANA, NAMESPACE, reviewing(("Ana", ANA))),
    ],
    ids=["a stranger", "a release", "owners", "nobody is listed", "an owner"],
)
def test_what_does_not_count(
    home: Path, registry: Path, by: Owner, namespace: str, policy_file: dict[PurePosixPath, bytes]
) -> None:
    tree = owned("1.0.0") | policy_file
    release(home, registry, tree)
    tree[place()] = by.sign(message(registry), namespace)
    result = release(home, registry, tree, NOW + DAY)
    assert names(registry) == ()
    (told,) = result.ignored
    assert str(place()) in told


def test_a_review_of_another_version_or_registry_does_not_count(
    home: Path, registry: Path, tmp_path: Path
) -> None:
    tree = owned("1.0.0", "1.1.0") | BEN_REVIEWS
    release(home, registry, tree)
    other = tmp_path / "other"
    release(tmp_path / "home", other, tree)
    tree[place()] = BEN.sign(message(registry, "1.1.0"), NAMESPACE)
    tree[place(number=2)] = BEN.sign(message(other), NAMESPACE)
    assert len(release(home, registry, tree, NOW + DAY).ignored) == 2
    assert names(registry) == ()


def test_a_review_never_stands_for_a_release(home: Path, registry: Path) -> None:
    """The same person signs as an owner and as a reviewer; neither is taken for the other."""
    tree = claimed(home, registry)
    record, id_ = record_of(registry), state_of(registry).registry_id
    row = row_of(record)
    review, statement = review_of(record, row, id_), statement_of(record, row, id_)
    ana = {SshKey.parse(ANA.line): "Ana"}
    for mine, other in ((review, statement), (statement, review)):
        for signed in (
            mine.envelope(()) | {"signatures": signatures(ANA, mine.message, other.namespace)},
            mine.envelope(()) | {"signatures": signatures(ANA, other.message, mine.namespace)},
            other.envelope(()) | {"signatures": signatures(ANA, other.message, other.namespace)},
        ):
            with pytest.raises(TrustError):
                mine.check(signed, ana, 1)
        right = mine.envelope(()) | {"signatures": signatures(ANA, mine.message, mine.namespace)}
        assert mine.check(right, ana, 1)
    as_release = review.envelope(())
    as_release["signatures"] = signatures(ANA, review.message, NAMESPACE)
    assert owners_of(record, replace(row, statement=as_release), id_, None) == ()
    # A release that waits for its owner is not released by the owner's review.
    new = tree | owned("1.0.0", "1.1.0")
    new[PurePosixPath("pbes/prompt/alpha/signatures/1.1.0.1.txt")] = ANA.sign(
        review.message, NAMESPACE
    )
    assert release(home, registry, new, NOW + DAY).waiting


def signatures(owner: Owner, message: bytes, namespace: str) -> list[dict[str, str]]:
    blob = SshSignature.parse(owner.sign(message, namespace)).blob
    return [{"keyid": SshKey.parse(owner.line).fingerprint, "sig": b64encode(blob).decode()}]


def hostile(registry: Path, **members: object) -> tuple[tuple[str, ...], int]:
    """Return who reviewed a release, and how many reviews do not count, if a record says so."""
    record, id_ = record_of(registry), state_of(registry).registry_id
    (good,) = row_of(record).reviews
    wrong = {key: value for key, value in {**good, **members}.items() if value is not None}
    found = reviews_of(record, replace(row_of(record), reviews=(good, wrong)), id_)
    return found.names, len(found.ignored)


def test_hostile_reviews_in_a_record_are_not_shown(home: Path, registry: Path) -> None:
    tree = owned("1.0.0") | BEN_REVIEWS
    release(home, registry, tree)
    tree[place()] = BEN.sign(message(registry), NAMESPACE)
    release(home, registry, tree, NOW + DAY)
    record, id_ = record_of(registry), state_of(registry).registry_id
    for members in (
        {"reviewer": None},
        {"reviewer": 7},
        {"key": "no key"},
        {"key": CEM.line, "reviewer": "Cem"},
        {"statement": None},
        {"statement": {}},
        {"statement": review_of(record, row_of(record), id_).envelope(())},
    ):
        assert hostile(registry, **members) == (("Ben",), 1), members
    void = VoidKey(key=SshKey.parse(BEN.line).fingerprint, after=0, action=1)
    assert reviews_of(replace(record, void=(void,)), row_of(record), id_).names == ()
    changed = replace(row_of(record), files=row_of(record).files[1:])
    assert reviews_of(record, changed, id_).names == ()
    assert PackageRecord.from_json(record.to_json()) == record


def test_a_policy_lists_reviewers() -> None:
    text = f"""
    [[reviewer]]
    name = "Ben"
    keys = ["{BEN.line}", "no key", 7]
    [[reviewer]]
    name = "Cem"
    keys = "{CEM.line}"
    [[reviewer]]
    name = "Other"
    keys = ["{BEN.line}"]
    """
    assert policy.read(text.encode()).reviewers == {SshKey.parse(BEN.line): "Ben"}


def test_owners_who_come_later_keep_what_they_reviewed(home: Path, registry: Path) -> None:
    tree = owned("1.0.0") | BEN_REVIEWS
    release(home, registry, tree)
    tree[place()] = BEN.sign(message(registry), NAMESPACE)
    release(home, registry, tree, NOW + DAY)
    release(home, registry, tree | {ALPHA: entry_toml(ANA, BEN)}, NOW + 2 * DAY)
    assert names(registry) == ("Ben",)
