"""The wheel is enough: without the repository it checks, publishes, builds and installs."""

import json
import os
import subprocess
import sys

import pytest

import generate


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the folder into which the wheel of this repository was installed."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    target = tmp_path_factory.mktemp("installed") / "target"
    subprocess.run([*pip, "install", "--no-deps", "--target", target, wheel], check=True)
    return target


def test_the_whole_journey_without_the_repository(installed, tmp_path):
    checkout = tmp_path / "registry"
    generate.registry(checkout, 3, "REG011")
    env = {**os.environ, "PYTHONPATH": str(installed), "PSREG_HOME": str(tmp_path / "home")}

    def psreg(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "psreg", *arguments],
            cwd=checkout,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = subprocess.run(
        [sys.executable, "-c", "import psreg; print(psreg.__file__)"],
        cwd=checkout,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    psreg("check", "pbes")
    assert len(json.loads(psreg("publish", "--format", "json"))["released"]) == 3
    psreg("site", "build", "--out", str(tmp_path / "site"))
    assert (tmp_path / "site/interactive_engine/made_1/index.html").is_file()
    psreg("install", "made_1", "--registry", str(tmp_path / "site"), "--to", str(tmp_path / "d"))
    assert (tmp_path / "d/made_1.pbe.txt").read_text() == generate.engine("made_1", 1)
