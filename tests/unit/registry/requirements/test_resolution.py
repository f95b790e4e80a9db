"""Resolution: the newest that fits, what is kept before it, and sentences where nothing fits."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.errors import FindingsError, TrustError, UnavailableError
from psreg.core.version import Range, parse_version
from psreg.registry.requirements.resolution import Offer, Requirement, cycle_in, resolve


class Shelf:
    """Releases in memory: `{"name": {"1.0.0": {"other": "^1"}}}`."""

    def __init__(self, packages, *, yanked=(), revoked=()):
        self.packages, self.yanked, self.revoked = packages, yanked, revoked
        self.asked = []

    def offers(self, name, *, required_by):
        self.asked.append(name)
        if name not in self.packages:
            raise UnavailableError("UNKNOWN_NAME", f"no `{name}`, which {required_by} requires")
        return [
            Offer(
                version=version,
                semver=parse_version(version),
                yanked=f"{name} {version}" in self.yanked,
                refusal=TrustError("TRUST_REVOKED", f"{name} {version} was revoked")
                if f"{name} {version}" in self.revoked
                else None,
            )
            for version in self.packages[name]
        ]

    def requires(self, name, version):
        return [wanted(n, r) for n, r in sorted(self.packages[name][version].items())]


def wanted(name, text, origin=""):
    return Requirement(name=name, range=Range.parse(text), origin=origin)


def asked(**ranges):
    names = enumerate(ranges.items(), start=2)
    return [wanted(name, text, f"psreg.toml:{line}") for line, (name, text) in names]


def versions(*texts, **requires):
    return dict.fromkeys(texts, requires)


CHAIN = {
    "quiz": {"1.0.0": {"glossary": "^1"}, "1.1.0": {"glossary": "^2"}},
    "glossary": {"1.0.0": {}, "1.2.0": {"words": "*"}, "2.0.0": {"words": "^3"}},
    "words": versions("2.0.0", "3.0.0"),
    "other": versions("1.0.0"),
}


def test_the_newest_that_fits_and_all_that_it_requires():
    found = resolve(asked(quiz="^1"), Shelf(CHAIN))
    assert found == {"glossary": "2.0.0", "quiz": "1.1.0", "words": "3.0.0"}
    assert [*found] == sorted(found)
    assert resolve([], Shelf(CHAIN)) == {}


def test_a_choice_is_revised_without_a_search():
    found = resolve(asked(glossary="^1", quiz="1.0.0"), Shelf(CHAIN))
    assert found == {"glossary": "1.2.0", "quiz": "1.0.0", "words": "3.0.0"}


def test_what_nothing_conflicts_with_does_not_load_resolvelib():
    code = (
        "import sys, runpy, types\n"
        f"t = types.SimpleNamespace(**runpy.run_path({__file__!r}))\n"
        "t.resolve(t.asked(quiz='^1'), t.Shelf(t.CHAIN))\n"
        "assert 'resolvelib' not in sys.modules\n"
        "t.resolve(t.asked(glossary='^1', quiz='^1'), t.Shelf(t.CHAIN))\n"
        "assert 'resolvelib' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_older_version_is_searched_where_the_newest_conflicts():
    found = resolve(asked(glossary="^1", quiz="^1"), Shelf(CHAIN))
    assert found == {"glossary": "1.2.0", "quiz": "1.0.0", "words": "3.0.0"}


def test_what_is_kept_comes_first_and_changes_only_where_it_must():
    kept = {"quiz": "1.0.0", "glossary": "1.0.0", "gone": "1.0.0"}
    assert resolve(asked(quiz="^1"), Shelf(CHAIN), kept) == {"glossary": "1.0.0", "quiz": "1.0.0"}
    found = resolve(asked(quiz="^1.1"), Shelf(CHAIN), kept)
    assert found["quiz"] == "1.1.0"


def test_prereleases_only_where_they_are_asked_for():
    shelf = Shelf({"quiz": versions("1.0.0", "1.1.0-rc.1", "2.0.0-rc.1")})
    assert resolve(asked(quiz="*"), shelf) == {"quiz": "1.0.0"}
    assert resolve(asked(quiz="^1.1.0-rc.1"), shelf) == {"quiz": "1.1.0-rc.1"}


def test_a_yanked_version_is_chosen_only_if_kept_or_named():
    shelf = Shelf({"quiz": versions("1.0.0", "1.1.0")}, yanked=["quiz 1.1.0"])
    assert resolve(asked(quiz="^1"), shelf) == {"quiz": "1.0.0"}
    assert resolve(asked(quiz="^1"), shelf, {"quiz": "1.1.0"}) == {"quiz": "1.1.0"}
    assert resolve(asked(quiz="=1.1.0"), shelf) == {"quiz": "1.1.0"}
    with pytest.raises(FindingsError, match=r"quiz has 1\.0\.0, 1\.1\.0 \(yanked\)"):
        resolve(asked(quiz="^1.1"), shelf)


def test_a_revoked_version_never():
    shelf = Shelf({"quiz": versions("1.0.0", "1.1.0")}, revoked=["quiz 1.1.0"])
    assert resolve(asked(quiz="^1"), shelf, {"quiz": "1.1.0"}) == {"quiz": "1.0.0"}
    with pytest.raises(TrustError, match=r"quiz 1\.1\.0 was revoked"):
        resolve(asked(quiz="1.1.0"), shelf)
    with pytest.raises(FindingsError, match=r"1\.1\.0 \(revoked\)"):
        resolve(asked(quiz="^2"), shelf)


def test_a_name_that_nobody_has_says_who_requires_it():
    with pytest.raises(UnavailableError, match=r"no `gone`, which quiz 1\.0\.0 requires"):
        resolve(asked(quiz="*"), Shelf({"quiz": versions("1.0.0", gone="^1")}))


def refusal(roots, shelf, kept=None):
    with pytest.raises(FindingsError) as caught:
        resolve(roots, shelf, kept)
    assert caught.value.code == "REQUIREMENTS_CONFLICT"
    return [caught.value.message, *caught.value.details]


def test_a_conflict_is_told_in_sentences():
    assert refusal(asked(quiz="^1.1", glossary="^1"), Shelf(CHAIN)) == [
        "no version of `glossary` fits all that is required:",
        "psreg.toml:3 asks for glossary ^1",
        "quiz 1.1.0 requires glossary ^2, and psreg.toml:2 asks for quiz ^1.1",
        "glossary has 1.0.0, 1.2.0, 2.0.0",
    ]


def test_a_conflict_far_below_is_told_up_to_the_project():
    shelf = Shelf(
        {
            "course": versions("1.0.0", quiz="^1", book="^1"),
            "quiz": versions("1.0.0", words="^1"),
            "book": versions("1.0.0", glossary="^1"),
            "glossary": versions("1.0.0", words="^2"),
            "words": versions("1.0.0", "2.0.0"),
        }
    )
    told = refusal(asked(course="*"), shelf)
    assert told[0] == "no version of `words` fits all that is required:"
    top = "course 1.0.0 requires it, and psreg.toml:2 asks for course *"
    assert told[1:3] == [
        f"glossary 1.0.0 requires words ^2, and book 1.0.0 requires it, and {top}",
        f"quiz 1.0.0 requires words ^1, and {top}",
    ]


def test_a_name_without_versions():
    assert refusal(asked(quiz="*"), Shelf({"quiz": {}}))[-1] == "quiz has no versions"


def test_long_lists_are_cut():
    many = {f"{n}.0.0": {} for n in range(1, 31)}
    packages = {"words": many}
    for n in range(12):
        packages[f"user_{n:02}"] = versions("1.0.0", words=f"^{n + 1}")
    told = refusal(asked(**{name: "*" for name in packages if name != "words"}), Shelf(packages))
    assert told[-1] == f"words has …, {', '.join(f'{n}.0.0' for n in range(23, 31))}"
    assert len(told) <= 12
    some = {f"1.{n}.0": {"words": f"^{n + 1}"} for n in range(12)}
    told = refusal(asked(quiz="*", words="^30"), Shelf({"quiz": some, "words": many}))
    assert "and 5 more" in told


def test_a_parent_whose_reason_was_forgotten_is_told_alone():
    """A requirement of a version that was given up is still named, without an end."""
    shelf = Shelf(
        {
            "one": {"1.0.0": {"two": "^1"}},
            "two": {"1.0.0": {"one": "^2"}},
        }
    )
    told = refusal(asked(one="*"), shelf)
    assert told[0] == "no version of `one` fits all that is required:"


def test_a_circle_is_refused():
    shelf = Shelf({"one": versions("1.0.0", two="*"), "two": versions("1.0.0", one="*")})
    with pytest.raises(FindingsError, match=r"one 1\.0\.0 requires two 1\.0\.0 requires one 1"):
        resolve(asked(one="*"), shelf)


@pytest.mark.parametrize(
    ("graph", "cycle"),
    [
        ({}, []),
        ({"a": ["b", "c"], "b": ["c"], "c": []}, []),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, ["b", "c", "b"]),
        ({"a": ["a"]}, ["a", "a"]),
        ({"a": ["x"], "b": ["a", "a"]}, []),
    ],
)
def test_cycles(graph, cycle):
    assert cycle_in(graph) == cycle


def test_a_search_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr("psreg.registry.requirements.resolution._ROUNDS", 1)
    with pytest.raises(FindingsError, match="in 1 steps"):
        resolve(asked(glossary="^1", quiz="^1"), Shelf(CHAIN))


def test_first_choices_that_swing_are_left_to_the_search():
    shelf = Shelf(
        {
            "a": {"1.0.0": {}, "2.0.0": {"b": "^1"}},
            "b": {"1.0.0": {}, "2.0.0": {"a": "^1"}},
        }
    )
    assert resolve(asked(a="*", b="*"), shelf) == {"a": "2.0.0", "b": "1.0.0"}


NAMES = "abcd"
RANGES = st.sampled_from(["*", "^1", "^2", "=1.0.0", ">=1.1.0", "<2.0.0"])
SHELVES = st.fixed_dictionaries(
    {
        name: st.dictionaries(
            st.sampled_from(["1.0.0", "1.1.0", "2.0.0"]),
            st.dictionaries(st.sampled_from(NAMES[at + 1 :] or "d"), RANGES, max_size=2)
            if at < 3
            else st.just({}),
            min_size=1,
        )
        for at, name in enumerate(NAMES)
    }
)


def solutions(roots, shelf):
    """Yield every choice of versions that fits, by trying all of them."""
    choices = [[None, *shelf.packages[name]] for name in NAMES]
    for picked in itertools.product(*choices):
        chosen = {n: v for n, v in zip(NAMES, picked, strict=True) if v is not None}
        wishes = [*roots]
        for name, version in chosen.items():
            wishes += shelf.requires(name, version)
        if all(w.name in chosen and w.range.matches(parse_version(chosen[w.name])) for w in wishes):
            yield chosen


@given(packages=SHELVES, roots=st.dictionaries(st.sampled_from(NAMES), RANGES, min_size=1))
def test_there_is_an_answer_exactly_if_there_is_a_solution(packages, roots):
    shelf, wishes = Shelf(packages), asked(**dict(sorted(roots.items())))
    possible = [*solutions(wishes, shelf)]
    try:
        found = resolve(wishes, shelf)
    except FindingsError:
        assert not possible
        return
    assert found in possible
    assert resolve(wishes, Shelf(packages)) == found
    assert resolve(wishes, Shelf(packages), found) == found
