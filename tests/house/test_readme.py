"""The README's tour is run as it stands: same commands, same output.

`PSREG_WRITE_README=1` writes what was seen into the README instead of comparing.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from support.paths import ROOT

README = ROOT / "README.md"
AUTHOR = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def run(command, cwd, env):
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        env=env,
        check=False,
        timeout=120,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout


def test_the_tour(tmp_path):
    home, checkout = tmp_path / "home", tmp_path / "psreg"
    shutil.copytree(ROOT / "pbes", checkout / "pbes")
    (checkout / "registry").mkdir()
    shutil.copy(ROOT / "registry/policy.toml", checkout / "registry")
    for step in (["init", "-q"], ["add", "."], [*AUTHOR, "commit", "-q", "-m", "tour"]):
        subprocess.run(["git", *step], cwd=checkout, check=True)
    env = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
    }
    text = README.read_text()
    commands = [line[2:] for line in BLOCK.search(text)[1].splitlines() if line.startswith("$ ")]
    seen = "".join(
        f"$ {command}\n{tidy(run(command, checkout, env), home, checkout)}" for command in commands
    )
    if os.environ.get("PSREG_WRITE_README"):
        README.write_text(BLOCK.sub(lambda _: f"```console\n{seen}```", text))
    assert BLOCK.search(README.read_text())[1] == seen


def test_the_picture_is_there_and_small():
    (path,) = re.findall(r"!\[[^\]]{40,}\]\(([^)]+)\)", README.read_text())
    data = (ROOT / path).read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert len(data) < 150_000


def test_it_begins_with_what_this_is_and_says_how_to_begin():
    text = README.read_text()
    order = [
        "A **PBE** (Prompt-Based Executable",
        "A **`.prompt`** is a text with variables",
        "psreg is for people who",
        "![The catalogue",
        *(f"\npsreg {command} " for command in ("search", "info", "install", "copy")),
        "## Install psreg",
        *("\npip install .", "\npip install git+https://", ".whl"),
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    install, _, here = text.partition("## Install psreg")[2].partition("\n## ")
    assert "It was run on Debian" in install
    assert "`make test` also needs Chromium" in here


def tidy(output, home, checkout):
    """Replace what differs from machine to machine: folders, keys, and digests made of keys."""
    output = output.replace(str(checkout), "/home/ana/psreg").replace(str(home), "/home/ana")
    output = re.sub(r"registry id [0-9a-f]{32}", "registry id 2f0c…", output)
    output = re.sub(r"(--root-sha256|root) [0-9a-f]{16,64}…?", r"\1 9c41…", output)
    return re.sub(r"\b([0-9a-f]{8})[0-9a-f]{56}\b", r"\1…", output)


def test_every_extra_is_in_the_table():
    rows = re.findall(r"^\| (`[a-z`, ]+) \| ", README.read_text(), re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*re.findall(r"[a-z]+", " ".join(rows))} == {*extras["optional-dependencies"]}
