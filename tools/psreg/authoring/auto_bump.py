"""`psreg bump NAME auto`: choose the next version from what changed.

Released version folders never change, so there are two things to compare with the last release: a
changed copy of the artifact outside pbes/, or a version folder that is already started. If its
number is too small for its changes, it cannot have passed a review, and it is renumbered. If its
number is sufficient, nothing changes.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from semver import Version

from psreg.authoring.bump import Bump, copied, entry_called, raised, require_whole
from psreg.authoring.rename import with_release
from psreg.authoring.todo import overlaid, todo_items
from psreg.compatibility import artifact_side, submission_side
from psreg.compatibility.diff import Diff, Operand, compare_named
from psreg.compatibility.steps import demanded, step_between, stepped
from psreg.core.errors import FindingsError, UsageError
from psreg.core.rule_table import RuleTable
from psreg.core.version import Step, parse_version
from psreg.formats.layout import STATEMENT
from psreg.formats.tree import Submission, Tree


def bump_from(
    files: Mapping[PurePosixPath, bytes], name: str, artifact: bytes, path: str, rules: RuleTable
) -> Bump:
    """Return the next version of the entry `name`, with the changed `artifact` from `path`.

    Name and version in `artifact` are set to those of the new release and do not count as changes.

    Raises:
        UnavailableError, UsageError, FindingsError: as `bump` and `compare_named` do;
            `NOTHING_CHANGED`: it equals the last release; `CLASS_DIFFERS`.
    """
    versions = list(entry_called(Tree(files), name).submissions())
    latest, last = versions[-1], _last(versions)
    changed = with_release(artifact, last.id)
    diff = compare_named(
        Operand(title=f"{name}@{last.id.version}", side=submission_side(last)),
        Operand(title=path, side=artifact_side(changed, last.id.format)),
    )
    if not diff.floor:
        raise FindingsError(
            "NOTHING_CHANGED",
            f"`{path}` does not differ from {name} {last.id.version}",
            f"Run `psreg bump {name} patch` to start an identical version.",
        )
    if any(difference.row == "PBE-CLASS" for difference in diff.differences):
        message = f"`{path}` has another class than `{name}`; a new version cannot change the class"
        hint = "Run `psreg new` to start an entry with another name."
        raise UsageError("CLASS_DIFFERS", message, hint)
    version = _next(parse_version(latest.id.version), last, diff)
    return replace(copied(files, latest, str(version), rules, artifact), diff=diff)


def renumber(
    files: Mapping[PurePosixPath, bytes],
    name: str,
    rules: RuleTable,
    released: Container[str] = (),
) -> Bump:
    """Return the newest version folder of the entry `name` with the number that it needs.

    If its present number is sufficient, `files` of the result are empty and nothing is replaced.
    `released` are the versions known to be released, which never change.

    Raises:
        UnavailableError, UsageError, FindingsError: as `bump` and `compare_named` do;
            `NOTHING_TO_COMPARE`: there is one version only; `RELEASED`.
    """
    *before, newest = entry_called(Tree(files), name).submissions()
    if not before:
        raise UsageError(
            "NOTHING_TO_COMPARE",
            f"`{name}` has no version before {newest.id.version}",
            f"Run `psreg bump {name} auto --from FILE` to compare it with a changed copy.",
        )
    last = _last(before)
    diff = compare_named(
        Operand(title=f"{name}@{last.id.version}", side=submission_side(last)),
        Operand(title=f"{name}@{newest.id.version}", side=submission_side(newest)),
    )
    new, old = parse_version(newest.id.version), parse_version(last.id.version)
    asked = demanded(diff.floor, old)
    if step_between(old, new) >= asked:
        return Bump(release=newest.id, previous=last.id.version, files={}, todo=(), diff=diff)
    if newest.id.version in released:
        raise FindingsError(
            "RELEASED",
            f"{name} {newest.id.version} is released; a released version never changes",
            f"Run `psreg bump {name} {asked}` to start the next version.",
        )
    version = stepped(old, asked).replace(prerelease=new.prerelease)
    return _moved(files, newest, str(version), rules, diff)


def _last(versions: list[Submission]) -> Submission:
    """Return the highest final version of some in ascending order; without one, the highest."""
    finals = [each for each in versions if not parse_version(each.id.version).prerelease]
    return (finals or versions)[-1]


def _next(latest: Version, last: Submission, diff: Diff) -> Version:
    """Return the version that `diff` requires; a sufficient candidate becomes the final version."""
    asked = demanded(diff.floor, parse_version(last.id.version))
    if latest.prerelease:
        return raised(latest, max(asked, Step.PATCH))
    return stepped(latest, asked)


def _moved(
    files: Mapping[PurePosixPath, bytes],
    newest: Submission,
    version: str,
    rules: RuleTable,
    diff: Diff,
) -> Bump:
    """Return `newest` renamed to `version`; only the artifact changes, which states it."""
    require_whole(newest)
    release = replace(newest.id, version=version)
    new = {
        release.folder / path.relative_to(newest.folder): data
        for path, data in newest.files.items()
        if path.name != STATEMENT  # its signatures are for the old number
    }
    new[release.artifact] = with_release(new[release.artifact], release)
    return Bump(
        release=release,
        previous=diff.before.version or "",
        files=new,
        todo=todo_items(overlaid(files, new), release.folder, rules),
        diff=diff,
        replaces=newest.folder,
    )
