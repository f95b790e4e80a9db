"""Locking: of which registry a name is, and a lock that changes only where it must."""

import dataclasses

import pytest

from psreg.client.project.lockfile import Lock
from psreg.client.project.locking import entries_for, relocked
from psreg.client.project.manifest import Manifest
from psreg.client.project.registries import Published
from psreg.client.project.requests import with_required
from psreg.client.resolve import parse_request
from psreg.core.errors import FindingsError, TrustError, UnavailableError
from support.shelves import ID, OTHER, Shelf, opener


@pytest.fixture
def shelf():
    made = Shelf().release("words").release("words", "1.1.0").release("words", "2.0.0")
    made.release("quiz", requires={"words": "^1"})
    return made.release("quiz", "1.1.0", requires={"words": "^1.1"})


def project(text, shelf, **others):
    opened = opener(usual=shelf, **others)
    manifest = Manifest.read(f"[prompts]\n{text}\n".encode())
    return manifest, Published(manifest, opened.opens)


def lock_of(text, shelf, before=None, **options):
    others = options.pop("others", {})
    manifest, published = project(text, shelf, **others)
    return relocked(manifest, before or Lock(), published, **options)


def test_what_is_asked_and_required_is_locked(shelf):
    lock = lock_of('quiz = "^1"', shelf)
    assert lock.versions == {"quiz": "1.1.0", "words": "1.1.0"}
    assert lock.prompts["quiz"] == shelf.verified("quiz", "1.1.0").locked()


def test_a_lock_that_fits_is_not_changed_and_nobody_is_asked(shelf):
    before = lock_of('quiz = "1.0.0"', shelf)
    shelf.release("words", "1.2.0")
    shelf.asked.clear()
    assert lock_of('quiz = "^1"', shelf, before) == before
    assert shelf.asked == []


def test_what_is_added_leaves_the_rest_as_it_is(shelf):
    before = lock_of('quiz = "1.0.0"', shelf)
    shelf.release("words", "1.2.0").release("exam", requires={"words": "^1.0"}).asked.clear()
    after = lock_of('quiz = "^1"\nexam = "*"', shelf, before)
    assert after.versions == {"exam": "1.0.0", "quiz": "1.0.0", "words": "1.1.0"}
    assert shelf.asked == ["exam"]


def test_other_names_change_where_they_must(shelf):
    before = lock_of('quiz = "1.0.0"', shelf)
    shelf.release("exam", requires={"words": "^2"}).release(
        "quiz", "1.2.0", requires={"words": "^2"}
    )
    after = lock_of('quiz = "^1"\nexam = "*"', shelf, before)
    assert after.versions == {"exam": "1.0.0", "quiz": "1.2.0", "words": "2.0.0"}


def test_an_update_changes_what_it_names(shelf):
    before = lock_of('quiz = "1.0.0"', shelf)
    shelf.release("words", "1.2.0")
    assert lock_of('quiz = "^1"', shelf, before, update=["words"]).versions == {
        "quiz": "1.0.0",
        "words": "1.2.0",
    }
    assert lock_of('quiz = "^1"', shelf, before, update=["quiz"]).versions == {
        "quiz": "1.1.0",
        "words": "1.1.0",
    }
    precise = lock_of('quiz = "^1"', shelf, before, update=["words"], precise={"words": "1.0.0"})
    assert precise.versions == {"quiz": "1.0.0", "words": "1.0.0"}


def test_an_exact_version_that_does_not_fit_is_told(shelf):
    with pytest.raises(FindingsError) as caught:
        lock_of('quiz = "^1.1"', shelf, precise={"quiz": "1.0.0"})
    assert caught.value.details[:2] == (
        "`--precise` asks for quiz 1.0.0",
        "psreg.toml:2 asks for quiz ^1.1",
    )


def test_what_is_no_longer_needed_is_not_locked(shelf):
    before = lock_of('quiz = "^1"\nwords = "^1"', shelf)
    assert lock_of('words = "^1"', shelf, before).versions == {"words": "1.1.0"}


