"""The pipelines: well-formed, linted, pinned, and alike here and in the registries we make."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from psreg.forges.forge import CHECK
from support.paths import ROOT
from support.pipelines import lines

BIN = Path(sys.executable).parent
OURS = ROOT / ".github/workflows"
TEMPLATES = ROOT / "tools/psreg/authoring/templates/registry"
THEIRS = TEMPLATES / ".github/workflows"
GITLAB = TEMPLATES / ".gitlab-ci.yml"
WORKFLOWS = sorted([*OURS.glob("*.yml"), *THEIRS.glob("*.yml")])
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))

HASHED = "--no-deps --require-hashes --requirement .ci/constraints.txt"
LOCAL = "--no-deps --no-build-isolation ."

DIFFERENCES = (
    ("--no-deps --require-hashes --requirement registry/requirements.txt", HASHED),
    ("--no-deps --no-build-isolation --requirement registry/psreg.txt", LOCAL),
    (
        "STATE_BRANCH: main # keeps registry/log, registry/metadata and registry/targets",
        "STATE_BRANCH: registry # keeps registry/log, registry/metadata and registry/targets, which main ignores",
    ),
)
"""What a registry's workflow says, and what ours says: where psreg and the state come from."""


def name(path):
    return path.relative_to(ROOT).as_posix()


def check(*command):
    done = subprocess.run(
        [BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted(THEIRS.glob("*.yml")), ids=lambda path: path.name)
def test_ours_and_theirs_are_one_text(path):
    text = path.read_text(encoding="utf-8")
    for theirs, ours in DIFFERENCES:
        text = text.replace(theirs, ours)
    assert (OURS / path.name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("file", ["publish.yml", "resign.yml", GITLAB.name])
def test_a_claim_that_waits_is_not_lost_to_the_signed_state(file, tmp_path):
    """The claim is on the main branch, and the signed state on another one does not have it yet."""
    waits = "registry/targets/owners/1.quiz.json"

    def git(*words):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, capture_output=True)

    def commit(*places):
        for place in places:
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).write_text(place)
        git("add", "--force", *places)
        git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x")

    git("init", "-q", "-b", "registry")
    commit("registry/metadata/timestamp.json", "registry/log/checkpoint", "registry/targets/2.json")
    git("remote", "add", "origin", str(tmp_path))
    git("switch", "-q", "--orphan", "main")
    (tmp_path / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    (tmp_path / waits).parent.mkdir(parents=True)
    (tmp_path / waits).write_text("claim")
    git("add", "registry")  # as the guide says; what is ignored is left out
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Claim quiz")
    found = GITLAB if file == GITLAB.name else OURS / file
    script = brings(yaml.safe_load(found.read_text(encoding="utf-8")))
    env = {"STATE_BRANCH": "registry", "PATH": os.environ["PATH"]}
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=env, check=True)
    kept = {each.relative_to(tmp_path).as_posix() for each in tmp_path.glob("registry/**/*.*")}
    assert {waits, "registry/targets/2.json", "registry/metadata/timestamp.json"} <= kept


def brings(document):
    """Return the shell script of a pipeline that brings the signed state."""
    if ".signed-state" in document:
        return document[".signed-state"]
    steps = (step for job in document["jobs"].values() for step in job["steps"])
    return next(step["run"] for step in steps if step.get("name") == "Bring the signed state")


def test_zizmor_finds_nothing():
    check("zizmor", "--offline", "--no-progress", "--persona", "pedantic", ".")


