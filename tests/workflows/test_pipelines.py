"""From a pull request to an installed release, by the pipelines' own lines, on both forges.

Three registries: this repository's own workflows, and the two kinds that `psreg init` writes. The
forge is a server on loopback; the rest is real: Git, psreg, keys, the site, an installation.
"""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import publishing
from clients import Client
from forges import TOKEN, FakeForge, FakeGitHub, FakeGitLab, running
from loopback import serving
from pipelines import Done, Event, GitHubActions, GitLabCI, Runner, copy_tree, git
from psreg import __version__
from psreg.adapters.forge import CHECK

ROOT = Path(__file__).resolve().parents[2]
NAME = "spaced_recall"
ARTIFACT = f"{NAME}.pbe.txt"
ENTRY = f"pbes/interactive_engine/{NAME}"
ANA, MALLORY = 7, 666
POLICY = '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is run."\n'


class World(ABC):
    """A registry on a forge: its bare repository, a keeper, a contributor, a runner."""

    forge: str
    state_branch = "main"

    def __init__(self, root: Path, server: FakeForge) -> None:
        self.root, self.server = root, server
        self.origin = root / "prompts.git"
        self.work = root / "work"
        self.keeper = Client(root / "keeper")
        self.runner = Runner(root=root / "runner", origin=self.origin)
        self.pin = ""
        self.keys = ""

    def found(self) -> None:
        """Make the repository with one release, found the registry, push both."""
        git("init", "-q", "--bare", "-b", "main", str(self.origin), cwd=self.root)
        git("config", "uploadpack.allowAnySHA1InWant", "true", cwd=self.origin)
        git("clone", "-q", str(self.origin), str(self.work), cwd=self.root)
        self.scaffold()
        (self.work / "registry").mkdir(exist_ok=True)
        (self.work / "registry/policy.toml").write_text(POLICY)
        shutil.copytree(ROOT / ENTRY / "1.0.0", self.work / ENTRY / "1.0.0")
        owner = f'owners = [{{forge = "{self.forge}", id = {ANA}, login = "ana"}}]\n'
        (self.work / ENTRY / "entry.toml").write_text(owner)
        published = self.keeper.run("publish", "--format", "json", cwd=self.work).json
        self.pin = published["root_sha256"]
        self.keys = self.exported(published["registry_id"])
        self.commit("Found the registry", "main")
        if self.state_branch != "main":
            git("checkout", "-q", "--orphan", self.state_branch, cwd=self.work)
            git("rm", "-rq", "--cached", ".", cwd=self.work)
            git("add", "--force", "registry/metadata", "registry/targets", cwd=self.work)
            git("commit", "-qm", "Found the registry", cwd=self.work)
            git("push", "-q", "origin", self.state_branch, cwd=self.work)
            git("checkout", "-qf", "main", cwd=self.work)

    def exported(self, registry_id: str) -> str:
        """Return the secret as the keepers' guide makes it: without the root key."""
        folder = self.keeper.home / "data/keys"
        packed = subprocess.run(
            ["tar", "-C", folder, "--exclude", "root.pem", "-cz", registry_id],
            capture_output=True,
            check=True,
        ).stdout
        return base64.b64encode(packed).decode()

    def scaffold(self) -> None:
        """Write the files of the registry that are not prompts."""
        made = self.root / "made"
        assert self.keeper.run("init", made).code == 0
        copy_tree(made, self.work)

    def commit(self, message: str, ref: str) -> str:
        """Commit everything and push it; return the commit."""
        git("add", "--all", cwd=self.work)
        git("commit", "-qm", message, cwd=self.work)
        git("push", "-qf", "origin", f"HEAD:{ref}", cwd=self.work)
        return git("rev-parse", "HEAD", cwd=self.work)

    def request(self, author: int = ANA, **more: str) -> str:
        """Open a pull request with the next release of the entry; return its head."""
        git("checkout", "-qB", "next", "main", cwd=self.work)
        shutil.copytree(ROOT / ENTRY / "1.1.0", self.work / ENTRY / "1.1.0")
        for path, text in more.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text)
        head = self.commit("A next release", self.request_ref)
        self.server.pull(head, author)  # type: ignore[attr-defined]
        return head

    def merge(self) -> str:
        """Merge the pull request as a maintainer does; return the new tip."""
        git("fetch", "-q", "origin", cwd=self.work)
        git("checkout", "-qB", "main", "origin/main", cwd=self.work)
        git("merge", "-q", "--no-ff", "-m", "Merge", "next", cwd=self.work)
        git("push", "-q", "origin", "main", cwd=self.work)
        return git("rev-parse", "HEAD", cwd=self.work)

    @property
    def base(self) -> str:
        """The tip of the default branch."""
        return git("rev-parse", "main", cwd=self.origin)

    def state(self) -> int:
        """Return the version of the timestamp that is kept in Git."""
        path = f"{self.state_branch}:registry/metadata/timestamp.json"
        document = json.loads(git("show", path, cwd=self.origin))
        return int(document["signed"]["version"])

    request_ref = "refs/pull/1/head"

    @abstractmethod
    def review(self, head: str) -> Done:
        """Run the pipeline of the pull request."""

    @abstractmethod
    def comment(self, head: str) -> Done:
        """Run the trusted pipeline that judges it again and posts."""

    @abstractmethod
    def publish(self, tip: str) -> Done:
        """Run the pipeline of the default branch."""

    @abstractmethod
    def renew(self) -> Done:
        """Run the pipeline of the schedule."""


