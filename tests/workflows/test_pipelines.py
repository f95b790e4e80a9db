"""From a pull request to an installed release, by the pipelines' own lines, on both forges.

Three registries: this repository's own workflows, and the two kinds that `psreg init` writes. The
forge is a server on loopback; the rest is real: Git, psreg, keys, the site, an installation.
"""

from __future__ import annotations

import atexit
import base64
import html
import json
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import yaml

from psreg import __version__
from psreg.forges.forge import CHECK
from support import publishing
from support.clients import Client
from support.forges import TOKEN, FakeForge, FakeGitHub, FakeGitLab, Trouble, running
from support.loopback import serving
from support.paths import ROOT
from support.pipelines import Done, Event, GitHubActions, GitLabCI, Runner, copy_tree, git

NAME = "spaced_recall"
ARTIFACT = f"{NAME}.pbe.txt"
ENTRY = f"pbes/interactive_engine/{NAME}"
ANA, MALLORY = 7, 666
SIGNED = ("registry/log", "registry/metadata", "registry/targets")

POLICY = '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "Nothing here is run."\n'


class World(ABC):
    """A registry on a forge: its bare repository, a maintainer, a contributor, a runner."""

    forge: str
    state_branch = "main"

    def __init__(self, root: Path, server: FakeForge) -> None:
        self.root, self.server = root, server
        self.origin = root / "prompts.git"
        self.work = root / "work"
        self.maintainer = Client(root / "maintainer")
        self.runner = Runner(root=root / "runner", origin=self.origin)
        self.pin = ""
        self.keys = ""
        server.tip = lambda: self.base

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
        published = self.maintainer.run("publish", "--format", "json", cwd=self.work).json
        self.pin = published["root_sha256"]
        self.keys = self.exported(published["registry_id"])
        self.commit("Create the registry", "main")
        if self.state_branch != "main":
            git("checkout", "-q", "--orphan", self.state_branch, cwd=self.work)
            git("rm", "-rq", "--cached", ".", cwd=self.work)
            git("add", "--force", *SIGNED, cwd=self.work)
            git("commit", "-qm", "Create the registry", cwd=self.work)
            git("push", "-q", "origin", self.state_branch, cwd=self.work)
            git("checkout", "-qf", "main", cwd=self.work)

    def copy(self, other: World) -> None:
        """Begin with what another registry of the same kind is founded with."""
        for name in ("prompts.git", "work", "maintainer"):
            shutil.copytree(other.root / name, self.root / name, symlinks=True, dirs_exist_ok=True)
        git("remote", "set-url", "origin", str(self.origin), cwd=self.work)
        self.pin, self.keys = other.pin, other.keys

    def exported(self, registry_id: str) -> str:
        """Return the secret as the maintainers' guide makes it: without the root key."""
        folder = self.maintainer.home / "data/keys"
        packed = subprocess.run(
            ["tar", "-C", folder, "--exclude", "root.pem", "-cz", registry_id],
            capture_output=True,
            check=True,
        ).stdout
        return base64.b64encode(packed).decode()

    def scaffold(self) -> None:
        """Write the files of the registry that are not prompts."""
        made = self.root / "made"
        assert self.maintainer.run("init", made).code == 0
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
    def own(self, head: str) -> Done:
        """Run what the pull request itself may define: nothing it says is believed."""

    @abstractmethod
    def review(self, head: str) -> Done:
        """Run the trusted pipeline that the event of a pull request starts."""

    @abstractmethod
    def again(self) -> Done:
        """Run the trusted pipeline that judges what is open again."""

    @abstractmethod
    def publish(self, tip: str) -> Done:
        """Run the pipeline of the default branch."""

    @abstractmethod
    def renew(self) -> Done:
        """Run the pipeline of the schedule."""

    @abstractmethod
    def check(self) -> Done:
        """Run the pipeline of the weekly schedule."""


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

    def own(self, head: str) -> Done:
        """Let all jobs of the head's own workflows be green, unless it says `[skip ci]`."""
        if "[skip ci]" not in git("show", "-s", "--format=%B", head, cwd=self.origin):
            paths = git("ls-tree", "--name-only", f"{head}:.github/workflows", cwd=self.origin)
            for path in paths.split():
                text = git("show", f"{head}:.github/workflows/{path}", cwd=self.origin)
                workflow = yaml.safe_load(text)
                if "pull_request" in workflow[True]:  # how YAML 1.1 reads `on`
                    for job in workflow["jobs"].values():
                        self.server.job(job["name"], head)  # type: ignore[attr-defined]
        return Done(code=0, out="green", folder=self.root)

    def _judge(self, name: str, more: dict[str, Any]) -> Done:
        payload = {"repository": {"default_branch": "main"}, **more}
        event = Event(name=name, payload=payload, sha=self.base)
        return self._run(self.actions, "review.yml", event)

    def review(self, head: str, *, number: int = 1, action: str = "synchronize") -> Done:
        command = f"$(touch {self.root / 'canary'})"
        pulls = [one for one in self.server.pulls if one["number"] == number]
        author = pulls[0]["user"] if pulls else {"id": ANA}
        pull = {
            "number": number,
            "title": command,
            "state": pulls[0]["state"] if pulls else "open",
            "head": {"sha": head, "ref": command, "label": command},
            "base": {"sha": self.base, "ref": "main"},
        }
        more = {"action": action, "pull_request": pull, "sender": author}
        return self._judge("pull_request_target", more)

    def queue(self, head: str, base: str) -> Done:
        """Run the pipeline of a merge queue that tries a commit on top of another."""
        ref = f"refs/heads/gh-readonly-queue/main/pr-1-{base}"
        group = {"head_sha": head, "base_sha": base, "head_ref": ref, "base_ref": "refs/heads/main"}
        return self._judge("merge_group", {"merge_group": group, "sender": {"id": 1}})

    def again(self) -> Done:
        return self._judge("push", {})

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

    def check(self) -> Done:
        return self._release("check.yml", self.base)


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
        done = ci.run(file, source, sha, **more)
        if "pages" in done:
            assert done["again"].code == 0, done["again"].out
            return done["pages"]
        assert len(done) <= 1
        return next(iter(done.values()), Done(code=0, out="not run", folder=self.root))

    def own(self, head: str) -> Done:
        base = git("merge-base", "main", head, cwd=self.origin)
        return self._run(
            "merge_request_event",
            head,
            CI_MERGE_REQUEST_IID="1",
            CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        )

    def review(self, head: str) -> Done:
        payload = self.root / "payload.json"
        request = {"iid": 99, "last_commit": {"id": head}, "author_id": ANA, "title": "$(false)"}
        author = {}
        if self.server.pulls:
            author = self.server.pulls[-1]["author"]
            request["state"] = self.server.pulls[-1]["state"]
        payload.write_text(json.dumps({"object_attributes": request, "user": author}))
        return self._run("trigger", self.base, TRIGGER_PAYLOAD=str(payload))

    def again(self) -> Done:
        return self._run("push", self.base, PSREG_PUBLISH="no")

    def publish(self, tip: str, switched: str = "yes") -> Done:
        done = self._run("push", tip, PSREG_PUBLISH=switched)
        return done if switched else replace(done, out="not run")

    def renew(self) -> Done:
        return self._run("schedule", self.base)

    def check(self) -> Done:
        return self._run("schedule", self.base, PSREG_CHECK="yes")


