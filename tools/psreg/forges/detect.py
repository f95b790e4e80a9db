"""Detects the forge whose job runs this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from psreg.forges.forge import Forge

if TYPE_CHECKING:  # most reviews run without a forge, and need no HTTP
    from psreg.http.retry_budget import Limits


class KnownForge(NamedTuple):
    """A forge: its name in the owners of an entry, its title, and how to reach it from its jobs.

    `variable` is `true` in its jobs and nowhere else; `reach` returns the forge of such a job.
    """

    name: str
    title: str
    variable: str
    reach: Callable[[Mapping[str, str], Limits | None], Forge]


def _github(environ: Mapping[str, str], limits: Limits | None) -> Forge:
    from psreg.forges.github import GitHub  # noqa: PLC0415 - one of them is needed

    return GitHub(environ, limits)


def _gitlab(environ: Mapping[str, str], limits: Limits | None) -> Forge:
    from psreg.forges.gitlab import GitLab  # noqa: PLC0415 - symmetrical

    return GitLab(environ, limits)


FORGES: tuple[KnownForge, ...] = (
    KnownForge("github", "GitHub", "GITHUB_ACTIONS", _github),
    KnownForge("gitlab", "GitLab", "GITLAB_CI", _gitlab),
)
"""One row for each forge; the first one whose variable is set is meant."""


def detect(environ: Mapping[str, str], limits: Limits | None = None) -> Forge | None:
    """Return the forge that set `environ`, None outside of its jobs.

    Raises:
        UnavailableError: BAD_ENVIRONMENT; the forge's variables or event cannot be read.
    """
    for forge in FORGES:
        if environ.get(forge.variable) == "true":
            return forge.reach(environ, limits)
    return None
