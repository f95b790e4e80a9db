"""Agent Skills (agentskills.io): folders with `SKILL.md`, and the files that it refers to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile
from psreg.authoring.importing.markdown import prompt_of

FILE = "SKILL.md"


def read(
    file: SourceFile, fields: Fields, others: Collection[PurePosixPath]
) -> Iterator[Found | Refused]:
    """Yield the prompt of a skill; `others` are the other files of its folder, which are lost."""
    beside = tuple(str(path.relative_to(file.path.parent)) for path in sorted(others))
    yield prompt_of(file, fields, name=file.path.parent.name, beside=beside)