@pytest.fixture(
    params=[(Ours, FakeGitHub), (OnGitHub, FakeGitHub), (OnGitLab, FakeGitLab)],
    ids=["ours", "github", "gitlab"],
)
def world(request: Any, tmp_path: Path) -> Iterator[World]:
    kind, forge = request.param
    with running(forge()) as server:
        world = kind(tmp_path, server)
        world.copy(founded(kind, forge))
        yield world


@cache
def founded(kind: type[World], forge: type[FakeForge]) -> World:
    """Return a registry that is founded once for all tests of this process, and stays as it is."""
    root = Path(mkdtemp(prefix="psreg-tests-"))
    atexit.register(shutil.rmtree, root)
    unused = forge()
    unused.server.server_close()
    world = kind(root, unused)
    world.found()
    return world


def verdicts(world: World) -> list[str]:
    """Return what the statuses say that a finished review set."""
    assert all(check.get("context", check.get("name")) == CHECK for check in world.server.checks)
    return [check["state"] for check in world.server.checks if check["state"] != "pending"]


def green(world: World, head: str) -> bool:
    """Tell whether a branch with the required check would take a head."""
    if isinstance(world.server, FakeGitHub):
        return world.server.mergeable(head, CHECK)
    states = [check["state"] for check in world.server.checks if check["sha"] == head]
    return states[-1:] == ["success"]


