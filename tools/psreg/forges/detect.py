"""Detects the forge whose job runs this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from psreg.forges.forge import Forge

if TYPE_CHECKING:  # most reviews run without a forge, and need no HTTP
    from psreg.http.retry_limits import Limits


def detect(environ: Mapping[str, str], limits: Limits | None = None) -> Forge | None:
    """Return the forge that set `environ`, None outside of its jobs.

    Raises:
        UnavailableError: BAD_ENVIRONMENT; the forge's variables or event cannot be read.
    """
    if environ.get("GITHUB_ACTIONS") == "true":
        from psreg.forges.github import GitHub  # noqa: PLC0415 - one of two is needed

        return GitHub(environ, limits)
    if environ.get("GITLAB_CI") == "true":
        from psreg.forges.gitlab import GitLab  # noqa: PLC0415 - symmetrical

        return GitLab(environ, limits)
    return None
