"""The next version of an entry: its number, and a copy of the latest version without its evidence.

`psreg bump NAME auto` chooses the number from what changed. Released version folders never change,
so there are two things to compare with the last release: a changed copy of the artifact outside
pbes/, or a version folder that is already started. If its number is too small for its changes, it
cannot have passed a review, and it is renumbered. If its number is sufficient, nothing changes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.rename import with_release
from psreg.authoring.todo import TO_TEST, TodoItem, overlaid, todo_items
from psreg.compatibility.compared_side import artifact_side, submission_side
from psreg.compatibility.diff import Diff, Operand, compare_named
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import ReleaseId
from psreg.core.rule import RuleTable
from psreg.core.spelling import nearest
from psreg.core.version import Step, Version, demanded, parse_version, step_between, stepped
from psreg.formats import golden_case, toml_document
from psreg.formats.layout import EVIDENCE
from psreg.formats.tree import Entry, Submission, Tree
from psreg.lint.entries.submission_rules import MAX_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Bump:
    """A version folder to write: its release, the version copied, its files and what is left to do.

    `diff` is the comparison that the number was chosen by, if any; `replaces` is the folder of the
    same release under its old number, to be removed.
    """

    release: ReleaseId
    previous: str
    files: Mapping[PurePosixPath, bytes]
    todo: tuple[TodoItem, ...]
    diff: Diff | None = None
    replaces: PurePosixPath | None = None


def raised(version: Version, step: Step) -> Version:
    """Return the next version. A pre-release becomes its final version.

    As with npm, `2.0.0-rc.1` becomes 2.0.0 by any part; `2.1.0-rc.1` becomes 2.1.0 by patch and
    minor, and 3.0.0 by major. Build metadata is dropped.
    """
    final = version.final
    announces = {
        Step.PATCH: True,
        Step.MINOR: final.patch == 0,
        Step.MAJOR: final.patch == final.minor == 0,
    }
    if version.prerelease and announces[step]:
        return final
    if step is Step.MAJOR:
        return final.bump_major()
    return final.bump_minor() if step is Step.MINOR else final.bump_patch()


def bump(files: Mapping[PurePosixPath, bytes], name: str, step: Step, rules: RuleTable) -> Bump:
    """Return the next version of the entry `name` in a tree.

    The artifact states the new version and is otherwise byte for byte the same; release.toml keeps
    its layout, loses its test runs and gets an empty `changes`, which fails the check until the
    author fills it in.

    Raises:
        UnavailableError: `NOT_FOUND`: no entry or no version of this name.
        UsageError: `NAME_AMBIGUOUS`: two classes contain it.
        FindingsError: `CANNOT_BUMP`: a file of the latest version is missing, broken or too large.
    """
    latest = list(entry_called(Tree(files), name).submissions())[-1]
    version = raised(parse_version(latest.id.version), step)
    return _copied(files, latest, str(version), rules)


def _copied(
    files: Mapping[PurePosixPath, bytes],
    latest: Submission,
    version: str,
    rules: RuleTable,
    artifact: bytes | None = None,
) -> Bump:
    """Return a copy of `latest` as `version`, optionally with another `artifact`.

    Raises:
        FindingsError: `CANNOT_BUMP`: see `bump`.
    """
    _require_whole(latest)
    release = replace(latest.id, version=version)
    new = {
        release.folder / path.relative_to(latest.folder): data
        for path, data in latest.files.items()
        if not _is_version_specific(path.relative_to(latest.folder))
    }
    old = new.pop(release.folder / latest.id.filename)
    new[release.artifact] = with_release(old if artifact is None else artifact, release)
    path = release.folder / "release.toml"
    new[path] = _next_release_toml(new[path], latest)
    meanings = {
        (str(path), "/changes"): f"what changed for its users since {latest.id.version}",
        (str(path), "/tested"): TO_TEST,
    }
    found = todo_items(overlaid(files, new), release.folder, rules, meanings)
    return Bump(release=release, previous=latest.id.version, files=new, todo=found)


def _is_version_specific(path: PurePosixPath) -> bool:
    """Tell whether a file is about the exact bytes of one version; golden cases are not."""
    if path.name.endswith(golden_case.SUFFIX):
        return False
    return path.parts[0] == EVIDENCE


def entry_called(tree: Tree, name: str) -> Entry:
    """Return the entry `name`, which has at least one version. Raises as `bump` does."""
    found = [entry for entry in tree.entries if entry.name == name]
    if len(found) > 1:
        classes = " and ".join(entry.entry_class for entry in found)
        raise UsageError(
            "NAME_AMBIGUOUS", f"`{name}` is in {classes}", "Rename one of them; a name is unique."
        )
    if not found or not found[0].versions:
        near = nearest(name, [known for known in tree.names if known != name])
        what = f"the entry `{name}` has no versions" if found else f"there is no entry `{name}`"
        hint = f"Did you mean `{near}`?" if near else "Run `psreg new CLASS NAME` to start one."
        raise UnavailableError("NOT_FOUND", what, hint)
    return found[0]


def _require_whole(latest: Submission) -> None:
    """Refuse to copy a version that is incomplete or broken."""
    hint = f"Run `psreg check {latest.folder}`."
    for path in (latest.artifact_path, latest.release_path):
        if path not in latest.files:
            raise FindingsError("CANNOT_BUMP", f"`{path}` is missing", hint)
    large = [str(path) for path, data in latest.files.items() if len(data) > MAX_FILE]
    if large:
        raise FindingsError("CANNOT_BUMP", f"too large to copy: {', '.join(large)}", hint)
    parsed = latest.pbe.is_object if latest.pbe else latest.prompt and latest.prompt.readable
    if not parsed or not latest.release.tree.parsed:
        broken = latest.release_path if parsed else latest.artifact_path
        raise FindingsError("CANNOT_BUMP", f"`{broken}` cannot be parsed", hint)


def _with_changes(text: str) -> str:
    """Return `text` with an empty `changes` below `use_case`, else as the first line.

    NOTE: at the end of the file it could become part of a table that is now a comment.
    """
    tree = toml_document.parse(text.encode())
    has_use_case = tree.parsed and "use_case" in tree.value
    at = text.find("\n", tree.span("/use_case").end) + 1 if has_use_case else 0
    ending = "\r\n" if "\r\n" in text else "\n"
    if has_use_case and not at:
        return f'{text}{ending}changes = ""{ending}'
    return f'{text[:at]}changes = ""{ending}{text[at:]}'


def _next_release_toml(data: bytes, latest: Submission) -> bytes:
    """Return release.toml without test runs and with an empty `changes`, keeping its layout."""
    import tomlkit  # noqa: PLC0415 - only where a person's TOML is edited
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    text = data.decode("utf-8-sig")
    wanted: dict[str, Any] = {**tomllib.loads(text), "changes": ""}
    wanted.pop("tested", None)
    try:
        document = tomlkit.parse(text)
        document.pop("tested", None)
        if "changes" in document:
            document["changes"] = ""
            edited = tomlkit.dumps(document)
        else:
            edited = _with_changes(tomlkit.dumps(document))
        same = tomllib.loads(edited) == wanted
    except (TOMLKitError, ValueError):  # pragma: no cover - no such TOML is known
        same = False
    if not same:
        raise FindingsError(
            "CANNOT_BUMP",
            f"`{latest.release_path}` cannot be edited in place",
            "Write [[tested]] and `changes` in the usual notation.",
        )
    return edited.encode()


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
    return replace(_copied(files, latest, str(version), rules, artifact), diff=diff)


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
    version = Version(*stepped(old, asked).numbers, new.prerelease)
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
    _require_whole(newest)
    release = replace(newest.id, version=version)
    new = {
        release.folder / path.relative_to(newest.folder): data
        for path, data in newest.files.items()
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
