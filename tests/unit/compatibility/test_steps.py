"""Which version may follow which: the laws of single steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from semver import Version

from psreg.compatibility.steps import (
    FIRST,
    demanded,
    is_legal_step,
    legal_next,
    step_between,
    stepped,
)
from psreg.core.version import Step, parse_version

NUMBERS = st.integers(0, 9)
FINALS = st.builds(Version, NUMBERS, NUMBERS, NUMBERS)
VERSIONS = st.builds(
    lambda version, tag: version.replace(prerelease=tag), FINALS, st.sampled_from([None, "rc.1"])
)
STEPS = st.sampled_from([Step.PATCH, Step.MINOR, Step.MAJOR])


def versions(*texts):
    return [parse_version(text) for text in texts]


def texts(found):
    return [str(version) for version in found]


@pytest.mark.parametrize(
    ("existing", "legal"),
    [
        ([], ["0.1.0", "1.0.0"]),
        (["1.0.0-rc.1"], ["0.1.0", "1.0.0"]),
        (["0.1.0"], ["0.1.1", "0.2.0", "1.0.0"]),
        (["1.0.0", "1.1.0"], ["1.0.1", "1.1.1", "1.2.0", "2.0.0"]),
        (["1.0.0", "1.1.0", "2.0.0-rc.1"], ["1.0.1", "1.1.1", "1.2.0", "2.0.0"]),
        (["1.0.0+build"], ["1.0.1", "1.1.0", "2.0.0"]),
        (["3.2.1"], ["3.2.2", "3.3.0", "4.0.0"]),
    ],
)
def test_what_may_follow(existing, legal):
    assert texts(legal_next(versions(*existing))) == legal


@pytest.mark.parametrize(
    ("existing", "new", "legal"),
    [
        ([], "0.1.0", True),
        ([], "0.1.0-rc.1", True),
        ([], "1.0.0-rc.0", True),
        ([], "0.0.1", False),
        ([], "2.0.0", False),
        (["1.0.0"], "1.0.0", False),
        (["1.0.0"], "1.0.2", False),
        (["1.0.0"], "1.1.1", False),
        (["1.0.0"], "3.0.0", False),
        (["1.0.0"], "2.0.0-rc.1", True),
        (["1.0.0"], "3.0.0-rc.1", False),
        (["1.0.0"], "2.0.0-beta.1", False),
        (["1.0.0"], "2.0.0-rc", False),
        (["1.0.0"], "2.0.0-rc.01x", False),
        (["1.0.0", "2.0.0-rc.1"], "2.0.0-rc.2", True),
        (["1.0.0", "2.0.0-rc.2"], "2.0.0-rc.1", False),
        (["1.0.0", "2.0.0-rc.2"], "2.0.0-rc.2", False),
        (["1.0.0", "2.0.0-rc.2"], "1.1.0-rc.1", True),
        (["1.0.0", "2.0.0"], "2.0.0-rc.3", False),
        (["1.0.0"], "1.0.1+build", True),
    ],
)
def test_one_step(existing, new, legal):
    assert is_legal_step(versions(*existing), parse_version(new)) is legal


@pytest.mark.parametrize(
    ("previous", "asked"),
    [
        ("1.2.3", ["none", "patch", "minor", "major"]),
        ("0.2.3", ["none", "patch", "patch", "minor"]),
        ("1.0.0-rc.1", ["none", "none", "none", "none"]),
        ("0.1.0-rc.1", ["none", "none", "none", "none"]),
    ],
)
def test_what_a_change_asks_for(previous, asked):
    assert [str(demanded(step, parse_version(previous))) for step in Step] == asked


@given(FINALS, STEPS)
def test_a_step_is_as_large_as_it_says(version, step):
    assert step_between(version, stepped(version, step)) is step
    assert stepped(version, step) > version
    assert stepped(version, Step.NONE) == version


@given(VERSIONS, VERSIONS)
def test_a_step_is_the_same_in_both_directions(one, other):
    assert step_between(one, other) is step_between(other, one)
    same = one.finalize_version() == other.finalize_version()
    assert (step_between(one, other) is Step.NONE) is same


@given(st.sets(VERSIONS, max_size=6))
def test_what_may_follow_is_new_and_near(existing):
    finals = {version for version in existing if not version.prerelease}
    legal = legal_next(existing)
    assert legal
    assert not set(legal) & finals
    assert list(legal) == sorted(set(legal))
    for version in legal:
        near = any(stepped(v, step) == version for v in finals for step in Step)
        assert near or (not finals and version in FIRST)
        assert is_legal_step(existing, version)


@given(st.sets(VERSIONS, max_size=6), VERSIONS)
def test_a_candidate_is_legal_only_where_its_final_version_is(existing, new):
    if is_legal_step(existing, new):
        assert is_legal_step(existing, new.finalize_version())
        assert new not in existing


@given(STEPS, STEPS, FINALS)
def test_a_larger_change_never_asks_for_less(small, large, version):
    if small <= large:
        assert demanded(small, version) <= demanded(large, version)
    assert Step.PATCH <= demanded(large, version) <= large


@given(FINALS, STEPS)
def test_the_step_that_is_asked_for_may_follow(version, step):
    asked = stepped(version, demanded(step, version))
    assert is_legal_step([version], asked)
