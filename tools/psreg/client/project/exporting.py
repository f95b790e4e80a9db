"""Keeps the exports that a project file lists current: `[[targets]]`, of what its lock has.

Everything is read and decided before anything is written. The project file comes with a clone:
nothing is written outside of its folder, not even through a link.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from psreg.client.exports.exported import Exported, exported
from psreg.client.exports.placing import LIST, paths_of, place
from psreg.client.exports.targets import target_of
from psreg.client.project.manifest import ExportTarget, Manifest
from psreg.client.project.verified import VerifiedRelease
from psreg.core.dataclass import dataclass
from psreg.core.errors import FindingsError, UsageError
from psreg.system.atomic import AN_HOUR, cannot_write, clear_unfinished, write_file
from psreg.system.files import read_own, real_path

_MOST = 16 * 1024 * 1024
"""Bytes of the largest file of which psreg writes a section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFile:
    """A file of a target, in `folder` of the project; `data` is None if it stays as it is."""

    prompt: str
    version: str
    target: str
    path: Path
    data: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectExports:
    """The files of all targets, and the lists of what psreg wrote, by path."""

    files: tuple[ExportFile, ...] = ()
    lists: Mapping[Path, bytes]

    def write(self) -> None:
        """Write what changes. Raises UnavailableError `CANNOT_WRITE`; a later run completes it."""
        changed = {each.path: each.data for each in self.files if each.data is not None}
        # The list comes last: a file that it does not have yet is written again, not refused.
        for path, data in (*changed.items(), *self.lists.items()):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_write(path.parent, error) from error
            clear_unfinished(path.parent, age=AN_HOUR)
            write_file(path, data)


def project_exports(
    manifest: Manifest,
    releases: Mapping[str, VerifiedRelease],
    content: Callable[[VerifiedRelease], bytes],
    root: Path,
    *,
    overwrite: bool = False,
) -> ProjectExports:
    """Return what brings the targets of a project up to date; nothing is written yet.

    `releases` are what is locked, by name, and `content` returns an artifact.

    Raises:
        FindingsError: `EXPORT_CHANGED`, unless to `overwrite`; as `exports` of a target.
        UsageError: `LINK`: a folder leads out of the project; `CONFIG_INVALID`: an export has the
            path of a locked prompt.
    """
    folder = root / manifest.folder
    locked = {real_path(folder / each.release.filename) for each in releases.values()}
    there: dict[Path, bytes] = {}
    files: list[ExportFile] = []
    lists: dict[Path, bytes] = {}
    for row in manifest.targets:
        for name in row.prompts or manifest.prompts:
            try:
                prompt = _exported(releases[name], content)
                places = _places(prompt, row, root, locked)
                placed = [*_placed(prompt, row, places, there, overwrite=overwrite)]
            except FindingsError as error:
                raise _refused(error, row) from error
            for path, data, is_changed in placed:
                there[path] = data
                if path.name == LIST.name:
                    lists[path] = data
                else:
                    files.append(
                        ExportFile(
                            prompt=prompt.name,
                            version=prompt.version,
                            target=row.target,
                            path=path,
                            data=data if is_changed else None,
                        )
                    )
    return ProjectExports(files=tuple(files), lists=lists)


def _refused(error: FindingsError, row: ExportTarget) -> FindingsError:
    """Return why a prompt is not exported, with the table that says so."""
    changed = error.code == "EXPORT_CHANGED"
    return FindingsError(
        error.code,
        f"{error.message} ({row.folder}, {row.origin})",
        "Move your changes elsewhere, or run `psreg sync --overwrite`."
        if changed
        else f"Leave it out: list the others as `prompts` below {row.origin}.",
        error.details,
    )


def _exported(release: VerifiedRelease, content: Callable[[VerifiedRelease], bytes]) -> Exported:
    return exported(
        content(release),
        release.release.filename,
        name=release.release.name,
        version=release.release.version,
        sha256=release.row.sha256,
        values={},
    )


def _places(
    prompt: Exported, row: ExportTarget, root: Path, locked: Collection[Path]
) -> dict[PurePosixPath, Path]:
    """Return where the files of a prompt go, none of which is one that the lock has."""
    paths = paths_of(prompt, target_of(row.target))
    places = {path: _inside(root, row.folder / path) for path in paths}
    for at in places.values():
        if at in locked:
            raise UsageError(
                "CONFIG_INVALID",
                f"{row.origin}: {row.target} would replace {at}, a locked prompt",
                "Set another `folder` there.",
            )
    return places


def _placed(
    prompt: Exported,
    row: ExportTarget,
    places: Mapping[PurePosixPath, Path],
    there: Mapping[Path, bytes],
    *,
    overwrite: bool,
) -> Iterator[tuple[Path, bytes, bool]]:
    """Yield the path and the bytes of each file of a prompt, and whether it changes."""
    target = target_of(row.target)
    found = {path: _read(at, there) for path, at in places.items()}
    existing = {path: data for path, data in found.items() if data is not None}
    placed = place(prompt, target, existing, force=overwrite)
    for path, data in placed.files.items():
        yield places[path], data, True
    for path in placed.unchanged:
        yield places[path], existing[path], False


def _read(place: Path, there: Mapping[Path, bytes]) -> bytes | None:
    if place in there:
        return there[place]
    return read_own(place, _MOST) if place.exists() else None


def _inside(root: Path, path: PurePosixPath) -> Path:
    """Return where to write a file: a link, such as AGENTS.md, is followed within the project."""
    place = real_path(root / path)
    if not place.is_relative_to(real_path(root)):
        raise UsageError("LINK", f"{root / path} leads out of the project", "Remove the link.")
    return place
