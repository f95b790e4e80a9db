"""What is left to write, as lines for a person and as data."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.todo import TodoItem, print_todo, todo_documents
from psreg.core.diagnostics import ERROR, INFO
from psreg.core.identity import ReleaseId
from psreg.system.console import Console

RELEASE = ReleaseId(entry_class="prompt", name="x", version="0.1.0")
FILES = [PurePosixPath("pbes/prompt/x/entry.toml")]


def gap(severity, **changes):
    values = {"path": "release.toml", "line": 3, "column": 1, "pointer": "/summary"}
    values |= {"code": "REG010", "severity": severity, "message": "too short", "write": ""}
    return TodoItem(**values | changes)


MUST, MAY = gap(ERROR, write="One sentence."), gap(INFO, line=4, code="PROMPT014")


def test_what_must_be_written_comes_first(capsys):
    print_todo(Console(), RELEASE, FILES, (MAY, MUST))
    assert capsys.readouterr().out.splitlines() == [
        "wrote pbes/prompt/x/entry.toml",
        "",
        "required before the release:",
        "  release.toml:3: too short [REG010]",
        "      One sentence.",
        "",
        "recommended:",
        "  release.toml:4: too short [PROMPT014]",
        "",
        "next: psreg check pbes/prompt/x/0.1.0",
    ]


@pytest.mark.parametrize(("gaps", "lines"), [((), 0), ((MUST,), 4), ((MAY,), 3)])
def test_quietly_only_what_is_left(capsys, gaps, lines):
    print_todo(Console(quiet=True), RELEASE, FILES, gaps)
    assert len(capsys.readouterr().out.splitlines()) == lines


def test_as_data():
    (document,) = todo_documents((MUST,))
    assert document["severity"] == "error"
    assert document["write"] == "One sentence."
