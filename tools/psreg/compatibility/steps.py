"""Which version may follow which: one step at a time, and which step a change requires.

Pure arithmetic of SemVer 2.0.0. A step is counted from a *final* release (one without a
pre-release tag); build metadata does not count. A candidate `-rc.n` may precede any final version
that may come next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from semver import Version

from psreg.core.version import Step

FIRST = (Version(0, 1, 0), Version(1, 0, 0))
"""The allowed first versions of a name; their candidates are also allowed."""

_CANDIDATE = re.compile(r"rc\.(0|[1-9][0-9]{0,8})")


def step_between(old: Version, new: Version) -> Step:
    """Return the first of the three numbers in which the two differ; NONE if they are equal."""
    if old.major != new.major:
        return Step.MAJOR
    if old.minor != new.minor:
        return Step.MINOR
    return Step.PATCH if old.patch != new.patch else Step.NONE


def demanded(step: Step, previous: Version) -> Step:
    """Return the step that a change of size `step` requires after `previous`.

    Before 1.0.0 the second number takes the role of the first: a major change requires a minor
    step, and a minor one a patch. A candidate promises nothing: if `previous` is one, because
    there is no final release, every version is allowed.
    """
    if previous.prerelease:
        return Step.NONE
    if previous.major or step <= Step.PATCH:
        return step
    return Step(step - 1)


def stepped(version: Version, step: Step) -> Version:
    """Return the final version one `step` above the final `version`; of NONE, `version`."""
    if step is Step.MAJOR:
        return version.bump_major()
    if step is Step.MINOR:
        return version.bump_minor()
    return version.bump_patch() if step is Step.PATCH else version


def legal_next(existing: Iterable[Version]) -> tuple[Version, ...]:
    """Return the final versions that may follow, ascending.

    Each is exactly the next patch, minor or major of some final release, and does not exist yet:
    after 1.0.0 and 1.1.0 these are 1.0.1, 1.1.1, 1.2.0 and 2.0.0. Without a final release they
    are the allowed first versions.
    """
    finals = {_plain(version) for version in existing if not version.prerelease}
    steps = (Step.PATCH, Step.MINOR, Step.MAJOR)
    follow = {stepped(version, step) for version in finals for step in steps}
    return tuple(sorted((follow or set(FIRST)) - finals))


def is_legal_step(existing: Iterable[Version], new: Version) -> bool:
    """Tell whether `new` may be added to the existing versions.

    It must be one of `legal_next`, or a candidate `-rc.n` of one with a higher number than every
    existing candidate.
    """
    known = tuple(existing)
    if _plain(new) not in legal_next(known):
        return False
    if not new.prerelease:
        return True
    return _CANDIDATE.fullmatch(new.prerelease) is not None and not any(
        version >= new for version in known if version.prerelease and _plain(version) == _plain(new)
    )


def _plain(version: Version) -> Version:
    return Version(version.major, version.minor, version.patch)
