"""Checking folders: which files to judge, and dividing them among the processor's cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.errors import UsageError
from psreg.core.identity import CLASSES, PBES
from psreg.lint.engine import check_file, check_tree
from psreg.registry.checkout import find_checkout, read_tree
from psreg.system.files import read_file

WORTH_A_PROCESS = 200
"""Files below which starting a second process costs more than it saves."""

_ENTRY = 3
"""Parts of the path of an entry's folder: `pbes/<class>/<name>`."""

SUFFIXES = (".pbe.txt", ".pbe", ".prompt")

T = TypeVar("T")


def check_folder(
    folder: Path, mode: Mode, changed: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[int, list[Diagnostic]]:
    """Return how many artifacts `folder` holds, and what is to be said of them.

    In a registry's tree all rules speak (always strictly: it is what gets published), limited to
    what lies in `folder`; elsewhere each artifact below the folder is judged by itself. `changed`
    is judged in place of what the files at these paths hold.
    """
    folder = folder.absolute()
    root = registry_of(folder)
    if root is None:
        return _check_loose(folder, mode, changed)
    if mode is Mode.READ:
        raise UsageError(
            "USAGE", "--read is for single files; a registry's tree is judged strictly"
        )
    return _check_registry(root, folder, changed)


def registry_of(folder: Path) -> Path | None:
    """Return the checkout as part of which `folder` is judged, the start of its paths; or None."""
    folder = folder.absolute()
    root = find_checkout(folder)
    return root if root and (folder == root or folder.is_relative_to(root / PBES)) else None


def _check_registry(
    root: Path, folder: Path, changed: Mapping[str, bytes]
) -> tuple[int, list[Diagnostic]]:
    within = PurePosixPath(folder.relative_to(root).as_posix())
    inside = "" if folder == root else str(within)
    tree = read_tree(root, changed, _entry_of(within))
    number = sum(path.name.endswith(SUFFIXES) and _within(str(path), inside) for path in tree)
    shares = _processes(number)
    if shares == 1:
        parts = [list(check_tree(tree, irregular=tree.irregular(), within=within))]
    else:
        jobs = [_Share(root, within, share, shares, dict(changed)) for share in range(shares)]
        parts = _divide(_check_share, jobs)
    return number, [d for part in parts for d in part if _within(d.path, inside)]


class _Share(NamedTuple):
    """What one of several processes judges of a registry's tree, which it reads itself."""

    root: Path
    within: PurePosixPath
    share: int
    shares: int
    changed: dict[str, bytes]


def _check_share(job: _Share) -> list[Diagnostic]:
    tree = read_tree(job.root, job.changed, _entry_of(job.within))
    irregular = tree.irregular() if job.share == 0 else {}
    place = {"share": job.share, "shares": job.shares}
    return list(check_tree(tree, irregular=irregular, within=job.within, **place))


def _entry_of(within: PurePosixPath) -> PurePosixPath | None:
    """Return the folder of the entry in which `within` lies, or None if it lies in none."""
    parts = within.parts[:_ENTRY]
    return PurePosixPath(*parts) if len(parts) == _ENTRY and parts[1] in CLASSES else None


def _within(path: str, inside: str) -> bool:
    return not inside or path == inside or path.startswith(f"{inside}/") or inside == PBES


def _check_loose(
    folder: Path, mode: Mode, changed: Mapping[str, bytes]
) -> tuple[int, list[Diagnostic]]:
    start = os.path.relpath(folder)
    paths = sorted(
        Path(at, name).as_posix()
        for at, _, names in os.walk(start)
        for name in names
        if name.endswith(SUFFIXES)
    )
    shares = _processes(len(paths))
    jobs = [(paths[share::shares], mode, dict(changed)) for share in range(shares)]
    return len(paths), [d for part in _divide(_check_each, jobs) for d in part]


def _check_each(job: tuple[list[str], Mode, dict[str, bytes]]) -> list[Diagnostic]:
    paths, mode, changed = job
    return [
        diagnostic
        for path in paths
        for diagnostic in check_file(
            changed[path] if path in changed else read_file(Path(path)), path=path, mode=mode
        )
    ]


def _processes(files: int) -> int:
    return max(1, min(os.cpu_count() or 1, files // WORTH_A_PROCESS))


def _divide(work: Callable[[T], list[Diagnostic]], jobs: Sequence[T]) -> list[list[Diagnostic]]:
    """Do `jobs`, the first here and each other one in a process of its own."""
    if len(jobs) == 1:
        return [work(jobs[0])]
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only large trees pay

    with ProcessPoolExecutor(len(jobs) - 1) as pool:
        others = [pool.submit(work, job) for job in jobs[1:]]
        return [work(jobs[0]), *(other.result() for other in others)]
