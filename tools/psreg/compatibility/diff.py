"""Compare two prompts: what changed, which version step that requires, and what may come next.

A side is an artifact alone, or a release with all its files; what only one side has is not
compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from psreg.compatibility.compared_side import Side, artifact_side, folder_side
from psreg.compatibility.floor_row import Difference
from psreg.compatibility.version_floor import differences_of, floor_of
from psreg.core.classes import Format, detect_format
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import ReleaseId
from psreg.core.version import Step, Version, demanded, is_version, parse_version, stepped

_START = 4096
"""Bytes at the start of a file from which its format is detected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A side and its title."""

    title: str
    side: Side

    @property
    def version(self) -> str | None:
        """The version, if known."""
        return self.side.version


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps the least in __dict__
class Diff:
    """The differences between `before` and `after`, and the `floor`: the smallest allowed step."""

    floor: Step
    differences: tuple[Difference, ...]
    before: Operand
    after: Operand

    @property
    def behaviour(self) -> bool:
        """Whether the wording changed in a way that changes what the assistant does."""
        return any(difference.behaviour for difference in self.differences)

    @cached_property
    def least(self) -> Version | None:
        """The lowest version that the changes allow; None if the older version is unknown.

        It is also None after a candidate, which promises nothing, and if nothing changed.
        """
        known = self.before.version
        version = parse_version(known) if known and is_version(known) else None
        if version is None or version.prerelease or not self.floor:
            return None
        return stepped(version, demanded(self.floor, version))


def compare(before: Side, after: Side) -> Diff:
    """Return the differences between two sides; never raises.

    Artifacts that cannot be parsed, or have different formats, are not compared.
    """
    return _diff(Operand(title="before", side=before), Operand(title="after", side=after))


def compare_named(before: Operand, after: Operand) -> Diff:
    """Return the differences between two operands of a command.

    Raises:
        FindingsError: `UNREADABLE`: the artifact of one of them cannot be parsed.
        UsageError: `NOT_COMPARABLE`: they have different formats.
    """
    for operand in (before, after):
        if operand.side.format is None:
            raise FindingsError(
                "UNREADABLE",
                f"`{operand.title}` cannot be parsed",
                "Run `psreg check` to see what is wrong with it.",
            )
    if before.side.format is not after.side.format:
        raise UsageError(
            "NOT_COMPARABLE",
            f"`{before.title}` and `{after.title}` have different formats",
            "Compare a PBE with a PBE, or a .prompt with a .prompt.",
        )
    return _diff(before, after)


def _diff(before: Operand, after: Operand) -> Diff:
    found = differences_of(before.side, after.side)
    return Diff(floor=floor_of(found), differences=found, before=before, after=after)


def file_operand(data: bytes, path: str, version: str | None = None) -> Operand:
    """Return the artifact at `path` as an operand; `version` is that of its folder.

    Raises:
        UsageError: `UNKNOWN_FORMAT`: it is neither a PBE nor a `.prompt`.
    """
    start = data[:_START].decode("utf-8", "replace")
    form = detect_format(PurePosixPath(path).name, start)
    if form is None:
        raise UsageError("UNKNOWN_FORMAT", f"`{path}` is neither a PBE nor a .prompt file")
    side = artifact_side(data, form)
    return Operand(title=path, side=replace(side, version=version or side.version))


def folder_operand(
    files: Mapping[str, bytes], title: str, release: ReleaseId | None = None
) -> Operand:
    """Return a version folder as an operand: its `files` by their path in it.

    `release` identifies a folder of a registry; any other folder must contain one artifact.

    Raises:
        UsageError: `NO_ARTIFACT`: it contains none, or several.
    """
    suffixes = tuple(form.suffix for form in Format)
    found = [path for path in files if "/" not in path and path.endswith(suffixes)]
    if release and release.filename in found:
        found = [release.filename]
    if len(found) != 1:
        raise UsageError(
            "NO_ARTIFACT",
            f"`{title}` contains {len(found) or 'no'} artifacts; a version folder contains one",
            "Name a version folder, such as pbes/prompt/email_reply/1.0.0, or a file.",
        )
    form = Format.PROMPT if found[0].endswith(Format.PROMPT.suffix) else Format.PBE
    version = release.version if release else None
    return Operand(title=title, side=folder_side(files, found[0], form, version))
