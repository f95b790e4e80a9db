"""What `psreg doctor` recognizes in pipelines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from psreg.registry.doctor import pipelines
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from support.publishing import NOW

COMMIT = 40 * "0"
GITLAB = ".gitlab-ci.yml"
PUBLISH = ".github/workflows/publish.yml"


def facts(**files: str) -> Facts:
    paths = {"gitlab": GITLAB, "publish": PUBLISH, "owners": "CODEOWNERS", "txt": "registry/a.txt"}
    found = {paths[name]: text for name, text in files.items()}
    return Facts(production=True, now=NOW, files=found)


def test_no_pipelines() -> None:
    nothing = facts()
    for check in (pipelines.pinned, pipelines.publish_key, pipelines.resign_scheduled):
        assert check(nothing).status is Status.UNSEEN
    assert pipelines.code_owners(nothing).found == "there is no CODEOWNERS"


@pytest.mark.parametrize(
    "text",
    [
        f"      - uses: actions/checkout@{COMMIT} # v7",
        "      - uses: ./tools/action",
        f"      - uses: 'docker://python@sha256:{64 * '0'}'",
        "      - run: pip install --no-deps --require-hashes -r a.txt",
        "      - run: |\n          pip install --no-deps \\\n            --no-build-isolation .",
        "      # pip install anything",
        "      - run: pip --version",
        "      - run: uv pip install --require-hashes -r a.txt",
        "      # uvx anything",
    ],
)
def test_what_is_pinned(text: str) -> None:
    assert pipelines.pinned(facts(publish=f"jobs:\n{text}\n")).status is Status.OK


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("      - uses: actions/checkout@v7", "actions/checkout@v7, which can change"),
        ("        uses: a/b@0000000 # v1", "a/b@0000000, which can change"),
        ('      - uses: "a/b"', "a/b, which can change"),
        ("      - uses: docker://python:3.11", "docker://python:3.11, which can change"),
        ("      - run: pip install psreg", "installs packages without their hashes"),
        ("      - run: pip3 install --no-deps psreg", "installs packages without their hashes"),
        ("      - run: uv pip install psreg", "installs packages without their hashes"),
        ("      - run: uv tool install psreg", "installs packages without their hashes"),
        ("      - run: pipx install psreg", "installs packages without their hashes"),
        ("      - run: pipx run psreg publish", "installs packages without their hashes"),
        ("      - run: uvx psreg publish", "installs packages without their hashes"),
    ],
)
def test_what_is_not_pinned(text: str, found: str) -> None:
    diagnosis = pipelines.pinned(facts(publish=f"jobs:\n{text}\n"))
    assert (diagnosis.status, diagnosis.found.endswith(found)) == (Status.ERROR, True)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (f"psreg==0.2.0 --hash=sha256:{64 * '0'}", Status.OK),
        (f"psreg==0.2.0 \\\n    --hash=sha256:{64 * '0'}", Status.OK),
        (f"psreg @ git+https://example.org/psreg.git@{COMMIT}", Status.OK),
        (f"psreg[site] @ https://example.org/psreg.whl#sha256={64 * '0'}", Status.OK),
        ("# psreg==0.2.0", Status.OK),
        ("psreg==0.2.0", Status.ERROR),
        ("psreg @ git+https://example.org/psreg.git@main", Status.ERROR),
        ("psreg[site] == 0.2.0", Status.ERROR),
    ],
)
def test_packages(line: str, status: Status) -> None:
    assert pipelines.pinned(facts(publish="jobs:\n", txt=f"{line}\n")).status is status


def test_several_problems_are_counted() -> None:
    found = pipelines.pinned(facts(publish="jobs:\n - uses: a/b@v1\n - uses: a/c@v1\n"))
    assert found.found == f"{PUBLISH} uses a/b@v1, which can change, and 1 more"


JOB = """\
on:
  push:
jobs:
  # PSREG_KEYS are for the next job
  other:
    steps: []
  publish: # has them
    environment: publish
    env:
      PSREG_KEYS: ${{ secrets.PSREG_KEYS }}
