"""Who may waive a finding: the registry's policy, or the author in release.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from psreg.formats.policy import Policy
    from psreg.formats.tree import Submission


class Waiver(NamedTuple):
    """The reason for which a finding is waived, and what waives it: `policy` or `release`."""

    reason: str
    by: str


UNWAIVABLE = ("CHG", "JSON", "NAME", "PBE", "PROMPT", "REG", "TOML")
"""Families that an author cannot waive: they decide if a release is valid. The policy can."""

HIDING = ("PS001", "PS002", "PS003", "PS004", "PS005", "PS014", "PS024")
"""Rules about hidden text, which no author can waive: a reviewer does not see what it is about."""

TRIPWIRE = ("PS081",)
"""Rules for the case that an attacker has the author's key: the release must not waive them."""


def waivable(code: str) -> bool:
    """Tell whether the author of a release may waive findings of rule `code`."""
    return code not in (*HIDING, *TRIPWIRE) and code.rstrip("0123456789") not in UNWAIVABLE


def waiver_for(code: str, submission: Submission, policy: Policy | None = None) -> Waiver | None:
    """Return why findings of rule `code` are waived for `submission`, or None if they are not.

    The policy, that of its tree by default, waives by code and name or origin; release.toml waives
    by code.
    """
    origin = submission.release.origin.get("address", "")
    if reason := (policy or submission.policy).waiver(code, submission.id.name, origin):
        return Waiver(reason, "policy")
    if not waivable(code):
        return None
    if reason := submission.release.waivers.get(code, "").strip():
        return Waiver(reason, "release")
    return None
