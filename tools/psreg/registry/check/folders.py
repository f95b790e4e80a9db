"""Checking folders: which files to check, and dividing them among processes.

Other processes of this machine read the files themselves. A task for an executor, which may be
another machine, contains all bytes that it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from psreg.core.classes import CLASSES
from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.errors import UsageError
from psreg.core.identity import PBES, EntryId
from psreg.core.rule import RuleTable
from psreg.formats.tree import Tree
from psreg.lint.cluster_shares import (
    Source,
    check_digests,
    number_of_shares,
    shares_elsewhere,
)
from psreg.lint.engine import check_file
from psreg.lint.registry_walk import CheckedShare, check_copies, check_share
from psreg.registry.check.action_files import check_actions
from psreg.registry.check.newer_rules import with_newer_rules_as_warnings
from psreg.registry.check.paths import replace_file, whole
from psreg.registry.checkout import FileTree, find_checkout, read_tree
from psreg.registry.store_folder import RegistryFolder
from psreg.system import clock
from psreg.system.files import read_file
from psreg.system.processes import in_parallel, shares_of

WORTH_A_PROCESS = 200
"""The number of files below which a second process costs more than it saves."""

SUFFIXES = (".pbe.txt", ".pbe", ".prompt")


def check_folder(
    folder: Path,
    mode: Mode,
    rules: Callable[[], RuleTable],
    changed: Mapping[str, bytes] = MappingProxyType({}),
    executor: Executor | None = None,
    *,
    source: Source | None = None,
) -> tuple[int, list[Diagnostic]]:
    """Return the number of artifacts in `folder`, and their diagnostics.

    In a registry all rules run, always in strict mode, and only diagnostics inside `folder` are
    returned; elsewhere each artifact below the folder is checked by itself. `changed` replaces the
    content of the files at these paths. `rules` loads the table of rules in each process that needs
    it; `executor` does a part of the work. It is given the files, or reads them from the `source`.
    """
    folder = folder.absolute()
    root = _registry_of(folder)
    if root is None:
        return _check_loose(folder, mode, changed, executor)
    if mode is Mode.READ:
        raise UsageError(
            "USAGE", "--read is for single files; a registry is always checked strictly"
        )
    within = PurePosixPath(folder.relative_to(root).as_posix())
    source = None if changed else source
    return _check_registry(_Registry(root, within, dict(changed), rules), executor, source)


def _registry_of(folder: Path) -> Path | None:
    """Return the checkout that `folder` is checked as a part of, the base of its paths; or None."""
    folder = folder.absolute()
    root = find_checkout(folder)
    return root if root and (folder == root or folder.is_relative_to(root / PBES)) else None


class Folder:
    """A folder: a registry's tree, a part of one, or loose artifacts."""

    lone = False

    def __init__(
        self,
        place: Path,
        mode: Mode,
        rules: Callable[[], RuleTable],
        executor: Executor | None = None,
        *,
        source: Source | None = None,
    ) -> None:
        self.checked = 0
        self._executor, self._source = executor, source
        self._place = place
        self._mode = mode
        self._rules = rules
        registry = _registry_of(place)
        self.loose = registry is None
        self._base = registry or Path()

    def judge(self, changed: Mapping[str, bytes]) -> list[Diagnostic]:
        """See `Subject`."""
        how = (self._mode, self._rules, changed, self._executor)
        self.checked, found = check_folder(self._place, *how, source=self._source)
        return found

    def read(self, path: str) -> bytes | None:
        """See `Subject`."""
        return whole(read_file(self._base / path))

    def write(self, path: str, data: bytes) -> None:
        """See `Subject`."""
        replace_file(self._base / path, data)


class _Registry(NamedTuple):
    """The part of a registry's tree to check; each of several processes reads it itself."""

    root: Path
    within: PurePosixPath
    changed: dict[str, bytes]
    rules: Callable[[], RuleTable]

    def read(self) -> FileTree:
        """Return the tree; if everything is in one entry, only what is needed to check that."""
        entry = EntryId.of(self.within)
        alone = entry.folder if entry and entry.entry_class in CLASSES else None
        return read_tree(self.root, self.changed, alone)

    def check(self, share: int, shares: int, tree: Tree | None = None) -> CheckedShare:
        """Check one share of the entries; for the first, `tree` is the whole."""
        whole = tree or Tree(self.read(), today=clock.now().date())
        place = {"share": share, "shares": shares}
        return check_share(whole, self.rules(), within=self.within, **place)


def _check_registry(
    registry: _Registry, executor: Executor | None, source: Source | None
) -> tuple[int, list[Diagnostic]]:
    tree = registry.read()
    number = sum(p.name.endswith(SUFFIXES) and _within(str(p), registry.within) for p in tree)
    shares = _number(number, executor)
    files = Tree(tree, tree.irregular(), today=clock.now().date())
    others: list[Callable[[], CheckedShare]]
    if executor:
        parts = shares_elsewhere(
            files, registry.rules, shares, within=registry.within, source=source
        )
        elsewhere = list(parts)
        others = [share.check for share in elsewhere]
    else:
        others = [partial(registry.check, share, shares) for share in range(1, shares)]
    first, rest = in_parallel(partial(registry.check, 0, shares, files), others, executor)
    if executor:
        check_digests(elsewhere, rest)
    sketches = [each for part in (first, *rest) for each in part.sketches]
    alike = check_copies(files, registry.rules(), sketches)
    told = chain(*(part.found for part in (first, *rest)), alike)
    found = [d for d in told if _within(d.path, registry.within)]
    store = RegistryFolder(registry.root / "registry")
    if _within("registry", registry.within):
        found += check_actions(store, registry.rules)
    return number, with_newer_rules_as_warnings(found, tree, store.read)


def _number(items: int, executor: Executor | None) -> int:
    """Return the number of shares into which to divide the check of so many artifacts."""
    return number_of_shares(items) if executor else shares_of(items, WORTH_A_PROCESS)


def _within(path: str, folder: PurePosixPath) -> bool:
    return str(folder) in (".", PBES) or path == str(folder) or path.startswith(f"{folder}/")


def _check_loose(
    folder: Path, mode: Mode, changed: Mapping[str, bytes], executor: Executor | None
) -> tuple[int, list[Diagnostic]]:
    start = os.path.relpath(folder)
    paths = sorted(
        Path(at, name).as_posix()
        for at, _, names in os.walk(start)
        for name in names
        if name.endswith(SUFFIXES)
    )
    shares = _number(len(paths), executor)
    parts = [paths[share::shares] for share in range(shares)]
    contents = [dict(changed)] * shares
    if executor:
        contents = [{path: _content(path, changed) for path in part} for part in parts]
    first, *others = [
        partial(_check_each, mode, *each) for each in zip(contents, parts, strict=True)
    ]
    done, rest = in_parallel(first, others, executor)
    return len(paths), [d for part in (done, *rest) for d in part]


def _check_each(mode: Mode, changed: Mapping[str, bytes], paths: list[str]) -> list[Diagnostic]:
    return [
        diagnostic
        for path in paths
        for diagnostic in check_file(_content(path, changed), path=path, mode=mode)
    ]


def _content(path: str, changed: Mapping[str, bytes]) -> bytes:
    return changed[path] if path in changed else read_file(Path(path))
