"""From a filled-in form to a reviewed pull request, by the lines of submit.yml; and hostile ones.

The forge is a server on loopback and the remote a bare repository; git and psreg are the real ones.
"""

import json

import pytest
import yaml

from psreg.forges.forge import CHECK
from support.clients import Client
from support.forges import BOT, TOKEN, running
from support.paths import ROOT
from support.pipelines import Event, GitHubActions, Runner, git
from support.registry_trees import POLICY, entry
from support.submissions import GOOD, TWO_RUNS, SubmittedGitHub, body, event

WORKFLOWS = {
    "ours": ROOT / ".github/workflows/submit.yml",
    "theirs": ROOT / "tools/psreg/authoring/templates/registry/.github/workflows/submit.yml",
}
ANSWER = "<!-- psreg submission -->"
REVIEW = "<!-- psreg review -->"
OWNED = 'owners = [{forge = "github", id = 583231, login = "octocat"}]'
FILES = [
    "pbes/prompt/trip_packer/0.1.0/README.md",
    "pbes/prompt/trip_packer/0.1.0/evidence/run_1.jsonl",
    "pbes/prompt/trip_packer/0.1.0/evidence/run_2.jsonl",
    "pbes/prompt/trip_packer/0.1.0/release.toml",
    "pbes/prompt/trip_packer/0.1.0/trip_packer.prompt",
    "pbes/prompt/trip_packer/entry.toml",
]


class World:
    """A registry's repository on a forge, and a machine that runs its workflow."""

    def __init__(self, root, server, workflow):
        self.root, self.server, self.origin = root, server, server.origin
        work = root / "work"
        git("init", "-q", "--bare", "-b", "main", str(self.origin), cwd=root)
        git("clone", "-q", str(self.origin), str(work), cwd=root)
        self.work = work
        server.tip = lambda: git("rev-parse", "main", cwd=self.origin)
        self.add({**entry("hello"), "registry/policy.toml": POLICY})
        lists = ("registry/requirements.txt", "registry/psreg.txt", ".ci/constraints.txt")
        self.add(dict.fromkeys(lists, "psreg\n"))
        self.runner = Runner(root=root / "runner", origin=self.origin)
        self.actions = GitHubActions(self.runner, server.url, server.repository)
        self.actions.token = TOKEN
        self.workflow = root / "submit.yml"
        document = yaml.safe_load(workflow.read_text(encoding="utf-8"))
        del document["jobs"]["submit"]["if"]  # the test of the forms reads the condition
        self.workflow.write_text(yaml.safe_dump(document))

    def add(self, files, message="Change"):
        for path, text in files.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text)
        git("add", "--all", cwd=self.work)
        git("commit", "-qm", message, cwd=self.work)
        git("push", "-q", "origin", "HEAD:main", cwd=self.work)

    def submit(self, text, **more):
        payload = event(text, **more)
        sha = git("rev-parse", "main", cwd=self.origin)
        return self.actions.run(self.workflow, Event(name="issues", payload=payload, sha=sha))[
            "submit"
        ]

    @property
    def branches(self):
        listed = git("for-each-ref", "--format=%(refname:short)", "refs/heads", cwd=self.origin)
        return sorted(set(listed.split()) - {"main"})

    def show(self, *arguments):
        return git(*arguments, cwd=self.origin)

    def answer(self, number=7):
        (said,) = self.server.bodies(number)
        assert said.startswith(ANSWER)
        return said


@pytest.fixture
def world(tmp_path, request):
    workflow = WORKFLOWS[getattr(request, "param", "ours")]
    with running(SubmittedGitHub(tmp_path / "prompts.git")) as server:
        yield World(tmp_path, server, workflow)


@pytest.mark.parametrize("world", WORKFLOWS, indirect=True)
def test_a_filled_in_form_becomes_a_reviewed_pull_request(world):
    done = world.submit(body(GOOD | TWO_RUNS, ["files"]))
    assert done.code == 0, done.out
    assert world.branches == ["submit/issue-7"]
    changed = world.show("diff", "--name-only", "main...submit/issue-7")
    assert changed.splitlines() == FILES
    who = world.show("show", "-s", "--format=%an <%ae> %s", "submit/issue-7")
    assert who.startswith(f"{BOT['login']} <{BOT['id']}+")
    assert who.endswith("Add trip_packer 0.1.0")
    assert OWNED in world.show("show", "submit/issue-7:pbes/prompt/trip_packer/entry.toml")
    (pull,) = world.server.pulls
    assert pull["title"] == "Add trip_packer 0.1.0"
    assert "Closes #7" in pull["body"]
    assert pull["html_url"] in world.answer()
    (review,) = world.server.bodies(pull["number"])
    assert review.startswith(REVIEW)
    assert "needs_human" in review
    pending, check = world.server.checks
    assert pending["state"] == "pending"
    assert (check["context"], check["state"]) == (CHECK, "success")
    assert check["description"].startswith("needs_human: ")
    assert check["sha"] == world.show("rev-parse", "submit/issue-7")
    assert world.server.tokens == {TOKEN}