class OnGitHub(World):
    """A registry that `psreg init` made, on GitHub."""

    forge = "github"

    @property
    def actions(self) -> GitHubActions:
        actions = GitHubActions(self.runner, self.server.url, FakeGitHub.repository)
        actions.token = TOKEN
        return actions

    def _run(self, actions: GitHubActions, name: str, event: Event) -> Done:
        workflow = self.root / "workflows" / name
        workflow.parent.mkdir(exist_ok=True)
        # The default branch says what a trusted workflow does.
        text = git("show", f"main:.github/workflows/{name}", cwd=self.origin)
        workflow.write_text(text + "\n")
        done = list(actions.run(workflow, event).values())
        if not done:
            return Done(code=0, out="not run", folder=self.root)
        return replace(done[-1], out="".join(job.out for job in done))

    def review(self, head: str) -> Done:
        pull = {
            "number": 1,
            "user": {"id": self.server.pulls[-1]["user"]["id"]},
            "head": {"sha": head},
            "base": {"sha": self.base},
        }
        payload = {"repository": {"default_branch": "main"}, "pull_request": pull}
        actions = self.actions
        actions.token = ""
        return self._run(
            actions, "review.yml", Event(name="pull_request", payload=payload, sha=head)
        )

    @property
    def said_by_the_run(self) -> dict[str, Any]:
        """What a pull request can choose about its own run: never a reason to believe anything."""
        command = f"$(touch {self.root / 'canary'})"
        return {
            "artifacts_url": f"{self.server.url}/artifacts",
            "conclusion": "success",
            "display_title": command,
            "head_branch": command,
            "logs_url": f"{self.server.url}/logs",
            "pull_requests": [{"number": 99}],
        }

    def comment(self, head: str, event: str = "pull_request") -> Done:
        payload = {
            "repository": {"default_branch": "main"},
            "workflow_run": {"head_sha": head, "event": event, **self.said_by_the_run},
        }
        return self._run(
            self.actions,
            "comment.yml",
            Event(name="workflow_run", payload=payload, sha=self.base),
        )

    def _release(self, name: str, tip: str, switched: str = "yes") -> Done:
        actions = self.actions
        actions.secrets = {"PSREG_KEYS": self.keys}
        actions.variables = {"PSREG_PUBLISH": switched}
        payload = {"repository": {"default_branch": "main"}}
        return self._run(actions, name, Event(name="push", payload=payload, sha=tip))

    def publish(self, tip: str, switched: str = "yes") -> Done:
        return self._release("publish.yml", tip, switched)

    def renew(self) -> Done:
        return self._release("resign.yml", self.base)


class Ours(OnGitHub):
    """This repository: psreg from its source, the signed state on a branch of its own."""

    state_branch = "registry"

    def scaffold(self) -> None:
        copy_tree(ROOT / ".github/workflows", self.work / ".github/workflows")
        (self.work / ".ci").mkdir()
        (self.work / ".ci/constraints.txt").write_text(f"psreg=={__version__}\n")
        shutil.copy(ROOT / ".gitignore", self.work)


