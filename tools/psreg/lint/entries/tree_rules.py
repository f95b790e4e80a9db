"""The rules about a registry as a whole: its files and folders, and releases that are copies.

Findings name their file in `path`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from psreg.core.classes import CLASSES
from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.identity import EntryId, ReleaseId, is_device, is_name
from psreg.core.rule import Rule, rule
from psreg.core.spelling import did_you_mean
from psreg.core.version import parse_version
from psreg.formats.layout import (
    EVIDENCE,
    KNOWN_FILES,
    REVIEWS,
    SIGNATURES,
    SUFFIXES,
    Irregular,
    name_like,
    version_like,
)
from psreg.formats.tree import Entry, Submission, Tree, place_of_artifact
from psreg.lint.entries.waiver_rules import bad_policy
from psreg.lint.names.all_names import stated_owners
from psreg.lint.names.similarity import Owners, shared

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
    pbes/<class>/<name>/signatures/<version>.<number>.txt
    pbes/<class>/<name>/reviews/<version>.<number>.txt
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
            for path, place in submission.places.items():
                if place not in expected and place.partition("/")[0] != EVIDENCE:
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
        elif version in (SIGNATURES, REVIEWS):
            folder, message = path, "a signature is not called so"
            hint = "Name it as `psreg sign` does: 1.2.0.1.txt, or owners.1.1.txt."
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


NEARLY = 0.5
"""The share of their text that makes one release nearly a copy of another."""

MOST_ALIKE = 8
"""The most releases with the same hash in their sketch that are compared with one.

