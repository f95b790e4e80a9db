"""Names of roles, bins, targets and files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuf.api.metadata import SuccinctRoles

from psreg.core.errors import TrustError
from psreg.registry.trust.roles import (
    BIN_BITS,
    LIFETIME,
    Bins,
    Target,
    catalog_target,
    check_binding,
    check_keys,
    is_due,
    kind_and_name,
    metadata_path,
    package_target,
    role_and_version,
    target_path,
)
from support.publishing import NOW

TAP15 = [SuccinctRoles([], 1, bits, Bins(bits=bits).prefix) for bits in BIN_BITS]


@pytest.mark.parametrize("tap15", TAP15, ids=lambda each: str(each.bit_length))
def test_the_bins_are_those_of_tap_15(tap15: SuccinctRoles) -> None:
    bins = Bins(bits=tap15.bit_length)
    assert tuple(tap15.get_roles()) == tuple(bins.roles)
    assert all(Bins.with_role(role) == bins for role in (*bins.roles,)[::97])


def test_bins_of_another_number_have_other_names() -> None:
    """A version that a client has seen of a role is never about another part of the records."""
    roles = [role for bits in BIN_BITS for role in Bins(bits=bits).roles]
    assert len(roles) == len(set(roles)) == sum(2**bits for bits in BIN_BITS)
    assert (*Bins(bits=8).roles,)[-1] == "r-ff"  # as they were when there was no other number


@pytest.mark.parametrize("role", ["releases", "r-0", "r-100", "r8-00", "r5-0", "r4-00", "r99-0"])
def test_what_is_not_a_bin(role: str) -> None:
    assert Bins.with_role(role) is None


@pytest.mark.parametrize(
    ("names", "bins"),
    [(0, 16), (256, 16), (257, 64), (4_096, 64), (4_097, 256), (65_536, 256), (65_537, 1_024),
     (1_000_000, 1_024), (10_000_000, 4_096), (2**32, 65_536)],
)  # fmt: skip
def test_the_number_of_bins_follows_the_number_of_names(names: int, bins: int) -> None:
    assert 2 ** Bins.for_names(names).bits == bins


@given(st.text())
def test_a_target_is_in_the_bin_that_tap_15_says(target: str) -> None:
    for tap15 in TAP15:
        bins = Bins(bits=tap15.bit_length)
        assert bins.of(target) == tap15.get_role_for_target(target)


def test_paths() -> None:
    assert metadata_path("r-0a", 12) == "metadata/12.r-0a.json"
    assert target_path(package_target("quiz"), "ab") == "targets/pkg/ab.quiz.json"
    assert target_path(catalog_target("prompt"), "cd") == "targets/catalog/cd.prompt.json"


@pytest.mark.parametrize("role", ["root", "r-ff", "releases"])
def test_file_names_tell_role_and_version(role: str) -> None:
    assert role_and_version(f"7.{role}.json") == (role, 7)


@pytest.mark.parametrize(
    "name",
    ["timestamp.json", "0.root.json", "01.root.json", "x.root.json", "1.root.json.bak", "1..json"],
)
def test_other_file_names(name: str) -> None:
    assert role_and_version(name) is None


def test_targets_have_a_kind_and_a_name() -> None:
    assert kind_and_name("pkg/quiz_2.json") == ("pkg", "quiz_2")
    assert kind_and_name("catalog/prompt.json") == ("catalog", "prompt")


@pytest.mark.parametrize(
    "target",
    [
        "pkg/../x.json",
        "pkg/a/b.json",
        "pkg/A.json",
        "pkg/a__b.json",
        "other/a.json",
        "pkg/a.json\n",
    ],
)
def test_other_targets(target: str) -> None:
    assert kind_and_name(target) is None


def test_a_target_is_length_and_digest() -> None:
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, B.1
    assert Target.of(b"abc") == Target(length=3, sha256=digest)


def test_due_is_the_last_three_tenths() -> None:
    assert not is_due(NOW + 2 * LIFETIME, NOW, LIFETIME)
    assert not is_due(NOW + LIFETIME, NOW, LIFETIME)
    assert not is_due(NOW + LIFETIME * 3 / 10, NOW, LIFETIME)
    assert is_due(NOW + LIFETIME * 29 / 100, NOW, LIFETIME)
    assert is_due(NOW - LIFETIME, NOW, LIFETIME)


ID = "a" * 32


@pytest.mark.parametrize(
    ("signed", "role", "registry_id", "code"),
    [
        ({}, "r-00", ID, ""),
        ({}, "root", None, ""),
        ({"psreg": {"id": ID}}, "root", ID, ""),
        ({"psreg": {"id": ID, "role": "r-00"}}, "r-00", ID, ""),
        ({"psreg": {"id": ID, "role": "r-00"}}, "r-00", None, ""),
        ({"psreg": {"id": ID, "role": "r-00"}}, "r-01", None, "TRUST_ROLE"),
        ({"psreg": {"id": "b" * 32, "role": "r-00"}}, "r-00", ID, "TRUST_ROLE"),
        ({"psreg": {"id": ID}}, "r-00", ID, "TRUST_ROLE"),
        ({"psreg": 1}, "r-00", None, "TRUST_ROLE"),
        ({"psreg": {"id": "b" * 32}}, "root", ID, "TRUST_PIN"),
        ({}, "root", ID, "TRUST_PIN"),
    ],
)
def test_what_names_its_role(signed: object, role: str, registry_id: str, code: str) -> None:
    if not code:
        check_binding(signed, role, registry_id, required=False)
        return
    with pytest.raises(TrustError) as caught:
        check_binding(signed, role, registry_id, required=False)
    assert caught.value.code == code


def test_what_has_to_name_its_role() -> None:
    with pytest.raises(TrustError) as caught:
        check_binding({}, "r-00", ID, required=True)
    assert caught.value.code == "TRUST_ROLE"


@pytest.mark.parametrize("signed", [None, {}, {"keys": []}, {"keys": {"1": 1, "2": {}}}])
def test_what_has_no_keys_has_none_twice(signed: object) -> None:
    check_keys(signed)
