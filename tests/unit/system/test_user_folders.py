"""Where things are kept: the XDG rules, and PSREG_HOME before them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from psreg.system.user_folders import config_dir, data_dir, state_dir, system_config_file

PLACES = {
    "data": (data_dir, "XDG_DATA_HOME", ".local/share"),
    "config": (config_dir, "XDG_CONFIG_HOME", ".config"),
    "state": (state_dir, "XDG_STATE_HOME", ".local/state"),
}

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG is for Linux")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PSREG_HOME", "XDG_CONFIG_DIRS", *(v for _, v, _ in PLACES.values())):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("kind", PLACES)
def test_defaults_are_below_home(kind: str, tmp_path: Path) -> None:
    function, _, default = PLACES[kind]
    assert function() == tmp_path / default / "psreg"
    assert not function().exists()


@pytest.mark.parametrize("kind", PLACES)
def test_xdg_variables(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    function, variable, default = PLACES[kind]
    monkeypatch.setenv(variable, "/elsewhere")
    assert function() == Path("/elsewhere/psreg")
    for ignored in ("relative", ""):
        monkeypatch.setenv(variable, ignored)
        assert function() == tmp_path / default / "psreg"


@pytest.mark.parametrize("kind", PLACES)
def test_psreg_home_comes_first(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, variable, _ = PLACES[kind]
    monkeypatch.setenv(variable, "/elsewhere")
    monkeypatch.setenv("PSREG_HOME", "/stick")
    assert function() == Path("/stick", kind)
    monkeypatch.setenv("PSREG_HOME", "here")
    assert function() == Path.cwd() / "here" / kind


def test_the_administrators_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system_config_file() == Path("/etc/xdg/psreg/config.toml")
    monkeypatch.setenv("XDG_CONFIG_DIRS", "/site:/other")
    assert system_config_file() == Path("/site/psreg/config.toml")
    monkeypatch.setenv("XDG_CONFIG_DIRS", "relative")
    assert system_config_file() == Path("/etc/xdg/psreg/config.toml")
    monkeypatch.setenv("PSREG_HOME", "/stick")
    assert system_config_file() == Path("/stick/system/config.toml")


PRINT_FOLDER = "from psreg.system.user_folders import data_dir; import sys; data_dir();"
PRINT_LOADED = "print('platformdirs' in sys.modules)"


@pytest.mark.parametrize(("home", "loaded"), [("/stick", "False"), ("", "True")])
def test_psreg_home_spares_the_import_of_platformdirs(home: str, loaded: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT_FOLDER + PRINT_LOADED],
        env={**os.environ, "PSREG_HOME": home, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == loaded
