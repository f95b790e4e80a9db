"""The files of a new registry, from templates, a name, an address, and the forges to support.

Every file below `templates/registry/` becomes a file of the registry at the same path; files below
`.github` or `.gitlab` only if that forge is requested. This module writes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from psreg.forges.remotes import hosted

FORGES = ("github", "gitlab")

ISSUE_FORMS = ("config.yml", "name-dispute.yml", "report-a-prompt.yml", "submit-a-prompt.yml")
"""The issue forms of a registry; the form for rule changes is only for psreg itself."""

LABELS = ("submission", "report", "name-dispute")
"""The labels that these forms set; GitHub ignores labels that do not exist."""

CONSTRAINTS = "constraints.txt"
"""What this psreg was tested with: all that it needs, with hashes, in the words of pip."""

_NEEDED = """\
# What the psreg of psreg.txt needs, with hashes: pip accepts nothing else. Another psreg brings its
# own list: `psreg init` with it, in an empty folder, writes the list here.
"""

REQUEST_FORM = "PULL_REQUEST_TEMPLATE.md"

_OF_PSREG = "## psreg itself"
"""The heading of the part of the pull request template that a registry does not need."""

_BLANK = re.compile(r"\{\{([a-z_]+)\}\}")
_CHOICE = re.compile(
    r"\{\{#(github|gitlab|public|private|wheel)\}\}\n?(.*?)\{\{/\1\}\}\n?", re.DOTALL
)
_COMMENT = re.compile(r"\A<!--.*?-->\n*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryPlan:
    """A registry to create: its display name, its URL or "", and its forges.

    `requirement` is what its pipelines install as psreg, in the words of pip; `private` registries
    accept proprietary licences and ask for runs on one platform only. `wheel` is the file name and
    the bytes of the wheel that the registry itself keeps, if its pipelines install that.
    """

    name: str
    url: str
    forges: tuple[str, ...]
    requirement: str
    private: bool = False
    wheel: tuple[str, bytes] | None = None

    @property
    def contributing(self) -> PurePosixPath:
        """The path of the contributors' guide, to which the forms link."""
        return PurePosixPath(".github" if "github" in self.forges else "", "CONTRIBUTING.md")


def new_registry(plan: RegistryPlan, forms: Mapping[str, bytes]) -> Mapping[PurePosixPath, bytes]:
    """Return the files of the registry by path.

    `forms` are the issue forms and the pull request template of psreg's own repository, by their
    path in its `.github` folder, and what psreg needs, as `CONSTRAINTS`.
    """
    found = dict(_of_templates(plan))
    found[PurePosixPath("registry/requirements.txt")] = _NEEDED.encode() + forms[CONSTRAINTS]
    if plan.wheel is not None:
        found[PurePosixPath("registry", plan.wheel[0])] = plan.wheel[1]
    if "github" in plan.forges:
        folder = PurePosixPath(".github")
        for name in ISSUE_FORMS:
            path = PurePosixPath("ISSUE_TEMPLATE", name)
            found[folder / path] = forms[str(path)]
        found[folder / REQUEST_FORM] = _request(forms)
    if "gitlab" in plan.forges:
        found[PurePosixPath(".gitlab/merge_request_templates/Default.md")] = _request(forms)
    return {path: found[path] for path in sorted(found, key=str)}


def _of_templates(plan: RegistryPlan) -> Iterator[tuple[PurePosixPath, bytes]]:
    for path, data in _templates(files("psreg.authoring") / "templates/registry"):
        forge = path.parts[0].lstrip(".").partition("-")[0]
        if forge in FORGES and forge not in plan.forges:
            continue
        if forge in FORGES:
            yield path, data  # pipelines contain braces
        else:
            target = plan.contributing if path.name == "CONTRIBUTING.md" else path
            yield target, _filled(data.decode(), plan).encode()


def requirement_of(version: str, direct_url: str | None) -> str:
    """Return what pip has to install to get the psreg that is running, "" if that is unknown.

    `direct_url` is the record that pip keeps of an installation from an address (PEP 610), None if
    psreg came from a package index. Addresses on this machine are of no use to a pipeline.
    """
    if not direct_url:
        return f"psreg=={version}"
    origin = json.loads(direct_url)
    url, vcs = origin["url"], origin.get("vcs_info")
    if vcs:
        return requirement_at(url, vcs["commit_id"]) if vcs["vcs"] == "git" else ""
    digest = origin.get("archive_info", {}).get("hashes", {}).get("sha256", "")
    address = _without_user(url)
    return f"psreg @ {address}{f' --hash=sha256:{digest}' if digest else ''}" if address else ""


def requirement_of_wheel(file: str, data: bytes) -> str:
    """Return what pip installs for a wheel of psreg beside the list, "" if it is not one."""
    found = _WHEEL.fullmatch(file)
    return f"psreg=={found[1]} --hash=sha256:{sha256(data).hexdigest()}" if found else ""


_WHEEL = re.compile(r"psreg-([0-9][0-9A-Za-z.+]*)-py3-none-any\.whl")


def requirement_at(remote: str, commit: str) -> str:
    """Return what pip installs for a commit of a Git remote, "" if only this machine reaches it."""
    address = _without_user(remote)
    if not address and (found := hosted(remote, {})) and not remote.startswith("http:"):
        address = f"https://{found.host}/{found.path}.git"
    return f"psreg @ git+{address}@{commit}" if address else ""


def _without_user(address: str) -> str:
    """Return an https address without user name and password, "" if it is another address."""
    url = urlsplit(address)
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl() * (url.scheme == "https")


def _templates(folder: Traversable, at: str = "") -> Iterator[tuple[PurePosixPath, bytes]]:
    for item in folder.iterdir():
        path = PurePosixPath(at, item.name)
        if item.is_dir():
            yield from _templates(item, str(path))
        else:
            yield path, item.read_bytes()


def _filled(text: str, plan: RegistryPlan) -> str:
    blanks = {
        "name": plan.name,
        "name_quoted": json.dumps(plan.name, ensure_ascii=False),
        "url": plan.url or "URL",
        "url_line": f'url = "{plan.url}"' if plan.url else '# url = "https://example.org/prompts/"',
        "contributing": str(plan.contributing),
        "requirement": plan.requirement,
    }
    choices = {*plan.forges, "private" if plan.private else "public"}
    choices |= {"wheel"} if plan.wheel else set()
    chosen = _CHOICE.sub(lambda found: found[2] if found[1] in choices else "", text)
    return _BLANK.sub(lambda blank: blanks[blank[1]], chosen)


def _request(forms: Mapping[str, bytes]) -> bytes:
    """Return the pull request template without the part about psreg's own code."""
    text = forms[REQUEST_FORM].decode().partition(_OF_PSREG)[0]
    return (_COMMENT.sub("", text).rstrip() + "\n").encode()