def ready(world: World) -> bool:
    """Tell whether a comment of the bot says that the pull request can be merged."""
    return any("Ready to merge" in body for body in world.server.bodies())


def test_from_a_pull_request_to_an_installed_release(world: World, tmp_path: Path) -> None:
    head = world.request()

    own = world.own(head)
    assert own.code == 0, own.out
    assert world.server.bodies() == []
    if world.forge == "gitlab":
        assert json.loads((own.folder / "gl-code-quality-report.json").read_text()) is not None

    reviewed = world.review(head)
    assert reviewed.code == 0, reviewed.out
    assert f"psreg=={__version__}" in world.runner.installed
    if world.forge == "github":
        assert f"{NAME} 1.1.0" in html.unescape(reviewed.summary)
    (body,) = world.server.bodies()
    assert f"{NAME} 1.1.0" in html.unescape(body)
    assert f"Reviewed <code>{head[:12]}</code> against <code>{world.base[:12]}</code>" in body
    assert verdicts(world) == ["success"]
    assert (green(world, head), ready(world)) == (True, True)

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
    world.runner.cold = True
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
            "registry/psreg.txt": "evil==6.6.6\n",
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

    reviewed = world.review(head)
    assert reviewed.code == 0, reviewed.out
    assert world.server.bodies()[0] == forged
    assert len(world.server.bodies()) == 2
    assert "accept, says" not in world.server.bodies()[1]
    assert verdicts(world)[0] in ("success", "failure", "failed")
    assert not ready(world)
    assert "evil" not in world.runner.installed
    assert not canary.exists()
    asked = [path for _, path in world.server.requests]
    assert not [path for path in asked if re.search("artifact|logs|/99(/|$)", path)]


def test_what_is_closed_is_left_alone(world: World) -> None:
    """Titles of closed pull requests can be edited; GitLab also tells of closing and merging."""
    head = world.request()
    world.review(head)
    before = [*world.server.checks], world.server.bodies()
    for state in ("closed", "merged"):
        world.server.pulls[0]["state"] = state
        done = world.review(head)
        assert done.code == 0, done.out
    assert (world.server.checks, world.server.bodies()) == before


def test_a_head_that_is_no_commit_is_not_an_option_of_git(world: World) -> None:
    canary = world.root / "canary"
    for head in (f"--upload-pack=touch {canary}", "main", "", "a" * 40):
        done = world.review(head)
        assert done.code not in (0, 42), done.out
    assert world.server.bodies() == []
    assert not canary.exists()


def world_marker(world: World, head: str) -> str:
    """Return with what the bot's comments begin, as anybody can read; start afresh."""
    world.review(head)
    (body,) = world.server.bodies()
    world.server.comments.clear()
    return body.splitlines()[0]


def test_the_comment_is_replaced(world: World) -> None:
    head = world.request()
    for _ in range(2):
        assert world.review(head).code == 0
    assert len(world.server.bodies()) == 1


# A verdict is about one head, one base and one author


