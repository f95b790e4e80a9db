"""Names, formats, and the paths that follow from a release's identity."""

from pathlib import PurePosixPath

import pytest

from psreg.core.classes import CLASSES, Format, detect_format, format_of_class
from psreg.core.identity import EntryId, ReleaseId, is_name


@pytest.mark.parametrize("name", ["a", "quiz", "simple_quiz", "a1_2b", "x" * 64])
def test_names(name):
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "_a",
        "a_",
        "a__b",
        "1a",
        "A",
        "a-b",
        "a.b",
        "a/b",
        "quiz\n",
        "é",
        "x" * 65,
        "a b",
        "..",
        "a" + chr(0x0661),
    ],
)
def test_what_is_no_name(name):
    assert not is_name(name)


@pytest.mark.parametrize(
    ("filename", "text", "found"),
    [
        ("x.pbe.txt", "", Format.PBE),
        ("x.pbe", "", Format.PBE),
        ("x.prompt", "{", Format.PROMPT),
        ("x.txt", " \n{", Format.PBE),
        ("x", "\ufeff{", Format.PBE),
        ("x", "[METADATA]\n", Format.PROMPT),
        ("x", "(% c %)", Format.PROMPT),
        ("x", "hello", None),
        ("x", "", None),
        ("x.json", "[1]", None),
    ],
)
def test_format_by_suffix_then_by_content(filename, text, found):
    assert detect_format(filename, text) is found


def test_paths_follow_from_the_identity():
    release = ReleaseId(entry_class="prompt", name="a_b", version="1.0.0")
    assert str(release.artifact) == "pbes/prompt/a_b/1.0.0/a_b.prompt"
    assert ReleaseId.of(release.artifact) == release
    assert ReleaseId.of(release.folder) == release
    assert format_of_class("interactive_engine").media_type == "application/json"
    assert format_of_class("prompt").media_type == "text/plain; charset=utf-8"
    assert {format_of_class(c) for c in CLASSES} == set(Format)


@pytest.mark.parametrize(
    "path",
    [
        "pbes/prompt/a",
        "pbes",
        "pbes/other/a/1.0.0",
        "x/prompt/a/1.0.0",
        "pbes/prompt/A/1.0.0",
        "pbes/prompt/a/1.0",
    ],
)
def test_paths_that_name_no_release(path):
    assert ReleaseId.of(PurePosixPath(path)) is None


def test_paths_of_an_entry():
    entry = EntryId("prompt", "a_b")
    assert str(entry.file) == "pbes/prompt/a_b/entry.toml"
    assert EntryId.of(entry.file) == EntryId.of(entry.folder) == entry
    assert entry.is_valid
    release = ReleaseId(entry_class="prompt", name="a_b", version="1.0.0")
    assert EntryId.of(release.artifact) == release.entry == entry


@pytest.mark.parametrize("path", ["", "pbes", "pbes/prompt", "x/prompt/a_b", "prompt/a_b/1.0.0"])
def test_a_path_above_and_outside_of_entries_is_in_none(path):
    assert EntryId.of(PurePosixPath(path)) is None


@pytest.mark.parametrize("path", ["pbes/prompts/a_b", "pbes/prompt/A-b/1.0.0"])
def test_the_folders_of_an_entry_may_say_what_they_must_not(path):
    entry = EntryId.of(PurePosixPath(path))
    assert entry
    assert not entry.is_valid
