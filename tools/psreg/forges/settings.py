"""The settings of a repository that decide what may be merged, as the API of its forge tells them.

Only reads. A forge tells some of them to nobody but those who may change them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from psreg.forges.forge import at, text
from psreg.forges.remotes import RemoteRepository
from psreg.forges.rest_api import Api, ForgeRefusedError
from psreg.http.retry_budget import Limits
from psreg.registry.doctor.facts import ForgeSettings

TOKENS = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN"}
"""The variable with the token, by forge; without it, nothing is asked."""


def settings(
    repository: RemoteRepository, environ: Mapping[str, str], limits: Limits | None = None
) -> ForgeSettings:
    """Return the settings of a repository, as far as the forge tells them.

    The token is only sent to the host of the repository, or to the API that the environment names
    for it.

    Raises:
        ForgeError: the forge refused, or did not answer.
    """
    token = environ.get(TOKENS.get(repository.forge, ""), "")
    if not token:
        return ForgeSettings()
    if repository.forge == "github":
        enterprise = f"https://{repository.host}/api/v3"
        usual = "https://api.github.com" if repository.host == "github.com" else enterprise
        base = environ.get("GITHUB_API_URL") or usual
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "Authorization": f"Bearer {token}",
        }
        return _github(Api(base, headers, limits or Limits()), repository.path)
    base = environ.get("CI_API_V4_URL") or f"https://{repository.host}/api/v4"
    return _gitlab(Api(base, {"PRIVATE-TOKEN": token}, limits or Limits()), repository.path)


_METHODS = {
    "merge": "allow_merge_commit",
    "squash": "allow_squash_merge",
    "rebase": "allow_rebase_merge",
}


def _github(api: Api, path: str) -> ForgeSettings:
    place = f"/repos/{quote(path)}"
    repository = api.get(place)
    branch = quote(text(at(repository, "default_branch")), safe="")
    rules = _told(api, f"{place}/rules/branches/{branch}")
    protection = at(api.get(f"{place}/branches/{branch}"), "protection")
    allowed = {way: at(repository, key) for way, key in _METHODS.items()}
    merging = {way for way, answer in allowed.items() if answer is True}
    known = all(isinstance(answer, bool) for answer in allowed.values())
    if rules is None:
        return ForgeSettings(merging=frozenset(merging) if known else None)
    reviews = _parameters(rules, "pull_request")
    for each in reviews:
        if isinstance(listed := each.get("allowed_merge_methods"), list):
            merging, known = {*map(str, listed)} & (merging if known else {*_METHODS}), True
    for each in _parameters(rules, "merge_queue"):
        merging, known = {text(each.get("merge_method")).lower()}, True
    checks = at(protection, "required_status_checks", "contexts")
    required = (
        {each for each in checks if isinstance(each, str)} if isinstance(checks, list) else set()
    )
    demanded = _parameters(rules, "required_status_checks")
    for each in demanded:
        listed = each.get("required_status_checks")
        required |= (
            {text(at(one, "context")) for one in listed} if isinstance(listed, list) else set()
        )
    classic = at(protection, "enabled") is True and not reviews
    return ForgeSettings(
        merging=frozenset(merging) if known else None,
        dismisses_stale=None if classic else _any(reviews, "dismiss_stale_reviews_on_push"),
        code_owners_approve=None if classic else _any(reviews, "require_code_owner_review"),
        required=frozenset(required),
        up_to_date=_up_to_date(rules, demanded),
    )


def _up_to_date(rules: Iterable[Any], demanded: Iterable[Mapping[str, Any]]) -> bool | None:
    """Tell whether what is merged is up to date; None if only a classic protection knows."""
    if any(at(rule, "type") == "merge_queue" for rule in rules):
        return True
    strict = [each.get("strict_required_status_checks_policy") is True for each in demanded]
    return any(strict) if strict else None


def _parameters(rules: Iterable[Any], kind: str) -> list[dict[str, Any]]:
    found = (at(rule, "parameters") for rule in rules if at(rule, "type") == kind)
    return [each for each in found if isinstance(each, dict)]


def _any(parameters: Iterable[Mapping[str, Any]], key: str) -> bool:
    return any(each.get(key) is True for each in parameters)


def _told(api: Api, path: str) -> list[Any] | None:
    """Return a list, None if the forge does not tell it to this token."""
    try:
        found = api.get(path)
    except ForgeRefusedError:
        return None
    return found if isinstance(found, list) else None


def _gitlab(api: Api, path: str) -> ForgeSettings:
    place = f"/projects/{quote(path, safe='')}"
    project = api.get(place)
    squash, method = text(at(project, "squash_option")), text(at(project, "merge_method"))
    merging = None
    if squash and method:
        # With a squash, GitLab's merge commit still has one commit on its side.
        one_commit = squash == "always" or method == "ff"
        merging = frozenset(("squash",) if one_commit else ("merge",))
    try:
        approvals = api.get(f"{place}/approvals")
    except ForgeRefusedError:  # a tier without approvals
        approvals = None
    resets = at(approvals, "reset_approvals_on_push")
    return ForgeSettings(
        merging=merging, dismisses_stale=resets if isinstance(resets, bool) else None
    )
