"""The forge of a Git remote's address, and the page to open a pull request on.

A password or token in an address is never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

_SCP = re.compile(r"(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!//)(.+)")
"""`git@host:owner/name.git`, which is not a URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteRepository:
    """A repository on a forge: `github`, `gitlab` or "", its host, `owner/name` on it."""

    forge: str
    host: str
    path: str

    @property
    def owner(self) -> str:
        """The account or group that it belongs to."""
        return self.path.rpartition("/")[0]


def hosted(address: str, environ: Mapping[str, str]) -> RemoteRepository | None:
    """Return the repository on a forge at `address`, None if it is not on a host.

    Self-hosted forges are recognized by `GITHUB_SERVER_URL` and `CI_SERVER_HOST`, the variables
    that the forges themselves set.
    """
    if match := _SCP.fullmatch(address):
        host, path = match[1], match[2]
    else:
        try:
            url = urlsplit(address)
        except ValueError:
            return None
        if url.scheme not in ("http", "https", "ssh", "git"):
            return None
        host, path = url.hostname or "", url.path
    path = path.strip("/").removesuffix(".git")
    if not host or not path:
        return None
    return RemoteRepository(forge=_forge(host.lower(), environ), host=host.lower(), path=path)


def _forge(host: str, environ: Mapping[str, str]) -> str:
    if host in ("github.com", urlsplit(environ.get("GITHUB_SERVER_URL", "")).hostname):
        return "github"
    if host == environ.get("CI_SERVER_HOST") or "gitlab" in host.split("."):
        return "gitlab"
    return ""


def page_to_open(
    into: RemoteRepository | None, own: RemoteRepository | None, target: str, branch: str
) -> str:
    """Return the page on which a person opens the pull request; "" if the forge is unknown.

    `own` is the repository of `branch`, which may be a fork; `target` is the branch of `into` to
    merge into.
    """
    if into is None or own is None or not into.forge:
        return ""
    if into.forge == "github":
        head = quote(branch if own.path == into.path else f"{own.owner}:{branch}", safe=":/")
        compared = f"{quote(target)}...{head}" if target else head
        return f"https://{into.host}/{quote(into.path)}/compare/{compared}?expand=1"
    wanted = {"merge_request[source_branch]": branch}
    if target:
        wanted["merge_request[target_branch]"] = target
    page = f"https://{own.host}/{quote(own.path)}/-/merge_requests/new"
    return f"{page}?{urlencode(wanted)}"