def test_what_is_required_is_of_the_same_registry(shelf):
    other = Shelf(OTHER).release("exam", requires={"words": "*"}).release("words", "0.1.0")
    lock = lock_of('exam = {version = "*", registry = "work"}', shelf, others={"work": other})
    assert {each.registry for each in lock.prompts.values()} == {OTHER}
    assert lock.versions["words"] == "0.1.0"
    # A second lock asks the same registry for it, although psreg.toml does not say so.
    again = lock_of(
        'exam = {version = "*", registry = "work"}',
        shelf,
        lock,
        others={"work": other},
        update=["words"],
    )
    assert again == lock


@pytest.mark.parametrize("listed", ["", 'words = "*"\n'])
def test_a_name_of_two_registries_is_refused(shelf, listed):
    other = Shelf(OTHER).release("exam", requires={"words": "*"}).release("words", "9.0.0")
    text = f'quiz = "*"\n{listed}exam = {{version = "*", registry = "work"}}'
    with pytest.raises(FindingsError) as caught:
        lock_of(text, shelf, others={"work": other})
    assert caught.value.code == "NAME_OF_TWO_REGISTRIES"
    assert "prompts.example.org" in caught.value.message


def test_what_several_require_is_bound_once(shelf):
    shelf.release("exam", requires={"words": "^1", "quiz": "^1"})
    text = 'exam = "*"\nquiz = "*"'
    lock = lock_of(text, shelf)
    assert lock_of(text, shelf, lock) == lock
    assert lock.versions == {"exam": "1.0.0", "quiz": "1.1.0", "words": "1.1.0"}


def test_another_registry_of_a_name_changes_its_entry_if_that_is_accepted(shelf):
    shelf.release("exam")
    before = lock_of('quiz = "^1"\nexam = "*"', shelf)
    other = Shelf(OTHER).release("words", "1.1.0").release("exam")
    other.release("quiz", "1.1.0", requires={"words": "^1"})
    work = '{version = "*", registry = "work"}'
    text = f"quiz = {work}\nexam = {work}"

    def locked(**options):
        return lock_of(text, shelf, before, others={"work": other}, **options)

    with pytest.raises(TrustError) as caught:
        locked()
    assert caught.value.code == "TRUST_OTHER_REGISTRY"
    assert caught.value.message == (
        f"exam is locked from the registry {ID}, and would be from {OTHER}"
    )
    assert [text.partition(" ")[0] for text in caught.value.details] == ["quiz", "words"]
    assert "`psreg update exam quiz words`" in caught.value.hint
    with pytest.raises(TrustError) as caught:
        locked(elsewhere=["quiz"])  # and what it requires
    assert "`psreg update exam`" in caught.value.hint
    after = locked(elsewhere=["quiz", "exam"])
    assert {each.registry for each in after.prompts.values()} == {OTHER}


def test_many_names_of_another_registry_are_not_all_told(shelf):
    other = Shelf(OTHER)
    names = [f"name{number}" for number in range(23)]
    for name in names:
        shelf.release(name)
        other.release(name)
    before = lock_of("\n".join(f'{name} = "*"' for name in names), shelf)
    text = "\n".join(f'{name} = {{version = "*", registry = "work"}}' for name in names)
    with pytest.raises(TrustError) as caught:
        lock_of(text, shelf, before, others={"work": other})
    assert (len(caught.value.details), caught.value.details[-1]) == (20, "and 3 more")
    assert "`psreg update NAME…`" in caught.value.hint


def test_who_requires_an_unknown_name_is_told(shelf):
    shelf.release("exam", requires={"wordz": "*"})
    with pytest.raises(
        UnavailableError, match=r"no entry named `wordz`, which exam 1\.0\.0 requires"
    ):
        lock_of('exam = "*"', shelf)
    with pytest.raises(UnavailableError, match=r"no entry named `nothing`$"):
        lock_of('nothing = "*"', shelf)


def test_a_release_that_is_refused_is_not_locked(shelf):
    shelf.refused.add("words 1.1.0")
    with pytest.raises(TrustError, match="log"):
        lock_of('quiz = "^1"', shelf)


KEYS = ("SHA256:" + "A" * 43,)


