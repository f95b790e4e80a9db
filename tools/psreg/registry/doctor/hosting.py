"""Checks of the forge's settings, and of what the host of the site answers."""

from __future__ import annotations

import re

from psreg.core.regex import lazy
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.trust.roles import CHECKPOINT, TIMESTAMP_PATH

REQUIRED = "psreg"
"""The check that the review sets, and that must pass."""

MISSING = "registry/metadata/999999999999999.root.json"
"""A file that no site has; clients ask for the next root in this way."""

CURRENT = (f"registry/{TIMESTAMP_PATH}", f"registry/{CHECKPOINT}")
"""The files that say what is current, so that nobody may keep them for long."""

PROBED = (MISSING, *CURRENT)

_ABSENT = (403, 404, 410)
_SOON, _LATE = 60, 600
"""Seconds that a cache may keep `CURRENT`: at most, and with a warning."""

_MAX_AGE = lazy(r"(?:^|[,\s])(?:s-maxage|max-age)\s*=\s*\"?([0-9]{1,12})", re.IGNORECASE)
_UNCACHED = lazy(r"(?:^|[,\s])(?:no-cache|no-store)(?:$|[,\s])", re.IGNORECASE)

_CLICK = {
    ("merging", "github"): "Settings → General → Pull Requests: allow squash merging only.",
    ("merging", "gitlab"): "Settings → Merge requests: squash commits when merging: require.",
    ("stale-approvals", "github"): "Settings → Rules → Rulesets → main → Require a pull request: "
    "dismiss stale approvals when new commits are pushed, and require review from code owners.",
    ("stale-approvals", "gitlab"): "Settings → Merge requests → Approvals: remove all approvals "
    "when commits are added.",
    ("required-check", "github"): "Settings → Rules → Rulesets → main → Require status checks to "
    "pass: add `psreg`, with the source GitHub Actions.",
    ("up-to-date", "github"): "Settings → Rules → Rulesets → main: require a merge queue, or that "
    "branches are up to date before merging.",
    ("required-check", "gitlab"): "GitLab cannot require it: look at the note before you merge.",
}
_ELSEWHERE = "See “Automate it on a forge” in the guide “Run a registry”."


def merging(facts: Facts) -> Diagnosis:
    """Whether what is merged is what was reviewed: a squash or a rebase, no merge commit."""
    found = facts.settings.merging
    if found is None:
        return _unseen("merging", "how pull requests are merged", facts)
    if "merge" in found:
        told = "pull requests can be merged with a merge commit"
        return _bad("merging", told, facts)
    told = f"pull requests are merged by {' or '.join(sorted(found)) or 'the merge queue'}"
    return Diagnosis(id="merging", status=Status.OK, found=told)


def stale_approvals(facts: Facts) -> Diagnosis:
    """Whether an approval of former commits does not count, and code owners approve."""
    dismisses, owners = facts.settings.dismisses_stale, facts.settings.code_owners_approve
    if dismisses is None:
        return _unseen("stale-approvals", "whether stale approvals are dismissed", facts)
    if not dismisses:
        return _bad("stale-approvals", "an approval also counts for commits that follow it", facts)
    if owners is False:
        return _bad("stale-approvals", "code owners need not approve their files", facts)
    told = "new commits dismiss approvals"
    return Diagnosis(id="stale-approvals", status=Status.OK, found=told)


def required_check(facts: Facts) -> Diagnosis:
    """Whether nothing is merged without a passing review of what the merge makes."""
    found = facts.settings.required
    if found is None:
        return _unseen("required-check", "whether the check `psreg` is required", facts)
    if REQUIRED not in found:
        listed = f" ({', '.join(sorted(found))} are)" if found else ""
        return _bad("required-check", f"the check `psreg` is not required{listed}", facts)
    if facts.settings.up_to_date is False:
        told = "what was reviewed before the default branch changed can be merged"
        advice = _click("up-to-date", facts)
        return Diagnosis(id="required-check", status=facts.grave, found=told, advice=advice)
    told = "the check `psreg` must pass"
    return Diagnosis(id="required-check", status=Status.OK, found=told)


def missing_files(facts: Facts) -> Diagnosis:
    """Whether the host says that a missing file is missing: clients look for newer roots so."""
    answer = facts.served.get(MISSING)
    if answer is None:
        return _unasked("missing-files", "what the host answers for a missing file", facts)
    if answer.status not in _ABSENT:
        return Diagnosis(
            id="missing-files",
            status=Status.ERROR,
            found=f"{facts.site} answers {answer.status} for a file that does not exist",
            advice="Let the host answer 404, without a page for all addresses.",
        )
    told = f"the host answers {answer.status} for a missing file"
    return Diagnosis(id="missing-files", status=Status.OK, found=told)


def cache_headers(facts: Facts) -> Diagnosis:
    """Whether caches do not keep what says what is current."""
    id_ = "cache-headers"
    asked = {path: facts.served[path] for path in CURRENT if path in facts.served}
    if not asked:
        return _unasked(id_, "how long caches keep the timestamp", facts)
    gone = [path for path, answer in asked.items() if answer.status != 200]  # noqa: PLR2004 - OK
    if gone:
        found = f"{facts.site} answers {asked[gone[0]].status} for {gone[0]}"
        return Diagnosis(id=id_, status=Status.ERROR, found=found, advice="Deploy the site.")
    ages = {path: _seconds(answer.caching) for path, answer in asked.items()}
    silent = [path for path, age in ages.items() if age is None]
    path, age = max(((path, age or 0) for path, age in ages.items()), key=lambda each: each[1])
    advice = f"Send `Cache-Control: max-age={_SOON}` or `no-cache` for {' and '.join(CURRENT)}."
    if silent or age > _SOON:
        status = facts.grave if age > _LATE else Status.WARNING
        keeps = f"lets caches keep {path} for {age} seconds" if age > _SOON else ""
        found = f"the host {keeps or f'does not say how long caches may keep {silent[0]}'}"
        return Diagnosis(id=id_, status=status, found=found, advice=advice)
    told = f"caches keep the timestamp for at most {age} seconds"
    return Diagnosis(id=id_, status=Status.OK, found=told)


def _seconds(caching: str) -> int | None:
    """Return how long a cache may keep an answer; None if it may decide that itself."""
    if _UNCACHED.search(caching):
        return 0
    ages = [int(age) for age in _MAX_AGE.findall(caching)]
    return max(ages) if ages else None


def _bad(id_: str, found: str, facts: Facts) -> Diagnosis:
    return Diagnosis(id=id_, status=facts.grave, found=found, advice=_click(id_, facts))


def _unseen(id_: str, what: str, facts: Facts) -> Diagnosis:
    found = f"psreg cannot see {what}"
    return Diagnosis(id=id_, status=Status.UNSEEN, found=found, advice=_click(id_, facts))


def _unasked(id_: str, what: str, facts: Facts) -> Diagnosis:
    site = "it does not answer" if facts.site else "registry/policy.toml names no [site] url"
    return Diagnosis(
        id=id_,
        status=Status.UNSEEN,
        found=f"psreg cannot see {what}: {site}",
        advice="See “Headers a host should send” in the guide “Run a registry”.",
    )


def _click(id_: str, facts: Facts) -> str:
    return _CLICK.get((id_, facts.forge), _ELSEWHERE)
