"""Compare two prompts: what changed, which step that asks for, and what may come next.

A side is an artifact alone, or a release with all its files; what only one side has is not
compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from semver import Version

from psreg.compatibility import (
    Difference,
    Side,
    artifact_side,
    differences_of,
    floor_of,
    folder_side,
)
from psreg.compatibility.steps import demanded, stepped
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import Format, ReleaseId, detect_format
from psreg.core.version import Step, is_version, parse_version

_START = 4096
"""Bytes by which the format of a file is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A side, and what to call it."""

    title: str
    side: Side

    @property
    def version(self) -> str | None:
        """The version of it, if it is known."""
        return self.side.version


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the least in __dict__
class Diff:
    """What is different from `before` to `after`, and the smallest `floor` that does for it."""

    floor: Step
    differences: tuple[Difference, ...]
    before: Operand
    after: Operand

    @property
    def behaviour(self) -> bool:
        """Whether words changed that change what the assistant does."""
        return any(difference.behaviour for difference in self.differences)

    @cached_property
    def least(self) -> Version | None:
        """The lowest version that may carry the change; None if the older one is not known.

        None also after a candidate, which has promised nothing, and if nothing is different.
        """
        known = self.before.version
        version = parse_version(known) if known and is_version(known) else None
        if version is None or version.prerelease or not self.floor:
            return None
        return stepped(version, demanded(self.floor, version))


def compare(before: Side, after: Side) -> Diff:
    """Return what is different between two sides; never raises.

    What cannot be understood, or is of two formats, is not compared.
    """
    return _diff(Operand(title="before", side=before), Operand(title="after", side=after))


def compare_named(before: Operand, after: Operand) -> Diff:
    """Return what is different between two things that a person named.

    Raises:
        FindingsError: `UNREADABLE`: the artifact of one of them cannot be understood.
        UsageError: `NOT_COMPARABLE`: they are of different formats.
    """
    for operand in (before, after):
        if operand.side.format is None:
            raise FindingsError(
                "UNREADABLE",
                f"{operand.title} cannot be understood",
                "psreg check says what is wrong with a file",
            )
    if before.side.format is not after.side.format:
        raise UsageError(
            "NOT_COMPARABLE",
            f"{before.title} and {after.title} are of different formats",
            "a PBE is compared with a PBE, a .prompt with a .prompt",
        )
    return _diff(before, after)


def _diff(before: Operand, after: Operand) -> Diff:
    found = differences_of(before.side, after.side)
    return Diff(floor=floor_of(found), differences=found, before=before, after=after)


def file_operand(data: bytes, path: str, version: str | None = None) -> Operand:
    """Return an artifact at `path` as an operand; `version` is what its folder says.

    Raises:
        UsageError: `UNKNOWN_FORMAT`: it is neither a PBE nor a `.prompt`.
    """
    start = data[:_START].decode("utf-8", "replace")
    form = detect_format(PurePosixPath(path).name, start)
    if form is None:
        raise UsageError("UNKNOWN_FORMAT", f"{path} is neither a PBE nor a .prompt file")
    side = artifact_side(data, form)
    return Operand(title=path, side=replace(side, version=version or side.version))


def folder_operand(
    files: Mapping[str, bytes], title: str, release: ReleaseId | None = None
) -> Operand:
    """Return a version folder as an operand: its `files` by their path in it.

    `release` says what folder of a registry it is; one from elsewhere holds just one artifact.

    Raises:
        UsageError: `NO_ARTIFACT`: it holds none, or several.
    """
    suffixes = tuple(form.suffix for form in Format)
    found = [path for path in files if "/" not in path and path.endswith(suffixes)]
    if release and release.filename in found:
        found = [release.filename]
    if len(found) != 1:
        raise UsageError(
            "NO_ARTIFACT",
            f"{title} holds {len(found) or 'no'} artifacts, and a version folder holds one",
            "name a version folder, such as pbes/prompt/email_reply/1.0.0, or a file",
        )
    form = Format.PROMPT if found[0].endswith(Format.PROMPT.suffix) else Format.PBE
    version = release.version if release else None
    return Operand(title=title, side=folder_side(files, found[0], form, version))
