"""What A and B of `psreg diff` name: a file, a version folder, or a release by name and version.

A place on the disk is meant before a name. A name is looked for in the checkout around, then
among what is installed; `registry` says what else there is. Nothing is read through a link that
lies inside of a folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from psreg.client.library import installed_artifact, library
from psreg.client.resolve import Request, parse_request
from psreg.compatibility import submission_side
from psreg.compatibility.diff import Operand, file_operand, folder_operand
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import ReleaseId, is_name
from psreg.core.version import ANY, parse_version
from psreg.formats.tree import Submission, Tree
from psreg.registry.checkout import find_checkout, read_tree
from psreg.system.files import read_file, read_named

_MOST = 1_000
"""Files of a version folder that are read."""

Registered = Callable[[Request], Operand]
"""Returns a release of the registry that is set, or raises."""


def operand(text: str, registry: Registered) -> Operand:
    """Return what `text` names.

    Raises:
        UsageError: it is neither there nor a name; it is no artifact; a folder holds none.
        UnavailableError: it cannot be read; no such release is known.
    """
    place = Path(text)
    if place.is_dir():
        return _folder(place, text)
    if place.exists() or not is_name(text.partition("@")[0]):
        release = _release(place)
        return file_operand(read_named(place), text, release.version if release else None)
    request = parse_request(text)
    return _in_checkout(request) or _installed(request) or _registered(request, text, registry)


def _registered(request: Request, text: str, registry: Registered) -> Operand:
    """Return the release of the registry; where none is set, `text` may be a mistyped file."""
    try:
        return registry(request)
    except UnavailableError as error:
        if error.code not in ("NO_REGISTRY", "NOT_PUBLISHED"):
            raise
        raise UnavailableError(
            "UNKNOWN_NAME",
            f"there is no file and no entry {text!r} here, and no registry to look in",
            "look at the spelling, or name a registry with --registry",
        ) from error


def _release(place: Path) -> ReleaseId | None:
    """Return the release in whose version folder `place` lies, or None."""
    place = place.absolute()
    root = find_checkout(place.parent)
    return ReleaseId.of(PurePosixPath(place.relative_to(root))) if root else None


def _folder(place: Path, text: str) -> Operand:
    release = _release(place)
    if release and place.absolute().name != release.version:
        release = None  # a folder inside of a version folder
    files: dict[str, bytes] = {}
    for path in _files(place):
        if len(files) == _MOST:
            raise UsageError(
                "NO_ARTIFACT", f"{text} holds more than {_MOST:,} files", "name a version folder"
            )
        files[path.relative_to(place).as_posix()] = read_file(path)
    return folder_operand(files, text, release)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        elif path.is_file() and not path.is_symlink():
            yield path


def _in_checkout(request: Request) -> Operand | None:
    """Return the release of the checkout around the current folder that is meant, or None."""
    root = find_checkout(Path.cwd())
    if root is None:
        return None
    found = [
        submission
        for entry in Tree(read_tree(root)).entries
        if entry.name == request.name
        for submission in entry.submissions()
    ]
    submission = _best(request, found)
    if submission is None:
        return None
    title = f"{request.name}@{submission.id.version}"
    return Operand(title=title, side=submission_side(submission))


def _best(request: Request, found: list[Submission]) -> Submission | None:
    matching = [s for s in found if request.range.matches(parse_version(s.id.version))]
    if not matching and request.range is ANY:
        matching = found  # there are only candidates
    return max(matching, key=lambda s: parse_version(s.id.version), default=None)


def _installed(request: Request) -> Operand | None:
    """Return the installed release that is meant, or None."""
    receipt = library().receipt(request.name)
    if receipt is None or not request.range.matches(parse_version(receipt.release.version)):
        return None
    path, data = installed_artifact(str(request))
    version = receipt.release.version
    found = file_operand(data, str(path), version)
    return Operand(title=f"{request.name}@{version}", side=found.side)