def test_a_signed_release_is_not_followed_by_an_unsigned_one(shelf):
    lock = lock_of('quiz = "1.0.0"', shelf)
    signed = dataclasses.replace(lock.prompts["quiz"], owners=KEYS, statement="ab" * 32)
    before = Lock(prompts={**lock.prompts, "quiz": signed})
    with pytest.raises(TrustError) as caught:
        lock_of('quiz = "^1.1"', shelf, before)
    assert caught.value.code == "TRUST_OWNER_CHANGED"
    assert (
        lock_of('quiz = "^1.1"', shelf, before, accept_owners=["quiz"]).versions["quiz"] == "1.1.0"
    )


def test_a_locked_release_must_be_what_was_signed(shelf):
    manifest, published = project('quiz = "^1"', shelf)
    lock = relocked(manifest, Lock(), published)
    assert published.locked(lock.prompts["quiz"]).locked() == lock.prompts["quiz"]
    with pytest.raises(TrustError, match="sha256"):
        published.locked(dataclasses.replace(lock.prompts["quiz"], sha256="0" * 64))
    with pytest.raises(TrustError) as caught:
        published.locked(dataclasses.replace(lock.prompts["quiz"], registry=OTHER))
    assert caught.value.code == "TRUST_OTHER_REGISTRY"


def test_a_version_that_the_registry_does_not_have(shelf):
    _, published = project('quiz = "^1"', shelf)
    with pytest.raises(UnavailableError, match=r"no quiz 9\.0\.0, which psreg\.lock has"):
        published.verified("quiz", "9.0.0")


def test_a_revoked_release_is_refused(shelf):
    revoked = {"action": 1, "reason": "bad", "kind": "revoke", "date": "2026-11-21T05:00:00Z"}
    row = shelf.signer.records["words"]["releases"][1]
    row |= {"revoked": revoked, "v": 2}
    manifest, published = project('words = "1.1.0"', shelf)
    with pytest.raises(TrustError) as caught:
        published.verified("words", "1.1.0")
    assert caught.value.code == "TRUST_REVOKED"
    with pytest.raises(TrustError) as caught:
        relocked(manifest, Lock(), published)
    assert caught.value.code == "TRUST_REVOKED"


def test_what_is_written_for_added_names(shelf):
    manifest, published = project('words = {version = "^2", registry = "work"}', shelf)
    other = Shelf(OTHER).release("words", "1.5.0-rc.1").release("words", "1.4.0+x")
    opened = opener(usual=shelf, work=other).opens

    def entries(registry, *texts):
        requests = map(parse_request, texts)
        return entries_for(requests, manifest, registry, lambda _, spelled: opened(spelled))

    assert entries(None, "quiz", "words@~1.0") == {
        "quiz": "^1.1.0",
        "words": {"version": "~1.0", "registry": "work"},
    }
    assert entries(None, "words") == {"words": {"version": "^1.4.0", "registry": "work"}}
    assert entries("work", "quiz@~2.0") == {"quiz": {"version": "~2.0", "registry": "work"}}
    assert published.registry("quiz").id == ID


def test_a_statement_that_no_owner_signed_is_locked_without_owners(shelf):
    envelope = {"payload": "e30=", "payloadType": "x", "signatures": []}
    shelf.release("signed", statement=envelope)
    locked = lock_of('signed = "*"', shelf).prompts["signed"]
    assert locked.owners == ()
    assert locked.statement is not None


def test_what_is_installed_with_requested_prompts(shelf):
    from_request = [parse_request("quiz@^1")]
    found = with_required(from_request, lambda _: shelf, {"words": "1.0.0", "quiz": "1.0.0"})
    assert [str(request) for request, _ in found] == ["quiz@=1.1.0", "words@=1.1.0"]
    found = with_required(
        [parse_request("quiz@1.0.0")], opener(usual=shelf).opens, {"words": "1.0.0"}
    )
    assert [str(request) for request, _ in found] == ["quiz@=1.0.0", "words@=1.0.0"]


def test_what_is_listed_and_required_stays_of_the_registry_it_is_listed_with(shelf):
    text = 'quiz = "*"\nwords = "^1"'
    lock = lock_of(text, shelf)
    _, published = project(text, shelf)
    published.bind(Lock(prompts={"quiz": lock.prompts["quiz"]}))
    assert published.registry("words").id == ID
    assert lock_of(text, shelf, lock) == lock
