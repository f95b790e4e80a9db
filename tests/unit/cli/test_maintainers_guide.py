"""The guide takes a registry from development to production, and no client has to change anything.

The commands are those of the page, in clones of their own for the one who publishes and for three
holders; only what each of them sees there (keys, the id) is filled in.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from support.owners import ANA, BEN, entry_toml
from support.paths import PBES, ROOT
from support.pipelines import git

GUIDE = ROOT / "site/docs/guide/maintainers.md"
NAME = "email_reply"
HOLDERS = ("ana", "ben", "cem")
SHELL = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def commands(heading: str) -> list[str]:
    """Return the shell blocks below a heading of the guide."""
    text = GUIDE.read_text().partition(f"\n{heading}\n")[2]
    section = re.split(r"^##+ ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return [textwrap.dedent(block) for _, block in SHELL.findall(section)]


class People:
    """Those who maintain a registry, each with a home and a clone of the same repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.origin = root / "origin.git"
        git("init", "--quiet", "--bare", "--initial-branch", "main", str(self.origin), cwd=root)

    def clone(self, who: str) -> Path:
        place = self.root / who / "prompts"
        if not place.exists():
            git("clone", "--quiet", str(self.origin), str(place), cwd=self.root)
            git("config", "user.name", who, cwd=place)
            git("config", "user.email", f"{who}@example.org", cwd=place)
        return place

    def run(self, who: str, script: str, *, code: int = 0, **more: str) -> str:
        """Run lines of a shell in the clone of one person; return what they print.

        `more` are environment variables.
        """
        environ = {key: value for key, value in os.environ.items() if key != "PSREG_HOME"}
        environ |= {
            "HOME": str(self.root / who),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            **more,
        }
        environ.pop("XDG_DATA_HOME", None)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.clone(who),
            env=environ,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def checks(self, who: str, code: int = 0) -> dict[str, str]:
        told = self.run(who, "psreg doctor --production --format json", code=code)
        return {each["id"]: each["status"] for each in json.loads(told)["checks"]}


@pytest.fixture
def people(tmp_path: Path) -> People:
    """The maintainer and a registry with one prompt, made as the guide says."""
    found = People(tmp_path)
    place = found.clone("main")
    (create, *_) = commands("## Create a registry")
    first = create.splitlines()[0].partition("#")[0]
    source = f"--force --psreg 'psreg==0.2.0 --hash=sha256:{64 * '0'}'"
    found.run("main", f"cd .. && {first} {source}")
    shutil.copytree(PBES / "prompt" / NAME, place / "pbes/prompt" / NAME)
    policy = place / "registry/policy.toml"
    waiver = f'\n[[waiver]]\ncode = "REG011"\nnames = ["{NAME}"]\nreason = "Not yet run."\n'
    policy.write_text(policy.read_text() + waiver)
    owners = place / ".github/CODEOWNERS"
    owners.write_text(owners.read_text().replace("/\n", "/ @example/maintainers\n"))
    git("add", "--all", cwd=place)
    git("commit", "--quiet", "--message", "Begin", cwd=place)
    return found


def test_from_development_to_production(people: People) -> None:
    # The registry begins, in development mode.
    (keys, *_) = commands("### The keys")
    publish = [line.partition("  #")[0] for line in keys.splitlines()[:2]]
    people.run("main", "\n".join(publish))
    assert people.run("main", "git status --porcelain") == ""
    people.run("client", f"psreg install {NAME} --registry .")
    assert people.checks("main", code=1)["mode"] == "error"

    create, harden, sign, *rest = commands("## Several holders of the offline keys")
    lines = {}
    for who in HOLDERS:
        lines[who] = people.run(who, create.replace("ana", who)).split()[0]
    for who, line in lines.items():
        harden = re.sub(rf"{who}=\S+…", line, harden)
    assert "…" not in harden
    people.run("main", harden)
    assert "psreg keys sign" in sign
    for who in HOLDERS[1:]:  # two of three are enough
        people.run(who, sign.replace("keys sign", "keys sign --yes"))  # after having looked
    people.run("main", "git pull --quiet && psreg publish && git rm --quiet -r registry/signing")
    people.run("main", "git add registry && git commit --quiet -m Publish && git push --quiet")
    assert people.checks("main")["former-keys"] == "warning"
    people.run(
        "main", "rm ~/.local/share/psreg/keys/*/root.pem ~/.local/share/psreg/keys/*/owners.pem"
    )

    # The whole is in order, on each of the machines.
    (doctor, *_) = rest
    assert doctor == "psreg doctor --production\n"
    for who in ("main", *HOLDERS):
        people.run(who, f"git pull --quiet && {doctor}")
        assert people.checks(who)["former-keys"] == "ok"

    # The client changed nothing, and goes on.
    told = people.run("client", f"git pull --quiet && psreg install {NAME} --registry . 2>&1")
    assert "already installed" in told
    assert "development mode" not in told
    people.run("client", f"psreg verify {NAME}")


def test_owners_who_lost_their_keys(people: People) -> None:
    place = people.clone("main")
    owners = place / f"pbes/prompt/{NAME}/entry.toml"
    owners.write_bytes(entry_toml(ANA))
    claim, *_ = commands("## Claimed names")
    assert NAME in claim
    people.run("main", f"psreg publish\n{claim}")
    owners.write_bytes(entry_toml(BEN))
    people.run("main", "git commit --quiet --all --message 'Ben owns it'")
    announce, complete = commands("### If owners lost their keys")
    assert "pending until" in people.run("main", announce)
    early = "\n".join(complete.splitlines()[:1])
    people.run("main", early, code=3)
    later = str(int(time.time()) + 8 * 24 * 60 * 60)
    people.run("main", complete, SOURCE_DATE_EPOCH=later)
    told = people.run("main", f"psreg info {NAME} --registry .")
    assert "  owners      github:2; 1 must sign each release" in told
    assert "  recovery    completed, without the owners before: the laptop was lost" in told
