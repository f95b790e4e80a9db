"""Agent Skills (agentskills.io): folders with `SKILL.md`, and the files that it refers to."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile
from psreg.authoring.importing.markdown import prompt_of

FILE = "SKILL.md"


def claims(names: Collection[str]) -> bool:
    """Tell whether a folder with files of these names is a skill."""
    return FILE in names


def read(file: SourceFile, fields: Fields, others: Collection[PurePosixPath]) -> Found | Refused:
    """Return the prompt of a skill, or why it has none; `others` are its other files."""
    folder = file.path.parent
    beside = tuple(str(path.relative_to(folder)) for path in sorted(others))
    return prompt_of(file, fields, name=folder.name, beside=beside)
