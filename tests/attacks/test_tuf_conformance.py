"""psreg's client of The Update Framework passes the conformance suite of its authors.

`TUF_CONFORMANCE` names a checkout of theupdateframework/tuf-conformance, in whose environment, `env`,
it is installed. It needs `faketime`.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import METADATA, Simulator
from support.loopback import serving
from support.paths import TESTS

PROGRAM = TESTS / "tuf_client.py"
SUITE = os.environ.get("TUF_CONFORMANCE", "")


@pytest.mark.skipif(not SUITE, reason="TUF_CONFORMANCE does not name a checkout of the suite")
@pytest.mark.unmeasured
def test_the_suite_passes_whole():
    suite = Path(SUITE).resolve()
    command = [suite / "env/bin/pytest", "-q", "tuf_conformance"]
    done = subprocess.run(
        [*command, "--entrypoint", f"{sys.executable} {PROGRAM}"],
        cwd=suite,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_it_is_the_client_that_installs():
    tree = ast.parse(PROGRAM.read_text())
    named = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    named |= {
        alias.name
        for each in ast.walk(tree)
        if isinstance(each, ast.Import)
        for alias in each.names
    }
    assert "psreg.client.tufclient" in named
    assert not any(name.split(".")[0] in ("tuf", "securesystemslib") for name in named)


def client(folder, *arguments):
    command = [sys.executable, PROGRAM, "--metadata-dir", folder / "metadata", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_refreshes_downloads_and_refuses(tmp_path):
    registry = Simulator().release().publish()
    (tmp_path / "metadata").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "root").write_bytes(registry.first_root)
    assert client(tmp_path, "init", tmp_path / "root").returncode == 0
    with serving(registry.files) as server:
        at = ("--metadata-url", f"{server.url}/{METADATA}")
        assert client(tmp_path, *at, "refresh").returncode == 0
        there = (*at, "--target-base-url", f"{server.url}/registry/targets/")
        wanted = ("--target-dir", tmp_path / "out", "--target-name")
        done = client(tmp_path, *there, *wanted, "pkg/quiz_master.json", "download")
        assert done.returncode == 0, done.stdout
        (file,) = (tmp_path / "out").iterdir()
        assert b'"quiz_master"' in file.read_bytes()
        done = client(tmp_path, *there, *wanted, "pkg/diary.json", "download")
        assert (done.returncode, "is not listed" in done.stdout) == (1, True)
        registry.timestamp.version = 0
        registry.files[f"{METADATA}timestamp.json"] = b"{}"
        done = client(tmp_path, *at, "refresh")
        assert (done.returncode, "error[" in done.stdout) == (1, True)