def push(world: World, message: str, **files: str) -> str:
    """Push a new head of the pull request; return it."""
    git("checkout", "-qB", "next", "next", cwd=world.work)
    for path, text in files.items():
        (world.work / path).write_text(text)
    head = world.commit(message, world.request_ref)
    pull = world.server.pulls[0]
    if world.forge == "github":
        pull["head"]["sha"] = head
    else:
        pull["sha"] = head
    return head


def move_main(world: World, policy: str = POLICY) -> str:
    """Merge something else; return the new tip of the default branch."""
    git("checkout", "-q", "main", cwd=world.work)
    (world.work / "registry/policy.toml").write_text(policy + "# decided again\n")
    return world.commit("Decide", "main")


BROKEN = {f"{ENTRY}/1.1.0/release.toml": 'summary = "x"\n'}


def test_a_head_with_skip_ci_after_an_accepted_one_leaves_nothing_green(world: World) -> None:
    """It also removes the workflow, and brings one with a job that has the name of the check."""
    world.review(world.request())
    assert ready(world)
    forged = "name: x\non: pull_request\njobs: {x: {name: psreg, runs-on: x, steps: []}}\n"
    workflow = ".gitlab-ci.yml" if world.forge == "gitlab" else ".github/workflows/review.yml"
    text = "stages: [review]\n" if world.forge == "gitlab" else forged
    head = push(world, "Go on [skip ci]", **BROKEN, **{workflow: text})
    if world.forge == "github":
        world.own(head)
        world.server.job(CHECK, head)  # type: ignore[attr-defined] # by a later one without
    done = world.review(head)
    assert done.code == 0, done.out
    assert (green(world, head), ready(world)) == (False, False)
    assert verdicts(world)[-1] in ("failure", "failed")


def test_a_review_that_fails_leaves_nothing_green(world: World) -> None:
    """It cannot be installed any more: the comment on the head before is withdrawn all the same."""
    world.review(world.request())
    for name in ("registry/requirements.txt", ".ci/constraints.txt"):
        if (world.work / name).is_file():
            git("checkout", "-q", "main", cwd=world.work)
            (world.work / name).unlink()
            world.commit("Lose it", "main")
    head = push(world, "Go on", **{f"{ENTRY}/1.1.0/README.md": "# Changed\n"})
    done = world.review(head)
    assert done.code != 0
    assert (green(world, head), ready(world)) == (False, False)
    (body,) = world.server.bodies()
    assert body.startswith("<!-- psreg review -->\n### psreg: Reviewing")
    assert head[:12] in body


def test_a_second_review_of_a_head_begins_as_pending_and_leaves_nothing_green_if_it_fails(
    world: World,
) -> None:
    head = world.request()
    world.review(head)
    assert green(world, head)
    git("checkout", "-q", "main", cwd=world.work)
    lost = "registry/requirements.txt"
    lost = lost if (world.work / lost).is_file() else ".ci/constraints.txt"
    git("rm", "-q", lost, cwd=world.work)
    world.commit("Lose it", "main")
    asked, set_before = len(world.server.requests), len(world.server.checks)
    assert world.review(head).code != 0
    method, path = world.server.requests[asked]
    assert (method, path.endswith(f"/statuses/{head}")) == ("POST", True)
    assert world.server.checks[set_before]["state"] == "pending"
    assert (green(world, head), ready(world)) == (False, False)


@pytest.mark.parametrize("world", [(OnGitLab, FakeGitLab)], indirect=True, ids=["gitlab"])
@pytest.mark.parametrize("answered", [1, 2, 3])
def test_a_forge_that_refuses_ends_the_job_in_words(world: OnGitLab, answered: int) -> None:
    """Such as for a token that expired; the runner of these tests accepts no traceback."""
    head = world.request()
    handle, left = world.server._handle, [answered]

    def refusing(handler: Any) -> None:
        world.server.trouble[:] = [] if left[0] > 0 else [Trouble(403)]
        left[0] -= 1
        handle(handler)

    world.server._handle = refusing  # type: ignore[method-assign]
    done = world.review(head)
    assert done.code == 22
    assert "The requested URL returned error: 403" in done.out
    assert not green(world, head)


