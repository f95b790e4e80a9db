"""`psreg man`: pages that the tools for manuals accept, with all that the parsers declare."""

from __future__ import annotations

import re
import subprocess

import pytest

from psreg.cli.commands import COMMANDS
from psreg.cli.main import parser_of
from psreg.cli.parsers import actions_of, commands_of
from support.clients import Client


@pytest.fixture
def client(tmp_path):
    return Client(tmp_path)


@pytest.fixture
def pages(client, tmp_path):
    """Return the folder with all pages."""
    assert client.run("man", "--to", tmp_path / "man").code == 0
    return tmp_path / "man/man1"


def test_mandoc_finds_nothing_but_that_they_have_no_date(pages):
    found = subprocess.run(
        ["mandoc", "-Tlint", "-Wall", *sorted(pages.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = found.stdout.splitlines()
    assert [line for line in lines if 'WARNING: missing date, using "": TH' not in line] == []
    assert len(lines) == len([*pages.iterdir()])


def shown(page):
    """Return a page as it is read."""
    command = ["mandoc", "-Tascii", "-O", "width=200", page]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.sub(".\b", "", done.stdout)  # bold: each letter is struck twice


def parsers(name, parser):
    yield name, parser
    for inner, its in commands_of(parser).items():
        yield from parsers(f"{name}-{inner}", its)


def test_each_command_has_a_page_with_its_options(pages):
    found = dict(
        each for _, name, _ in COMMANDS for each in parsers(f"psreg-{name}", parser_of(name))
    )
    assert {page.stem for page in pages.iterdir()} == {"psreg", *found}
    for name, parser in found.items():
        text = shown(pages / f"{name}.1")
        for action in actions_of(parser):
            for option in action.option_strings:
                assert option in text, (name, option)
        assert "EXAMPLE\n     psreg " in text or "EXAMPLE\n       psreg " in text, name
    overview = shown(pages / "psreg.1")
    assert all(f"psreg-{name}(1)" in overview for _, name, _ in COMMANDS)


def test_one_page_is_printed(client, pages):
    for words, file in (
        ((), "psreg.1"),
        (("install",), "psreg-install.1"),
        (("keys", "create"), "psreg-keys-create.1"),
    ):
        assert client.run("man", *words).out == (pages / file).read_text()


def test_what_is_not_a_command(client, tmp_path):
    done = client.run("man", "keys", "creat")
    assert (done.code, "Did you mean `keys create`?" in done.err) == (2, True)
    assert client.refused("man", "install", "--to", tmp_path) == (2, "USAGE")
    (tmp_path / "file").write_text("")
    assert client.refused("man", "--to", tmp_path / "file") == (4, "CANNOT_WRITE")
