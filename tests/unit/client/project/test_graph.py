"""`tree` and `why`: what requires what in a lock."""

from psreg.client.project.graph import reasons, tree
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.manifest import Manifest
from psreg.core.identity import ReleaseId

MANIFEST = Manifest.read(b'[prompts]\nquiz = "^1"\nwords = "*"\nnew = "*"\n')


def prompt(name, *requires):
    release = ReleaseId(entry_class="prompt", name=name, version="1.0.0")
    ranges = dict.fromkeys(requires, "^1")
    return LockedPrompt(
        release=release, registry="0" * 32, sha256="ab" * 32, size=1, requires=ranges
    )


def lock(*prompts):
    return Lock(prompts={each.name: each for each in prompts})


LOCK = lock(
    prompt("quiz", "book", "words"), prompt("book", "words"), prompt("words", "gone"), prompt("left", "words")
)  # fmt: skip


def test_a_tree_shows_what_is_met_again_without_what_it_requires():
    rows = [(depth, name, again) for depth, name, _, again in tree(MANIFEST, LOCK)]
    assert rows == [
        (0, "quiz", False),
        (1, "book", False),
        (2, "words", False),
        (1, "words", True),
        (0, "words", True),
    ]


def test_a_circle_in_a_lock_ends():
    rows = [*tree(MANIFEST, lock(prompt("quiz", "book"), prompt("book", "quiz")))]
    assert [name for _, name, _, _ in rows] == ["quiz", "book", "quiz"]


def test_every_reason_up_to_the_project_file():
    top = "psreg.toml:2 asks for quiz ^1"
    assert reasons(MANIFEST, LOCK, "words") == [
        ["psreg.toml:3 asks for words *"],
        [top, "quiz 1.0.0 requires words ^1"],
        [top, "quiz 1.0.0 requires book ^1", "book 1.0.0 requires words ^1"],
    ]
    assert reasons(MANIFEST, LOCK, "left") == []
