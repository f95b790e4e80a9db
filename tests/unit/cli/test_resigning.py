"""`psreg publish --resign` as cron and systemd run it: with the lines of the guide, and one key."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from support.clients import Client
from support.paths import PBES, ROOT
from support.publishing import state_of

GUIDE = (ROOT / "site/docs/guide/maintainers.md").read_text()
PSREG = ROOT / ".venv/bin/psreg"
EMPTY = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "psreg"}
"""What cron sets, besides HOME."""


def block(language: str, has: str) -> str:
    """Return the block of the guide in a language that has some text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return next(each for each in blocks if has in each)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a checkout in `prompts`, and only the timestamp's key in its home."""
    checkout = tmp_path / "prompts"
    shutil.copytree(PBES / "prompt/email_reply", checkout / "pbes/prompt/email_reply")
    (checkout / "registry").mkdir()
    shutil.copy(ROOT / "registry/policy.toml", checkout / "registry")
    maintainer = Client(tmp_path / "maintainer")
    assert maintainer.run("publish", checkout).code == 0
    (key,) = maintainer.home.glob("data/keys/*/timestamp.pem")
    keys = tmp_path / "home/.local/share/psreg/keys" / key.parent.name
    keys.mkdir(parents=True, mode=0o700)
    shutil.copy(key, keys)
    return tmp_path


def run(machine: Path, *argv: str) -> None:
    """Run a command on the machine, and see that nothing is said and the timestamp is newer."""
    before = state_of(machine / "prompts/registry").versions
    env = {**EMPTY, "HOME": str(machine / "home")}
    done = subprocess.run(argv, cwd=machine, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    after = state_of(machine / "prompts/registry").versions
    changed = {role for role in after if after[role] != before.get(role)}
    assert changed <= {"timestamp"}


def here(machine: Path, text: str) -> str:
    """Return a text of the guide with the paths of this machine."""
    places = {"/opt/psreg/bin/psreg": str(PSREG), "/srv/prompts": str(machine / "prompts")}
    for place, ours in places.items():
        assert place in text
        text = text.replace(place, ours)
    return text


def older(machine: Path) -> None:
    """Let the timestamp be signed for a shorter time, so that there is something to renew."""
    policy = machine / "prompts/registry/policy.toml"
    policy.write_text(policy.read_text() + "\n[signatures]\ntimestamp_days = 30\n")


def test_the_line_for_cron(machine: Path) -> None:
    older(machine)
    (line,) = block("crontab", "--resign").splitlines()
    schedule = line.split()[:5]
    assert schedule == ["17", "*/8", "*", "*", "*"]
    command = line.split(None, 5)[5]
    version = state_of(machine / "prompts/registry").versions["timestamp"]
    run(machine, "/bin/sh", "-c", here(machine, command))
    assert state_of(machine / "prompts/registry").versions["timestamp"] == version + 1
    run(machine, "/bin/sh", "-c", here(machine, command))


def test_the_units_for_systemd(machine: Path) -> None:
    older(machine)
    service = here(machine, block("ini", "ExecStart"))
    (command,) = re.findall(r"^ExecStart=(.*)$", service, re.MULTILINE)
    run(machine, *shlex.split(command))
    assert state_of(machine / "prompts/registry").versions["timestamp"] == 2
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze, of the package systemd")
    units = machine / "units"
    units.mkdir()
    for text in (service, block("ini", "OnCalendar")):
        name = text.splitlines()[0].rpartition("/")[2]
        (units / name).write_text(text)
    env = {**EMPTY, "HOME": str(machine / "home"), "SYSTEMD_UNIT_PATH": f"{units}:"}
    argv = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(units.iterdir()))]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "psreg" in line]
    assert (done.returncode, ours) == (0, []), done.stderr
