"""What a review says, as data: the verdict, why, what would change it, and each new release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from semver import Version

from psreg.compatibility.diff import Diff
from psreg.core.diagnostics import Report
from psreg.core.identity import ReleaseId
from psreg.core.version import Step, parse_version
from psreg.lint.score.score import Score
from psreg.review.suggestions import Suggestion


class Verdict(StrEnum):
    """What becomes of a change, as `--format json` says it."""

    ACCEPT = "accept"
    NEEDS_HUMAN = "needs_human"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that keeps a change from being accepted; `effect` is the verdict it leads to.

    `path` is "" where it is about the change as a whole. `waived`: the finding does not stand,
    but somebody has to agree with why.
    """

    code: str
    message: str
    effect: Verdict
    path: str
    waived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedRelease:
    """A version that a change adds, beside the one it follows.

    `bump` is the step between the two, `floor` what the differences ask for; where there is no
    `previous` one, both are `NONE` and `diff` is None. `missing` are the files that it lacks, as
    text to copy. `before` and `after` are the artifacts, None where there is none.
    """

    id: ReleaseId
    previous: str | None
    new_name: bool
    bump: Step
    floor: Step
    diff: Diff | None
    similar_names: tuple[str, ...]
    score: Score
    capabilities_added: tuple[str, ...]
    missing: Mapping[PurePosixPath, str]
    before: bytes | None
    after: bytes | None

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.id.name} {self.id.version}"

    @property
    def least(self) -> Version | None:
        """The lowest version that could carry what changed, if this one is too low."""
        least = self.diff.least if self.diff else None
        this = parse_version(self.id.version).finalize_version()
        return least if least and this < least else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What is to be said of a change; `base` is the commit that `head` is to be merged into.

    `in_diff` are those of the `suggestions` that are about lines which the change itself writes.
    `needs_human_fails` is what the policy of `base` makes of that verdict.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    would_change_verdict: tuple[str, ...]
    releases: tuple[ReviewedRelease, ...]
    suggestions: tuple[Suggestion, ...]
    in_diff: tuple[Suggestion, ...]
    report: Report
    base: str
    head: str
    needs_human_fails: bool = False

    @property
    def passes(self) -> bool:
        """Whether the status of the head is green, so that somebody may merge it."""
        if self.verdict is Verdict.NEEDS_HUMAN:
            return not self.needs_human_fails
        return self.verdict is Verdict.ACCEPT
