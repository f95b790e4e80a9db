"""The operands of `psreg diff`: a file, a version folder, or a release by name and version.

A file or folder takes precedence over a name. A name is looked up in the checkout, then in the lock
of the project, among the installed prompts, and in the registry. Links inside a folder are not
followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from psreg.client.library import installed_artifact, user_library
from psreg.client.resolve import Request, parse_request
from psreg.compatibility.compared_side import submission_side
from psreg.compatibility.diff import Operand, file_operand, folder_operand
from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import ReleaseId, is_name, normal_name
from psreg.core.version import ANY, parse_version
from psreg.formats.tree import Submission, Tree
from psreg.registry.checkout import find_checkout, read_tree
from psreg.system.files import read_file, read_named

_MAX_FILES = 1_000
"""The number of files in a version folder that are read."""

RegistryLookup = Callable[[Request], Operand]
"""Returns a release of the selected registry, or raises."""


def read_operand(text: str, registry: RegistryLookup) -> Operand:
    """Return what `text` names.

    Raises:
        UsageError: it is neither a path nor a name; it is not an artifact, or contains none.
        UnavailableError: it cannot be read; there is no such release.
    """
    place = Path(text)
    if place.is_dir():
        return _folder(place, text)
    if place.exists() or not is_name(normal_name(text.partition("@")[0])):
        release = _release(place)
        return file_operand(read_named(place), text, release.version if release else None)
    request = parse_request(text)
    found = _in_checkout(request) or _locked(request) or _installed(request)
    return found or _registered(request, text, registry)


def _registered(request: Request, text: str, registry: RegistryLookup) -> Operand:
    """Return the release of the registry; if none is set, `text` may be a mistyped file."""
    try:
        return registry(request)
    except UnavailableError as error:
        if error.code not in ("NO_REGISTRY", "NOT_PUBLISHED"):
            raise
        raise UnavailableError(
            "UNKNOWN_NAME",
            f"`{text}` is neither a file nor an entry here, and no registry is set",
            "Check the spelling, or name a registry with --registry.",
        ) from error


def _release(place: Path) -> ReleaseId | None:
    """Return the release whose version folder contains `place`, or None."""
    place = place.absolute()
    root = find_checkout(place.parent)
    return ReleaseId.of(PurePosixPath(place.relative_to(root))) if root else None


def _folder(place: Path, text: str) -> Operand:
    release = _release(place)
    if release and place.absolute().name != release.version:
        release = None  # a folder inside of a version folder
    files: dict[str, bytes] = {}
    for path in _files(place):
        if len(files) == _MAX_FILES:
            raise UsageError(
                "NO_ARTIFACT",
                f"{text} contains more than {_MAX_FILES:,} files",
                "Name a version folder.",
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
    """Return the selected release of the checkout around the current folder, or None."""
    root = find_checkout(Path.cwd())
    if root is None:
        return None
    found = [
        submission
        for entry in Tree(read_tree(root)).entries
        if entry.name == request.name
        for submission in entry.submissions()
    ]
    submission = _best_match(request, found)
    if submission is None:
        return None
    title = f"{request.name}@{submission.id.version}"
    return Operand(title=title, side=submission_side(submission))


def _best_match(request: Request, found: list[Submission]) -> Submission | None:
    matching = [s for s in found if request.range.matches(parse_version(s.id.version))]
    if not matching and request.range is ANY:
        matching = found  # there are only pre-releases
    return max(matching, key=lambda s: parse_version(s.id.version), default=None)


def _locked(request: Request) -> Operand | None:
    """Return the selected release if the project around the current folder has it, or None."""
    from psreg.client.project.locked import locked_file  # noqa: PLC0415 - only for a name

    found = locked_file(str(request), Path.cwd(), lambda _: None)
    if found is None:
        return None
    version = found.locked.version
    operand = file_operand(found.data, str(found.path), version)
    return Operand(title=f"{request.name}@{version}", side=operand.side)


def _installed(request: Request) -> Operand | None:
    """Return the selected release if it is installed, or None."""
    receipt = user_library().receipt(request.name)
    if receipt is None or not request.range.matches(parse_version(receipt.release.version)):
        return None
    path, data = installed_artifact(str(request))
    version = receipt.release.version
    found = file_operand(data, str(path), version)
    return Operand(title=f"{request.name}@{version}", side=found.side)
