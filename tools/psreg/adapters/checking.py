"""Checking folders: which files to judge, and dividing them among the processor's cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from psreg.adapters.files import find_checkout, read_file, read_tree
from psreg.diagnostics import Diagnostic, Mode
from psreg.errors import UsageError
from psreg.identity import PBES
from psreg.service.check import check_file, check_tree

WORTH_A_PROCESS = 200
"""Files below which starting a second process costs more than it saves."""

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
    inside = "" if folder == root else folder.relative_to(root).as_posix()
    tree = read_tree(root)
    number = sum(path.name.endswith(SUFFIXES) and _within(str(path), inside) for path in tree)
    shares = _processes(number)
    jobs = [(root, share, shares, dict(changed)) for share in range(shares)]
    found = [d for part in _divide(_check_share, jobs) for d in part if _within(d.path, inside)]
    return number, found


def _check_share(job: tuple[Path, int, int, dict[str, bytes]]) -> list[Diagnostic]:
    root, share, shares, changed = job
    return list(check_tree(read_tree(root, changed), share=share, shares=shares))


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
