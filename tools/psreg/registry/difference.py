"""What differs between a tree and what the registry has signed.

A name is checked and published again only if the digest of its folder is not the one in its signed
record, or if all records have to be computed again because the policy, the actions or the schema of
records changed. Git only says which folders need not be read; what is signed never depends on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Protocol

from psreg.core.classes import CLASSES
from psreg.core.identity import PBES, EntryId, ReleaseId
from psreg.formats.layout import ENTRY_DEPTH, files_by_entry, folder_digest
from psreg.lint.entries.tree_rules import MOST_ALIKE, ReleaseSketch
from psreg.lint.likeness import START, hashes
from psreg.registry.actions.action import Action
from psreg.registry.actions.withdrawal import VoidKey
from psreg.registry.baseline import Baseline
from psreg.registry.catalog_head import ACTIONS, changed_inputs, head_of, segment_data
from psreg.registry.catalog_segments import (
    Row,
    account,
    folded_rows,
    live_rows,
    read_checked_segment,
    read_segment,
)
from psreg.registry.journal import Seen
from psreg.registry.records import PackageRecord, read_record
from psreg.registry.trust.reading import Read, open_registry

_NO_KEYS: Mapping[str, VoidKey] = MappingProxyType({})


def inputs_of(
    policy: bytes, actions: Iterable[Action] = (), void: Mapping[str, VoidKey] = _NO_KEYS
) -> dict[str, str]:
    """Return the digests of what records are computed from besides the entries, by name.

    `void` are the keys of owners that no longer count, of any name.
    """
    lines = [f"{_sha256(each.data)} {each.file}\n" for each in actions]
    keys = "".join(f"{void[key].after} {key}\n" for key in sorted(void))
    schema = files("psreg.formats") / "schemas/package.schema.json"
    return {
        "policy": _sha256(policy),
        "actions": _sha256("".join(lines).encode("utf-8", "surrogateescape")),
        "schema": _sha256(schema.read_bytes()),
        **({"keys": _sha256(keys.encode())} if keys else {}),
    }


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The `names` that differ, and the files of their folders and of none, all of them read.

    `again` are the inputs that changed, so that all names are computed again; "layout" stands for
    a registry of an older psreg, which signed no inputs.
    """

    names: frozenset[str]
    tree: Mapping[PurePosixPath, bytes]
    again: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to check and to publish."""
        return not (self.names or self.again or self.tree.keys() - _ALWAYS)


_ALWAYS = {PurePosixPath("registry/policy.toml"), PurePosixPath(PBES, "README.md")}
"""The files that belong to no entry, `tree.POLICY` and `tree.GUIDE`; `tree` is slow to import."""


class SignedNames:
    """What a registry has signed about names: single records, and the rows of all."""

    def __init__(self, baseline: Baseline, read: Read) -> None:
        self._packages: Mapping[str, bytes] = baseline.state.packages if baseline.state else {}
        self._head = baseline.head
        self.is_new = baseline.state is None
        """Whether nothing is signed yet."""
        self._read = read
        self._records: dict[str, PackageRecord | None] = {}

    def record(self, name: str) -> PackageRecord | None:
        """Return the record of a name, or None."""
        if name not in self._records:
            self._records[name] = self._record(name)
        return self._records[name]

    def _record(self, name: str) -> PackageRecord | None:
        known = name in self._packages
        return read_record(self._packages[name], name) if known else None

    def folder(self, name: str) -> str:
        """Return the digest of a name's folder, "" if there is none; the record is not kept."""
        record = self._record(name)
        return record.folder if record else ""

    def entry_class(self, name: str) -> str | None:
        """Return the class of a name, or None; reads its record only if the rows are not read."""
        if "rows" in self.__dict__ and name in self.rows:
            return str(self.rows[name]["class"])
        record = self.record(name)
        return record.entry_class if record else None

    def __iter__(self) -> Iterator[str]:
        return iter(self._packages)

    def changed_inputs(self, inputs: Mapping[str, str]) -> tuple[str, ...]:
        """Return the inputs that are not those of the signed state, but for the actions.

        It is () if nothing is signed.
        """
        if self._head is None or self._head.inputs is None:
            return ("layout",) if any(self._packages) else ()
        return changed_inputs(self._head.inputs, inputs)

    def changed_actions(self, inputs: Mapping[str, str]) -> bool:
        """Tell whether the actions are not those of the signed state."""
        signed = (self._head and self._head.inputs) or {}
        return signed.get(ACTIONS) != inputs.get(ACTIONS)

    def near(self, release: ReleaseSketch) -> Iterator[ReleaseSketch]:
        """Yield the latest releases that may be like one, without reading all rows or records."""
        wanted = hashes(release.sketch[:START])
        records = filter(None, map(self.record, self._with_hash(wanted)))
        for record, latest in ((each, row) for each in records if (row := each.latest)):
            id_ = ReleaseId(
                entry_class=record.entry_class, name=record.name, version=latest.version
            )
            stated = latest.release.get("origin")
            yield ReleaseSketch(
                id=id_,
                owners=frozenset(map(account, record.owners)),
                origin=" ".join(map(str, stated.values())) if isinstance(stated, dict) else "",
                sketch=latest.sketch,
            )

    def _with_hash(self, wanted: Collection[str]) -> Iterator[str]:
        """Yield names whose row has one of some hashes, a few for each of them."""
        # NOTE: only the columns that are used are parsed; a publisher has signed these bytes.
        read = [
            read_checked_segment(segment_data(each, self._read))
            for each in (self._head.segments if self._head else ())
        ]
        # NOTE: usually none has one, which is quicker to tell of all sketches as one text.
        texts = ("\n".join(segment.columns.get("sketch", ())) for segment in read)
        if not any(each in text for text in texts for each in wanted):
            return
        left = dict.fromkeys(wanted, MOST_ALIKE)
        for segment, live in live_rows(read):
            sketches = segment.columns.get("sketch", ())
            for at in live if sketches else ():
                if any(each in sketches[at] for each in left):
                    yield segment.names[at]
                    left = {v: n - (v in sketches[at]) for v, n in left.items()}
                    left = {value: number for value, number in left.items() if number}

    @cached_property
    def rows(self) -> Mapping[str, Row]:
        """The rows of the catalogue by name."""
        segments = self._head.segments if self._head else ()
        return folded_rows(read_segment(segment_data(each, self._read)) for each in segments)


