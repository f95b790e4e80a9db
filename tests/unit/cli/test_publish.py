"""`psreg publish` as a person runs it: real files, real processes, real kills."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from psreg.formats import dotprompt
from psreg.registry.catalog_head import head_of
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.issuing import issue_first
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import LIFETIMES
from psreg.system.files import MAX_FILE
from stub import running
from support.paths import PBES
from support.publishing import NOW, client_reads, files, kept, put, write
from support.registry_trees import transcript
from support.walks import sampled
from support.warm_psreg import run_psreg

CLOCK = int(NOW.timestamp())
DAY = 86_400


POLICY = """\
[[waiver]]
code = "REG011"
names = ["*"]
reason = "a test has nobody to run prompts for it"
"""


def signed(registry: Path) -> dict[str, bytes]:
    """Return the files of a registry that `publish` wrote."""
    return {path: data for path, data in files(registry).items() if path != "policy.toml"}


class World:
    """A checkout, a registry, a home, and the command line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checkout = root / "checkout"
        self.registry = self.checkout / "registry"
        self.home = root / "home"
        self.registry.mkdir(parents=True)
        (self.registry / "policy.toml").write_text(POLICY)

    def add(self, *releases: str) -> None:
        """Copy entries or versions of this repository's own tree."""
        for path in releases:
            source, place = PBES / path, self.checkout / "pbes" / path
            shutil.copytree(source, place, dirs_exist_ok=True)
            if not (place / "entry.toml").exists():
                shutil.copy(source.parent / "entry.toml", place.parent)

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "psreg", "publish", *args]

    def environment(self, days: int = 0) -> dict[str, str]:
        clock = str(CLOCK + days * DAY)
        return {**os.environ, "PSREG_HOME": str(self.home), "SOURCE_DATE_EPOCH": clock}

    def run(
        self, *args: str, cwd: Path | None = None, days: int = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return run_psreg(
            "publish",
            *args,
            cwd=cwd or self.checkout,
            env=self.environment(days) | environment,
            text=True,
        )

    def info(self, name: str) -> str:
        """Return what `psreg info` prints about a name."""
        where = ("--registry", str(self.checkout))
        command = [sys.executable, "-m", "psreg", "info", name, *where]
        done = subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, check=True
        )
        return done.stdout

    def json(self, *args: str, code: int = 0, **more: object) -> dict[str, object]:
        done = self.run(*args, "--format", "json", **more)
        assert done.returncode == code, done
        document: dict[str, object] = json.loads(done.stdout)
        return document

    def state(self, registry: Path | None = None) -> RegistryState | None:
        return read_registry(RegistryFolder(registry or self.registry).read)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.add("prompt/email_reply", "prompt/pull_request_review/1.0.0")
    return world


def unbind(world: World) -> None:
    """Sign the registry again as versions of psreg did that did not yet name roles."""
    state = world.state()
    assert state is not None
    (keys,) = world.home.rglob("keys")
    pems = KeyStore(keys).load(state.registry_id)
    signer = MetadataSigner(
        keys=signers_of(pems.values()), source="", now=NOW, registry_id=None, lifetimes=LIFETIMES
    )
    write(world.registry, issue_first(state.root, state.targets, signer, 2))


def roles(world: World) -> list[str]:
    """Return the role that each file of metadata in force names, but for the root."""
    timestamp = world.registry / "metadata/timestamp.json"
    snapshot = json.loads(timestamp.read_text())["signed"]["meta"]["snapshot.json"]["version"]
    paths = [timestamp, world.registry / f"metadata/{snapshot}.snapshot.json"]
    for name, row in json.loads(paths[1].read_text())["signed"]["meta"].items():
        paths.append(world.registry / f"metadata/{row['version']}.{name}")
    signed = [json.loads(path.read_text())["signed"] for path in paths]
    return sorted(each.get("psreg", {}).get("role", "") for each in signed)


