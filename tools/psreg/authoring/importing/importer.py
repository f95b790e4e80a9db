"""What an import does with each prompt of a source: a new entry, a new version, or nothing.

Entries remember by `[origin]` in release.toml where they are from. So a second import of a source
takes only what changed since, and an interrupted one goes on where it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePosixPath

from psreg.authoring.bump import Bump, bump, bump_from
from psreg.authoring.importing import entries
from psreg.authoring.importing.alike import Alike, Cluster
from psreg.authoring.importing.entries import Origin
from psreg.authoring.importing.found import Found, Refused
from psreg.authoring.importing.own_files import PBE_SUFFIXES
from psreg.authoring.literal import Wrapped
from psreg.authoring.text_language import is_in
from psreg.core.classes import Format
from psreg.core.diagnostics import Diagnostic
from psreg.core.errors import FindingsError
from psreg.core.identity import MAX_NAME_LENGTH, is_device, is_name
from psreg.core.rule import RuleTable
from psreg.core.version import Step
from psreg.formats.licenses import spdx_expression
from psreg.formats.release import origin_parts
from psreg.formats.tree import Submission, Tree
from psreg.lint.entries.release_rules import origin_faults
from psreg.protocols.named import named_protocols


class Status(StrEnum):
    """What becomes of a part of a source."""

    TAKEN = "taken"
    CHANGED = "taken with a change"
    UPDATED = "new version"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    SKIPPED = "skipped"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A part of a source, what becomes of it, and the files to write below `folder`, if any.

    `notes` say what is different, or why it is refused; `questions` what a person should decide.
    `findings` are the first errors and warnings about what in it can do harm; see
    `psreg.authoring.import_findings`. `text` is the beginning of its text.
    """

    path: str
    status: Status
    name: str = ""
    version: str = ""
    license: str = ""
    languages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    text: str = ""
    folder: PurePosixPath | None = None
    files: Mapping[PurePosixPath, bytes] = field(default_factory=dict)


