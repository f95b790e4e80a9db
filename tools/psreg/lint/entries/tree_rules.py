"""The rules about a registry as a whole: what files it holds and where, what folders are called.

Findings name their file in `path`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from psreg.core.classes import CLASSES
from psreg.core.diagnostics import ERROR, WARNING, Finding
from psreg.core.identity import EntryId, is_name
from psreg.core.rule import Rule, rule
from psreg.core.spelling import did_you_mean
from psreg.formats.layout import (
    EVIDENCE,
    KNOWN_FILES,
    SUFFIXES,
    Irregular,
    is_device,
    name_like,
    version_like,
)
from psreg.formats.tree import Tree, place_of_artifact
from psreg.lint.entries.waiver_rules import bad_policy

_HINTS = {
    Irregular.LINK: "Replace the link with a copy of the file.",
    Irregular.SUBMODULE: "Replace it with its files, or remove it: git rm --cached",
    Irregular.SPECIAL: "Remove it.",
    Irregular.EXECUTABLE: "Remove the executable bit: git update-index --chmod=-x",
}


@rule("REG001", spec="registry/LAYOUT", severity=ERROR)
def stray_file(tree: Tree) -> Iterator[Finding]:
    """A file is in a place where a registry has no files.

    ## Why
    The folders alone say what a prompt is called, which class it has and which version it is. A
    file outside them would be in the repository but in no release: never checked, never signed,
    never found and never installed.

    ## Fix
    Move the file to the place that the message names; for an artifact, `psreg new` creates the
    entry around it. The layout is:

    ```text
    pbes/<class>/<name>/entry.toml
    pbes/<class>/<name>/<version>/<name>.pbe.txt      or <name>.prompt
    pbes/<class>/<name>/<version>/release.toml
    pbes/<class>/<name>/<version>/README.md
    pbes/<class>/<name>/<version>/evidence/…
    ```

    The only other file allowed here is `pbes/README.md`, in which the maintainers explain the
    folder.
    """
    for path in tree.strays:
        yield Finding(
            message="a registry has no files here", path=str(path), hint=_better_place(tree, path)
        )
    for entry in tree.entries:
        for submission in entry.submissions():
            expected = {submission.id.filename, *KNOWN_FILES}
            for path in submission.paths:
                place = path.relative_to(submission.folder)
                if str(place) not in expected and place.parts[0] != EVIDENCE:
                    yield from _in_version_folder(tree, path, submission.artifact_path)


def _in_version_folder(
    tree: Tree, path: PurePosixPath, artifact: PurePosixPath
) -> Iterator[Finding]:
    if path.name.endswith((".pbe.txt", ".prompt")):
        hint = f"Move it to {artifact} if it is the artifact."
        if path.suffix != artifact.suffix:  # the folder is of another class
            hint = f"Move it to {place_of_artifact(tree, path)}."
        yield Finding(
            message="a version folder contains one artifact, named after the entry",
            path=str(path),
            hint=hint,
        )
    elif path.suffix in SUFFIXES:
        yield Finding(
            message="a file with this name has no meaning in a version folder",
            path=str(path),
            hint=f"Put transcripts and other evidence in {artifact.parent / EVIDENCE}/.",
            severity=WARNING,
        )


def _better_place(tree: Tree, path: PurePosixPath) -> str:
    if target := place_of_artifact(tree, path):
        return f"Move it to {target}." + _command(tree, path, PurePosixPath(target))
    parent = path.parent
    if (entry := EntryId.of(parent)) and parent == entry.folder and path.name in KNOWN_FILES:
        return f"Move it into the folder of a version, such as {parent / '1.0.0' / path.name}."
    return "Put the files of a release in pbes/<class>/<name>/<version>/."


def _command(tree: Tree, path: PurePosixPath, target: PurePosixPath) -> str:
    """Return the sentence that names the command making the entry; "" if there is the entry."""
    entry = EntryId.of(target)
    if entry is None or entry.name in tree.names:
        return ""
    command = shlex.join(["psreg", "new", entry.entry_class, entry.name, "--from", str(path)])
    return f" This creates the whole entry there: {command}"


@rule("REG002", spec="registry/LAYOUT pbe-1.0/PBE-A2", severity=ERROR)
def bad_folder_name(tree: Tree) -> Iterator[Finding]:
    """A folder's name is not a class, a name or a version.

    ## Why
    The folders say what a prompt is: its class, its name, its version. The registry does not see
    files in a folder that is none of these. Names consist of lower-case letters, digits and single
    underscores, because they become paths, save keys and command-line arguments; versions are
    SemVer, because programs compare them. Device names such as `con` cannot be checked out on
    Windows.

    ## Fix
    Rename the folder.

    ```text
    before   pbes/prompts/Email-Reply/v1.0/
    after    pbes/prompt/email_reply/1.0.0/
    ```
    """
    seen: set[PurePosixPath] = set()
    places: dict[PurePosixPath, str] = {}
    for path in tree.misnamed:
        if path.parts[1] not in CLASSES and (place := place_of_artifact(tree, path)):
            places.setdefault(PurePosixPath(*path.parts[:2]), f" Move it to {place}.")
    for path in tree.misnamed:
        _, entry_class, name, version = path.parts[:4]
        entry_folder = EntryId(entry_class, name).folder
        if entry_class not in CLASSES:
            folder, message = entry_folder.parent, f"`{entry_class}` is not a class"
            hint = did_you_mean(entry_class, CLASSES) + places.get(folder, "")
        elif not is_name(name):
            folder, message = entry_folder, f"`{name}` is not a name"
            hint = f"Rename the folder to {name_like(name)}." if name_like(name) else ""
        else:
            folder, message = entry_folder / version, f"`{version}` is not a version"
            hint = f"Rename the folder to {version_like(version)}."
        if folder not in seen:
            seen.add(folder)
            yield Finding(message=message, path=str(path), hint=hint)
    for entry in tree.entries:
        if is_device(entry.name):
            message = f"`{entry.name}` is a device name on Windows and cannot be a folder there"
            yield Finding(message=message, path=str(entry.path), hint="Choose another name.")


@rule("REG005", spec="pbe-1.0/PBE-05", severity=ERROR)
def name_not_unique(tree: Tree) -> Iterator[Finding]:
    """Two entries have the same name.

    ## Why
    People install a prompt by its name alone. If entries in two classes had the same name,
    `psreg install` could not know which one you mean, and the newer entry could impersonate the
    older one.

    ## Fix
    Rename the newer entry: its folder, its artifact and, inside a PBE, the `pbe_name` and the save
    key.
    """
    for entry in tree.entries:
        others = [c for c in tree.names[entry.name] if c != entry.entry_class]
        if others:
            yield Finding(
                message=f"the name `{entry.name}` is already used in class {', '.join(others)}",
                path=str(entry.path),
                hint="Rename the newer entry; names are unique in the whole registry.",
            )


@rule("REG025", spec="registry/LAYOUT", severity=ERROR)
def not_a_plain_file(tree: Tree) -> Iterator[Finding]:
    """Something below `pbes/` is a link, a submodule or a device, or a file is executable.

    ## Why
    A link leads elsewhere: what a reviewer reads may not be what is published, and machines resolve
    links differently. A submodule points to someone else's repository, which can disappear or
    change hands. A prompt is read, not run; files that a shell would execute do not belong in a
    registry.

    ## Fix
    Replace links and submodules with the files themselves, and remove the executable bit:

    ```sh
    chmod -x pbes/prompt/email_reply/1.0.0/README.md
    git update-index --chmod=-x pbes/prompt/email_reply/1.0.0/README.md
    ```
    """
    for path, kind in sorted(tree.irregular.items()):
        hint = _HINTS[kind]
        yield Finding(
            message=f"this is {kind}; a registry contains only plain files",
            path=str(path),
            hint=f"{hint} {path}" if ":" in hint else hint,
        )


TREE_RULES: tuple[Rule[Any], ...] = (
    stray_file,
    bad_folder_name,
    name_not_unique,
    bad_policy,
    not_a_plain_file,
)
"""The rules judged once per tree, or about its policy."""
