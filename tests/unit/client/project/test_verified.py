"""A release as it was signed: its entry in a lock, and its file in the cache."""

import dataclasses

import pytest

from psreg.client.project.verified import VerifiedRelease, with_digest
from psreg.core.errors import TrustError
from psreg.lint.score import FORMULA
from support.shelves import ID, Shelf

KEY = f"SHA256:{'A' * 43}"
SCORE = {"formula": FORMULA, "total": 85, "parts": []}


@pytest.fixture
def quiz():
    shelf = Shelf().release("quiz", requires={"words": "^ 1.2", "book": ">= 1.0, <2"}, score=SCORE)
    shelf.signer.records["quiz"]["deprecated"] = {"reason": "old", "replacement": "exam"}
    return shelf.verified("quiz", claimed=True, owners=(KEY, KEY))


def test_its_entry_in_a_lock(quiz):
    locked = quiz.locked()
    assert (locked.name, locked.version, locked.registry) == ("quiz", "1.0.0", ID)
    assert locked.requires == {"book": ">=1.0,<2", "words": "^1.2"}
    assert locked.owners == (KEY,)
    quiz.check(locked)


def test_what_is_known_of_it(quiz):
    assert (quiz.title, quiz.score) == ("quiz 1.0.0", 85)
    assert quiz.warnings == ("quiz is deprecated: old; use exam instead",)
    assert str(quiz.choice.request) == "quiz@1.0.0"
    assert Shelf().release("quiz").verified("quiz").score is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sha256": "ab" * 32}, "sha256"),
        ({"size": 1}, "size"),
        ({"requires": {}}, "requires"),
        ({"statement": "ab" * 32}, "statement"),
        ({"statement": "ab" * 32, "owners": (KEY[:-1] + "B",)}, "owners, statement"),
        ({"statement": None, "owners": (KEY[:-1] + "B",)}, "owners"),
    ],
)
def test_a_lock_that_says_something_else_is_refused(quiz, change, told):
    with pytest.raises(TrustError) as caught:
        quiz.check(dataclasses.replace(quiz.locked(), **change))
    assert caught.value.code == "TRUST_LOCK"
    assert caught.value.message.endswith(f"its registry signed: {told}")


def test_its_file_in_the_cache(quiz):
    read = VerifiedRelease.from_bytes(quiz.to_bytes())
    assert read == quiz
    plain = Shelf().release("quiz").verified("quiz")
    assert VerifiedRelease.from_bytes(plain.to_bytes()) == plain


def test_every_flipped_bit_is_found(quiz):
    data = bytearray(quiz.to_bytes())
    for at in range(0, len(data), 7):
        data[at] ^= 1
        with pytest.raises(ValueError):
            VerifiedRelease.from_bytes(bytes(data))
        data[at] ^= 1


def test_a_file_of_another_version_is_not_used(quiz):
    body = quiz.to_bytes().partition(b"\n")[2].replace(b"psreg.verified/1", b"psreg.verified/9")
    with pytest.raises(ValueError, match="of another version"):
        VerifiedRelease.from_bytes(with_digest(body))


@pytest.mark.parametrize("requires", [["words"], {"words": "latest"}, {"words": 1}])
def test_malformed_requirements_are_refused(requires):
    shelf = Shelf().release("quiz", requires=requires)
    with pytest.raises(TrustError) as caught:
        shelf.verified("quiz")
    assert caught.value.code == "TRUST_METADATA"
