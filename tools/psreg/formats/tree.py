"""A tree of files as a registry: entries, their releases, the policy, and stray files.

Files are grouped by their paths only. Bytes are read on access to a document, so that a lazy
mapping of twenty thousand entries stays cheap; documents live as long as their subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType

from psreg.core.classes import PBE_CLASSES, Format
from psreg.core.diagnostics import Document, PlainText
from psreg.core.identity import PBES, EntryId, ReleaseId, is_name
from psreg.core.version import is_version, parse_version
from psreg.formats import dotprompt, pbe, toml_document
from psreg.formats.dotprompt import Prompt
from psreg.formats.entry import EntryFile
from psreg.formats.layout import (
    EVIDENCE,
    Irregular,
    name_like,
    owners_signature_file,
    review_file,
    signature_file,
    stated_version,
    yank_signature_file,
)
from psreg.formats.pbe import Pbe
from psreg.formats.policy import Policy
from psreg.formats.release import ReleaseFile
from psreg.formats.toml_document import TomlTree

POLICY = PurePosixPath("registry/policy.toml")

GUIDE = PurePosixPath(PBES, "README.md")
"""What a registry tells people about the folder; the maintainers' file, not part of an entry."""


class Submission:
    """One release in a tree, with all that rules compare it to."""

    def __init__(self, entry: Entry, version: str, paths: tuple[PurePosixPath, ...]) -> None:
        self.entry = entry
        self.id = ReleaseId(entry_class=entry.entry_class, name=entry.name, version=version)
        self.paths = paths
        """The files of the version folder, sorted."""
        # NOTE: rules ask for these paths often, and making a path costs more than a rule.
        self.folder = self.id.folder
        self.artifact_path = self.id.artifact
        self.release_path = self.folder / "release.toml"
        self.readme_path = self.folder / "README.md"

    @cached_property
    def places(self) -> Mapping[PurePosixPath, str]:
        """Where each of `paths` is in the version folder: `evidence/claude-2026-11-01.jsonl`."""
        inside = len(str(self.folder)) + 1
        return MappingProxyType({path: str(path)[inside:] for path in self.paths})

    @cached_property
    def evidence(self) -> tuple[PurePosixPath, ...]:
        """The files in the folder `evidence/`, sorted."""
        folder = f"{EVIDENCE}/"
        return tuple(path for path, place in self.places.items() if place.startswith(folder))

    @property
    def tree(self) -> Tree:
        """The tree it is part of."""
        return self.entry.tree

    @property
    def policy(self) -> Policy:
        """What the maintainers of the registry decided, before a change that is reviewed."""
        return self.entry.tree.policy_in_force

    @property
    def siblings(self) -> tuple[str, ...]:
        """All versions of the entry in the tree, this one among them, ascending."""
        return self.entry.versions

    @cached_property
    def documents(self) -> Documents:
        """The documents of the tree by path, each read on access."""
        return Documents(self.tree.files)

    @cached_property
    def files(self) -> Mapping[PurePosixPath, bytes]:
        """The files of the version folder; all are read."""
        return MappingProxyType({path: self.tree.files[path] for path in self.paths})

    @cached_property
    def artifact(self) -> bytes | None:
        """The bytes that users install, or None if the file is missing."""
        return self.tree.files.get(self.artifact_path)

    @property
    def pbe(self) -> Pbe | None:
        """The artifact as a PBE, or None if it is missing or of the other format."""
        return self.documents.pbe(self.artifact_path)

    @property
    def prompt(self) -> Prompt | None:
        """The artifact as a `.prompt`, or None if it is missing or of the other format."""
        return self.documents.prompt(self.artifact_path)

    @cached_property
    def release(self) -> ReleaseFile:
        """release.toml; a missing one reads as an empty one that did not parse."""
        return ReleaseFile(self.documents.toml(self.release_path))


