"""The rule about how much a version folder holds. Findings name their file in `path`."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import rule
from psreg.formats.tree import Submission

MAX_FILES = 200
"""Files of the largest version folder: some for each of a hundred test runs."""


@rule("REG032", spec="registry/LIMITS", severity=ERROR)
def too_many_files(submission: Submission) -> Iterator[Finding]:
    """A version folder holds more than 200 files.

    ## Why
    A version folder stays in the repository for ever, and each of its files has a row in the
    signed record that everybody fetches who installs the entry. Beside the artifact,
    release.toml and README.md it holds evidence, one file for each test run. Nobody reads
    thousands of them, and nobody can review them.

    ## Fix
    Keep the transcripts that `[[tested]]` names, and put the turns of one run into one file:

    ```text
    before   evidence/claude-turn-0001.txt, evidence/claude-turn-0002.txt, …
    after    evidence/claude.jsonl
    ```
    """
    if len(submission.paths) > MAX_FILES:
        yield Finding(
            message=f"{submission.id.version} has {len(submission.paths):,} files; "
            f"{MAX_FILES} are allowed",
            path=str(submission.paths[MAX_FILES]),
        )
