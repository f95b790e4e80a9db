"""The next version of an entry: a copy of its latest one, without what was true of that one alone.

What is copied and what stays behind is decided here; `autobump` decides the number by what changed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from semver import Version

from psreg.authoring.rename import readdressed
from psreg.authoring.todo import TO_TEST, Gap, gaps, overlaid
from psreg.compatibility.diff import Diff
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import ReleaseId
from psreg.core.rule_table import RuleTable
from psreg.core.spelling import nearest
from psreg.core.version import Step, parse_version
from psreg.formats import golden, toml_document
from psreg.formats.layout import EVIDENCE
from psreg.formats.tree import Entry, Submission, Tree
from psreg.lint.entries.submission_rules import MAX_FILE

_STATEMENT = "statement.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bump:
    """A version folder to write: its release, the version copied, its files and what is to do.

    `diff` is what the number was decided by, if it was; `replaces` is the folder of the same
    release under its former number, which goes.
    """

    release: ReleaseId
    previous: str
    files: Mapping[PurePosixPath, bytes]
    gaps: tuple[Gap, ...]
    diff: Diff | None = None
    replaces: PurePosixPath | None = None


def raised(version: Version, step: Step) -> Version:
    """Return the next version. A pre-release becomes the final one that it announces.

    As with npm, `2.0.0-rc.1` becomes 2.0.0 by any part; `2.1.0-rc.1` becomes 2.1.0 by patch and
    minor, and 3.0.0 by major. Build metadata is dropped.
    """
    final = version.finalize_version()
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

    The artifact says the new version and is otherwise byte for byte the same; release.toml keeps
    its form, loses its test runs and has an empty `changes`, which fails the check until written.

    Raises:
        UnavailableError: `NOT_FOUND`: no entry or no version of this name.
        UsageError: `NAME_AMBIGUOUS`: two classes have it.
        FindingsError: `CANNOT_BUMP`: a file of the latest version is missing, broken or too large.
    """
    latest = list(entry_called(Tree(files), name).submissions())[-1]
    version = raised(parse_version(latest.id.version), step)
    return copied(files, latest, str(version), rules)


def copied(
    files: Mapping[PurePosixPath, bytes],
    latest: Submission,
    version: str,
    rules: RuleTable,
    artifact: bytes | None = None,
) -> Bump:
    """Return `latest` as the beginning of `version`, with `artifact` in place of its own.

    Raises:
        FindingsError: `CANNOT_BUMP`: see `bump`.
    """
    require_whole(latest)
    release = replace(latest.id, version=version)
    new = {
        release.folder / path.relative_to(latest.folder): data
        for path, data in latest.files.items()
        if not _of_this_run(path.relative_to(latest.folder))
    }
    old = new.pop(release.folder / latest.id.filename)
    new[release.artifact] = readdressed(old if artifact is None else artifact, release)
    path = release.folder / "release.toml"
    new[path] = _next_release_toml(new[path], latest)
    meanings = {
        (str(path), "/changes"): f"what is different for its users since {latest.id.version}",
        (str(path), "/tested"): TO_TEST,
    }
    found = gaps(overlaid(files, new), release.folder, rules, meanings)
    return Bump(release=release, previous=latest.id.version, files=new, gaps=found)


def _of_this_run(place: PurePosixPath) -> bool:
    """Tell whether a file is about the very bytes of one version; golden cases are promises."""
    if place.name.endswith(golden.SUFFIX):
        return False
    return place.parts[0] == EVIDENCE or str(place) == _STATEMENT


def entry_called(tree: Tree, name: str) -> Entry:
    """Return the entry `name`, which has a version. Raises as `bump` does."""
    found = [entry for entry in tree.entries if entry.name == name]
    if len(found) > 1:
        classes = " and ".join(entry.entry_class for entry in found)
        raise UsageError(
            "NAME_AMBIGUOUS", f"`{name}` is in {classes}", "a name is unique; rename one of them"
        )
    if not found or not found[0].versions:
        near = nearest(name, [known for known in tree.names if known != name])
        what = "no version of the entry" if found else "no entry called"
        hint = f"did you mean {near}?" if near else "psreg new CLASS NAME writes a new entry"
        raise UnavailableError("NOT_FOUND", f"there is {what} `{name}` here", hint)
    return found[0]


def require_whole(latest: Submission) -> None:
    """Refuse to copy a version that is not one."""
    place = f"psreg check {latest.folder}"
    for path in (latest.artifact_path, latest.release_path):
        if path not in latest.files:
            raise FindingsError("CANNOT_BUMP", f"{path} is missing", place)
    large = [str(path) for path, data in latest.files.items() if len(data) > MAX_FILE]
    if large:
        raise FindingsError("CANNOT_BUMP", f"{', '.join(large)}: too large to copy", place)
    parsed = latest.pbe.is_object if latest.pbe else latest.prompt and latest.prompt.readable
    if not parsed or not latest.release.tree.parsed:
        broken = latest.release_path if parsed else latest.artifact_path
        raise FindingsError("CANNOT_BUMP", f"{broken} cannot be read", place)


def _with_changes(text: str) -> str:
    """Return `text` with an empty `changes` below `use_case`, else as the first line.

    NOTE: at the end of the file it could come to stand in a table that is a comment today.
    """
    tree = toml_document.parse(text.encode())
    stands = tree.parsed and "use_case" in tree.value
    at = text.find("\n", tree.span("/use_case").end) + 1 if stands else 0
    ending = "\r\n" if "\r\n" in text else "\n"
    if stands and not at:
        return f'{text}{ending}changes = ""{ending}'
    return f'{text[:at]}changes = ""{ending}{text[at:]}'


def _next_release_toml(data: bytes, latest: Submission) -> bytes:
    """Return release.toml without test runs and with an empty `changes`, its form kept."""
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
    except (TOMLKitError, ValueError):  # pragma: no cover - no TOML is known that divides the two
        same = False
    if not same:
        raise FindingsError(
            "CANNOT_BUMP",
            f"{latest.release_path} is TOML that cannot be edited in place",
            "write [[tested]] and `changes` in the plain form that other entries have",
        )
    return edited.encode()
