"""What a project's lock has: for a command that reads one prompt, and for MCP, which offers all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from psreg.client.exports.offered import Offered, installed_prompts
from psreg.client.project.lockfile import Lock, LockedPrompt
from psreg.client.project.workspace import Workspace
from psreg.client.resolve import parse_request
from psreg.core.dataclass import dataclass
from psreg.core.errors import UnavailableError
from psreg.core.version import parse_version

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFile:
    """A locked prompt: its path in the project, which need not be there, and its bytes."""

    locked: LockedPrompt
    path: Path
    data: bytes
    warnings: tuple[str, ...]


def locked_file(
    what: str, start: Path, say: Say, *, offline: bool = True, stale_until: str = ""
) -> LockedFile | None:
    """Return the prompt that the lock of the project around `start` has for `NAME[@RANGE]`.

    None if there is no project, or its lock does not have this name in this range. What is not in
    the folder is read from the cache or, unless `offline`, from its registry.

    Raises:
        UsageError: `what` is not `NAME[@RANGE]`.
        UnavailableError: `NOT_KEPT`.
        PsregError: as `Session.locked_file`.
    """
    request = parse_request(what)
    if (project := Workspace.locked(start, request.name)) is None:
        return None
    workspace, lock = project
    locked = lock.prompts[request.name]
    if "@" in what and not request.range.matches(parse_version(locked.version)):
        return None
    return _read(workspace, lock, locked, say, offline=offline, stale_until=stale_until)


def usable_prompts(start: Path, say: Say) -> list[Offered]:
    """Return what `psreg show NAME` finds without a network from `start`, by name.

    That is what the project around it has locked, and what is installed under other names.

    Raises:
        PsregError: as `Workspace.lock`.
    """
    found = {each.name: each for each in installed_prompts()}
    if (workspace := _project(start)) is not None:
        lock = workspace.lock()
        folder = workspace.folder(workspace.manifest()).folder if lock.prompts else workspace.root
        for locked in lock.prompts.values():
            found[locked.name] = Offered(
                name=locked.name,
                version=locked.version,
                sha256=locked.sha256,
                size=locked.size,
                path=folder / locked.release.filename,
                entry={"name": locked.name, **locked.to_json()},
                read=partial(_bytes, workspace, lock, locked, say),
            )
    return [found[name] for name in sorted(found)]


def _project(start: Path) -> Workspace | None:
    try:
        return Workspace.find(start)
    except UnavailableError:
        return None


def _bytes(workspace: Workspace, lock: Lock, locked: LockedPrompt, say: Say) -> bytes:
    return _read(workspace, lock, locked, say, offline=True, stale_until="").data


def _read(
    workspace: Workspace,
    lock: Lock,
    locked: LockedPrompt,
    say: Say,
    *,
    offline: bool,
    stale_until: str,
) -> LockedFile:
    from psreg.client.project.session import Session  # noqa: PLC0415 - only in a project
    from psreg.client.registry_choice import load_settings  # noqa: PLC0415

    with ExitStack() as stack:
        session = Session(
            workspace,
            load_settings(workspace.root),
            stack,
            option=None,
            stale_until=stale_until,
            say=say,
        )
        try:
            path, verified, data = session.locked_file(
                workspace.manifest(), lock, locked.name, offline=offline
            )
        except UnavailableError as error:
            if error.code == "NOT_KEPT":
                error.hint = "Run `psreg sync` while the registry can be reached."
            raise
    return LockedFile(locked=locked, path=path, data=data, warnings=verified.warnings)
