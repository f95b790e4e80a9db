"""One of the two sides of a comparison: an artifact and, for a release, the files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from psreg.core.classes import Format
from psreg.formats import dotprompt, golden_case, pbe, release
from psreg.formats.dotprompt import Prompt
from psreg.formats.golden_case import GoldenCase
from psreg.formats.layout import EVIDENCE
from psreg.formats.pbe import Pbe
from psreg.formats.release import ReleaseFile
from psreg.formats.tree import Submission

_RELEASE = "release.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is compared, as far as it can be parsed; None if it cannot or does not exist.

    `pbe` or `prompt` is the artifact; `version` is that of its folder, or the one it states.
    `files` are README.md and the evidence by their path in the version folder; None for an
    artifact alone. `golden` are the readable golden cases.
    """

    pbe: Pbe | None = None
    prompt: Prompt | None = None
    version: str | None = None
    release: ReleaseFile | None = None
    files: Mapping[str, bytes] | None = None
    golden: Mapping[str, GoldenCase] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def format(self) -> Format | None:
        """The format of the artifact, if it could be parsed."""
        if self.pbe:
            return Format.PBE
        return Format.PROMPT if self.prompt else None

    @property
    def text(self) -> str:
        """The text of the artifact; "" if there is none."""
        if self.pbe:
            return self.pbe.tree.text
        return self.prompt.text if self.prompt else ""


def artifact_side(data: bytes, form: Format) -> Side:
    """Return the side of an artifact alone."""
    if form is Format.PBE:
        document = pbe.read(data)
        return Side(pbe=document if document.is_object else None, version=document.version)
    prompt = dotprompt.read(data)
    version = prompt.metadata.get("version")
    return Side(prompt=prompt if prompt.readable else None, version=version)


def folder_side(
    files: Mapping[str, bytes], artifact: str, form: Format, version: str | None = None
) -> Side:
    """Return the side of a version folder, from its files by their path in it."""
    alone = artifact_side(files[artifact], form) if artifact in files else Side()
    manifest = release.read(files[_RELEASE]) if _RELEASE in files else None
    return _with_files(replace(alone, version=version or alone.version), manifest, files, artifact)


def submission_side(submission: Submission) -> Side:
    """Return the side of a release in a tree, from what was already read of it."""
    id_, pbe_, prompt = submission.id, submission.pbe, submission.prompt
    alone = Side(
        pbe=pbe_ if pbe_ and pbe_.is_object else None,
        prompt=prompt if prompt and prompt.readable else None,
        version=id_.version,
    )
    files = {
        str(path.relative_to(submission.folder)): data for path, data in submission.files.items()
    }
    return _with_files(alone, submission.release, files, id_.filename)


def _with_files(
    alone: Side, manifest: ReleaseFile | None, files: Mapping[str, bytes], artifact: str
) -> Side:
    """Return an artifact alone with what is in the other `files` of its folder."""
    around = {path: data for path, data in files.items() if path not in (artifact, _RELEASE)}
    return replace(
        alone,
        release=manifest if manifest and manifest.tree.parsed else None,
        files=MappingProxyType(around),
        golden=MappingProxyType(dict(_golden(around))),
    )


def _golden(files: Mapping[str, bytes]) -> Iterator[tuple[str, GoldenCase]]:
    for path in sorted(files):
        if path.startswith(f"{EVIDENCE}/") and path.endswith(golden_case.SUFFIX):
            case = golden_case.read(files[path])
            if case.sound:
                yield path, case
