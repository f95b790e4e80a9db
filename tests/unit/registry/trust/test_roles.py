"""Names of roles, bins, targets and files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuf.api.metadata import SuccinctRoles

from psreg.core.errors import TrustError
from psreg.registry.trust.roles import (
    BIN_BITS,
    BIN_PREFIX,
    BINS,
    LIFETIME,
    Target,
    bin_of,
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

TAP15 = SuccinctRoles([], 1, BIN_BITS, BIN_PREFIX)


def test_the_bins_are_those_of_tap_15() -> None:
    assert tuple(TAP15.get_roles()) == BINS
    assert (len(BINS), BINS[0], BINS[-1]) == (256, "r-00", "r-ff")


@given(st.text())
def test_a_target_is_in_the_bin_that_tap_15_says(target: str) -> None:
    assert bin_of(target) == TAP15.get_role_for_target(target)


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
