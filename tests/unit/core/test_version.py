"""Versions follow semver.org's own lists; ranges follow Cargo's reference."""

import pytest
import semver
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.version import (
    ANY,
    FIRST,
    Range,
    Step,
    Version,
    demanded,
    is_legal_step,
    is_version,
    legal_next,
    parse_version,
    step_between,
    stepped,
)

# The two lists that semver.org links for testing regular expressions.
VALID = [
    "0.0.4",
    "1.2.3",
    "10.20.30",
    "1.1.2-prerelease+meta",
    "1.1.2+meta",
    "1.1.2+meta-valid",
    "1.0.0-alpha",
    "1.0.0-beta",
    "1.0.0-alpha.beta",
    "1.0.0-alpha.beta.1",
    "1.0.0-alpha.1",
    "1.0.0-alpha0.valid",
    "1.0.0-alpha.0valid",
    "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay",
    "1.0.0-rc.1+build.1",
    "2.0.0-rc.1+build.123",
    "1.2.3-beta",
    "10.2.3-DEV-SNAPSHOT",
    "1.2.3-SNAPSHOT-123",
    "1.0.0",
    "2.0.0",
    "1.1.7",
    "2.0.0+build.1848",
    "2.0.1-alpha.1227",
    "1.0.0-alpha+beta",
    "1.2.3----RC-SNAPSHOT.12.9.1--.12+788",
    "1.2.3----R-S.12.9.1--.12+meta",
    "1.2.3----RC-SNAPSHOT.12.9.1--.12",
    "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
    "99999999999999999999999.999999999999999999.99999999999999999",
    "1.0.0-0A.is.legal",
]
INVALID = [
    "1",
    "1.2",
    "1.2.3-0123",
    "1.2.3-0123.0123",
    "1.1.2+.123",
    "+invalid",
    "-invalid",
    "-invalid+invalid",
    "-invalid.01",
    "alpha",
    "alpha.beta",
    "alpha.beta.1",
    "alpha.1",
    "alpha+beta",
    "alpha_beta",
    "alpha.",
    "alpha..",
    "beta",
    "1.0.0-alpha_beta",
    "-alpha.",
    "1.0.0-alpha..",
    "1.0.0-alpha..1",
    "1.0.0-alpha...1",
    "1.0.0-alpha....1",
    "01.1.1",
    "1.01.1",
    "1.1.01",
    "1.2.3.DEV",
    "1.2-SNAPSHOT",
    "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788",
    "1.2-RC-SNAPSHOT",
    "-1.0.3-gamma+b7718",
    "+justmeta",
    "9.8.7+meta+meta",
    "9.8.7-whatever+meta+meta",
]


@pytest.mark.parametrize("text", VALID)
def test_valid(text):
    assert is_version(text)
    assert str(parse_version(text)) == text


@pytest.mark.parametrize(
    "text",
    [*INVALID, "", "1.0.0\n", " 1.0.0", "１.0.0", "v1.0.0", "1.0.0-" + "a" * 200, "1" * 5000],
)
def test_invalid(text):
    assert not is_version(text)


ORDER = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "2.0.0",
]


def test_precedence_of_semver_item_11():
    assert sorted(ORDER, key=parse_version) == ORDER


def test_build_metadata_has_no_precedence():
    one, other = versions("1.0.0+1", "1.0.0+2")
    assert one == other
    assert hash(one) == hash(other)
    assert not one < other
    assert one != "1.0.0+1"
    assert (str(one), repr(one)) == ("1.0.0+1", "Version('1.0.0+1')")
    assert str(one.without_build()) == str(one.final) == "1.0.0"


PARTS = st.text("01aZ-.", max_size=6)
ANY_TEXT = st.builds("{}.{}.{}".format, *[st.sampled_from(["0", "1", "7", "10", "01", ""])] * 3)
ANY_TEXT = st.builds(
    lambda numbers, pre, build: numbers + pre + build,
    ANY_TEXT,
    st.just("") | PARTS.map("-{}".format),
    st.just("") | PARTS.map("+{}".format),
)