def at_comment(world: World, do: Callable[[], object], *, times: int = 1) -> None:
    """Let something happen on the forge while a comment is written, which comes in the end."""
    create, left = world.server._create, [times]  # type: ignore[attr-defined]

    def late(*arguments: Any) -> Any:
        if left[0]:
            left[0] -= 1
            do()
        return create(*arguments)

    world.server._create = late  # type: ignore[attr-defined]


def test_a_head_that_moves_while_it_is_judged_is_not_ready(world: World) -> None:
    head = world.request()
    at_comment(world, lambda: push(world, "Go on", **BROKEN))
    done = world.review(head)
    assert done.code == 4, done.out
    assert "SUPERSEDED" in done.out
    assert (green(world, head), ready(world)) == (False, False)


def test_an_older_review_that_ends_late_overwrites_nothing(world: World) -> None:
    old = world.request()
    new = push(world, "Go on", **BROKEN)
    assert world.review(new).code == 0
    before = [check for check in world.server.checks if check["sha"] == new]
    assert world.review(old).code == 4
    assert [check for check in world.server.checks if check["sha"] == new] == before
    assert not [body for body in world.server.bodies() if f"Reviewed <code>{old[:12]}" in body]
    assert (green(world, old), green(world, new), ready(world)) == (False, False, False)


def test_a_base_that_moves_while_it_is_judged_is_looked_at(world: World) -> None:
    """The verdict that stays is about the new one."""
    head = world.request()
    at_comment(world, lambda: move_main(world))
    done = world.review(head)
    assert done.code == 0, done.out
    assert "attempt 1 ended with 4" in done.out
    (body,) = world.server.bodies()
    assert f"against <code>{world.base[:12]}</code>" in body
    assert (green(world, head), ready(world)) == (True, True)


def test_what_is_open_is_judged_again_when_the_default_branch_moves(world: World) -> None:
    head = world.request()
    world.review(head)
    assert green(world, head)
    before = len(world.server.checks)
    assert world.again().code == 0
    assert len(world.server.checks) == before
    move_main(world, "")  # without the waiver the release has an error
    done = world.again()
    assert done.code == 0, done.out
    assert (green(world, head), ready(world)) == (False, False)
    move_main(world)
    assert world.again().code == 0
    assert (green(world, head), ready(world)) == (True, True)


def test_a_head_that_cannot_be_had_does_not_keep_others_from_being_judged(world: World) -> None:
    head = world.request()
    world.server.pull("d" * 40, ANA, number=2)  # type: ignore[attr-defined]
    done = world.again()
    assert done.code == 1, done.out
    assert f"{'d' * 40} was not reviewed" in done.out
    assert len(world.server.bodies()) == 1
    assert "needs_human" in world.server.bodies()[0]  # no event said who pushed it
    assert green(world, head)


def test_a_second_pull_request_with_an_accepted_head_belongs_to_nobody(world: World) -> None:
    head = world.request()
    world.review(head)
    assert ready(world)
    world.server.pull(head, MALLORY, number=2)  # type: ignore[attr-defined]
    assert world.review(head).code == 0
    assert not ready(world)
    assert ["needs_human" in body for body in world.server.bodies(2)] == [True]


@pytest.mark.parametrize("word", ["failing", "neutral"])
def test_what_a_person_decides_is_green_if_the_policy_wants_it(world: World, word: str) -> None:
    head = world.request(MALLORY)
    move_main(world, f'{POLICY}[review]\nneeds_human = "{word}"\n')
    assert world.review(head).code == 0
    assert "needs_human" in world.server.bodies()[0]
    assert green(world, head) is (word == "neutral")


def test_a_pull_request_does_not_choose_what_its_own_verdict_means(world: World) -> None:
    move_main(world, f'{POLICY}[review]\nneeds_human = "failing"\n')
    head = world.request(MALLORY, **{"registry/policy.toml": POLICY})
    assert world.review(head).code == 0
    assert not green(world, head)