"""


def key(**files: str) -> tuple[Status, str]:
    found = pipelines.publish_key(facts(**files))
    return found.status, found.found


def test_who_has_the_keys() -> None:
    assert key(publish=JOB)[0] is Status.OK
    bare = JOB.replace("    environment: publish\n", "")
    without = f"the job publish of {PUBLISH} has PSREG_KEYS without an environment"
    assert key(publish=bare) == (Status.ERROR, without)
    whole = JOB.replace("jobs:", "env:\n  PSREG_KEYS: ${{ secrets.PSREG_KEYS }}\njobs:")
    assert key(publish=whole)[1].startswith("the job (outside of jobs) of")
    assert key(publish="on: push\njobs:\n")[0] is Status.UNSEEN
    assert key(publish="jobs:\n  a:\n    steps: []\n")[0] is Status.UNSEEN


@pytest.mark.parametrize(
    "event",
    [
        "pull_request",
        "pull_request_target",
        "pull_request_review",
        "pull_request_review_comment",
        "issues",
        "issue_comment",
        "discussion",
        "discussion_comment",
        "merge_group",
        "workflow_run",
        "fork",
        "watch",
    ],
)
def test_who_starts_a_job_with_the_keys(event: str) -> None:
    told = (Status.ERROR, f"{PUBLISH} has PSREG_KEYS, and runs when strangers ask for it")
    assert key(publish=JOB.replace("  push:", f"  {event}:")) == told
    assert key(publish=JOB.replace("on:\n  push:", f"on: [push, {event}]")) == told
    assert key(publish=JOB.replace("on:\n  push:", f"on:\n  - push\n  - {event}")) == told


def test_gitlab() -> None:
    ci = "stages: [publish]\n\npages:\n  environment: publish\n  script:\n    - echo $PSREG_KEYS\n"
    assert key(gitlab=ci)[0] is Status.OK
    assert key(gitlab=ci.replace("  environment: publish\n", ""))[0] is Status.ERROR
    scheduled = pipelines.resign_scheduled(facts(gitlab=f"{ci}    - psreg publish --resign\n"))
    assert (scheduled.status, "Pipeline schedules" in scheduled.advice) == (Status.UNSEEN, True)


def renewal(*crons: str, days: int = 3) -> Diagnosis:
    listed = "".join(f'    - cron: "{cron}"\n' for cron in crons)
    text = f"on:\n  schedule:\n{listed}jobs:\n  resign:\n    run: psreg publish --resign\n"
    others = {".github/workflows/check.yml": "on: push\n"}
    found = {**others, PUBLISH: text}
    lasts = {"timestamp": timedelta(days=days)}
    return pipelines.resign_scheduled(Facts(production=True, now=NOW, files=found, lifetimes=lasts))


def test_schedules() -> None:
    assert renewal("17 */8 * * *").found == f"{PUBLISH} renews signatures every 8 hours"
    assert renewal("23 1,9,17 * * *").status is Status.OK
    assert renewal("0 1 * * *", "0 13 * * *").found.endswith("every 12 hours")
    daily = renewal("0 1 * * *")
    assert (daily.status, daily.found) == (
        Status.ERROR,
        f"{PUBLISH} renews after up to 24 hours; a timestamp lasts 3 days",
    )
    assert renewal("0 1 * * *", days=14).status is Status.OK
    assert renewal("@daily").status is Status.UNSEEN
    assert renewal().status is Status.UNSEEN


@pytest.mark.parametrize(
    ("lines", "hours"),
    [
        (["* * * * *"], 1 / 60),
        (["0 0-23/6 * * *"], 6),
        (["0 5/6 * * *"], 6),
        (["0 0 * * 1-5"], 72),
        (["0 0 * * 0,7"], 168),
        (["0 0 * * 7", "0 0 * * 3"], 96),
        (["0 0 1 * *"], None),
        (["0 0 * 6 *"], None),
        (["0 0 * *"], None),
        (["0 0 * * mon"], None),
        (["61 0 * * *"], None),
        (["5-1 0 * * *"], None),
        (["*/0 0 * * *"], None),
        (["- 0 * * *"], None),
        (["0 0 * * MON", "0 4 * * *"], 24),
    ],
)
def test_the_longest_gap_of_cron(lines: list[str], hours: float | None) -> None:
    expected = None if hours is None else timedelta(hours=hours)
    assert pipelines.longest_gap(lines) == expected


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("/.github/ @o/t", True),
        (".github @o/t # the team", True),
        ("* @o/t", True),
        ("*.yml a@example.org", True),
        ("/.github/workflows/*.yml @o/t", True),
        ("/.github/** @o/t", True),
        ("[Section]\n/.github/ @o/t", True),
        ("publish.yml @o/t", True),
        ("workflows/ @o/t", True),
        ("/workflows/ @o/t", False),
        ("/.github/", False),
        ("* @o/t\n/.github/", False),
        ("/.github/ nobody", False),
        ("publish.yml/ @o/t", False),
        ("", False),
    ],
)
def test_who_owns_a_file(text: str, owned: bool) -> None:
    assert bool(pipelines.owners_of(PUBLISH, text)) is owned


def test_code_owners() -> None:
    both = "/.github/ @o/t\n/registry/ @o/t\n"
    assert pipelines.code_owners(facts(publish=JOB, owners=both)).status is Status.OK
    some = pipelines.code_owners(facts(publish=JOB, owners="/.github/ @o/t\n"))
    assert some.found == "CODEOWNERS names nobody for registry/policy.toml"
    gitlab = pipelines.code_owners(facts(gitlab="", owners="/registry/ @o/t\n"))
    assert gitlab.found == "CODEOWNERS names nobody for .gitlab-ci.yml"
