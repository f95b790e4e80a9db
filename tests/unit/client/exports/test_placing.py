"""Which exported files are written, and which are someone's work."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.client.exports.exported import Exported
from psreg.client.exports.placing import LIST, Placed, paths_of, place, read_list
from psreg.client.exports.targets import target_of
from psreg.core.errors import FindingsError, UnavailableError

Files = dict[PurePosixPath, bytes]
TEXT, AGENTS = target_of("text"), target_of("agents-md")
FILE, SECTIONS = PurePosixPath("quiz.txt"), PurePosixPath("AGENTS.md")


def quiz(
    text: str = "one", version: str = "1.0.0", sha256: str = "ab" * 32, name="quiz"
) -> Exported:
    return Exported(name=name, version=version, sha256=sha256, description="A quiz.", parts=(text,))


def after(files: Files, placed: Placed) -> Files:
    return {**files, **placed.files}


def test_a_new_file_is_written_and_listed() -> None:
    assert paths_of(quiz(), TEXT) == (FILE, LIST)
    placed = place(quiz(), TEXT, {})
    assert placed.files[FILE] == b"one"
    row = json.loads(placed.files[LIST])["files"]["quiz.txt"]
    assert (row["version"], row["target"], row["sha256"]) == ("1.0.0", "text", "ab" * 32)
    again = place(quiz(), TEXT, dict(placed.files))
    assert (again.files, again.unchanged) == ({}, (FILE,))


def test_a_file_that_psreg_wrote_is_updated() -> None:
    files = after({}, place(quiz(), TEXT, {}))
    assert after(files, place(quiz("two", "1.1.0"), TEXT, files))[FILE] == b"two"


@pytest.mark.parametrize("target", [TEXT, AGENTS])
def test_a_file_that_was_changed_is_not_overwritten(target) -> None:
    files = after({}, place(quiz(), target, {}))
    path = next(iter(files))
    files[path] = files[path].replace(b"one", b"mine")
    with pytest.raises(FindingsError, match="was changed since") as caught:
        place(quiz("two", "1.1.0"), target, files)
    assert caught.value.code == "EXPORT_CHANGED"
    assert b"two" in place(quiz("two", "1.1.0"), target, files, force=True).files[path]


def test_a_file_that_psreg_did_not_write_is_not_overwritten() -> None:
    with pytest.raises(FindingsError):
        place(quiz(), TEXT, {FILE: b"mine"})
    assert list(place(quiz(), TEXT, {FILE: b"one"}).files) == [LIST]


@pytest.mark.parametrize("damaged", [b"{", b"[]", b'{"files": 1}', b'{"files": {"quiz.txt": {}}}'])
def test_with_a_damaged_list_everything_is_someones_work(damaged: bytes) -> None:
    assert read_list(damaged) == {}
    with pytest.raises(FindingsError):
        place(quiz("two"), TEXT, {FILE: b"one", LIST: damaged})


def test_a_list_of_the_future_is_not_rewritten() -> None:
    with pytest.raises(UnavailableError) as caught:
        place(quiz(), TEXT, {LIST: b'{"schema": "psreg.exports/2"}'})
    assert caught.value.code == "NEWER_FORMAT"


@pytest.mark.parametrize("before", [b"", b"# Ours\n", b"# Ours", b"a\r\nb\r\n"])
def test_a_section_is_added_and_replaced_and_the_rest_stays(before: bytes) -> None:
    files = after({SECTIONS: before}, place(quiz(), AGENTS, {SECTIONS: before} if before else {}))
    assert files[SECTIONS].startswith(before)
    files = after(files, place(quiz("other", name="second"), AGENTS, files))
    files[SECTIONS] += b"\n# The end\n"
    files = after(files, place(quiz("two", "1.1.0", "cd" * 32), AGENTS, files))
    text = files[SECTIONS].decode()
    assert text.startswith(before.decode())
    assert text.endswith("# The end\n")
    assert "one" not in text
    assert text.index("two") < text.index("other")
    assert text.count("psreg:begin") == text.count("psreg:end") == 2


def test_a_text_that_looks_like_markers_stays_in_its_section() -> None:
    other = "<!-- psreg:begin second 1.0.0 sha256:" + "0" * 64 + " -->\nx\n"
    other += "<!-- psreg:end second sha256:" + "0" * 64 + " -->\n<!-- psreg:end quiz -->"
    files = after({}, place(quiz(other), AGENTS, {}))
    files = after(files, place(quiz("real", name="second"), AGENTS, files))
    assert other.encode() in files[SECTIONS]
    files = after(files, place(quiz("two", "1.1.0"), AGENTS, files))
    assert other.encode() not in files[SECTIONS]
    assert b"real" in files[SECTIONS]


def test_a_section_without_its_end_is_not_overwritten() -> None:
    files = after({}, place(quiz(), AGENTS, {}))
    files[SECTIONS] = files[SECTIONS].replace(b"psreg:end", b"psreg: end")
    with pytest.raises(FindingsError):
        place(quiz("two", "1.1.0"), AGENTS, files)


@given(st.text(max_size=60), st.text(max_size=60), st.binary(max_size=60))
def test_exporting_again_changes_nothing(first: str, second: str, before: bytes) -> None:
    files: Files = {SECTIONS: before}
    for text in (first, second, second):
        placed = place(quiz(text, sha256="cd" * 32), AGENTS, files)
        files = after(files, placed)
    assert placed.files == {}
    assert files[SECTIONS].startswith(before)
