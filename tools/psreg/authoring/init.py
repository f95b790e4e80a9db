"""The files of a new registry: of templates, a name, an address, and the forges that serve it.

Every file below `templates/registry/` becomes a file of the registry, at the same path; what begins
with `.github` or `.gitlab` only where that forge is wanted. Nothing is written here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

FORGES = ("github", "gitlab")

ISSUE_FORMS = ("config.yml", "name-dispute.yml", "report-a-prompt.yml", "submit-a-prompt.yml")
"""The forms for issues that concern a registry; how rules change is a matter of psreg itself."""

LABELS = ("submission", "report", "name-dispute")
"""What these forms set; GitHub adds no label that is not there."""

REQUEST_FORM = "PULL_REQUEST_TEMPLATE.md"

_OF_PSREG = "## psreg itself"
"""Where the part of the pull request's form begins that no registry needs."""

_BLANK = re.compile(r"\{\{([a-z_]+)\}\}")
_FOR_A_FORGE = re.compile(r"\{\{#(github|gitlab)\}\}\n?(.*?)\{\{/\1\}\}\n?", re.DOTALL)
_COMMENT = re.compile(r"\A<!--.*?-->\n*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """A registry to make: its name for people, its address or "", its forges, psreg's version."""

    name: str
    url: str
    forges: tuple[str, ...]
    version: str

    @property
    def contributing(self) -> PurePosixPath:
        """Where contributors are told how: the place to which the forms lead."""
        return PurePosixPath(".github" if "github" in self.forges else "", "CONTRIBUTING.md")


def new_registry(
    foundation: Foundation, forms: Mapping[str, bytes]
) -> Mapping[PurePosixPath, bytes]:
    """Return the files of the registry by path.

    `forms` holds the forms of psreg's own repository by their path in its `.github` folder: those
    for issues, and that for pull requests.
    """
    found = dict(_of_templates(foundation))
    if "github" in foundation.forges:
        folder = PurePosixPath(".github")
        for name in ISSUE_FORMS:
            path = PurePosixPath("ISSUE_TEMPLATE", name)
            found[folder / path] = forms[str(path)]
        found[folder / REQUEST_FORM] = _request(forms)
    if "gitlab" in foundation.forges:
        found[PurePosixPath(".gitlab/merge_request_templates/Default.md")] = _request(forms)
    return {path: found[path] for path in sorted(found, key=str)}


def _of_templates(foundation: Foundation) -> Iterator[tuple[PurePosixPath, bytes]]:
    for path, data in _templates(files("psreg.authoring") / "templates/registry"):
        forge = path.parts[0].lstrip(".").partition("-")[0]
        if forge in FORGES and forge not in foundation.forges:
            continue
        if forge in FORGES:
            yield path, data  # a pipeline has braces of its own
        else:
            place = foundation.contributing if path.name == "CONTRIBUTING.md" else path
            yield place, _filled(data.decode(), foundation).encode()


def _templates(folder: Traversable, at: str = "") -> Iterator[tuple[PurePosixPath, bytes]]:
    for item in folder.iterdir():
        path = PurePosixPath(at, item.name)
        if item.is_dir():
            yield from _templates(item, str(path))
        else:
            yield path, item.read_bytes()


def _filled(text: str, foundation: Foundation) -> str:
    blanks = {
        "name": foundation.name,
        "name_quoted": json.dumps(foundation.name, ensure_ascii=False),
        "url": foundation.url or "URL",
        "url_line": f'url = "{foundation.url}"'
        if foundation.url
        else '# url = "https://example.org/prompts/"',
        "contributing": str(foundation.contributing),
        "version": foundation.version,
    }
    chosen = _FOR_A_FORGE.sub(lambda m: m[2] if m[1] in foundation.forges else "", text)
    return _BLANK.sub(lambda blank: blanks[blank[1]], chosen)


def _request(forms: Mapping[str, bytes]) -> bytes:
    """Return the form for pull requests without the part about psreg's own code."""
    text = forms[REQUEST_FORM].decode().partition(_OF_PSREG)[0]
    return (_COMMENT.sub("", text).rstrip() + "\n").encode()
