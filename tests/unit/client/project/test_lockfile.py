"""`psreg.lock`: stable bytes, read strictly, and a later format says so."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.client.project.lockfile import Lock, LockedPrompt, line_of, no_lock
from psreg.core.errors import FindingsError, UnavailableError
from psreg.core.identity import ReleaseId

ID, SHA = "0123456789abcdef" * 2, "ab" * 32
KEY = f"SHA256:{'A' * 43}"


def prompt(name="quiz", version="1.2.0", **values):
    release = ReleaseId(entry_class="prompt", name=name, version=version)
    return LockedPrompt(**{"release": release, "registry": ID, "sha256": SHA, "size": 3, **values})


def lock(*prompts):
    return Lock(prompts={each.name: each for each in prompts})


QUIZ = prompt(statement="cd" * 32, owners=(KEY,), requires={"words": "~1.0", "book": "^2"})


def test_what_is_written_is_read():
    written = lock(QUIZ, prompt("words"))
    assert Lock.read(written.to_bytes()) == written
    assert Lock.read(Lock().to_bytes()) == Lock()
    assert written.versions == {"quiz": "1.2.0", "words": "1.2.0"}


def test_the_bytes_do_not_depend_on_the_order():
    one = lock(prompt("b", requires={"y": "*", "x": "*"}), prompt("a"))
    two = lock(prompt("a"), prompt("b", requires={"x": "*", "y": "*"}))
    assert one.to_bytes() == two.to_bytes()
    assert one.to_bytes().endswith(b"\n")


def test_a_change_of_one_release_changes_its_lines_only():
    before = lock(prompt("a"), prompt("b"), prompt("c")).to_bytes().splitlines()
    after = lock(prompt("a"), prompt("b", "1.3.0"), prompt("c")).to_bytes().splitlines()
    assert [x for x, y in zip(before, after, strict=True) if x != y] == [
        b'      "version": "1.2.0",'
    ]


def test_the_line_of_an_entry():
    data = lock(prompt("a"), prompt("b")).to_bytes()
    assert data.splitlines()[line_of(data, "b") - 1] == b'    "b": {'
    assert line_of(data, "c") == 1


def changed(**members):
    value = json.loads(lock(QUIZ).to_bytes())
    value["prompts"]["quiz"] |= members
    return json.dumps(value).encode()


def without(key):
    value = json.loads(lock(QUIZ).to_bytes())
    del value["prompts"]["quiz"][key]
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "signed data is not plain JSON"),
        (b"<<<<<<< HEAD\n{}", ""),
        (b"[]", "the lock is not an object"),
        (b"{}", "'schema' is missing"),
        (b'{"schema": "x", "prompts": {}}', "its schema is not 'psreg.lock/1'"),
        (b'{"schema": "psreg.lock/1", "prompts": {}, "more": 1}', "unknown keys"),
        (b'{"schema": "psreg.lock/1", "prompts": {"a": 1, "a": 2}}', "same key twice"),
        (b'{"schema": "psreg.lock/1", "prompts": {"a": 1}}', "`a` is not an object"),
        (b"[" * 100, ""),
        (b" " * (16 * 1024 * 1024 + 1), "it has more than 16,777,216 bytes"),
        (changed(version="1.2"), "1.2"),
        (changed(version="../../x"), "not"),
        (changed(**{"class": "elsewhere"}), "unknown class"),
        (changed(registry="x"), "`registry` or `size` is not valid"),
        (changed(size=-1), "`registry` or `size` is not valid"),
        (changed(size=True), "'size' is not an integer"),
        (changed(sha256="AB" * 32), "64 lower-case hexadecimal digits"),
        (changed(statement=1), "'statement' is not a string"),
        (changed(owners=["x"]), "`owners` are not fingerprints"),
        (changed(owners=[KEY] * 101), "`owners` are not fingerprints"),
        (changed(owners=[1]), "`owners` are not fingerprints"),
        (changed(requires={"A B": "*"}), "`requires` does not map names to ranges"),
        (changed(requires={"book": 1}), "`requires` does not map names to ranges"),
        (changed(requires={"book": "latest"}), "latest"),
        (changed(more=1), "unknown key 'more'"),
        (without("statement"), "statement"),
        (lock(QUIZ).to_bytes().replace(b'"quiz"', b'"../quiz"'), "is not a valid name"),
    ],
)
def test_everything_else_is_refused(data, told):
    with pytest.raises(FindingsError) as caught:
        Lock.read(data)
    assert caught.value.code == "LOCK_INVALID"
    assert told.removeprefix("signed data is not plain JSON") in caught.value.message


def test_too_many_prompts():
    value = {"schema": "psreg.lock/1", "prompts": {f"p{n}": {} for n in range(10_001)}}
    with pytest.raises(FindingsError, match="too many prompts"):
        Lock.read(json.dumps(value).encode())


def test_a_lock_of_the_future_needs_a_newer_psreg():
    with pytest.raises(UnavailableError) as caught:
        Lock.read(b'{"schema": "psreg.lock/2", "other": true}')
    assert caught.value.code == "NEWER_FORMAT"
    assert "psreg.lock has the format psreg.lock/2" in caught.value.message


def test_no_lock():
    assert (no_lock().code, no_lock().exit_code) == ("NO_LOCK", 1)


@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(data):
    with suppress(FindingsError):
        Lock.read(data)
