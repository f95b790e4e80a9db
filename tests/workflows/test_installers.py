"""Each way to install psreg that the guide shows, from a package index on loopback."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import Simulator
from support.paths import ROOT
from support.wheelhouse import closure, package_index, wheels_of

GUIDE = (ROOT / "site/docs/install.md").read_text().partition("## Install psreg")[2]
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE.partition("\n## ")[0], re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def indexed():
    """Serve what psreg needs without extras, and pip, of which pipx makes a copy."""
    with package_index(wheels_of([*closure("psreg"), "pip"])) as server:
        yield server


@pytest.fixture
def shell(indexed, wheel, tmp_path):
    """Return what runs a block of the guide beside the wheel; only the index can be reached."""
    shutil.copy(wheel, tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    simple = f"{indexed.url}/simple/"
    env = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_INDEX_URL": simple,
        "UV_DEFAULT_INDEX": simple,
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
    }

    def run(command, cwd=tmp_path, code=0):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=cwd,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def journey(shell, psreg, folder):
    """Verify and install a prompt with a psreg, and see that it tells what fails."""
    registry = Simulator().release().publish().store(folder / "registry")
    shell(f"{psreg} install quiz_master --registry {registry}")
    assert "quiz_master 1.0.0: verified" in shell(f"{psreg} verify")
    assert "version-not-semver" in shell(f"{psreg} explain PBE006")
    assert "UNKNOWN_NAME" in shell(f"{psreg} info none --registry {registry}", code=4)


@pytest.mark.parametrize(
    ("begins", "psreg"),
    [
        ("uv ", "~/.local/bin/psreg"),
        ("pipx ", "~/.local/bin/psreg"),
        ("python3 -m venv", "~/.psreg/bin/psreg"),
        ("shiv ", "./psreg.pyz"),
    ],
)
def test_it_is_installed_from_a_wheel(shell, tmp_path, begins, psreg):
    (block,) = (each for each in BLOCKS if each.startswith(begins))
    shell(block)
    journey(shell, psreg, tmp_path)


def test_it_is_installed_without_a_network(shell, indexed, tmp_path):
    before, after = BLOCKS[-2:]
    shell(before)
    asked = len(indexed.asked)
    shell(after)
    journey(shell, "~/.psreg/bin/psreg", tmp_path)
    assert len(indexed.asked) == asked


def test_a_wheel_that_was_exchanged_is_refused(shell, tmp_path):
    before, after = BLOCKS[-2:]
    shell(before)
    wheel = next((tmp_path / "wheelhouse").glob("tuf-*.whl"))
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    assert "DO NOT MATCH THE HASHES" in shell(after, code=1)
    assert not (tmp_path / "home/.psreg/bin/psreg").exists()


def test_uv_installs_what_an_extra_adds(shell, tmp_path):
    """Its environments have no pip, so that the hint names uv."""
    shell(BLOCKS[0])
    said = shell("~/.local/bin/psreg deploy s3://bucket", code=4)
    assert "`psreg[deploy]` is not installed" in said
    python = tmp_path / "home/.local/share/uv/tools/psreg/bin/python"
    assert re.search(rf"Run `uv pip install --python {python} 'fsspec>=.*' 's3fs>=.*'`", said)