@given(ANY_TEXT, ANY_TEXT)
def test_another_implementation_agrees(one, other):
    assert is_version(one) is semver.Version.is_valid(one)
    if is_version(one) and is_version(other):
        ours, theirs = (
            versions(one, other),
            [semver.Version.parse(one), semver.Version.parse(other)],
        )
        assert (ours[0] < ours[1]) is (theirs[0] < theirs[1])
        assert (ours[0] == ours[1]) is (theirs[0] == theirs[1])
        assert (ours[0] >= ours[1]) is (theirs[0] >= theirs[1])
        for step in ("bump_major", "bump_minor", "bump_patch"):
            assert str(getattr(ours[0], step)()) == str(getattr(theirs[0], step)())


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("1.2.3", "1.2.3", "1.2.4 1.2.2 1.2.3-rc.1 1.3.0"),
        ("1.2.3-rc.1", "1.2.3-rc.1", "1.2.3 1.2.3-rc.2"),
        ("1.2.3+b", "1.2.3+b", "1.2.3+c 1.2.3"),
        ("^1.2.3", "1.2.3 1.2.4 1.9.0", "1.2.2 2.0.0 2.0.0-rc.1 1.3.0-rc.1"),
        ("^1.2", "1.2.0 1.9.9", "1.1.9 2.0.0"),
        ("^1", "1.0.0 1.9.9", "0.9.9 2.0.0"),
        ("^0.2.3", "0.2.3 0.2.9", "0.2.2 0.3.0"),
        ("^0.0.3", "0.0.3", "0.0.2 0.0.4"),
        ("^0.0", "0.0.0 0.0.9", "0.1.0"),
        ("^0", "0.0.0 0.9.9", "1.0.0"),
        ("^1.2.3-rc.1", "1.2.3-rc.1 1.2.3-rc.2 1.2.3 1.4.0", "1.2.4-rc.1 2.0.0"),
        ("~1.2.3", "1.2.3 1.2.9", "1.2.2 1.3.0"),
        ("~1.2", "1.2.0 1.2.9", "1.3.0"),
        ("~1", "1.0.0 1.9.0", "2.0.0"),
        ("*", "0.0.0 9.9.9", "1.0.0-rc.1"),
        ("1.*", "1.0.0 1.9.9", "0.9.0 2.0.0"),
        ("1.2.*", "1.2.0 1.2.9", "1.3.0"),
        (">=1.2, <2", "1.2.0 1.9.9", "1.1.9 2.0.0"),
        (">1.2", "1.3.0 2.0.0", "1.2.0 1.2.9"),
        (">1.2.3", "1.2.4", "1.2.3"),
        ("<1.2", "1.1.9 0.0.0", "1.2.0"),
        ("<=1.2", "1.2.9", "1.3.0"),
        ("<=1.2.3", "1.2.3", "1.2.4"),
        ("=1.2.3", "1.2.3", "1.2.4"),
        ("= 1.2.3+b", "1.2.3+b", "1.2.3+c 1.2.3"),
        ("=1.2.3-a", "1.2.3-a", "1.2.3-b 1.2.3"),
        ("=1.2", "1.2.0 1.2.7", "1.3.0"),
        (" ^1.2 , <1.5 ", "1.2.0 1.4.9", "1.5.0"),
    ],
)
def test_range(text, inside, outside):
    wanted = Range.parse(text)
    assert wanted.text == text
    for version in inside.split():
        assert wanted.matches(parse_version(version)), version
    for version in outside.split():
        assert not wanted.matches(parse_version(version)), version


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "1.2.3,",
        "1",
        "1.2",
        "^",
        "^x",
        "^1.2.3.4",
        "~01.2",
        "1.2.3.*",
        "*.1",
        "1.*.*",
        "^1.2.*",
        "==1.0.0",
        "^1.2.3\n2",
        "^１",
        "x" * 500,
        "^" + "9" * 5000,
    ],
)
def test_what_is_no_range(text):
    with pytest.raises(ValueError, match="not"):
        Range.parse(text)


def test_a_bare_partial_version_says_what_to_write():
    with pytest.raises(ValueError, match=r"\^1\.2"):
        Range.parse("1.2")


def test_best_is_the_highest_that_matches():
    versions = [parse_version(v) for v in ORDER]
    assert str(Range.parse("^1").best(versions)) == "1.2.0"
    assert Range.parse("^3").best(versions) is None
    assert str(ANY.best(versions)) == "2.0.0"


@given(st.text(alphabet="0123456789.^~*<>=,-+ abrcv\n", max_size=24))
def test_a_range_is_read_or_refused(text):
    try:
        wanted = Range.parse(text)
    except ValueError:
        return
    assert wanted.comparators
    wanted.matches(parse_version("1.2.3"))


NUMBERS = st.integers(0, 9)
FINALS = st.builds(Version, NUMBERS, NUMBERS, NUMBERS)
VERSIONS = st.builds(
    lambda version, tag: Version(*version.numbers, tag), FINALS, st.sampled_from([None, "rc.1"])
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
    same = one.final == other.final
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
        assert is_legal_step(existing, new.final)
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