def test_from_the_form_to_an_installed_release(world):
    world.submit(body(GOOD | TWO_RUNS))
    git("fetch", "-q", "origin", cwd=world.work)
    git("merge", "-q", "--no-ff", "-m", "Merge", "origin/submit/issue-7", cwd=world.work)
    maintainer, user = Client(world.root / "maintainer"), Client(world.root / "user")
    assert maintainer.run("publish", cwd=world.work).code == 0
    done = user.run("install", "trip_packer", "--registry", world.work)
    assert done.code == 0, done.err
    shown = user.run("render", "trip_packer", "--set", "nights=3", "--set", "destination=Rome")
    assert "Write a packing list for 3 nights in Rome." in shown.out


def test_a_second_run_changes_nothing_and_an_edit_changes_the_pull_request(world):
    text = body(GOOD | TWO_RUNS)
    world.submit(text)
    before = world.show("rev-parse", "submit/issue-7")
    world.submit(text)
    assert world.show("rev-parse", "submit/issue-7") == before
    done = world.submit(body({**GOOD, **TWO_RUNS, "name": "case_packer"}))
    assert done.code == 0, done.out
    assert len(world.server.pulls) == 1
    changed = world.show("diff", "--name-only", "main...submit/issue-7").splitlines()
    assert len(changed) == 6
    assert all("/case_packer/" in path for path in changed)
    assert len(world.server.bodies(7)) == 1


def test_what_is_missing_is_answered_and_fixed(world):
    done = world.submit(body({**GOOD, "summary": "Short.", "name": "Trip"}))
    assert done.code == 0, done.out
    assert "Write <code>trip" in world.answer()
    done = world.submit(body({**GOOD, "summary": "Short."}))
    said = world.answer()
    assert "**Summary in one sentence**" in said
    assert "REG008" in said
    assert world.branches == []
    assert world.server.pulls == []
    assert world.server.checks == []
    world.submit(body(GOOD))
    assert "pull request opened" in world.answer()


def test_a_name_that_is_taken_and_a_first_version_that_becomes_one(world):
    world.submit(body(GOOD))
    git("fetch", "-q", "origin", cwd=world.work)
    git("merge", "-q", "origin/submit/issue-7", cwd=world.work)
    git("push", "-q", "origin", "HEAD:main", cwd=world.work)
    world.submit(body(GOOD), number=8)
    assert "is already taken in class" in world.answer(8)
    prompt = "[METADATA]\n@dotprompt_format_version 0.0.1\n@version 3.1.0\n[CONTENT]\nHello!"
    world.submit(body({**GOOD, "name": "greeter", "artifact": prompt}), number=9)
    assert world.server.pulls[-1]["title"] == "Add greeter 1.0.0"
    place = "submit/issue-9:pbes/prompt/greeter/1.0.0/greeter.prompt"
    assert world.show("show", place) == prompt.replace("3.1.0", "1.0.0")
    assert world.branches == ["submit/issue-7", "submit/issue-9"]


def test_what_a_maintainer_fixed_is_not_overwritten(world):
    world.submit(body(GOOD))
    git("fetch", "-q", "origin", cwd=world.work)
    git("checkout", "-q", "submit/issue-7", cwd=world.work)
    (world.work / "pbes/prompt/trip_packer/0.1.0/README.md").write_text("# Fixed\n")
    git("commit", "-qam", "Fix", cwd=world.work)
    git("push", "-q", "origin", "submit/issue-7", cwd=world.work)
    done = world.submit(body({**GOOD, "name": "case_packer"}))
    assert done.code == 0, done.out
    assert "changed by hand" in world.answer()
    assert "Fixed" in world.show("show", "submit/issue-7:pbes/prompt/trip_packer/0.1.0/README.md")


def test_what_a_maintainer_approved_is_not_changed_by_an_edit_of_the_issue(world):
    world.submit(body(GOOD))
    (pull,) = world.server.pulls
    world.server.reviews[pull["number"]] = [{"user": {"id": 5}, "state": "APPROVED"}]
    before = world.show("rev-parse", "submit/issue-7")
    world.submit(body({**GOOD, "summary": "Plans the contents of another suitcase."}))
    assert "is approved" in world.answer()
    assert world.show("rev-parse", "submit/issue-7") == before


