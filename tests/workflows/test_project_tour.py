"""A team's year with psreg: real processes, and real servers on loopback that change meanwhile."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator import Simulator
from support.clients import Client
from support.loopback import answer, serving
from support.paths import PBES, ROOT

AUTHOR = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
REVIEW = PBES / "prompt/pull_request_review/1.1.0/pull_request_review.prompt"
WHEN = "2026-11-22T05:00:00Z"


def prompt(text: str) -> bytes:
    return f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{text}\n".encode()


class Server(dict):
    """What a server answers; behind a login if `secret` is set."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files, self.secret = files, ""

    def get(self, path: str, _: object = None):
        def trick(handler) -> None:
            if self.secret and handler.headers.get("Authorization") != self.secret:
                page = b"<!doctype html><title>Sign in</title>"
                answer(handler, 200, page, Content_Type="text/html")
            elif path in self.files:
                answer(handler, 200, self.files[path])
            else:
                answer(handler, 404, b"")

        return trick


@pytest.fixture
def world(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """A public registry and one of the company, and a developer who trusts both."""
    public = Simulator(log=True)
    for version, text in (("1.0.0", "Hello {name}"), ("1.1.0", "Hello {name} and {other}")):
        notes = {"changes": f"What is new in {version}."}
        public.release("greeting", version, prompt(text), entry_class="prompt", release=notes)
    public.release("diary", "1.0.0", prompt("theirs"), entry_class="prompt")
    public.release("glossary", "1.0.0", prompt("theirs"), entry_class="prompt").publish()
    private = Simulator(registry_id="f" * 32, log=True)
    private.release("glossary", "1.0.0", prompt("ours"), entry_class="prompt").publish()
    doors = Server(public.files), Server(private.files)
    with serving({}, doors[0]) as one, serving({}, doors[1]) as other:
        dev = Client(tmp_path / "dev")
        dev.trust(one.url, public.pin)
        command = ("registry", "add", other.url, "--root-sha256", private.pin, "--name", "work")
        assert dev.run(*command).code == 0
        yield SimpleNamespace(
            dev=dev, public=public, private=private, doors=doors, urls=(one.url, other.url),
            folder=tmp_path,
        )  # fmt: skip


def ran(client: Client, *argv: object, **env: str):
    done = client.run(*argv, **env)
    assert done.code == 0, done.err
    return done


def lock(client: Client) -> dict:
    return json.loads((client.place / "psreg.lock").read_bytes())["prompts"]


def change(registry: Simulator, name: str, version: str, **members: object) -> None:
    """Publish that a release has other members from now on."""
    row = next(r for r in registry.records[name]["releases"] if r["version"] == version)
    row |= members
    registry.records[name]["serial"] += 1
    registry.publish()


def test_a_name_of_the_company_is_never_that_of_the_public(world) -> None:
    dev = world.dev
    done = dev.run("add", "glossary")
    assert (done.code, "NAME_OF_TWO_REGISTRIES" in done.err) == (1, True)
    assert all(url in done.err for url in world.urls)
    ran(dev, "add", "glossary", "--registry", "work")
    ran(dev, "add", "greeting@1.0.0")
    before = (dev.place / "psreg.lock").read_bytes()
    # Somebody publishes the company's name, with a version that nobody can surpass.
    world.public.release("glossary", "99.0.0", prompt("evil"), entry_class="prompt").publish()
    for command in (["sync"], ["update"], ["lock"], ["install", "--frozen"]):
        ran(dev, *command)
    assert (dev.place / "psreg.lock").read_bytes() == before
    assert lock(dev)["glossary"]["registry"] == "f" * 32
    assert "ours" in (dev.place / "prompts/glossary.prompt").read_text()
    assert "ours" in ran(dev, "render", "glossary").out
    assert "99.0.0" not in ran(dev, "outdated").out
    # A lock that says otherwise is refused, in CI, too.
    text = before.decode().replace("f" * 32, lock(dev)["greeting"]["registry"])
    (dev.place / "psreg.lock").write_text(text)
    for command in (["install", "--frozen"], ["lock", "--check"]):
        assert dev.run(*command, "--format", "json").refusal == (1, "LOCK_DRIFT")


def test_an_update_with_a_breaking_change(world) -> None:
    dev = world.dev
    ran(dev, "add", "greeting@1.0.0")
    (dev.place / "psreg.toml").write_text('[prompts]\ngreeting = "^1"\n')
    before = (dev.place / "psreg.lock").read_bytes()
    assert dev.run("outdated", "--exit-code").code == 1
    told = ran(dev, "update", "--dry-run").out
    assert "greeting 1.0.0 -> 1.1.0\n  1.1.0: What is new in 1.1.0.\n  floor: major" in told
    assert (dev.place / "psreg.lock").read_bytes() == before
    ran(dev, "update")
    assert "{other}" in (dev.place / "prompts/greeting.prompt").read_text()
    ran(dev, "update", "greeting", "--precise", "1.0.0")
    assert (dev.place / "psreg.lock").read_bytes() == before


def test_a_release_in_the_lock_is_revoked(world) -> None:
    dev = world.dev
    ran(dev, "add", "greeting@^1")
    bad = {"kind": "revoke", "reason": "It sends data away.", "date": WHEN, "action": 1}
    change(world.public, "greeting", "1.1.0", v=2, revoked=bad)
    done = dev.run("sync")
    assert (done.code, "It sends data away." in done.err) == (3, True)
    for command in (["install", "--frozen"], ["verify"], ["show", "greeting"]):
        assert dev.run(*command, "--format", "json").refusal == (3, "TRUST_REVOKED")
    ran(dev, "update")
    assert lock(dev)["greeting"]["version"] == "1.0.0"
    ran(dev, "verify")
    assert "{other}" not in (dev.place / "prompts/greeting.prompt").read_text()


def test_a_server_behind_a_login_page(world) -> None:
    dev, door = world.dev, world.doors[1]
    ran(dev, "add", "glossary", "--registry", "work")
    door.secret = "Bearer s3cret"
    done = dev.run("sync")
    assert (done.code, "error[NETWORK_LOGIN]" in done.err) == (4, True)
    ran(dev, "install", "--frozen")  # which needs nobody
    login = {"WORK_LOGIN": door.secret}
    option = ("--header-env", "Authorization=WORK_LOGIN", "--name", "work")
    pin = ("--root-sha256", world.private.pin)
    ran(dev, "registry", "add", world.urls[1], *pin, *option, **login)
    ran(dev, "sync", **login)
    files = [path for path in world.folder.rglob("*") if path.is_file()]
    assert [path for path in files if b"s3cret" in path.read_bytes()] == []


def test_ci_without_a_network(world) -> None:
    """A job has a clone and the cache of the last one; its registry is away."""
    dev, ci = world.dev, Client(world.folder / "ci")
    ran(dev, "add", "greeting@^1", "diary")
    for name in ("psreg.toml", "psreg.lock"):
        shutil.copy(dev.place / name, ci.place)
    shutil.copytree(dev.home / "cache", ci.home / "cache")
    ci.trust("http://127.0.0.1:9/", world.public.pin)
    ran(ci, "install", "--frozen")
    files = {path.name: path.read_bytes() for path in (ci.place / "prompts").iterdir()}
    assert files == {p.name: p.read_bytes() for p in (dev.place / "prompts").iterdir()}
    # Nobody answers: what is not in the cache is not made up.
    next((ci.home / "cache/artifacts").rglob("*/*")).unlink()
    shutil.rmtree(ci.place / "prompts")
    done = ci.run("install", "--frozen")
    assert (done.code, (ci.place / "prompts").exists()) == (4, False)


def test_twenty_installations_at_once_of_a_project_and_of_a_name(world) -> None:
    dev = world.dev
    ran(dev, "add", "greeting@^1", "diary")
    shutil.rmtree(dev.place / "prompts")
    shutil.rmtree(dev.home / "cache")
    commands = [["install", "greeting"], ["install", "--frozen"]] * 10
    with ThreadPoolExecutor(len(commands)) as pool:
        done = [*pool.map(lambda command: dev.run(*command), commands)]
    assert [each.code for each in done] == [0] * 20, [each.err for each in done]
    assert dev.installed() == ["greeting/1.1.0/greeting.prompt", "greeting/1.1.0/receipt.json"]
    assert sorted(path.name for path in (dev.place / "prompts").iterdir()) == [
        ".psreg.json", "diary.prompt", "greeting.prompt",
    ]  # fmt: skip
    ran(dev, "verify")
    names = [path.name for folder in (dev.home, dev.place) for path in folder.rglob("*")]
    assert [name for name in names if name.startswith((".psreg-", "tmp"))] == []


@pytest.mark.parametrize("kind", ["installed", "locked"])
def test_one_appended_byte_is_refused_by_all_that_reads(world, kind) -> None:
    dev = world.dev
    ran(dev, *{"installed": ("install",), "locked": ("add",)}[kind], "diary")
    place = {
        "installed": dev.library / "diary/1.0.0/diary.prompt",
        "locked": dev.place / "prompts/diary.prompt",
    }[kind]
    for command in ("show", "render", "path"):
        ran(dev, command, "diary")
    place.write_bytes(place.read_bytes() + b"\n")
    for command in (
        *(("show",), ("show", "--raw"), ("render",), ("copy",), ("path",), ("verify",)),
        ("try", "--endpoint", "http://127.0.0.1:9"),
        ("export", "--target", "text"),
    ):
        done = dev.run(command[0], "diary", *command[1:])
        assert (done.code, "TRUST_DIGEST" in done.err + done.out) == (3, True), command
        assert "theirs" not in done.out
    assert not (dev.place / "prompts/diary.txt").exists()


def block(text: str, heading: str) -> list[str]:
    """Return the commands of the first block of code below a heading, without their comments."""
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    code = re.search(r"```(?:sh)?\n(.*?)```", section, re.DOTALL)
    assert code, heading
    return [line.partition("#")[0].strip() for line in code[1].splitlines()]


def test_the_readme_from_an_empty_folder_to_a_job_in_ci(tmp_path: Path) -> None:
    made = Simulator(log=True)
    name = "pull_request_review"
    made.release(name, "1.1.0", REVIEW.read_bytes(), entry_class="prompt").publish()
    dev, ci = Client(tmp_path / "dev"), Client(tmp_path / "ci")
    with serving(made.files) as server:
        dev.trust(server.url, made.pin)
        commands = block((ROOT / "README.md").read_text(), "A team pins its prompts")
        assert [command.split()[1] for command in commands] == ["add", "sync", "update", "install"]
        for command in commands:
            ran(dev, *shlex.split(command)[1:])
        git(dev.place, "init", "-q")
        git(dev.place, "add", "psreg.toml", "psreg.lock")
        git(dev.place, *AUTHOR, "commit", "-q", "-m", "Pin our prompts")
        git(tmp_path, "clone", "-q", str(dev.place), "clone")
        guide = (ROOT / "site/docs/guide/projects.md").read_text()
        for command in block(guide, "In CI"):
            words = [
                {"https://prompts.example.org": server.url, "HEX": made.pin}.get(word, word)
                for word in shlex.split(command)[1:]
            ]
            done = ci.run(*words, cwd=tmp_path / "clone")
            assert done.code == 0, done.err
    file = tmp_path / "clone/prompts" / f"{name}.prompt"
    assert file.read_bytes() == REVIEW.read_bytes()
    # The next job has its cache, and no network at all.
    file.unlink()
    job = [sys.executable, "-m", "psreg", "install", "--frozen"]
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0:
        job = ["unshare", "-rn", *job]
    env = {**os.environ, "PSREG_HOME": str(ci.home)}
    done = subprocess.run(job, cwd=tmp_path / "clone", env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert file.read_bytes() == REVIEW.read_bytes()


def git(folder: Path, *argv: str) -> None:
    subprocess.run(["git", *argv], cwd=folder, check=True, capture_output=True)