def test_every_exception_of_zizmor_has_a_reason():
    for path in [*WORKFLOWS, ROOT / "action.yml"]:
        for line in path.read_text(encoding="utf-8").splitlines():
            if "zizmor:" in line:
                assert re.search(r"zizmor: ignore\[[a-z-]+\] \w.{20}", line), line


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-actions", [ROOT / "action.yml"]),
        ("gitlab-ci", [GITLAB]),
        ("github-issue-forms", [path for path in FORMS if path.name != "config.yml"]),
        ("github-issue-config", [path for path in FORMS if path.name == "config.yml"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_pipeline_has_the_shape_that_its_forge_wants(schema, paths):
    special = ("--data-transform", "gitlab-ci") if schema == "gitlab-ci" else ()
    check("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *special, *paths)


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=name)
def test_actions_are_pinned_and_the_same_everywhere(path):
    for action, pin in re.findall(r"uses: (\S+)@(.*)", path.read_text(encoding="utf-8")):
        assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", pin), (action, pin)
        everywhere = "".join(other.read_text(encoding="utf-8") for other in WORKFLOWS)
        assert set(re.findall(rf"uses: {action}@(.*)", everywhere)) == {pin}


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml", GITLAB], ids=name)
def test_no_value_of_the_forge_is_a_part_of_a_shell_line(path):
    assert [line for line in lines(path) if "${{" in line] == []


@pytest.mark.parametrize("path", [*WORKFLOWS, GITLAB], ids=name)
def test_shell_lines_can_be_read(path):
    for line in lines(path):
        done = subprocess.run(
            ["bash", "-n", "-c", line], capture_output=True, text=True, check=False
        )
        assert done.stderr == ""


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_job_has_a_limit_and_only_the_rights_it_names(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 30
        assert "permissions" in job


@pytest.mark.parametrize("folder", [OURS, THEIRS], ids=["ours", "theirs"])
def test_who_has_which_rights(folder):
    def rights(workflow):
        jobs = yaml.safe_load((folder / workflow).read_text(encoding="utf-8"))["jobs"]
        return {job: needed["permissions"] for job, needed in jobs.items()}

    posts = {"contents": "read", "pull-requests": "write", "statuses": "write"}
    assert rights("review.yml") == {"review": posts, "again": posts}
    assert rights("check.yml") == {"check": {"contents": "read"}}
    deploys = {"pages": "write", "id-token": "write"}
    for workflow, job in (("publish.yml", "publish"), ("resign.yml", "resign")):
        assert rights(workflow) == {job: {"contents": "write"}, "deploy": deploys}


@pytest.mark.parametrize("path", [*WORKFLOWS, GITLAB], ids=name)
def test_only_jobs_of_the_environment_publish_have_the_keys(path):
    """On GitLab the guide limits PSREG_KEYS to that environment."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    jobs = found["jobs"] if path != GITLAB else {k: v for k, v in found.items() if "script" in v}
    holders = {name for name, job in jobs.items() if "PSREG_KEYS" in json.dumps(job)}
    assert {jobs[name].get("environment") for name in holders} <= {"publish"}
    assert holders == {
        "publish.yml": {"publish"},
        "resign.yml": {"resign"},
        GITLAB.name: {"pages"},
    }.get(path.name, set())
    assert "PSREG_KEYS" not in json.dumps(
        {k: v for k, v in found.items() if k not in {"jobs", *jobs}}, default=str
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_no_job_has_the_name_of_the_required_check(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    assert CHECK not in {*jobs, *(job["name"] for job in jobs.values())}


def test_the_guide_of_maintainers_says_what_protects_the_default_branch():
    """`psreg init` sends its readers there."""
    guide = (ROOT / "site/docs/guide/maintainers.md").read_text(encoding="utf-8")
    protect = guide.partition("*Settings → Rules → Rulesets*")[2].partition("\n7. ")[0]
    for setting in (
        f"**Require status checks to pass**: add `{CHECK}`",
        "**Require a merge queue**",
        "**Dismiss stale pull request approvals when new commits are pushed**",
        "Allow squash merging only",
    ):
        assert setting in protect
    merge_requests = guide.partition("*Settings → Merge requests*")[2].partition("\n- ")[0]
    assert "squash" in merge_requests


@pytest.mark.parametrize("folder", [OURS, THEIRS], ids=["ours", "theirs"])
def test_a_trusted_review_takes_a_number_and_commits_from_outside_and_checks_out_neither(folder):
    text = (folder / "review.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert set(workflow[True]) == {  # how YAML 1.1 reads `on`
        "pull_request_target",
        "merge_group",
        "push",
        "schedule",
        "workflow_dispatch",
    }
    assert {"opened", "synchronize", "reopened"} <= {
        *workflow[True]["pull_request_target"]["types"]
    }
    taken = set(re.findall(r"github\.event\.([\w.]+)", text))
    assert taken == {
        "pull_request.number",
        "pull_request.head.sha",
        "pull_request.state",
        "merge_group.head_sha",
        "merge_group.base_sha",
        "repository.default_branch",
    }
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    checkouts = [step["with"] for step in steps if "checkout" in step.get("uses", "")]
    assert {one["ref"] for one in checkouts} == {"${{ github.event.repository.default_branch }}"}
    assert not any(one["persist-credentials"] for one in checkouts)
    assert not re.search(r"secrets\.|download-artifact|actions/cache|git (checkout|switch)", text)


@pytest.mark.parametrize("folder", [OURS, THEIRS], ids=["ours", "theirs"])
def test_a_head_is_pending_before_anything_can_fail(folder):
    jobs = yaml.safe_load((folder / "review.yml").read_text(encoding="utf-8"))["jobs"]
    first, *_, last = jobs["review"]["steps"]
    assert '"statuses/$HEAD_SHA"' in first["run"]
    assert 'state: "pending"' in first["run"]
    assert last["if"] == "failure()"
    assert 'state: "error"' in last["run"]
    group = jobs["review"]["concurrency"]
    assert "pull_request.number" in group["group"]
    assert group["cancel-in-progress"] is True


def test_renewing_does_what_publishing_does_but_for_what_is_signed():
    def steps(workflow, job):
        jobs = yaml.safe_load((THEIRS / workflow).read_text(encoding="utf-8"))["jobs"]
        return jobs[job]["steps"], jobs["deploy"] | {"needs": ""}

    publish, deploys = steps("publish.yml", "publish")
    renew, deploys_again = steps("resign.yml", "resign")
    different = [step["name"] for step in publish if step not in renew]
    assert different == ["Publish"]
    assert [step["name"] for step in renew if step not in publish] == ["Renew"]
    assert deploys == deploys_again


@pytest.mark.parametrize("path", [*WORKFLOWS, GITLAB], ids=name)
def test_no_pipeline_uses_a_cache(path):
    """Another job could have written it, and a publish would put on the site what it contains."""
    assert "cache" not in json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str)