def signed_names(read: Read) -> SignedNames | None:
    """Return what is signed about names in a registry; None if nothing is published.

    Raises:
        TrustError, UnavailableError: as `open_registry` and `head_of`.
    """
    state = open_registry(read)
    if state is None:
        return None
    root, head = state.root, head_of(state)
    return SignedNames(
        Baseline(root=root, root_sha256=state.root_sha256, state=state, intent=None, head=head),
        read,
    )


class WorkTree(Protocol):
    """A work tree, as Git compares it; paths are relative to the checkout."""

    def tree(self) -> str:
        """Return the id of the tree of the current commit; "" without Git or a commit."""

    def committed(self, since: str, tree: str) -> Collection[str] | None:
        """Return the paths that differ between two trees; None if the clone lacks one of them."""

    def dirty(self, tree: str) -> Collection[str] | None:
        """Return the paths that differ between a tree and the files; None if Git fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Where a work tree may differ from the signed state, as Git tells.

    `places` are files and folders; None if every entry has to be compared, for the reason `why`
    ("" if there is nothing to tell). `tree` and `dirty` are the tree of the current commit, and
    where the files differ from it.
    """

    places: frozenset[PurePosixPath] | None = None
    why: str = ""
    tree: str = ""
    dirty: frozenset[PurePosixPath] = frozenset()


def hint_of(work_tree: WorkTree, seen: Seen | None, head: str) -> Hint:
    """Return where the work tree may differ from the state with the head `head` ("" for none).

    What was `seen` is a fact about two contents, a tree and a signed head, whatever became of the
    history in between; where it is not about this head, or the tree is gone, nothing is known.
    """
    tree = work_tree.tree()
    changed = work_tree.dirty(tree) if tree else None
    if changed is None:
        return Hint()
    dirty = _places(changed)
    if not head:
        return Hint(tree=tree, dirty=dirty)
    if seen is None:
        why = "what was last published from here is not known"
    elif seen.head != head:
        why = "the registry was published from elsewhere"
    elif (committed := work_tree.committed(seen.tree, tree)) is None:
        why = "this clone lacks the tree that was published last"
    else:
        places = _places([*committed, *seen.places]) | dirty
        return Hint(places=places, tree=tree, dirty=dirty)
    return Hint(why=why, tree=tree, dirty=dirty)


def _places(paths: Iterable[str]) -> frozenset[PurePosixPath]:
    """Return the folders of entries in which paths are, and the paths outside of entries."""
    each = (PurePosixPath(path) for path in paths)
    return frozenset(PurePosixPath(*path.parts[:ENTRY_DEPTH]) for path in each)


def parts_of(places: Collection[PurePosixPath]) -> frozenset[PurePosixPath]:
    """Return the places, with the folders that other classes have for the same names."""
    named = {EntryId(one, name).folder for name in names_in(places) for one in CLASSES}
    return frozenset({*places, *named})


def names_in(places: Collection[PurePosixPath]) -> frozenset[str]:
    """Return the names of the entries among the places."""
    return frozenset(place.name for place in places if len(place.parts) == ENTRY_DEPTH)


def next_seen(
    hint: Hint, found: Difference, signed: SignedNames, released: Collection[str], head: str
) -> Seen:
    """Return what is to be remembered after the publish that made `head` current.

    A name that has never had a release has no record to be compared with: it is looked at always.
    """
    bare = {
        folder
        for folder in files_by_entry(found.tree)
        if folder.name not in released and signed.record(folder.name) is None
    }
    return Seen(head=head, tree=hint.tree, places=tuple(sorted(map(str, hint.dirty | bare))))


def compare(
    source: Mapping[PurePosixPath, bytes],
    signed: SignedNames,
    inputs: Mapping[str, str],
    candidates: Collection[str] | None = None,
    irregular: Collection[PurePosixPath] = (),
    *,
    acted: Collection[str] = (),
) -> Difference:
    """Return the names whose folder in `source` is not the signed one, or has `irregular` files.

    If `candidates` are given, `source` has their files, and only they can differ; so do names that
    are `acted` upon, whose files it has, too. Files that are equal are not kept.

    Raises:
        TrustError, UnavailableError: the registry is not as it was signed; a file is not readable.
    """
    again = signed.changed_inputs(inputs)
    by_name: dict[str, list[PurePosixPath]] = {}
    for folder, paths in files_by_entry(source).items():
        by_name.setdefault(folder.name, []).extend(paths)
    names = {n for n in (signed if candidates is None else candidates) if n not in by_name}
    kept = {path: source[path] for path in source if len(path.parts) <= ENTRY_DEPTH}
    for name, paths in by_name.items():
        data = {path: source[path] for path in paths}
        plain = data.keys().isdisjoint(irregular)
        if (
            again
            or name in acted
            or not plain
            or signed.folder(name) != folder_digest(data.items())
        ):
            names.add(name)
            kept |= data
    return Difference(names=frozenset(names), tree=kept, again=again)
