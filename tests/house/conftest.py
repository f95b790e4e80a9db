"""The wheel of this repository, built once for all tests that install it."""

import subprocess
import sys

import pytest

from support.paths import ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run([*pip, "wheel", *offline], check=True, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built