class OnGitLab(World):
    """A registry that `psreg init` made, on GitLab."""

    forge = "gitlab"
    request_ref = "refs/merge-requests/1/head"

    def _run(self, source: str, sha: str, **more: str) -> Done:
        file = self.root / "gitlab-ci.yml"
        file.write_text(git("show", "main:.gitlab-ci.yml", cwd=self.origin) + "\n")
        ci = GitLabCI(self.runner, self.server.url, FakeGitLab.project)
        ci.protected = {
            "GITLAB_TOKEN": TOKEN,
            "PSREG_KEYS": self.keys,
            "PSREG_PUBLISH": more.pop("PSREG_PUBLISH", "yes"),
        }
        done = list(ci.run(file, source, sha, **more).values())
        assert len(done) <= 1
        return done[0] if done else Done(code=0, out="not run", folder=self.root)

    def review(self, head: str) -> Done:
        base = git("merge-base", "main", head, cwd=self.origin)
        return self._run(
            "merge_request_event",
            head,
            CI_MERGE_REQUEST_IID="1",
            CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        )

    def comment(self, head: str) -> Done:
        payload = self.root / "payload.json"
        request = {"iid": 99, "last_commit": {"id": head}, "author_id": ANA, "title": "$(false)"}
        payload.write_text(json.dumps({"object_attributes": request}))
        return self._run("trigger", self.base, TRIGGER_PAYLOAD=str(payload))

    def publish(self, tip: str, switched: str = "yes") -> Done:
        return self._run("push", tip, PSREG_PUBLISH=switched)

    def renew(self) -> Done:
        return self._run("schedule", self.base)


@pytest.fixture(
    params=[(Ours, FakeGitHub), (OnGitHub, FakeGitHub), (OnGitLab, FakeGitLab)],
    ids=["ours", "github", "gitlab"],
)
def world(request: Any, tmp_path: Path) -> Iterator[World]:
    kind, forge = request.param
    with running(forge()) as server:
        world = kind(tmp_path, server)
        world.found()
        yield world


def verdicts(world: World) -> list[str]:
    """Return what the checks of the forge say."""
    word = "conclusion" if world.forge == "github" else "state"
    assert all(check["name"] == CHECK for check in world.server.checks)
    return [check[word] for check in world.server.checks]


def test_from_a_pull_request_to_an_installed_release(world: World, tmp_path: Path) -> None:
    head = world.request()

    reviewed = world.review(head)
    assert reviewed.code == 0, reviewed.out
    assert world.server.bodies() == []
    assert f"psreg=={__version__}" in world.runner.installed
    if world.forge == "github":
        assert f"{NAME} 1.1.0" in html.unescape(reviewed.summary)
    else:
        assert json.loads((reviewed.folder / "gl-code-quality-report.json").read_text()) is not None

    commented = world.comment(head)
    assert commented.code == 0, commented.out
    (body,) = world.server.bodies()
    assert f"{NAME} 1.1.0" in html.unescape(body)
    assert verdicts(world) == ["success"]

    before = world.state()
    tip = world.merge()
    released = world.publish(tip)
    assert released.code == 0, released.out
    assert f"released {NAME} 1.1.0" in released.out
    assert world.state() == before + 1
    assert released.site is not None
    ana = Client(tmp_path / "ana")
    with serving(publishing.files(released.site)) as web:
        ana.trust(web.url, world.pin)
        assert ana.run("install", f"{NAME}@1.1.0").code == 0
    kept = ana.library / NAME / "1.1.0" / ARTIFACT
    assert kept.read_bytes() == (ROOT / ENTRY / "1.1.0" / ARTIFACT).read_bytes()

    world.runner.environ["SOURCE_DATE_EPOCH"] = str(int(publishing.NOW.timestamp()) + 86_400)
    renewed = world.renew()
    assert renewed.code == 0, renewed.out
    assert world.state() == before + 2
    assert renewed.site is not None
    with serving(publishing.files(renewed.site)) as web:
        assert ana.run("install", NAME, "--registry", web.url).code in (0, 3)
        bob = Client(tmp_path / "bob")
        bob.trust(web.url, world.pin)
        assert bob.run("install", NAME).code == 0


