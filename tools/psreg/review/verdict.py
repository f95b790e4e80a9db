"""The result of a review: the verdict, its reasons, what would change it, and each new release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from psreg.compatibility.diff import Diff
from psreg.core.diagnostics import Report
from psreg.core.identity import ReleaseId
from psreg.core.version import Step, Version, parse_version
from psreg.review.suggestions import Suggestion

if TYPE_CHECKING:
    from psreg.lint.score import Score
    from psreg.registry.owners.to_sign import Signable


class Verdict(StrEnum):
    """The outcome of a review, as `--format json` writes it."""

    ACCEPT = "accept"
    NEEDS_HUMAN = "needs_human"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A reason not to accept a change; `effect` is the verdict it leads to.

    `path` is "" if it concerns the change as a whole. `waived`: the author waived the finding, and
    a person has to approve the waiver.
    """

    code: str
    message: str
    effect: Verdict
    path: str
    waived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedRelease:
    """A version that a change adds, compared with the one it follows.

    `bump` is the step between the two, `floor` the step that the differences require; without a
    `previous` version both are `NONE` and `diff` is None. `missing` are drafts of the files that
    the release lacks. `before` and `after` are the artifacts, or None. `signable` is what its
    owners sign, None if none of them has a key, or if the change is rejected.
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
    signable: Signable | None = None

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.id.name} {self.id.version}"

    @property
    def least(self) -> Version | None:
        """The lowest version that the changes allow, if this one is too low."""
        least = self.diff.least if self.diff else None
        this = parse_version(self.id.version).final
        return least if least and this < least else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The review of a change; `base` is the commit that `head` is to be merged into.

    `in_diff` are the `suggestions` about lines that the change itself writes. `needs_human_fails`
    tells whether that verdict fails the status check, according to the policy of `base`. `effects`
    are sentences about what merging would do besides releasing versions. `approvers` are forge and
    id of the owners whose approval is wanted, according to `base`, except who asks.
    `owner_changes` are the changes of owners that those before have to sign, `yanks` those that an
    owner has to sign, and `objections` what one signs if others are to get the name because its
    owners lost their keys.
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
    effects: tuple[str, ...] = ()
    approvers: tuple[tuple[str, int], ...] = ()
    owner_changes: tuple[Signable, ...] = ()
    yanks: tuple[Signable, ...] = ()
    objections: tuple[Signable, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether the status check of the head passes, so that it can be merged."""
        if self.verdict is Verdict.NEEDS_HUMAN:
            return not self.needs_human_fails
        return self.verdict is Verdict.ACCEPT
