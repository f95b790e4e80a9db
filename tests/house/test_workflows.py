"""The pipelines: well-formed, linted, pinned, and alike here and in the registries we make."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipelines import lines

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
OURS = ROOT / ".github/workflows"
TEMPLATES = ROOT / "tools/psreg/service/templates/registry"
THEIRS = TEMPLATES / ".github/workflows"
GITLAB = TEMPLATES / ".gitlab-ci.yml"
WORKFLOWS = sorted([*OURS.glob("*.yml"), *THEIRS.glob("*.yml")])
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))

PIP = '"$RUNNER_TEMP/psreg/bin/pip" install --quiet'
LOCAL = "--no-deps --no-build-isolation ."

DIFFERENCES = (
    (
        f"{PIP} --requirement registry/requirements.txt",
        f"{PIP} --require-hashes --requirement .ci/constraints.txt\n          {PIP} {LOCAL}",
    ),
    (
        "STATE_BRANCH: main # keeps registry/metadata and registry/targets",
        "STATE_BRANCH: registry # keeps registry/metadata and registry/targets, which main ignores",
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

    assert rights("review.yml") == {"review": {"contents": "read"}}
    posts = {"contents": "read", "pull-requests": "write", "checks": "write"}
    assert rights("comment.yml") == {"comment": posts}
    deploys = {"pages": "write", "id-token": "write"}
    for workflow, job in (("publish.yml", "publish"), ("resign.yml", "resign")):
        assert rights(workflow) == {job: {"contents": "write"}, "deploy": deploys}


@pytest.mark.parametrize("folder", [OURS, THEIRS], ids=["ours", "theirs"])
def test_the_untrusted_job_has_no_secret_and_the_trusted_one_reads_nothing_of_it(folder):
    review = (folder / "review.yml").read_text(encoding="utf-8")
    assert "secrets." not in review
    assert "pull_request_target" not in review
    comment = (folder / "comment.yml").read_text(encoding="utf-8")
    read = re.findall(r"github\.event\.workflow_run\.(\w+)", comment)
    assert set(read) == {"head_sha", "event"}
    assert not re.search(r"download-artifact|\.outputs\.|artifacts_url|actions/cache", comment)


def test_renewing_does_what_publishing_does_but_for_what_is_signed():
    def steps(workflow, job):
        jobs = yaml.safe_load((THEIRS / workflow).read_text(encoding="utf-8"))["jobs"]
        return jobs[job]["steps"], jobs["deploy"] | {"needs": ""}

    publish, deploys = steps("publish.yml", "publish")
    renew, deploys_again = steps("resign.yml", "resign")
    different = [step["name"] for step in publish if step not in renew]
    assert different == ["Verify again", "Publish"]
    assert [step["name"] for step in renew if step not in publish] == ["Renew"]
    assert deploys == deploys_again
