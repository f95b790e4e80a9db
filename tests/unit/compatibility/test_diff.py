"""Comparing what a person named: versions that may come next, what is refused."""

import json

import pytest

from psreg.compatibility.compared_side import artifact_side
from psreg.compatibility.diff import compare, compare_named, file_operand, folder_operand
from psreg.core.classes import Format
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import ReleaseId
from psreg.core.version import Step

PROMPT = "[METADATA]\n@dotprompt_format_version 0.0.1\n{}[CONTENT]\nHello {{name}}.\n"


def prompt(version="", more=""):
    line = f"@version {version}\n" if version else ""
    text = PROMPT.format(line).replace("Hello", f"Hello{more}")
    return file_operand(text.encode(), "hello.prompt")


@pytest.mark.parametrize(
    ("version", "more", "least"),
    [
        ("1.0.0", " {more}", "2.0.0"),
        ("0.3.1", " {more}", "0.4.0"),
        ("1.0.0", " dear", "1.0.1"),
        ("0.3.1", " dear", "0.3.2"),
        ("1.0.0", "", "None"),
        ("1.0.0-rc.1", " {more}", "None"),
        ("1.0", " {more}", "None"),
        ("", " {more}", "None"),
    ],
)
def test_the_least_version(version, more, least):
    assert str(compare_named(prompt(version), prompt(version, more)).least) == least


def test_the_version_of_a_folder_wins():
    release = ReleaseId(entry_class="prompt", name="hello", version="1.4.0")
    files = {"hello.prompt": PROMPT.format("").encode(), "other.prompt": b""}
    assert folder_operand(files, "x", release).version == "1.4.0"
    assert file_operand(files["hello.prompt"], "hello.prompt", "1.5.0").version == "1.5.0"
    assert prompt("1.2.0").version == "1.2.0"


@pytest.mark.parametrize(
    "files", [{}, {"evidence/a.prompt": b""}, {"a.prompt": b"", "b.prompt": b""}]
)
def test_a_folder_holds_one_artifact(files):
    with pytest.raises(UsageError) as caught:
        folder_operand(files, "there")
    assert caught.value.code == "NO_ARTIFACT"


def test_a_folder_from_elsewhere():
    pbe = {"x.pbe.txt": json.dumps({"pbe_name": "x", "pbe_version": "1.0.0"}).encode()}
    release = {"release.toml": b'license = "MIT"\n', "README.md": b"# X\n"}
    before = folder_operand(pbe | release, "before")
    after = folder_operand(pbe | {"README.md": b"# Y\n"}, "after")
    assert before.version == "1.0.0"
    found = compare_named(before, after)
    assert [(d.row, d.pointer) for d in found.differences] == [("FILES", "README.md")]
    assert not found.behaviour


def test_what_is_not_compared():
    unreadable = file_operand(b"{", "x.pbe.txt")
    pbe = file_operand(b'{"a": 1}', "x.pbe.txt")
    for pair in ((unreadable, pbe), (pbe, unreadable)):
        with pytest.raises(FindingsError) as caught:
            compare_named(*pair)
        assert caught.value.code == "UNREADABLE"
    with pytest.raises(UsageError) as caught:
        compare_named(pbe, prompt())
    assert caught.value.code == "NOT_COMPARABLE"
    with pytest.raises(UsageError) as caught:
        file_operand(b"neither", "x.txt")
    assert caught.value.code == "UNKNOWN_FORMAT"


def test_sides_are_compared_whatever_they_are():
    broken = artifact_side(b"{", Format.PBE)
    assert compare(broken, prompt().side).floor is Step.NONE
    found = compare(prompt("1.0.0").side, prompt("1.0.0", " dear").side)
    assert (found.floor, found.behaviour, str(found.least)) == (Step.PATCH, True, "1.0.1")