CANARY = "canary"
ATTACKS = {
    "shell": {
        "name": "$(touch canary)",
        "summary": "`touch canary`; touch canary; $(touch canary) && touch canary",
        "artifact": '"; touch canary; echo "\n$(touch canary)\n\'; touch canary #',
    },
    "workflow commands": {
        "name": "::set-output name=x::y",
        "summary": "::add-path::/tmp/x and ${{ github.token }} ${{ secrets.X }}",
        "artifact": "::stop-commands::x\n::error::x\necho x >> $GITHUB_ENV",
    },
    "paths": {
        "name": "../../.github/workflows/evil",
        "class": "../../registry: x",
        "artifact": "x",
    },
    "options": {"name": "--upload-pack=touch canary", "tags": "-x, --open"},
    "branches": {"name": "a:refs/heads/main", "summary": "+refs/heads/*:refs/heads/*"},
    "headings": {"summary": "x\n\n### Name of the prompt\n\nother_name", "name": ""},
    "marks": {
        "name": "<!-- psreg submission --> <!-- psreg review -->",
        "summary": "@octocat @keepers/all #1 GH-1 <img src=x onerror=y> [x](javascript:y) x",
        "tags": "@octocat, <b>, </details>, ```",
    },
    "control": {"name": "a\x00b\x1b[2J", "summary": "\x1b]0;x\x07" * 9, "tags": "\u202e, \ufeff"},
    "empty": dict.fromkeys(GOOD, ""),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_issue_has_an_answer_and_no_other_effect(world, attack):
    main = world.show("rev-parse", "main")
    done = world.submit(body(GOOD | ATTACKS[attack]))
    assert done.code == 0, done.out
    assert world.branches == []
    assert world.server.pulls == []
    assert world.server.checks == []
    assert world.show("rev-parse", "main") == main
    assert not list(world.root.rglob(CANARY))
    assert git("status", "--porcelain", cwd=done.folder) == ""
    said = world.answer()
    for mark in ("@octocat", "@keepers", "<img", "</details>", REVIEW, "](javascript"):
        assert mark not in said
    assert said.count("<!--") == 1
    assert "::" not in "".join(line[:2] for line in done.out.splitlines())
    assert TOKEN not in done.out


@pytest.mark.parametrize(
    "text",
    ["", "x" * 1_000_000, body(GOOD) + "x" * 1_000_000, "### Name of the prompt\n\n" * 50_000],
    ids=["nothing", "a megabyte", "a form and a megabyte", "headings"],
)
def test_an_issue_that_is_no_form_has_an_answer(world, text):
    done = world.submit(text)
    assert done.code == 0, done.out
    assert len(world.answer()) < 65_000
    assert world.branches == []


def test_shell_text_in_a_good_submission_is_content(world):
    hostile = "Say $(touch canary) and `touch canary`; ${{ github.token }} @octocat <!-- x -->"
    limits = "@octocat </details> <!-- psreg review --> $(touch canary)"
    done = world.submit(body({**GOOD, "example": hostile, "limitations": limits}))
    assert done.code == 0, done.out
    assert not list(world.root.rglob(CANARY))
    for number in (7, *(pull["number"] for pull in world.server.pulls)):
        for said in world.server.bodies(number):
            assert "@octocat" not in said.replace("```", "")
            assert said.count("<!--") == 1


def test_whose_entry_it_is_says_the_event_alone(world):
    text = body({**GOOD, "limitations": 'owners = [{forge = "github", id = 1, login = "x"}]'})
    world.submit(text, user=77, login="mallory")
    said = world.show("show", "submit/issue-7:pbes/prompt/trip_packer/entry.toml")
    assert 'id = 77, login = "mallory"' in said
    assert "id = 1," not in said


def test_other_events_do_nothing(world):
    for more in (
        {"state": "closed"},
        {"pull_request": {"url": "x"}},
        {"user": None},
        {"number": "7; touch canary"},
    ):
        done = world.submit(body(GOOD), **more)
        assert done.code == 2, done.out
    assert world.branches == []
    assert world.server.comments == {}


def test_the_forge_that_fails_is_said_and_the_next_run_goes_on(world):
    world.server.private = True
    world.actions.token = "expired"
    done = world.submit(body(GOOD))
    assert done.code == 4
    assert "FORGE_REFUSED" in done.out
    world.actions.token = TOKEN
    assert world.submit(body(GOOD)).code == 0
    assert len(world.server.pulls) == 1


def test_json_of_what_was_done(world):
    payload = world.root / "event.json"
    payload.write_text(json.dumps(event(body(GOOD))))
    code, out = world.runner.shell(
        f"python -m psreg submit --from-issue {payload} --format json", world.work, {}
    )
    assert code == 0, out
    document = json.loads(out)
    assert document["branch"] == "submit/issue-7"
    assert document["verdict"] == "needs_human"
    assert not document["pushed"]
