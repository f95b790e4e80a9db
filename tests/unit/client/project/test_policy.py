"""`[policy]`: what each key refuses, and which values it may have."""

import pytest

from psreg.client.project.policy import (
    Policy,
    check_policies,
    check_settings,
    known_registries,
    policies_of,
)
from psreg.core.errors import TrustError, UsageError
from psreg.lint.score import FORMULA
from support.shelves import ID, OTHER, Shelf

SCORE = {"formula": FORMULA, "total": 60, "parts": []}


def fault(key, why, hint=""):
    return UsageError("CONFIG_INVALID", f"{key} {why}", hint)


def policy(**table):
    return Policy.read(table, "psreg.toml", fault)


def release(**facts):
    details = {key: facts.pop(key) for key in ("license", "capabilities") if key in facts}
    shelf = Shelf().release("quiz", release=details, **facts)
    return shelf.verified("quiz")


def refused(table, found):
    return [*policy(**table).faults(found, {"main": ID, "work": OTHER})]


@pytest.mark.parametrize(
    ("table", "facts", "said"),
    [
        ({}, {}, []),
        ({"registries": ["work", "main"]}, {}, []),
        ({"registries": ["work"]}, {}, [f"registries: it is from the registry {ID}"]),
        ({"registries": []}, {}, [f"registries: it is from the registry {ID}"]),
        ({"licenses": ["MIT"]}, {}, []),
        ({"licenses": ["MIT"]}, {"license": "GPL-3.0-only OR MIT"}, []),
        ({"licenses": ["CC0-1.0"]}, {}, ["licenses: the licence `MIT` is not on the allow list"]),
        ({"minimum_score": 60}, {"score": SCORE}, []),
        ({"minimum_score": 61}, {"score": SCORE}, ["minimum_score: it has a score of 60, and 61 is required"]),
        ({"minimum_score": 0}, {}, ["minimum_score: it has no score, and 0 is required"]),
        ({"claimed_only": True}, {}, ["claimed_only: its name is not claimed"]),
        ({"claimed_only": False}, {}, []),
        ({"capabilities": ["files"]}, {"capabilities": ["files"]}, []),
        ({"capabilities": []}, {"capabilities": ["tools", "files"]}, ["capabilities: it asks the assistant to use files, tools"]),
    ],
)  # fmt: skip
def test_what_a_policy_refuses(table, facts, said):
    assert refused(table, release(**facts)) == said


def test_a_claimed_name_is_allowed():
    found = Shelf().release("quiz").verified("quiz", claimed=True)
    assert refused({"claimed_only": True}, found) == []


@pytest.mark.parametrize(
    ("table", "told", "hint"),
    [
        (1, "policy must be a table", ""),
        ({"licences": []}, "licences is unknown in `[policy]`", "Did you mean `licenses`?"),
        ({"licenses": "MIT"}, "licenses must be a list of texts", ""),
        ({"registries": [1]}, "registries must be a list of texts", ""),
        ({"minimum_score": 101}, "minimum_score must be a number from 0 to 100", ""),
        ({"minimum_score": True}, "minimum_score must be a number from 0 to 100", ""),
        ({"claimed_only": 1}, "claimed_only must be true or false", ""),
        ({"capabilities": ["net"]}, "capabilities names `net`", "Did you mean `network`?"),
    ],
)
def test_values_that_a_policy_cannot_have(table, told, hint):
    with pytest.raises(UsageError) as caught:
        Policy.read(table, "psreg.toml", fault)
    assert (caught.value.message, caught.value.hint) == (told, hint)


def test_all_policies_must_allow_all_releases():
    found = [release(), release(license="CC0-1.0")]
    check_policies([policy(), policy(licenses=["MIT", "CC0-1.0"])], found, {})
    with pytest.raises(TrustError) as caught:
        check_policies([policy(licenses=["MIT"]), policy(claimed_only=True)], found, {})
    assert caught.value.code == "POLICY_REFUSED"
    assert caught.value.details == (
        "quiz 1.0.0: claimed_only: its name is not claimed (psreg.toml)",
        "quiz 1.0.0: licenses: the licence `CC0-1.0` is not on the allow list (psreg.toml)",
        "quiz 1.0.0: claimed_only: its name is not claimed (psreg.toml)",
    )


def test_a_long_list_is_cut():
    with pytest.raises(TrustError) as caught:
        check_policies([policy(claimed_only=True)], [release()] * 23, {})
    assert len(caught.value.details) == 21
    assert caught.value.details[-1] == "and 3 more"


class Settings:
    """The part of `client.config.Settings` that is used."""

    def __init__(self, registries=()):
        self._registries = registries

    def policies(self):
        yield "one.toml", {"claimed_only": True}, fault
        yield "two.toml", {"licenses": []}, fault

    def registries(self):
        return self._registries


class Store:
    def __init__(self, **anchors):
        self.anchors = anchors

    def find(self, sha256):
        return self.anchors.get(sha256)


class Named:
    def __init__(self, name, location, root_sha256):
        self.name, self.location, self.root_sha256 = name, location, root_sha256


def test_the_policies_of_the_settings():
    assert [each.origin for each in policies_of(Settings())] == ["one.toml", "two.toml"]


def test_registries_are_known_by_name_and_address():
    anchor = type("Anchor", (), {"id": ID})
    rows = [Named("main", "https://a.example", "aa"), Named("new", "https://b.example", "bb")]
    known = known_registries(Settings([*rows, Named("old", "/x", None)]), Store(aa=anchor))
    assert known == {"main": ID, "https://a.example": ID}


def test_releases_are_checked_against_the_settings():
    with pytest.raises(TrustError) as caught:
        check_settings(Settings(), Store(), [release()])
    assert len(caught.value.details) == 2
    check_settings(Settings(), Store(), [])
