"""The note of a mirror of only some names: it explains an error, whatever is in it."""

import pytest

from psreg.client.mirror.partial import PATH, not_mirrored, note
from simulator import Simulator


@pytest.fixture
def mirror():
    return Simulator()


def test_a_name_that_the_mirror_lacks(mirror):
    mirror.files[PATH] = note({"quiz", "glossary"})
    error = not_mirrored("diary", mirror)
    assert (error.code, error.exit_code) == ("NOT_MIRRORED", 4)
    assert "`diary` is not in https://registry.invalid" in error.message
    assert "--only diary" in error.hint


def test_a_name_that_it_should_have(mirror):
    mirror.files[PATH] = note({"quiz", "glossary"})
    assert not_mirrored("quiz", mirror) is None


@pytest.mark.parametrize(
    "data", [None, b"", b"[]", b"{}", b"[" * 100_000, b'{"names": 1}', b"x" * 2_000_000, b"\xff"]
)
def test_what_is_not_a_note_explains_nothing(mirror, data):
    mirror.files |= {} if data is None else {PATH: data}
    assert not_mirrored("diary", mirror) is None