@pytest.mark.parametrize("world", [(OnGitHub, FakeGitHub)], indirect=True, ids=["github"])
def test_a_merge_queue_has_the_verdict_at_its_own_commit(world: OnGitHub) -> None:
    head = world.request()
    world.review(head)
    comments = world.server.bodies()
    base = move_main(world)
    git("checkout", "-qB", "queue", base, cwd=world.work)
    git("merge", "-q", "--no-ff", "-m", "Try", "next", cwd=world.work)
    git("push", "-qf", "origin", "HEAD:refs/heads/gh-readonly-queue/main/pr-1-x", cwd=world.work)
    tried = git("rev-parse", "HEAD", cwd=world.work)
    assert not green(world, tried)
    done = world.queue(tried, base)
    assert done.code == 0, done.out
    assert green(world, tried)
    assert "accept: " in world.server.checks[-1]["description"]
    assert world.server.bodies() == comments
    (world.work / ENTRY / "1.1.0/release.toml").write_text("")
    worse = world.commit("Try something else", "refs/heads/gh-readonly-queue/main/pr-1-y")
    assert world.queue(worse, base).code == 0
    assert not green(world, worse)


@pytest.mark.parametrize("world", [(OnGitHub, FakeGitHub)], indirect=True, ids=["github"])
def test_a_comment_far_down_is_withdrawn_and_those_of_others_are_not(world: OnGitHub) -> None:
    head = world.request()
    stranger = {"id": MALLORY, "login": "github-actions[bot]", "type": "User"}
    for number in range(120):
        world.server.comment(f"{number}", stranger)
    forged = "<!-- psreg review -->\n### psreg: Ready to merge, says mallory"
    world.server.comment(forged, stranger)
    world.review(head)
    git("checkout", "-q", "main", cwd=world.work)
    git("rm", "-q", "registry/requirements.txt", cwd=world.work)
    world.commit("Lose it", "main")
    assert world.review(head).code != 0
    assert [body for body in world.server.bodies() if "mallory" in body] == [forged]
    assert "### psreg: Reviewing" in world.server.bodies()[-1]


@pytest.mark.parametrize("world", [(OnGitHub, FakeGitHub)], indirect=True, ids=["github"])
def test_a_comment_is_withdrawn_if_a_commit_can_have_no_further_status(world: OnGitHub) -> None:
    head = world.request()
    assert world.review(head).code == 0
    assert "Ready to merge" in world.server.bodies()[-1]
    world.server.checks += [world.server.checks[-1]] * 1_000
    move_main(world, "")  # without the waiver the release has an error
    assert world.again().code == 1
    assert not ready(world)
    world.server.comments[1][-1]["body"] = "<!-- psreg review -->\n### psreg: Ready to merge"
    assert world.review(head).code != 0
    assert not ready(world)


def test_a_release_that_was_changed_is_not_published(world: World) -> None:
    file = world.work / ENTRY / "1.0.0/README.md"
    file.write_text(file.read_text() + "\nOne more line.\n")
    before = world.state()
    done = world.publish(world.commit("Change a release", "main"))
    assert done.code == 1
    assert "RELEASE_CHANGED" in done.out
    assert (world.state(), done.site) == (before, None)


def test_a_release_with_errors_is_not_published_and_the_weekly_check_reports_it(
    world: World,
) -> None:
    checked = world.check()
    assert checked.code == 0, checked.out
    assert "checked 1" in checked.out
    before = world.state()
    world.request(**BROKEN)
    tip = world.merge()
    for done in (world.publish(tip), world.check()):
        assert (done.code, done.site) == (1, None), done.out
        assert "1.1.0/release.toml" in done.out
    assert world.state() == before


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
        git("rm", "-rq", *SIGNED, cwd=world.work)
        tip = world.commit("Lose the registry", "main")
    else:
        tip = world.base
    done = world.publish(tip)
    assert done.code != 0
    assert done.site is None
    assert "released" not in done.out


def test_it_waits_to_be_switched_on(world: World) -> None:
    assert world.publish(world.base, "").out == "not run"