class Entry:
    """One name in one class: entry.toml and the versions."""

    def __init__(self, tree: Tree, id_: EntryId) -> None:
        self.tree = tree
        self.id = id_
        self.entry_class = id_.entry_class
        self.name = id_.name
        self.folders: dict[str, list[PurePosixPath]] = {}
        """The files of every version folder, by version."""
        self.signatures: dict[PurePosixPath, tuple[ReleaseId, int]] = {}
        """The files with the signatures of owners, each with its release and its number."""
        self.owners_signatures: dict[PurePosixPath, tuple[int, int]] = {}
        """The files in which owners sign a change of owners, each with its number and its own."""
        self.reviews: dict[PurePosixPath, tuple[ReleaseId, int]] = {}
        """The files with the signatures of reviewers, each with its release and its number."""
        self.yank_signatures: dict[PurePosixPath, tuple[ReleaseId, int, int]] = {}
        """The files in which owners sign a yank, each with its release, its number and its own."""

    @property
    def path(self) -> PurePosixPath:
        """`pbes/<class>/<name>/entry.toml`."""
        return self.id.file

    @cached_property
    def documents(self) -> Documents:
        """The documents of the tree by path, each read on access."""
        return Documents(self.tree.files)

    @cached_property
    def file(self) -> EntryFile:
        """entry.toml; a missing one reads as an empty one that did not parse."""
        return EntryFile(self.documents.toml(self.path))

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """The versions in the tree, ascending by SemVer precedence, then text."""
        return tuple(sorted(self.folders, key=lambda text: (parse_version(text), text)))

    def submissions(self) -> Iterator[Submission]:
        """Yield the releases of the entry, ascending."""
        for version in self.versions:
            yield Submission(self, version, tuple(sorted(self.folders[version])))


