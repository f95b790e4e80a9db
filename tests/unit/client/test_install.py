"""Resolving, fetching and verifying, against the simulated registry's verified side."""

from __future__ import annotations

from hashlib import sha256

import pytest

from psreg.client.install import fetch_all
from psreg.client.resolve import parse_requests
from psreg.core.errors import TrustError, UnavailableError
from simulator import TEXT, Simulator, encode

PATH = "pbes/interactive_engine/quiz_master/1.0.0/quiz_master.pbe.txt"


class Vouched:
    """A registry whose metadata is believed: what `client.install` gets."""

    def __init__(self, simulator):
        self.simulator = simulator
        self.fetched, self.logged = [], []

    def record(self, name):
        record = self.simulator.records.get(name)
        return encode(record) if record else None

    def check_release(self, record, row):
        self.logged.append((record.name, row.version))

    def names(self):
        return sorted(self.simulator.records)

    def artifact(self, path, size):
        self.fetched.append((path, size))
        return self.simulator.artifacts[path]


@pytest.fixture
def registry():
    return Vouched(Simulator().release().release("glossary", data=b"words"))


def fails(registry, *names):
    with pytest.raises((TrustError, UnavailableError)) as caught:
        fetch_all(parse_requests(names), registry)
    return caught.value


def test_every_name_is_delivered_in_order(registry):
    releases = fetch_all(parse_requests(["quiz_master", "glossary"]), registry)
    assert [(d.choice.release.name, d.data) for d in releases] == [
        ("quiz_master", TEXT),
        ("glossary", b"words"),
    ]
    assert registry.fetched[0] == (PATH, len(TEXT))
    assert registry.logged == [("quiz_master", "1.0.0"), ("glossary", "1.0.0")]


class Cached(dict):
    """A cache of artifacts: bytes by SHA-256, or errors."""

    def artifact(self, sha256):
        found = self.get(sha256)
        if isinstance(found, Exception):
            raise found
        return found

    keep_artifact = dict.__setitem__


DAMAGED = TrustError("CACHE_DAMAGED", "it is damaged")


def test_what_is_cached_is_not_fetched(registry):
    cache = Cached()
    for fetched in (1, 1):
        (release,) = fetch_all(parse_requests(["quiz_master"]), registry, cache=cache)
        assert (release.data, len(registry.fetched)) == (TEXT, fetched)
    assert [*cache.values()] == [TEXT]


def test_what_is_damaged_in_the_cache_is_fetched_again(registry):
    cache = Cached({sha256(TEXT).hexdigest(): DAMAGED})
    (release,) = fetch_all(parse_requests(["quiz_master"]), registry, cache=cache)
    assert (release.data, [*cache.values()]) == (TEXT, [TEXT])


def test_what_is_damaged_in_the_cache_and_not_to_be_had_is_refused(registry):
    def away(path, size):
        raise UnavailableError("NETWORK", "cannot read it")

    registry.artifact = away
    cases = (Cached({sha256(TEXT).hexdigest(): DAMAGED}), Cached(), None)
    for cache, code in zip(cases, ("CACHE_DAMAGED", "NETWORK", "NETWORK"), strict=True):
        with pytest.raises((TrustError, UnavailableError)) as caught:
            fetch_all(parse_requests(["quiz_master"]), registry, cache=cache)
        assert caught.value.code == code


def test_what_the_cache_has_is_compared_with_the_record(registry):
    cache = Cached({sha256(TEXT).hexdigest(): b"forged"})
    with pytest.raises(TrustError) as caught:
        fetch_all(parse_requests(["quiz_master"]), registry, cache=cache)
    assert caught.value.code == "TRUST_DIGEST"


def test_what_is_at_hand_is_not_fetched(registry):
    (release,) = fetch_all(parse_requests(["quiz_master"]), registry, lambda _: True)
    assert (release.already_installed, release.data, registry.fetched) == (True, b"", [])


@pytest.mark.parametrize(
    "data",
    [TEXT + b"x", TEXT[:-1], b"", TEXT[:-1] + b"\x00"],
    ids=["long", "short", "empty", "bit"],
)
def test_other_bytes_are_refused(registry, data):
    registry.simulator.artifacts[PATH] = data
    assert fails(registry, "quiz_master").code == "TRUST_DIGEST"


@pytest.mark.parametrize("digest", ["", "A" * 64, "sha256:" + "0" * 64])
def test_a_digest_of_another_form_is_refused(registry, digest):
    registry.simulator.records["quiz_master"]["releases"][0]["sha256"] = digest
    assert fails(registry, "quiz_master").code == "TRUST_METADATA"
    assert registry.fetched == []


@pytest.mark.parametrize("size", [-1, 17 * 1024 * 1024, 2**53 - 1])
def test_a_size_no_prompt_has_is_refused_before_fetching(registry, size):
    registry.simulator.records["quiz_master"]["releases"][0]["size"] = size
    assert fails(registry, "quiz_master").code == "TOO_LARGE"
    assert registry.fetched == []


def test_an_unknown_name_comes_with_a_suggestion(registry):
    error = fails(registry, "quizmaster")
    assert (error.code, error.hint) == ("UNKNOWN_NAME", "Did you mean `quiz_master`?")


def test_all_that_failed_is_said_at_once_and_trust_decides(registry):
    registry.simulator.artifacts[PATH] = b"evil"
    error = fails(registry, "absent_name", "quiz_master", "glossary")
    assert isinstance(error, TrustError)
    assert error.code == "TRUST_DIGEST"
    assert "absent_name" in error.message
    assert "quiz_master" in error.message


def test_several_absent_names_are_all_named(registry):
    error = fails(registry, "absent_one", "absent_two")
    assert isinstance(error, UnavailableError)
    assert error.code == "UNKNOWN_NAME"
    assert "absent_one" in error.message
    assert "absent_two" in error.message