A sentence that most prompts have, such as how to start, gives them a hash in common.
"""

_LISTED = 3
"""The most names that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSketch:
    """A release by the sketch of its text; `owners` are those of its entry.

    `origin` is what it states about its origin; `before` is the sketch of the previous release.
    """

    id: ReleaseId
    owners: Owners
    origin: str
    sketch: str
    before: str = ""

    @classmethod
    def of(
        cls, submission: Submission, owners: Owners | None = None, before: str = ""
    ) -> ReleaseSketch:
        """Return the sketch of a release; `owners` are those whom entry.toml states by default."""
        from psreg.lint.likeness import prompt_text, sketch  # noqa: PLC0415 - not without a release

        return cls(
            id=submission.id,
            owners=stated_owners(submission.entry.file) if owners is None else owners,
            origin=" ".join(submission.release.origin.values()),
            sketch=sketch(prompt_text(submission)),
            before=before,
        )

    def states(self, name: str) -> bool:
        """Tell whether its origin names an entry."""
        return name in re.split(r"[^a-z0-9_]+", self.origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A release that is nearly a copy of one of another name: they have a `share` in common."""

    release: ReleaseSketch
    of: ReleaseSketch
    share: float

    @property
    def expected(self) -> str:
        """Why it may be a copy, "" if there is no reason."""
        if shared(self.release.owners, self.of.owners):
            return "which has the same owner"
        if self.of.states(self.release.id.name):
            return "whose `[origin]` names it"
        return "as its `[origin]` states" if self.release.states(self.of.id.name) else ""


class Copies:
    """The releases among `judged` that are nearly copies of releases of other names.

    They are compared with each other, and with what `elsewhere` finds for a release among the names
    that are not judged. `tree` contains the files of those that are.
    """

    def __init__(
        self,
        tree: Tree,
        judged: Sequence[ReleaseSketch],
        elsewhere: Callable[[ReleaseSketch], Iterable[ReleaseSketch]] = lambda _: (),
    ) -> None:
        self.tree = tree
        self._judged = judged
        self._elsewhere = elsewhere

    @cached_property
    def found(self) -> Sequence[Sequence[Copy]]:
        """For each release, what it is nearly a copy of, the most alike first."""
        from psreg.lint.likeness import likeness  # noqa: PLC0415 - not without a release

        found: dict[ReleaseId, dict[str, Copy]] = {}
        for release, other in self._pairs():
            share = likeness(release.sketch, other.sketch, NEARLY)
            if share >= NEARLY and likeness(release.before, other.sketch) < NEARLY:
                copy = Copy(release=release, of=other, share=share)
                found.setdefault(release.id, {})[other.id.name] = copy
        return [
            sorted(found[each.id].values(), key=lambda copy: (-copy.share, copy.of.id.name))
            for each in self._judged
            if each.id in found
        ]

    def _pairs(self) -> Iterator[tuple[ReleaseSketch, ReleaseSketch]]:
        """Yield each release with others of other names that may be like it."""
        # NOTE: to read a sketch takes longer than to compare two: those of a hash are in a row.
        for releases in self._by_hash.values():
            for release, other in product(releases, releases[:MOST_ALIKE]):
                if release.id.name != other.id.name:
                    yield release, other
        for release in self._judged:
            others = self._elsewhere(release) if release.sketch else ()
            yield from ((release, each) for each in others if each.id.name not in self._names)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(each.id.name for each in self._judged)

    @cached_property
    def _by_hash(self) -> Mapping[str, list[ReleaseSketch]]:
        """The releases by each hash at the beginning of their sketch: few have one in common."""
        from psreg.lint.likeness import START, hashes  # noqa: PLC0415 - not without a release

        found: dict[str, list[ReleaseSketch]] = {}
        for each in self._judged:
            for value in hashes(each.sketch[:START]):
                found.setdefault(value, []).append(each)
        return found


def newest(entry: Entry) -> str:
    """Return the highest final version that is not yanked, else the highest version."""
    yanked = entry.file.yanked
    good = [v for v in entry.versions if not (v in yanked or parse_version(v).prerelease)]
    return (good or entry.versions)[-1]


@rule("REG037", spec="registry/COPIES", severity=WARNING, since="0.2.0")
def nearly_a_copy(copies: Copies) -> Iterator[Finding]:
    """A release is nearly a copy of another owner's entry.

    ## Why
    A copy under another name takes users, and sometimes the credit, from the prompt that it was
    made of, and later corrections of the original do not reach it. The licence of the original may
    allow the copy, but usually asks to name the author. The percentage says what share of their
    sequences of three words the two texts have in common; it is estimated from 64 of them, within a
    few percent. From half on they are reported. Of each entry the newest release is compared.

    ## Fix
    Say who wrote it; a review asks the author of a pull request, unless they own the other entry.
    If the prompt is yours, ask the owners of the other entry to add you. If you build on theirs,
    say so; a release whose origin names the other entry is only noted:

    ```toml
    [origin]
    address = "https://prompts.example.org"
    path = "pbes/prompt/email_reply/1.0.0/email_reply.prompt"
    license = "MIT"
    ```

    Otherwise propose your changes to the other entry, or write the prompt in your own words.
    """
    for found in copies.found:
        if foreign := [copy for copy in found if not copy.expected]:
            listed = (f"`{copy.of.id.name}` ({copy.share:.0%})" for copy in foreign[:_LISTED])
            more = f" and {len(foreign) - _LISTED} more" if len(foreign) > _LISTED else ""
            id_ = foreign[0].release.id
            yield Finding(
                message=f"`{id_.name}` {id_.version} is nearly a copy of {', '.join(listed)}{more}",
                path=str(id_.folder / "release.toml"),
                hint="Say who wrote it: name the other entry in `[origin]` of release.toml, "
                "ask its owners to add you, or write your own text.",
            )


@rule("REG038", spec="registry/COPIES", severity=INFO, since="0.2.0")
def copy_with_a_reason(copies: Copies) -> Iterator[Finding]:
    """A release is nearly a copy of an entry with the same owner, or of its stated origin.

    ## Why
    Two entries of one owner with nearly the same text are usually variants, for instance for two
    audiences. People who find both have to compare them, and a correction has to be made twice. A
    release whose `[origin]` names the entry it is from says what it is; reviewers see how much of
    the text it shares.

    ## Fix
    Nothing has to change. If two variants differ only in a few words, one `.prompt` with a variable
    may serve both:

    ```text
    before   polite_reply, short_reply
    after    email_reply with {style}
    ```
    """
    for found in copies.found:
        for copy in [copy for copy in found if copy.expected][:_LISTED]:
            id_, other = copy.release.id, f"`{copy.of.id.name}` ({copy.share:.0%})"
            yield Finding(
                message=f"`{id_.name}` {id_.version} is nearly a copy of {other}, {copy.expected}",
                path=str(id_.folder / "release.toml"),
            )


TREE_RULES: tuple[Rule[Any], ...] = (
    stray_file,
    bad_folder_name,
    name_not_unique,
    bad_policy,
    not_a_plain_file,
    nearly_a_copy,
    copy_with_a_reason,
)
"""The rules judged once per tree, or about its policy."""
