"""The folders of tests that publish."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "registry"