class Tree:
    """A whole registry as files. `strays` and `misnamed` are the files that belong to no entry."""

    def __init__(
        self,
        files: Mapping[PurePosixPath, bytes],
        irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
        whole: Tree | None = None,
        today: date | None = None,
    ) -> None:
        self.files = files
        self.today = today
        """The day of the check, in UTC; None if it is not known."""
        self.irregular = irregular
        """What is not a plain file; of these, `files` has the executable ones."""
        self.judged_by: Tree | None = None
        """The tree whose policy decides, if it is another: for a change, its base."""
        self._whole = whole
        self.strays: list[PurePosixPath] = []
        self.misnamed: list[PurePosixPath] = []
        """Files in a folder whose class, name or version is not one."""
        self._entries: dict[EntryId, Entry] = {}
        for path in sorted(files):
            if path.parts[0] == PBES and path != GUIDE:
                self._place(path)

    def part(self, paths: Iterable[PurePosixPath]) -> Tree:
        """Return the tree of some of the files, which has the names and the policy of this one."""
        paths = dict.fromkeys(paths)
        odd = {p: kind for p, kind in self.irregular.items() if p in paths and p.parts[0] == PBES}
        return Tree(_Some(self.files, paths), odd, self, self.today)

    def _place(self, path: PurePosixPath) -> None:
        entry, release = EntryId.of(path.parent), ReleaseId.of(path.parent)
        if release:
            self._entry(release.entry).folders.setdefault(release.version, []).append(path)
        elif signed := signature_file(path):
            self._entry(signed[0].entry).signatures[path] = signed
        elif reviewed := review_file(path):
            self._entry(reviewed[0].entry).reviews[path] = reviewed
        elif changed := owners_signature_file(path):
            self._entry(changed[0]).owners_signatures[path] = changed[1:]
        elif yanked := yank_signature_file(path):
            self._entry(yanked[0].entry).yank_signatures[path] = yanked
        elif entry and entry.is_valid and path == entry.file:
            self._entry(entry)
        elif entry is None or (entry.is_valid and path.parent == entry.folder):
            self.strays.append(path)
        else:
            self.misnamed.append(path)

    def _entry(self, id_: EntryId) -> Entry:
        if id_ not in self._entries:
            self._entries[id_] = Entry(self, id_)
        return self._entries[id_]

    @cached_property
    def documents(self) -> Documents:
        """The documents of the tree by path, each read on access."""
        return Documents(self.files)

    @cached_property
    def policy(self) -> Policy:
        """registry/policy.toml; defaults where it is missing."""
        return self._whole.policy if self._whole else Policy(self.documents.toml(POLICY))

    @property
    def policy_in_force(self) -> Policy:
        """The policy by which releases and names are judged, its own or that of `judged_by`."""
        whole = self._whole or self
        return (whole.judged_by or whole).policy

    def entry(self, id_: EntryId) -> Entry | None:
        """Return the entry of a class and a name, or None if there is none."""
        return self._entries.get(id_)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, by class and name."""
        return tuple(self._entries[key] for key in sorted(self._entries))

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The class folders in which each name occurs."""
        if self._whole:
            return self._whole.names
        found: dict[str, list[str]] = {}
        for entry in sorted(self._entries):
            found.setdefault(entry.name, []).append(entry.entry_class)
        return {name: tuple(classes) for name, classes in found.items()}

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the versions of the entry called `name`, ascending; () if there is none."""
        if self._whole:
            return self._whole.versions(name)
        ids = (EntryId(entry_class, name) for entry_class in self.names.get(name, ()))
        return next((self._entries[id_].versions for id_ in ids), ())

    def with_alias(self, alias: str) -> tuple[Entry, ...]:
        """Return the entries that list `alias`; reads every entry.toml the first time."""
        return self._aliases.get(alias, ())

    @cached_property
    def _aliases(self) -> Mapping[str, tuple[Entry, ...]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for alias in dict.fromkeys(entry.file.aliases):
                found.setdefault(alias, []).append(entry)
        return {alias: tuple(entries) for alias, entries in found.items()}

    @property
    def submissions(self) -> Iterator[Submission]:
        """Every release of every entry; none is kept in memory after its check."""
        return (submission for entry in self.entries for submission in entry.submissions())


class Outline(Tree):
    """A tree of which only the policy is known, and the classes and versions of each name.

    It stands for the whole tree where only a part of the files is at hand.
    """

    def __init__(
        self,
        policy: Mapping[PurePosixPath, bytes],
        known: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]],
    ) -> None:
        super().__init__(policy)
        self._known = known

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The class folders in which each name occurs."""
        return {name: classes for name, (classes, _) in self._known.items()}

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the versions of the entry called `name`, ascending; () if there is none."""
        return self._known.get(name, ((), ()))[1]


class _Some(Mapping[PurePosixPath, bytes]):
    """Some files of a tree, each read on access."""

    def __init__(
        self, files: Mapping[PurePosixPath, bytes], paths: Iterable[PurePosixPath]
    ) -> None:
        self._files = files
        self._paths = {path: None for path in paths if path in files}

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        return self._files[path]

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Documents(Mapping[PurePosixPath, Document]):
    """The documents of a tree by path, each read and parsed once, on first access.

    A path without a file has an empty text, so that findings can point at a missing file.
    """

    def __init__(self, files: Mapping[PurePosixPath, bytes]) -> None:
        self._files = files
        self._read: dict[PurePosixPath, Document] = {}
        self._pbes: dict[PurePosixPath, Pbe] = {}

    def __getitem__(self, path: PurePosixPath) -> Document:
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def toml(self, path: PurePosixPath) -> TomlTree:
        """Return the TOML file at `path`; a missing one did not parse and has no issues."""
        document = self[path]
        return document if isinstance(document, TomlTree) else TomlTree(text="")

    def pbe(self, path: PurePosixPath) -> Pbe | None:
        """Return the PBE at `path`, or None if there is no file of that format."""
        self[path]
        return self._pbes.get(path)

    def prompt(self, path: PurePosixPath) -> Prompt | None:
        """Return the `.prompt` at `path`, or None if there is no file of that format."""
        document = self[path]
        return document if isinstance(document, Prompt) else None

    def _open(self, path: PurePosixPath) -> Document:
        data = self._files.get(path)
        if data is None:
            return PlainText("")
        if path.suffix == ".toml":
            return toml_document.parse(data)
        if path.suffix == Format.PROMPT.suffix:
            return dotprompt.read(data)
        if path.name.endswith(Format.PBE.suffix):
            self._pbes[path] = pbe.read(data)
            return self._pbes[path].tree
        return PlainText(data.decode(errors="replace").removeprefix("\ufeff"))


def place_of_artifact(tree: Tree, path: PurePosixPath) -> str:
    """Return where the artifact at `path` belongs, as far as it says; "" if it is not one."""
    name = version = None
    form = next((f for f in Format if path.name.endswith(f.suffix)), None)
    if form is None:
        return ""
    if pbe := tree.documents.pbe(path):
        name, version, entry_class = pbe.name, pbe.version, pbe.pbe_class
        if entry_class not in PBE_CLASSES:
            entry_class = next((part for part in path.parts if part in PBE_CLASSES), "<class>")
    else:
        entry_class = Format.PROMPT.value
        prompt = tree.documents.prompt(path)
        version = prompt.metadata.get("version") if prompt else None
    if name is None or not is_name(name):
        name = name_like(path.name.removesuffix(form.suffix)) or "<name>"
    if version is None:
        version = next((part for part in path.parts[-2::-1] if is_version(part)), None)
    if version is None and (released := tree.versions(name)):
        version = str(parse_version(released[-1]).bump_patch())
    version = stated_version(version)
    return f"{PBES}/{entry_class}/{name}/{version}/{name}{form.suffix}"
