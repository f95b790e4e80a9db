"""Where things are kept: the XDG rules, and PSREG_HOME before them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from psreg.core.errors import TrustError
from psreg.system.user_folders import (
    cache_dir,
    journal_dir,
    keys_dir,
    library_dir,
    registries_dir,
    system_config_file,
    user_config_file,
)

PLACES = {
    "data/keys": (keys_dir, "XDG_DATA_HOME", ".local/share"),
    "data/library": (library_dir, "XDG_DATA_HOME", ".local/share"),
    "data/registries": (registries_dir, "XDG_DATA_HOME", ".local/share"),
    "config/config.toml": (user_config_file, "XDG_CONFIG_HOME", ".config"),
    "state": (journal_dir, "XDG_STATE_HOME", ".local/state"),
}

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="XDG is for Linux")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PSREG_HOME", "XDG_CONFIG_DIRS", *(v for _, v, _ in PLACES.values())):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def within(kind: str) -> list[str]:
    """Return the path of a place below the folder of its kind."""
    return kind.split("/")[1:]


@pytest.mark.parametrize("kind", PLACES)
def test_defaults_are_below_home(kind: str, tmp_path: Path) -> None:
    function, _, default = PLACES[kind]
    assert function() == Path(tmp_path, default, "psreg", *within(kind))
    assert not function().exists()


@pytest.mark.parametrize("kind", PLACES)
def test_xdg_variables(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    function, variable, default = PLACES[kind]
    monkeypatch.setenv(variable, "/elsewhere")
    assert function() == Path("/elsewhere/psreg", *within(kind))
    for ignored in ("relative", ""):
        monkeypatch.setenv(variable, ignored)
        assert function() == Path(tmp_path, default, "psreg", *within(kind))


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


PRINT_FOLDER = "from psreg.system.user_folders import keys_dir; import sys; keys_dir();"
PRINT_LOADED = "print('platformdirs' in sys.modules)"


@pytest.mark.parametrize(
    ("home", "data", "loaded"),
    [("/stick", "relative", "False"), ("", "/data", "False"), ("", "relative", "True")],
)
def test_platformdirs_is_loaded_where_something_is_unusual(
    home: str, data: str, loaded: str
) -> None:
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", PRINT_FOLDER + PRINT_LOADED],
        env={**os.environ, "PSREG_HOME": home, "XDG_DATA_HOME": data, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == loaded


@pytest.mark.parametrize("home", ["/home/ada", "/home/ada/", "/", "//x", "/a b/~", "ada", "", None])
@pytest.mark.parametrize(
    "named", ["/x", "/x/", "//x", "/x/../y", "~/x", "x", " /x", "/x:/y", "", None]
)
def test_the_folders_are_those_of_platformdirs(
    home: str | None, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {variable for _, variable, _ in PLACES.values()}
    for variable in (*variables, "XDG_CACHE_HOME", "XDG_CONFIG_DIRS"):
        monkeypatch.delenv(variable, raising=False)
        if named is not None:
            monkeypatch.setenv(variable, named)
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)
    for ours, theirs in (
        (library_dir().parent, platformdirs.user_data_dir),
        (user_config_file().parent, platformdirs.user_config_dir),
        (journal_dir(), platformdirs.user_state_dir),
        (cache_dir(), platformdirs.user_cache_dir),
        (system_config_file().parent, platformdirs.site_config_dir),
    ):
        assert ours == Path(theirs("psreg", appauthor=False))


OWN = (keys_dir, library_dir, registries_dir, journal_dir, cache_dir)


def test_what_psreg_makes_itself_is_no_link(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    for kind in ("data", "state", "cache", "config"):
        (tmp_path / kind).symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("PSREG_HOME", str(tmp_path))
    for function in OWN:
        with pytest.raises(TrustError, match="is a symbolic link") as caught:
            function()
        assert caught.value.code == "STATE_LINKED"
    assert user_config_file() == tmp_path / "config/config.toml"


def test_what_the_user_names_may_be_a_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("PSREG_HOME", str(tmp_path / "link"))
    assert keys_dir() == tmp_path / "link/data/keys"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link away")
@pytest.mark.parametrize(("mode", "refused"), [(0o1777, True), (0o775, True), (0o755, False)])
def test_a_link_of_another_user_counts_only_where_nobody_else_may_write(
    mode: int, refused: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.symlink_to(tmp_path)
    os.lchown(home, 65534, 65534)
    tmp_path.chmod(mode)
    monkeypatch.setenv("PSREG_HOME", str(home))
    if refused:
        with pytest.raises(TrustError, match="is a symbolic link") as caught:
            user_config_file()
        assert "belongs to another user" in caught.value.hint
    else:
        assert user_config_file() == home / "config/config.toml"
