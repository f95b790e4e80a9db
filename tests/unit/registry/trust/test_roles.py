"""Names of roles, bins, targets and files."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tuf.api.metadata import SuccinctRoles

from psreg.registry.trust.roles import (
    BIN_BITS,
    BIN_PREFIX,
    BINS,
    LIFETIME,
    Target,
    bin_of,
    catalog_target,
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
    assert not is_due(NOW + LIFETIME, NOW, LIFETIME)
    assert not is_due(NOW + LIFETIME * 3 / 10, NOW, LIFETIME)
    assert is_due(NOW + LIFETIME * 29 / 100, NOW, LIFETIME)
    assert is_due(NOW - LIFETIME, NOW, LIFETIME)


def test_due_is_what_lasts_longer_than_it_should() -> None:
    assert is_due(NOW + LIFETIME + timedelta(seconds=1), NOW, LIFETIME)