class Importer:
    """Imports one source into a registry. `names` are the names that a user chose, by path.

    `language_of` tells which language a text seems to be in, "" if that is not clear.
    """

    def __init__(
        self,
        files: Mapping[PurePosixPath, bytes],
        origin: Origin,
        rules: RuleTable,
        names: Mapping[str, str],
        language_of: Callable[[str], str],
    ) -> None:
        self._files, self._origin, self._rules, self._chosen = files, origin, rules, names
        self._language_of = language_of
        self._tree = Tree(files)
        self._new = set[str]()
        self._numbers = Counter[str]()
        self._alike = Alike(self._tree)
        self._known = dict(_known(self._tree, origin_parts(origin.address)))

    def all(
        self,
        found: Iterable[Found | Refused],
        covers: Callable[[str], bool],
        skips: Callable[[str], bool],
    ) -> Iterator[Imported]:
        """Yield what becomes of each part of a source, and then what vanished of it.

        `covers` tells whether a path belongs to what was read of the source, and `skips` whether a
        person decided to leave out the part at a path.
        """
        parts = list(found)
        paths = {part.path for part in parts}
        gone = {path: each for path, each in self._known.items() if path not in paths}
        moved = {each.release.origin.get("sha256"): each for each in gone.values()}
        still = set[str]()
        for part in parts:
            if skips(part.path):
                yield Imported(path=part.path, status=Status.SKIPPED)
            elif isinstance(part, Refused):
                yield Imported(path=part.path, status=Status.REFUSED, notes=(part.reason,))
            elif part.path not in self._known and (same := moved.get(part.sha256)):
                still.add(same.id.name)
                note = f"it was at `{same.release.origin['path']}`"
                yield replace(_unchanged(part, same), notes=(note,))
            else:
                yield self._one(part)
        for path, each in sorted(gone.items()):
            file = path.partition("#")[0]
            if each.id.name not in still and file not in paths and covers(file):
                yield Imported(path=path, status=Status.VANISHED, name=each.id.name)

    def clusters(self) -> Sequence[Cluster]:
        """Return the new entries that are nearly copies of each other, or of those there were."""
        return self._alike.clusters()

    def _one(self, found: Found) -> Imported:
        faults = [fault for _, fault in origin_faults(self._origin.table(found))]
        if faults:
            return _refused(found, f"its origin cannot be recorded: {faults[0]}")
        known = self._known.get(found.path)
        if known and known.id.entry_class != found.entry_class:
            known = None
        try:
            return self._again(found, known) if known else self._first(found)
        except (ValueError, FindingsError) as error:
            return _refused(found, str(error))

    def _first(self, found: Found) -> Imported:
        """Return the entry of what was not imported before.

        Raises:
            ValueError: no `.prompt` can have the text, or the chosen name is not usable.
        """
        made = entries.artifact(found)
        name = self._name(found)
        self._new.add(name)
        notes = tuple(entries.changes(found, made))
        alike = self._alike.add(name, found.text)
        languages = entries.languages_of(found, self._origin)
        release, files = entries.new(found, made, name, self._origin)
        if found.artifact not in (b"", files[release.artifact]):
            notes += (f"its name and version are now `{release.name}` and {release.version}",)
        return Imported(
            path=found.path,
            status=Status.CHANGED if notes else Status.TAKEN,
            name=name,
            version=release.version,
            license=entries.license_of(found, self._origin),
            languages=languages,
            notes=(*notes, *self._unstated(found, languages)),
            questions=tuple(
                filter(None, (alike, self._claim(found), *self._questions(found, languages)))
            ),
            text=_beginning(found.text),
            folder=release.entry_folder,
            files=files,
        )

    def _name(self, found: Found) -> str:
        """Return the name of a new entry: the chosen one, or one that is free.

        Raises:
            ValueError: the chosen name is not a name, or taken.
        """
        if chosen := self._chosen.get(found.path):
            if not is_name(chosen) or not self._is_free(chosen):
                raise ValueError(f"`{chosen}` is not a name, or is taken")
            return chosen
        name = entries.name_of(found)
        if not self._is_free(name):
            # NOTE: files in different folders often have the same name.
            others = entries.names_with_folders(found, name)
            name = next(filter(self._is_free, others), name)
        stem = name[: MAX_NAME_LENGTH - len("_100000")].rstrip("_")
        while not self._is_free(name):
            # NOTE: thousands may have the same title.
            self._numbers[stem] += 1
            name = f"{stem}_{self._numbers[stem] + 1}"
        return name

    def _is_free(self, name: str) -> bool:
        taken = name in self._new or name in self._tree.names or self._tree.with_alias(name)
        return not taken and not is_device(name)

    def _again(self, found: Found, known: Submission) -> Imported:
        """Return the next version of an entry that was imported before, if its source changed."""
        if known.release.origin.get("sha256") == found.sha256:
            return _unchanged(found, known)
        made = entries.artifact(found)
        new = self._bumped(found, made, known)
        declared = {each.name for each in known.release.protocols}
        languages = tuple(each for _, each in known.release.strings("languages"))
        notes = (f"was {known.id.version}", *entries.changes(found, made))
        path = new.release.folder / "release.toml"
        toml = entries.next_release_toml(new.files[path], found, self._origin)
        return Imported(
            path=found.path,
            status=Status.UPDATED,
            name=new.release.name,
            version=new.release.version,
            license=known.release.text("license"),
            languages=languages,
            notes=(*notes, *self._unstated(found, languages)),
            questions=tuple(self._questions(found, languages, declared)),
            text=_beginning(found.text),
            folder=new.release.folder,
            files={**new.files, path: toml},
        )

    def _bumped(self, found: Found, made: Wrapped, known: Submission) -> Bump:
        try:
            return bump_from(self._files, known.id.name, made.data, found.path, self._rules)
        except FindingsError as error:
            if error.code != "NOTHING_CHANGED":
                raise
        return bump(self._files, known.id.name, Step.PATCH, self._rules)

    def _questions(
        self, found: Found, languages: Sequence[str], declared: Iterable[str] = ()
    ) -> Iterator[str]:
        """Yield what to decide: protocols that are not declared, and a language that is not one.

        `languages` and `declared` protocols are those of the entry.
        """
        for name, version in named_protocols(found.text):
            if name not in declared:
                said = f"{name.upper()} {version}".strip()
                yield f"names the protocol {said}: declare it if an assistant is to follow it"
        language = self._language_of(found.text) if languages else ""
        if language and not any(is_in(language, tag) for tag in languages):
            stated = entries.named(languages)
            yield f"its text seems to be in `{language}`, not in {stated}"

    def _claim(self, found: Found) -> str:
        """Return what to decide if a person claims a licence, and the source says another one."""
        if not found.license or not self._origin.license or spdx_expression(found.license):
            return ""
        return f"its source does not state {self._origin.license}, but `{found.license[:_LONGEST]}`"

    def _unstated(self, found: Found, languages: Sequence[str]) -> Iterator[str]:
        """Yield what language a text seems to be in, if its entry does not say any."""
        if not languages and (language := self._language_of(found.text)):
            yield f"its text seems to be in `{language}`"


_SHOWN = 1_000
_LONGEST = 100


def _beginning(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _refused(found: Found, reason: str) -> Imported:
    return Imported(path=found.path, status=Status.REFUSED, notes=(reason,))


def _unchanged(found: Found, known: Submission) -> Imported:
    return Imported(
        path=found.path, status=Status.UNCHANGED, name=known.id.name, version=known.id.version
    )


def _known(tree: Tree, address: tuple[str, ...]) -> Iterator[tuple[str, Submission]]:
    """Yield the newest release of each entry that is from an address, by its path there."""
    for newest in (each for entry in tree.entries for each in [*entry.submissions()][-1:]):
        origin = newest.release.origin
        path = origin.get("path", "")
        # NOTE: a PBE that a person made of another text is not an import of that text.
        is_import = newest.id.format is Format.PROMPT or path.endswith(PBE_SUFFIXES)
        if path and is_import and origin_parts(origin.get("address", "")) == address:
            yield path, newest
