"""Where a lock is not what its project file asks for, with both lines."""

import pytest

from psreg.client.project.drift import check_current, drifts, reached
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.manifest import Manifest
from psreg.core.errors import FindingsError
from psreg.core.identity import ReleaseId

ID, OTHER = "0" * 32, "1" * 32


def prompt(name, version="1.0.0", registry=ID, **requires):
    return LockedPrompt(
        release=ReleaseId(entry_class="prompt", name=name, version=version),
        registry=registry,
        sha256="ab" * 32,
        size=1,
        requires=requires,
    )


def told(text, *prompts, registries=None):
    lock = Lock(prompts={each.name: each for each in prompts})
    return [*drifts(Manifest.read(text.encode()), lock, lock.to_bytes(), registries or {})]


QUIZ = '[prompts]\nquiz = "^1"\n'


@pytest.mark.parametrize(
    ("text", "prompts", "said"),
    [
        ("", (), []),
        (QUIZ, (prompt("quiz", words="^1"), prompt("words")), []),
        (QUIZ, (), ["psreg.toml:2: quiz ^1 is not in psreg.lock"]),
        (
            QUIZ,
            (prompt("quiz", "2.0.0"),),
            ["psreg.toml:2: quiz ^1 does not match psreg.lock:4: quiz 2.0.0"],
        ),
        ("", (prompt("quiz"),), ["psreg.lock:4: quiz 1.0.0 is not needed"]),
        (
            QUIZ,
            (prompt("quiz", words="^1"),),
            ["psreg.lock:4: quiz 1.0.0 requires words ^1, which is not locked"],
        ),
        (
            QUIZ,
            (prompt("quiz", words="^2"), prompt("words")),
            ["psreg.lock:4: quiz 1.0.0 requires words ^2, but 1.0.0 is locked"],
        ),
        (
            QUIZ,
            (prompt("quiz", words="^1"), prompt("words", registry=OTHER)),
            ["psreg.lock:4: quiz 1.0.0 requires words, which is locked from another registry"],
        ),
    ],
)
def test_drift(text, prompts, said):
    assert told(text, *prompts) == said


def test_another_registry_than_the_project_says():
    said = told(QUIZ, prompt("quiz"), registries={"quiz": OTHER})
    assert said == ["psreg.toml:2: quiz ^1 is from another registry than psreg.lock:4: quiz 1.0.0"]


def test_circles_in_a_lock_end():
    lock = Lock(prompts={"a": prompt("a", b="*"), "b": prompt("b", a="*"), "c": prompt("c")})
    assert reached(Manifest.read(b'[prompts]\na = "*"'), lock) == {"a", "b"}


def test_the_first_is_the_message_and_a_long_list_is_cut():
    prompts = {f"p{n:02}": prompt(f"p{n:02}") for n in range(30)}
    lock = Lock(prompts=prompts)
    with pytest.raises(FindingsError) as caught:
        check_current(Manifest.read(b""), lock, lock.to_bytes(), {})
    assert caught.value.code == "LOCK_DRIFT"
    assert caught.value.message == "psreg.lock:4: p00 1.0.0 is not needed"
    assert len(caught.value.details) == 20
    assert caught.value.details[-1] == "and 10 more"
    with pytest.raises(FindingsError) as caught:
        check_current(Manifest.read(QUIZ.encode()), Lock(), Lock().to_bytes(), {})
    assert caught.value.details == ()


def test_nothing_is_said_of_a_lock_that_fits():
    lock = Lock(prompts={"quiz": prompt("quiz")})
    check_current(Manifest.read(QUIZ.encode()), lock, lock.to_bytes(), {"quiz": ID})