def test_the_next_publish_names_the_role_in_every_file_of_an_older_registry(world: World) -> None:
    world.run()
    unbind(world)
    assert set(roles(world)) == {""}
    world.add("prompt/translation_with_glossary")
    assert world.run(days=1).returncode == 0
    found = roles(world)
    assert len(found) == len({*found}) == 16 + 4
    assert {"timestamp", "snapshot", "targets", "releases"} < {*found}


def test_publish_tells_what_it_released(world: World) -> None:
    done = world.run()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["released email_reply 1.0.0", "released pull_request_review 1.0.0"]
    state = world.state()
    assert state is not None
    written = len(signed(world.registry))
    assert lines[2] == f"published 2 entries, 2 releases new, {written} files written"
    assert lines[3] == f"registry id {state.registry_id}, mode dev"
    digest = hashlib.sha256((world.registry / "metadata/1.root.json").read_bytes()).hexdigest()
    assert lines[4] == f"psreg registry add URL --root-sha256 {digest}"
    assert len(lines) == 5


def test_publish_for_machines(world: World) -> None:
    document = world.json()
    state = world.state()
    assert state is not None
    assert document == {
        "schema": "psreg.publish/1",
        "registry_id": state.registry_id,
        "root_sha256": state.root_sha256,
        "mode": "dev",
        "released": [
            {"name": "email_reply", "version": "1.0.0"},
            {"name": "pull_request_review", "version": "1.0.0"},
        ],
        "waiting": [],
        "waiting_yanks": [],
        "waiting_owners": [],
        "recoveries": [],
        "entries": 2,
        "written": len(signed(world.registry)),
        "expires": state.documents["timestamp"].expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    again = world.json()
    assert (again["released"], again["written"]) == ([], 0)


def test_metadata_that_is_gone_is_not_replaced(world: World) -> None:
    before = world.json()
    shutil.rmtree(world.registry / "metadata")
    artifact = world.checkout / "pbes/prompt/email_reply/1.0.0/email_reply.prompt"
    artifact.write_text(artifact.read_text().replace("email", "e-mail"))
    there = files(world.registry)
    for options in ((), ("--resign",)):
        assert world.json(*options, code=3)["error"]["code"] == "METADATA_MISSING"
    for folder in ("targets", "log"):
        shutil.rmtree(world.registry / folder)
    done = world.run()
    assert (done.returncode, done.stdout) == (3, "")
    assert "Restore" in done.stderr
    assert "--start-over" in done.stderr
    assert files(world.registry) == {"policy.toml": there["policy.toml"]}
    assert world.json("--start-over")["registry_id"] != before["registry_id"]


def test_the_address_of_the_site_is_ready_to_paste(world: World) -> None:
    policy = POLICY + '[site]\nurl = "https://prompts.example/"\n'
    (world.registry / "policy.toml").write_text(policy)
    for args in ((), ("--resign",)):
        line = world.run(*args).stdout.splitlines()[-1]
        assert line.startswith("psreg registry add https://prompts.example/ --root-sha256 ")


def test_quiet_says_nothing(world: World) -> None:
    done = world.run("--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_runs_anywhere_in_a_checkout(world: World) -> None:
    inside = world.checkout / "pbes" / "prompt" / "email_reply"
    assert world.run(cwd=inside).returncode == 0
    assert world.json(str(inside), cwd=world.root)["released"] == []
    assert world.json("checkout", "--registry-dir", "elsewhere", cwd=world.root)["entries"] == 2
    assert world.state(world.root / "elsewhere") is not None


def test_outside_of_a_checkout(world: World) -> None:
    for done in (world.run(cwd=world.root), world.run("no_such_folder")):
        assert done.returncode == 4
        assert "there is no pbes/" in done.stderr
    assert signed(world.registry) == {}


def test_a_second_publish_adds(world: World, tmp_path: Path) -> None:
    world.run()
    before = signed(world.registry)
    world.add("prompt/pull_request_review", "interactive_engine/decision_room")
    done = world.run(days=1)
    assert done.stdout.splitlines()[:2] == [
        "released decision_room 1.0.0",
        "released pull_request_review 1.1.0",
    ]
    after = signed(world.registry)
    assert kept(before).items() <= after.items()
    state = world.state()
    assert state is not None
    seen = client_reads(world.registry, tmp_path / "client", "pull_request_review")
    assert seen == state.packages["pull_request_review"]


def test_keys_are_outside_and_for_their_owner_only(world: World) -> None:
    registry_id = str(world.json()["registry_id"])
    folder = world.home / "data" / "keys" / registry_id
    names = ["log.pem", "online.pem", "root.pem", "timestamp.pem"]
    assert sorted(path.name for path in folder.iterdir()) == names
    modes = {stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()}
    assert (modes, stat.S_IMODE(folder.stat().st_mode)) == ({0o600}, 0o700)
    assert not any(b"PRIVATE" in data for data in files(world.checkout).values())


# Refusals


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every file and folder with inode and time, to tell that nothing was touched."""
    found = ((path, path.lstat()) for path in [folder, *folder.rglob("*")])
    return {str(path): (status.st_ino, status.st_mtime_ns) for path, status in found}


def test_findings_are_printed_and_nothing_is_written(world: World) -> None:
    artifact = world.checkout / "pbes/prompt/email_reply/1.0.0/email_reply.prompt"
    artifact.write_bytes(b"\xff not a prompt")
    done = world.run()
    assert done.returncode == 1
    assert "error[" in done.stdout
    assert "email_reply.prompt" in done.stdout
    assert done.stderr == "nothing was published\n"
    assert signed(world.registry) == {}
    assert not (world.home / "data").exists()
    document = world.json(code=1)
    assert document["schema"] == "psreg.report/1"
    assert document["diagnostics"]


def test_links_are_refused(world: World) -> None:
    link = world.checkout / "pbes/prompt/email_reply/1.0.0/evidence.txt"
    link.symlink_to("/etc/hostname")
    error = world.json(code=1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "NOT_A_FILE"
    assert "email_reply/1.0.0/evidence.txt" in error["message"]
    assert signed(world.registry) == {}


def test_files_that_are_read_in_part_are_refused(world: World) -> None:
    folder = world.checkout / "pbes/prompt/email_reply/1.0.0/evidence"
    folder.mkdir()
    (folder / "run.txt").write_bytes(b"x" * MAX_FILE)
    error = world.json(code=1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "FILE_TOO_LARGE"
    assert signed(world.registry) == {}


def test_changed_released_bytes_are_refused(world: World) -> None:
    world.run()
    path = "pbes/prompt/email_reply/1.0.0/README.md"
    readme = world.checkout / path
    was = hashlib.sha256(readme.read_bytes()).hexdigest()
    readme.write_bytes(readme.read_bytes() + b"\nOne more line.\n")
    now = hashlib.sha256(readme.read_bytes()).hexdigest()
    before = snapshot(world.registry)
    done = world.run()
    assert done.returncode == 1
    assert "error[RELEASE_CHANGED]" in done.stderr
    assert f"{path}: released sha256 {was}, now sha256 {now}" in done.stderr
    assert snapshot(world.registry) == before
    error = world.json(code=1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "RELEASE_CHANGED"
    assert snapshot(world.registry) == before


def test_without_its_keys_it_never_starts_over(world: World) -> None:
    registry_id = str(world.json()["registry_id"])
    shutil.rmtree(world.home)
    before = snapshot(world.registry)
    for args in ((), ("--resign",)):
        done = world.run(*args)
        assert done.returncode == 3
        assert "error[KEY_MISSING]" in done.stderr
        assert str(world.home / "data" / "keys" / registry_id) in done.stderr
    assert snapshot(world.registry) == before


@pytest.mark.parametrize("place", ["checkout/secrets", "elsewhere/secrets"])
def test_keys_in_what_is_published_are_refused(world: World, place: str) -> None:
    home = {"PSREG_HOME": str(world.root / place)}
    done = world.run("--registry-dir", str(world.root / "elsewhere"), **home)
    assert done.returncode == 3
    assert "error[KEYS_IN_TREE]" in done.stderr
    assert not (world.root / place).exists()


def test_a_clock_that_is_none(world: World) -> None:
    done = world.run(SOURCE_DATE_EPOCH="yesterday")
    assert (done.returncode, done.stdout) == (2, "")
    assert "yesterday" in done.stderr
    assert signed(world.registry) == {}


def test_a_tampered_registry_is_refused(world: World) -> None:
    world.run()
    timestamp = world.registry / "metadata/timestamp.json"
    timestamp.write_bytes(timestamp.read_bytes().replace(b'"version":1', b'"version":2'))
    error = world.json(code=3)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "TRUST_SIGNATURE"


def test_a_registry_that_cannot_be_written(world: World) -> None:
    (world.root / "file").write_text("")
    done = world.run("--registry-dir", str(world.root / "file"))
    assert done.returncode == 4
    assert "error[CANNOT_WRITE]" in done.stderr


# Renewal


def test_resign(world: World) -> None:
    world.run()
    world.add("interactive_engine/decision_room")  # not released by --resign
    document = world.json("--resign", days=5)
    assert (document["written"], document["released"], document["entries"]) == (1, [], 2)
    state = world.state()
    assert state is not None
    assert state.versions["timestamp"] == 2


def test_a_publish_after_everything_expired_renews_it(world: World, tmp_path: Path) -> None:
    world.run(days=-400)
    done = world.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 releases new, 21 files written" in done.stdout
    assert client_reads(world.registry, tmp_path / "client", "email_reply")


def test_signatures_whose_keys_are_elsewhere_are_told(world: World) -> None:
    identity = world.json()["registry_id"]
    (world.home / f"data/keys/{identity}/online.pem").unlink()
    done = world.run("--resign", days=12)
    assert (done.returncode, done.stdout.count("1 file written")) == (0, 1)
    day = (NOW + timedelta(days=14)).date()
    assert f"the signature of snapshot expires on {day}, and its key is not here" in done.stderr
    for args, days in (((), 12), (("--resign",), 15)):
        assert world.json(*args, days=days, code=3)["error"]["code"] == "KEY_MISSING"


def test_the_policy_says_how_long_signatures_last(world: World) -> None:
    limits = "[signatures]\ntimestamp_days = 3\nsnapshot_days = 5\n"
    (world.registry / "policy.toml").write_text(limits + POLICY)
    for args in ((), ("--resign",)):
        world.json(*args)
        state = world.state()
        assert state is not None
        assert state.documents["timestamp"].expires == NOW + timedelta(days=3)
        assert state.documents["snapshot"].expires == NOW + timedelta(days=5)


def test_a_clock_that_is_behind_is_told(world: World) -> None:
    world.run()
    done = world.run(days=-1)
    assert done.returncode == 0
    assert f"a release is dated {NOW:%Y-%m-%dT%H:%M:%SZ}, but the clock of this" in done.stderr


# Two at once, and sudden death


def test_two_at_once_publish_one_after_the_other(world: World) -> None:
    running = [
        subprocess.Popen(
            world.command("--format", "json"),
            cwd=world.checkout,
            env=world.environment(),
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    documents = [json.loads(process.communicate()[0]) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sorted(len(document["released"]) for document in documents) == [0, 0, 2]
    assert len({document["root_sha256"] for document in documents}) == 1
    assert len(list((world.home / "data/keys").iterdir())) == 1


def catalogue(world: World) -> dict[str, Any]:
    """Return the only segment of the catalogue."""
    state = world.state()
    found = head_of(state) if state else None
    assert found is not None
    (segment,) = found.segments
    data: dict[str, Any] = json.loads((world.registry / segment.path).read_bytes())
    return data


def killed_after(world: World, steps: int, *args: str, days: int) -> None:
    """Run `publish` and kill it (SIGKILL) after it made `steps` changes in the registry.

    What counts is the change times of files; where exactly it dies is up to the machine.
    """
    process = subprocess.Popen(
        world.command(*args, "--quiet"), cwd=world.checkout, env=world.environment(days)
    )
    while process.poll() is None and changes(world.registry) < steps:
        time.sleep(0.001)  # leaves the processor to it
    process.kill()
    process.wait()


def changes(registry: Path) -> int:
    try:
        return sum(1 for _ in os.scandir(registry / "metadata"))
    except FileNotFoundError:
        return 0


# Files in metadata/ at which to kill: before the first, in between, near the end of the 21.
@pytest.mark.parametrize("steps", sampled([0, 1, 2, 6, 12, 18, 19, 20], 3))
def test_killed_in_the_first_publish(world: World, steps: int, tmp_path: Path) -> None:
    killed_after(world, steps, days=0)
    survivors = files(world.home / "data/keys") if world.home.exists() else {}
    world.state()  # nothing yet, or everything; never something broken
    assert world.json()["entries"] == 2
    state = world.state()
    assert state is not None
    assert len(signed(world.registry)) == 16 + 5 + 2 + 2 + 4
    assert survivors.items() <= files(world.home / "data/keys").items()
    seen = client_reads(world.registry, tmp_path / "client", "email_reply")
    assert seen == state.packages["email_reply"]


def test_killed_in_a_renewal_of_everything(world: World) -> None:
    world.run()
    old = signed(world.registry)
    assert world.run("--resign", days=300).returncode == 0
    new = signed(world.registry)
    for steps in sampled([0, 1, 8, 16, 19], 2):
        put(world.registry, old | {"policy.toml": POLICY.encode()})
        killed_after(world, steps + 20, "--resign", days=300)
        state = world.state()
        assert state is not None
        assert state.versions["timestamp"] in (1, 2)
        world.run("--resign", days=300)
        assert signed(world.registry) == new


def test_a_run_may_be_added_to_a_published_version(world: World) -> None:
    """It is listed as added, counts as a row, and never changes again."""
    world.run()
    folder = world.checkout / "pbes/prompt/email_reply/1.0.0"
    artifact = (folder / "email_reply.prompt").read_text()
    asked = dotprompt.render(dotprompt.read(artifact.encode()), {}).text
    ran = transcript(artifact, "claude", said=asked, result="pass")
    late = folder / "evidence/claude-2026-11-01.jsonl"
    late.parent.mkdir(exist_ok=True)
    late.write_text(ran)
    done = world.run()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    told = world.info("email_reply")
    assert "tested      claude: pass (2026-11-01, added " in told
    assert (
        told.partition("claude: pass")[2]
        .splitlines()[0]
        .endswith("reported by the author, agrees with its transcript")
    )
    late.write_text(ran.replace("Hello!", "Hi!"))
    done = world.run()
    assert done.returncode == 1
    assert "RELEASE_CHANGED" in done.stderr
    late.write_text(ran)
    stub = late.with_name("gemini-2026-11-01.jsonl")
    said = f"You said: {' '.join(asked.split())[:80]}"
    stub.write_text(ran.replace("claude", "gemini").replace('"Hello!"', json.dumps(said)))
    done = world.run()
    assert done.returncode == 1
    assert "answers of psreg's stub, which is not a model" in done.stdout


def test_runs_on_the_stub_count_for_no_platform(world: World) -> None:
    """Recorded by `psreg try` under the names of two platforms, and shown for what they are."""
    folder = world.checkout / "pbes/prompt/email_reply/1.0.0"
    artifact = folder / "email_reply.prompt"
    script = world.root / "script.txt"
    script.write_text("Shorter, please.\n")
    rows = ""
    with running() as stub:
        for platform in ("claude", "gemini"):
            record = folder / f"evidence/{platform}.jsonl"
            record.parent.mkdir(exist_ok=True)
            subprocess.run(
                [
                    *(sys.executable, "-m", "psreg", "try", str(artifact)),
                    *("--endpoint", stub.url, "--model", "stub-1", "--platform", platform),
                    *("--script", str(script), "--record", str(record), "--quiet"),
                ],
                env=world.environment(),
                check=True,
            )
            run = json.loads(record.read_text().splitlines()[0])["run"]
            rows += f"""
[[tested]]
platform = "{platform}"
model = "stub-1"
date = {run["date"]}
sha256 = "{run["sha256"]}"
result = "pass"
evidence = "evidence/{platform}.jsonl"
"""
    toml = folder / "release.toml"
    toml.write_text(toml.read_text() + rows)
    assert "answers of psreg's stub, which is not a model" in world.run().stdout
    policy = world.registry / "policy.toml"
    policy.write_text(policy.read_text() + policy.read_text().replace("REG011", "REG035"))
    assert world.run().returncode == 0
    told = [line for line in world.info("email_reply").splitlines() if "pass" in line]
    assert len(told) == 2
    assert all(line.endswith("answers of psreg's stub, which is not a model") for line in told)
    state = world.state()
    assert state is not None
    assert catalogue(world)["platform"]["values"] == []
    record = json.loads(state.packages["email_reply"])
    points = {part["id"]: part["points"] for part in record["releases"][0]["score"]["parts"]}
    assert points["platforms"] == 0


@pytest.mark.parametrize(
    ("platform", "cited", "counted"),
    [
        ("gemini", {}, ["claude"]),
        ("claude", {"model": "another"}, []),
        ("claude", {"date": "2026-10-31"}, []),
        ("claude", {"date": "2021-11-01"}, []),
    ],
)
def test_a_row_that_its_transcript_does_not_bear_out_counts_nowhere(
    world: World, platform: str, cited: dict[str, str], counted: list[str]
) -> None:
    """Neither `psreg info` nor the catalogue nor the score counts it."""
    folder = world.checkout / "pbes/prompt/email_reply/1.0.0"
    artifact = (folder / "email_reply.prompt").read_text()
    asked = dotprompt.render(dotprompt.read(artifact.encode()), {}).text
    (folder / "evidence").mkdir(exist_ok=True)
    (folder / "evidence/run.jsonl").write_text(transcript(artifact, "claude", said=asked))
    digest = hashlib.sha256(artifact.encode()).hexdigest()
    run = {"model": "m", "date": "2026-11-01", "sha256": digest, "result": "pass"}
    rows = [("claude", run)] if counted else []
    rows.append((platform, run | cited))
    toml = (folder / "release.toml").read_text()
    for name, row in rows:
        said = row | {"platform": name, "evidence": "evidence/run.jsonl"}
        toml += "\n[[tested]]\n" + "".join(f"{key} = {json.dumps(said[key])}\n" for key in said)
    (folder / "release.toml").write_text(toml)
    waived = POLICY.replace("REG011", "REG035") + POLICY
    (world.registry / "policy.toml").write_text(waived)
    done = world.run()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    told = [line for line in world.info("email_reply").splitlines() if ": pass (" in line]
    agreeing = [line for line in told if line.endswith("agrees with its transcript")]
    assert (len(told), len(agreeing)) == (len(rows), len(counted))
    state = world.state()
    assert state is not None
    assert catalogue(world)["platform"]["values"] == counted
    (release,) = json.loads(state.packages["email_reply"])["releases"]
    points = {part["id"]: part["points"] for part in release["score"]["parts"]}
    assert points["platforms"] == 5 * len(counted)
