"""Findings of the content rules in files that are not part of the prompt, for instance transcripts.

Evidence repeats what a user typed and a model answered. What it says is nothing that the author
asks of anyone, so the levels are one lower there. What hides text and what gives secrets away is as
bad as elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from psreg.core.diagnostics import ERROR, HARM, INFO, WARNING, Diagnostic, Severity
from psreg.core.identity import ReleaseId
from psreg.core.rule import Rule
from psreg.core.version import FIRST_PSREG
from psreg.formats.layout import EVIDENCE
from psreg.formats.waivers import HIDING

AS_BAD = (*HIDING, "PS040")
"""Rules that have the same level in evidence: hidden text, and secrets."""

SINCE = "0.2.0"
"""The version of psreg that reads these files first."""

_LOWER = {ERROR: WARNING, WARNING: INFO, INFO: INFO}


def level_in_evidence(rule: Rule[Any]) -> Severity | None:
    """Return the level of a rule in evidence; None if the rule does not read evidence."""
    if rule.family != HARM or rule.subject != "Content":
        return None
    return rule.severity if rule.code in AS_BAD else _LOWER[rule.severity]


def extra_file_finding(d: Diagnostic) -> Diagnostic:
    """Return a finding about such a file with its level there, and without its fix."""
    d = replace(d, fix=None, since=SINCE if d.since == FIRST_PSREG else d.since)
    path = PurePosixPath(d.path)
    release = ReleaseId.of(path)
    if d.code in AS_BAD or not release or not path.is_relative_to(release.folder / EVIDENCE):
        return d
    return replace(d, severity=_LOWER[d.severity])
