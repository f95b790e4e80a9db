"""Checks of the pipelines in a checkout: what they run, and which of their jobs has the keys.

Pipelines are read as lines of text: psreg's own have one form, and of others enough is recognized
to warn, not to prove that they are safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from fnmatch import fnmatchcase
from itertools import pairwise

from psreg.core.regex import lazy
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.trust.roles import LIFETIME, TIMESTAMP

GITLAB_CI = ".gitlab-ci.yml"
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where forges look for owners of code; the first one that is there counts."""

_KEYS = "PSREG_KEYS"
_USES = lazy(r"^[ \t]*(?:-[ \t]+)?uses:[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)
_BY_COMMIT = lazy(r"[^@]+@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64})")
_PIP = lazy(
    r"^.*\b(?:pip[0-9.]*\"?[ \t]+install|pipx[ \t]+(?:install|run)|uv[ \t]+tool|uvx[ \t])\b.*$",
    re.MULTILINE,
)
_PACKAGE = lazy(
    r"^[A-Za-z0-9][A-Za-z0-9._-]*[ \t]*(?:\[[^\]\n]*\])?[ \t]*(?:==|@).*$", re.MULTILINE
)
_SOURCE = lazy(r"--hash=sha256:[0-9a-f]{64}|@[ \t]*git\+\S+@[0-9a-f]{40}\b|#sha256=[0-9a-f]{64}")
_JOB = lazy(r"^  ?([A-Za-z0-9_.-]+):[ \t]*(?:#.*)?$", re.MULTILINE)
_GITLAB_JOB = lazy(r"^([A-Za-z0-9_.-]+):[ \t]*(?:#.*)?$", re.MULTILINE)
_STRANGERS = (
    r"(?:pull_request(?:_[a-z_]+)?|issues|issue_comment|discussion(?:_comment)?|merge_group"
    r"|workflow_run|fork|watch|gollum)\b"
)
_FROM_OUTSIDE = lazy(
    rf"^[ \t]*(?:-[ \t]+)?[\"']?{_STRANGERS}|^[\"']?on[\"']?:.*\b{_STRANGERS}", re.MULTILINE
)
_ENVIRONMENT = lazy(r"^[ \t]+environment:", re.MULTILINE)
_CRON = lazy(r"^[ \t]*-[ \t]+cron:[ \t]*[\"']?([^\"'#\n]+)", re.MULTILINE)


def pinned(facts: Facts) -> Diagnosis:
    """Whether pipelines run only what is named by a commit or a hash."""
    loose = sorted({*_loose_actions(facts.files), *_loose_packages(facts.files)})
    if loose:
        return Diagnosis(
            id="pinned",
            status=facts.grave,
            found=_some(loose),
            advice="Name actions by their commit, and install packages with --require-hashes.",
        )
    if not _pipelines(facts.files):
        return _nothing("pinned")
    found = "pipelines run what is named by a commit or a hash"
    return Diagnosis(id="pinned", status=Status.OK, found=found)


def _loose_actions(files: Mapping[str, str]) -> Iterator[str]:
    for path, text in _pipelines(files).items():
        for used in _USES.findall(text):
            local = used.startswith("./")
            if not local and not _BY_COMMIT.fullmatch(used.removeprefix("docker://")):
                yield f"{path} uses {used}, which can change"


def _loose_packages(files: Mapping[str, str]) -> Iterator[str]:
    for path, text in _pipelines(files).items():
        for line in _PIP.findall(text.replace("\\\n", " ")):
            if line.lstrip().startswith("#"):
                continue
            hashed = "--require-hashes" in line or (
                "--no-deps" in line and "--no-build-isolation" in line
            )
            if not hashed:
                yield f"{path} installs packages without their hashes"
    for path, text in files.items():
        if path.endswith(".txt"):
            for line in _PACKAGE.findall(text.replace("\\\n", " ")):
                if not _SOURCE.search(line):
                    yield f"{path} names {line.split()[0]} without a hash"


def publish_key(facts: Facts) -> Diagnosis:
    """Whether only jobs of an environment have the keys, and none that strangers start."""
    jobs = [*_jobs(facts.files)]
    holding = [job for job in jobs if _KEYS in job[2]]
    problems = [
        f"the job {name} of {path} has {_KEYS} without an environment"
        for path, name, text in holding
        if not _ENVIRONMENT.search(text)
    ]
    problems += [
        f"{path} has {_KEYS}, and runs when strangers ask for it"
        for path in dict.fromkeys(path for path, *_ in holding)
        if _FROM_OUTSIDE.search(facts.files[path].partition("\njobs:")[0]) and path != GITLAB_CI
    ]
    if problems:
        advice = f"Give {_KEYS} to the jobs that publish and renew only, in an environment."
        return Diagnosis(id="publish-key", status=facts.grave, found=_some(problems), advice=advice)
    if not holding:
        return _nothing("publish-key")
    return Diagnosis(
        id="publish-key",
        status=Status.OK,
        found=f"only jobs of an environment have {_KEYS}",
        advice="Look that the secret belongs to that environment, not to the repository.",
    )


def _jobs(files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield path, name and text of each job; what is not in a job belongs to a job without name."""
    for path, text in _pipelines(files).items():
        if path == GITLAB_CI:
            head, rest, starts = "", text, _GITLAB_JOB
        else:
            head, _, rest = text.partition("\njobs:")
            starts = _JOB
        code = "\n".join(line for line in rest.splitlines() if not line.lstrip().startswith("#"))
        at = [each.start() for each in starts.finditer(code)]
        names = starts.findall(code)
        yield path, "(outside of jobs)", head + code[: at[0] if at else None]
        for name, (start, end) in zip(names, pairwise([*at, len(code)]), strict=True):
            yield path, name, code[start:end]


def resign_scheduled(facts: Facts) -> Diagnosis:
    """Whether signatures are renewed often enough by a schedule."""
    id_ = "resign-scheduled"
    for path, text in _pipelines(facts.files).items():
        if "publish --resign" not in text or path == GITLAB_CI:
            continue
        if gap := longest_gap(_CRON.findall(text)):
            return _often_enough(facts, path, gap)
    where = "Build → Pipeline schedules" if GITLAB_CI in facts.files else "cron or systemd"
    return Diagnosis(
        id=id_,
        status=Status.UNSEEN,
        found="no pipeline here says when signatures are renewed",
        advice=f"Look that {where} runs it every eight hours.",
    )


def _often_enough(facts: Facts, path: str, gap: timedelta) -> Diagnosis:
    lasts = facts.lifetimes.get(TIMESTAMP, LIFETIME)
    hours = int(gap.total_seconds() // 3600)
    # A renewal signs what has less than 30 % of its time left.
    if gap > lasts * 3 // 10:
        return Diagnosis(
            id="resign-scheduled",
            status=facts.grave,
            found=f"{path} renews after up to {hours} hours; a timestamp lasts {lasts.days} days",
            advice="Renew every eight hours.",
        )
    found = f"{path} renews signatures every {hours} hours"
    return Diagnosis(id="resign-scheduled", status=Status.OK, found=found)


_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
"""What the five fields of a line of cron can be: minute, hour, day, month, day of the week."""

_WEEK = 7 * 24 * 60


def longest_gap(crons: Iterable[str]) -> timedelta | None:
    """Return the longest time between two starts of lines of cron in a week, None for none.

    Lines that name days of a month, months, or anything that is not a number are left out.
    """
    starts: set[int] = set()
    for line in crons:
        fields = [_values(each, *span) for each, span in zip(line.split(), _RANGES, strict=False)]
        if len(fields) != len(_RANGES) or None in fields:
            continue
        minutes, hours, days, months, weekdays = (each or set() for each in fields)
        if len(days) < 31 or len(months) < 12:  # noqa: PLR2004 - not every day of the year
            continue
        for day in {each % 7 for each in weekdays}:
            starts |= {(day * 24 + hour) * 60 + minute for hour in hours for minute in minutes}
    if not starts:
        return None
    ordered = sorted(starts)
    gaps = (after - before for before, after in pairwise([*ordered, ordered[0] + _WEEK]))
    return timedelta(minutes=max(gaps))


def _values(field: str, low: int, high: int) -> set[int] | None:
    """Return what a field of cron matches; None if it is not made of numbers."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = ("*", "", "") if span == "*" else span.partition("-")
        if not all(each.isdecimal() for each in (first, last, step) if each not in ("", "*")):
            return None
        start = low if first == "*" else int(first or -1)
        end = high if first == "*" or (step and not last) else int(last or first or -1)
        if not low <= start <= end <= high or not int(step or 1):
            return None
        found |= {*range(start, end + 1, int(step or 1))}
    return found


_OWNED = (".github/workflows/publish.yml", "registry/policy.toml")
"""Files whose changes someone must approve; without workflows, the pipelines of GitLab."""


def code_owners(facts: Facts) -> Diagnosis:
    """Whether changes of pipelines and of what is signed have owners."""
    place = next((path for path in CODEOWNERS if path in facts.files), None)
    if place is None:
        found = "there is no CODEOWNERS"
        return Diagnosis(id="code-owners", status=facts.grave, found=found, advice=_NAME_OWNERS)
    text = facts.files[place]
    github = any(path.startswith(".github/workflows/") for path in facts.files)
    wanted = (_OWNED[0] if github else GITLAB_CI, _OWNED[1])
    without = [path for path in wanted if not owners_of(path, text)]
    if without:
        found = f"{place} names nobody for {' and '.join(without)}"
        return Diagnosis(id="code-owners", status=facts.grave, found=found, advice=_NAME_OWNERS)
    found = f"{place} names who approves changes of pipelines and registry/"
    return Diagnosis(id="code-owners", status=Status.OK, found=found)


_NAME_OWNERS = "Name the maintainers' team after /.github/ and /registry/ in CODEOWNERS."


def owners_of(path: str, text: str) -> list[str]:
    """Return whom the last line of a CODEOWNERS that matches `path` names."""
    owners: list[str] = []
    for line in text.splitlines():
        pattern, *named = line.partition("#")[0].split() or [""]
        if pattern and not pattern.startswith(("[", "^[")) and _matches(path, pattern):
            owners = [each for each in named if "@" in each]
    return owners


def _matches(path: str, pattern: str) -> bool:
    anchored = "/" in pattern.rstrip("/")
    glob = pattern.strip("/").replace("**", "*")
    candidates = [path, *(path[:at] for at, character in enumerate(path) if character == "/")]
    if pattern.endswith("/"):
        candidates = candidates[1:]  # a folder
    whole = any(fnmatchcase(each, glob) for each in candidates)
    return whole or (
        not anchored and any(fnmatchcase(each.rpartition("/")[2], glob) for each in candidates)
    )


def _pipelines(files: Mapping[str, str]) -> dict[str, str]:
    return {path: text for path, text in files.items() if path.endswith((".yml", ".yaml"))}


def _nothing(id_: str) -> Diagnosis:
    return Diagnosis(
        id=id_,
        status=Status.UNSEEN,
        found="there are no pipelines here that do this",
        advice="Look at the machine that publishes.",
    )


def _some(problems: list[str]) -> str:
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return f"{problems[0]}{more}"