def test_what_an_untrusted_job_says_is_not_believed(world: World) -> None:
    """The pull request brings its own verdicts, tools, settings and workflows."""
    canary = world.root / "canary"
    touch = f"touch {canary}\n"
    head = world.request(
        MALLORY,
        **{
            "review.json": '{"schema": "psreg.review/1", "verdict": "accept", "reasons": []}\n',
            "gl-code-quality-report.json": "[]\n",
            "comment.md": "<!-- psreg --> accept\n",
            "sitecustomize.py": f"open({str(canary)!r}, 'w')\n",
            "psreg/__init__.py": f"open({str(canary)!r}, 'w')\n",
            "psreg/__main__.py": f"open({str(canary)!r}, 'w')\n",
            ".gitattributes": "* filter=canary diff=canary merge=canary\n",
            ".githooks/post-checkout": touch,
            "registry/requirements.txt": "evil==6.6.6\n",
            ".ci/constraints.txt": "evil==6.6.6\n",
            ".gitlab-ci.yml": f"stages: [review]\nreview: {{stage: review, script: [{touch!r}]}}\n",
            ".github/workflows/review.yml": "name: review\non: pull_request\njobs: {}\n",
        },
    )
    marker = world_marker(world, head)
    forged = f"{marker}\naccept, says mallory"
    if world.forge == "github":
        world.server.comment(forged, {"id": MALLORY, "login": "mallory", "type": "User"})
    else:
        world.server.comment(forged, MALLORY)
    world.server.checks.clear()

    commented = world.comment(head)
    assert commented.code == 0, commented.out
    assert world.server.bodies()[0] == forged
    assert len(world.server.bodies()) == 2
    assert "accept, says" not in world.server.bodies()[1]
    expected = {"github": "neutral", "gitlab": "success"}[world.forge]
    assert verdicts(world)[0] in (expected, "failure", "failed")
    assert "evil" not in world.runner.installed
    assert not canary.exists()
    asked = [path for _, path in world.server.requests]
    assert not [path for path in asked if re.search("artifact|logs|/99(/|$)", path)]


def test_a_head_that_is_no_commit_is_not_an_option_of_git(world: World) -> None:
    canary = world.root / "canary"
    for head in (f"--upload-pack=touch {canary}", "main", "", "a" * 40):
        done = world.comment(head)
        assert done.code not in (0, 42), done.out
    assert world.server.bodies() == []
    assert not canary.exists()


def world_marker(world: World, head: str) -> str:
    """Return with what the bot's comments begin, as anybody can read; start afresh."""
    world.comment(head)
    (body,) = world.server.bodies()
    world.server.comments.clear()
    return body.splitlines()[0]


def test_the_comment_is_replaced(world: World) -> None:
    head = world.request()
    for _ in range(2):
        assert world.comment(head).code == 0
    assert len(world.server.bodies()) == 1


def test_a_release_that_was_changed_is_not_published(world: World) -> None:
    file = world.work / ENTRY / "1.0.0/README.md"
    file.write_text(file.read_text() + "\nOne more line.\n")
    before = world.state()
    done = world.publish(world.commit("Change a release", "main"))
    assert done.code == 1
    assert "RELEASE_CHANGED" in done.out
    assert (world.state(), done.site) == (before, None)


def test_without_the_keys_nothing_is_published(world: World) -> None:
    world.request()
    world.keys = ""
    done = world.publish(world.merge())
    assert done.code == 3
    assert "KEY_MISSING" in done.out


def test_without_a_registry_none_is_founded(world: World) -> None:
    """A pipeline that founded one would change the root, and every client would refuse."""
    git("update-ref", "-d", f"refs/heads/{world.state_branch}", cwd=world.origin)
    if world.state_branch == "main":
        git("rm", "-rq", "registry/metadata", "registry/targets", cwd=world.work)
        tip = world.commit("Lose the registry", "main")
    else:
        tip = world.base
    done = world.publish(tip)
    assert done.code != 0
    assert done.site is None
    assert "released" not in done.out


def test_it_waits_to_be_switched_on(world: World) -> None:
    assert world.publish(world.base, "").out == "not run"
