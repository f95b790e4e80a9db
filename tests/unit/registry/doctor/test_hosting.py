"""What `psreg doctor` says about settings of a forge, and about the host of a site."""

from __future__ import annotations

import pytest

from psreg.registry.doctor import hosting
from psreg.registry.doctor.facts import Facts, ForgeSettings, Served, Status
from support.publishing import NOW


def facts(forge: str = "github", served: dict[str, Served] | None = None, **known: object) -> Facts:
    return Facts(
        production=True,
        now=NOW,
        forge=forge,
        settings=ForgeSettings(**known),
        site="https://example.org",
        served=served or {},
    )


@pytest.mark.parametrize(
    ("ways", "status"),
    [(["squash"], Status.OK), (["rebase", "squash"], Status.OK), ([], Status.OK),
     (["merge", "squash"], Status.ERROR)],
)  # fmt: skip
def test_ways_to_merge(ways: list[str], status: Status) -> None:
    assert hosting.merging(facts(merging=frozenset(ways))).status is status


def test_approvals() -> None:
    for dismisses, owners, status in (
        (True, True, Status.OK),
        (True, None, Status.OK),
        (True, False, Status.ERROR),
        (False, True, Status.ERROR),
        (None, None, Status.UNSEEN),
    ):
        known = facts(dismisses_stale=dismisses, code_owners_approve=owners)
        assert hosting.stale_approvals(known).status is status


def test_the_required_check() -> None:
    assert hosting.required_check(facts(required=frozenset({"psreg", "ci"}))).status is Status.OK
    others = hosting.required_check(facts(required=frozenset({"review", "ci"})))
    assert others.found == "the check `psreg` is not required (ci, review are)"
    none = hosting.required_check(facts(required=frozenset()))
    assert none.found == "the check `psreg` is not required"


@pytest.mark.parametrize(
    ("up_to_date", "status"), [(True, Status.OK), (None, Status.OK), (False, Status.ERROR)]
)
def test_a_review_of_a_former_base_is_not_enough(up_to_date: bool | None, status: Status) -> None:
    known = facts(required=frozenset({"psreg"}), up_to_date=up_to_date)
    told = hosting.required_check(known)
    assert told.status is status
    assert ("merge queue" in told.advice) == (status is Status.ERROR)


def test_what_to_click_is_said_for_each_forge() -> None:
    for check in (hosting.merging, hosting.stale_approvals, hosting.required_check):
        told = {forge: check(facts(forge)) for forge in ("github", "gitlab", "")}
        assert {each.status for each in told.values()} == {Status.UNSEEN}
        assert len({each.advice for each in told.values()}) == len(told)


def current(caching: str, status: int = 200) -> dict[str, Served]:
    return dict.fromkeys(hosting.CURRENT, Served(status=status, caching=caching))


@pytest.mark.parametrize(
    ("caching", "status"),
    [
        ("no-cache", Status.OK),
        ("public, no-store", Status.OK),
        ("max-age=0, must-revalidate", Status.OK),
        ("Max-Age=60", Status.OK),
        ('max-age="30"', Status.OK),
        ("max-age=61", Status.WARNING),
        ("max-age=600", Status.WARNING),
        ("max-age=601", Status.ERROR),
        ("max-age=10, s-maxage=9000", Status.ERROR),
        ("public", Status.WARNING),
        ("x-max-age=5", Status.WARNING),
        ("", Status.WARNING),
    ],
)
def test_caching(caching: str, status: Status) -> None:
    assert hosting.cache_headers(facts(served=current(caching))).status is status


def test_a_site_without_what_is_current() -> None:
    found = hosting.cache_headers(facts(served=current("no-cache", 404)))
    assert (found.status, found.found) == (
        Status.ERROR,
        "https://example.org answers 404 for registry/metadata/timestamp.json",
    )


@pytest.mark.parametrize(
    ("answer", "status"),
    [(404, Status.OK), (403, Status.OK), (200, Status.ERROR), (302, Status.ERROR)],
)
def test_a_missing_file(answer: int, status: Status) -> None:
    served = {hosting.MISSING: Served(status=answer)}
    assert hosting.missing_files(facts(served=served)).status is status


def test_a_site_that_is_not_known() -> None:
    unknown = Facts(production=True, now=NOW)
    for check in (hosting.missing_files, hosting.cache_headers):
        assert "names no [site] url" in check(unknown).found
        assert "it does not answer" in check(facts()).found
