"""Whether what releases require can be installed together with them."""

import pytest

from psreg.core.errors import TrustError
from psreg.core.identity import ReleaseId
from psreg.registry.records import read_record
from psreg.registry.requirements.installable import requires_of, unmet
from support.shelves import Shelf
from support.simulated_log import encode


def told(shelf, name="quiz", version="1.0.0"):
    def record(of):
        found = shelf.signer.records.get(of)
        return read_record(encode(found), of) if found else None

    release = ReleaseId(entry_class="prompt", name=name, version=version)
    return [why for _, why in unmet([release], record)]


@pytest.fixture
def shelf():
    return Shelf().release("words").release("quiz", requires={"words": "^1"})


def test_what_can_be_installed_is_not_unmet(shelf):
    assert told(shelf) == []


def test_an_unknown_entry(shelf):
    shelf.release("exam", requires={"gone": "*"})
    assert told(shelf, "exam") == ["there is no entry `gone`, which exam 1.0.0 requires"]


def test_versions_that_do_not_fit(shelf):
    shelf.release("exam", requires={"quiz": "*", "words": "^2"})
    (why,) = told(shelf, "exam")
    assert why.startswith("no version of `words` fits all that is required:; ")


def test_a_circle(shelf):
    shelf.release("words", "1.1.0", requires={"quiz": "*"})
    assert told(shelf) == [
        "entries require each other: quiz 1.0.0 requires words 1.1.0 requires quiz 1.0.0"
    ]


def test_what_is_yanked_or_revoked_is_no_version(shelf):
    row = shelf.signer.records["words"]["releases"][0]
    row["yanked"] = "bad"
    assert "words has 1.0.0 (yanked)" in told(shelf)[0]
    revoked = {"action": 1, "reason": "bad", "kind": "revoke", "date": "2026-11-21T05:00:00Z"}
    row |= {"yanked": None, "revoked": revoked, "v": 2}
    assert "revoked" in told(shelf)[0]


@pytest.mark.parametrize("requires", [["words"], {"words": "latest"}, {"words": 1}])
def test_malformed_requirements(requires):
    made = Shelf().release("quiz", requires=requires).signer.records["quiz"]
    record = read_record(encode(made), "quiz")
    with pytest.raises(TrustError) as caught:
        requires_of("quiz", record.releases[0])
    assert caught.value.code == "TRUST_METADATA"
