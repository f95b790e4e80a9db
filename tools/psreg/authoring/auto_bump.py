"""`psreg bump NAME auto`: the number of the next version follows from what changed.

Version folders are add-only, so there are two things to compare with the last release: a changed
copy of the artifact that lies elsewhere, or a version folder that was begun already. A folder
whose number is too small for what changed in it can not have passed a review; it is renumbered.
One whose number will do stays as it is.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from semver import Version

from psreg.authoring.bump import Bump, copied, entry_called, raised, require_whole
from psreg.authoring.rename import readdressed
from psreg.authoring.todo import gaps, overlaid
from psreg.compatibility import artifact_side, submission_side
from psreg.compatibility.diff import Diff, Operand, compare_named
from psreg.compatibility.steps import demanded, step_between, stepped
from psreg.core.errors import FindingsError, UsageError
from psreg.core.rule_table import RuleTable
from psreg.core.version import Step, parse_version
from psreg.formats.tree import Submission, Tree

_STATEMENT = "statement.json"


def bump_from(
    files: Mapping[PurePosixPath, bytes], name: str, artifact: bytes, path: str, rules: RuleTable
) -> Bump:
    """Return the next version of the entry `name`, whose artifact is the changed one at `path`.

    Name and version in `artifact` are set to those of the new release and do not count as changes.

    Raises:
        UnavailableError, UsageError, FindingsError: as `bump` and `compare_named` do;
            `NOTHING_CHANGED`: it says what the last release says; `CLASS_DIFFERS`.
    """
    versions = list(entry_called(Tree(files), name).submissions())
    latest, last = versions[-1], _last(versions)
    changed = readdressed(artifact, last.id)
    diff = compare_named(
        Operand(title=f"{name}@{last.id.version}", side=submission_side(last)),
        Operand(title=path, side=artifact_side(changed, last.id.format)),
    )
    if not diff.floor:
        raise FindingsError(
            "NOTHING_CHANGED",
            f"{path} says what {name} {last.id.version} says",
            f"psreg bump {name} patch begins a version that is the same",
        )
    if any(difference.row == "PBE-CLASS" for difference in diff.differences):
        message = f"{path} is of another class than {name}, which a later version cannot be"
        raise UsageError("CLASS_DIFFERS", message, "psreg new begins an entry with another name")
    version = _next(parse_version(latest.id.version), last, diff)
    return replace(copied(files, latest, str(version), rules, artifact), diff=diff)


def renumber(
    files: Mapping[PurePosixPath, bytes],
    name: str,
    rules: RuleTable,
    released: Container[str] = (),
) -> Bump:
    """Return the newest version folder of the entry `name` under the number that it must have.

    `files` of the result are empty, and nothing goes, if the number it has will do. `released`
    are the versions known to be released, which never change.

    Raises:
        UnavailableError, UsageError, FindingsError: as `bump` and `compare_named` do;
            `NOTHING_TO_COMPARE`: there is one version only; `RELEASED`.
    """
    *before, newest = entry_called(Tree(files), name).submissions()
    if not before:
        raise UsageError(
            "NOTHING_TO_COMPARE",
            f"{name} has no version before {newest.id.version}",
            f"psreg bump {name} auto --from FILE compares it with a changed copy",
        )
    last = _last(before)
    diff = compare_named(
        Operand(title=f"{name}@{last.id.version}", side=submission_side(last)),
        Operand(title=f"{name}@{newest.id.version}", side=submission_side(newest)),
    )
    new, old = parse_version(newest.id.version), parse_version(last.id.version)
    asked = demanded(diff.floor, old)
    if step_between(old, new) >= asked:
        return Bump(release=newest.id, previous=last.id.version, files={}, gaps=(), diff=diff)
    if newest.id.version in released:
        raise FindingsError(
            "RELEASED",
            f"{name} {newest.id.version} is released, and no released version changes",
            f"psreg bump {name} {asked} begins the next one",
        )
    version = stepped(old, asked).replace(prerelease=new.prerelease)
    return _moved(files, newest, str(version), rules, diff)


def _last(versions: list[Submission]) -> Submission:
    """Return the highest final version of some in ascending order; without one, the highest."""
    finals = [each for each in versions if not parse_version(each.id.version).prerelease]
    return (finals or versions)[-1]


def _next(latest: Version, last: Submission, diff: Diff) -> Version:
    """Return the version that `diff` asks for; a candidate that does becomes the final one."""
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
    """Return `newest` as `version`, every file as it is but the artifact, which says so."""
    require_whole(newest)
    release = replace(newest.id, version=version)
    new = {
        release.folder / path.relative_to(newest.folder): data
        for path, data in newest.files.items()
        if path.name != _STATEMENT  # its signatures are of the former number
    }
    new[release.artifact] = readdressed(new[release.artifact], release)
    return Bump(
        release=release,
        previous=diff.before.version or "",
        files=new,
        gaps=gaps(overlaid(files, new), release.folder, rules),
        diff=diff,
        replaces=newest.folder,
    )
