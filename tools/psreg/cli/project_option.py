"""What the commands of a project share: opening it, and telling what changed in it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from psreg.cli.registry_option import kept_kind, note_expiring, once
from psreg.core.errors import UnavailableError
from psreg.core.spelling import nearest
from psreg.system.console import Console, OptionAdder

if TYPE_CHECKING:
    from psreg.client.project.exporting import ProjectExports
    from psreg.client.project.installed import InstalledSession
    from psreg.client.project.lockfile import Lock
    from psreg.client.project.session import Prepared, Session
    from psreg.client.project.updating import Change
    from psreg.client.project.workspace import Workspace
    from psreg.client.selection.opened import KindAt

SCHEMA = "psreg.project/1"

T = TypeVar("T")
AnySession = TypeVar("AnySession", bound="Session")


def add_overwrite_option(parser: OptionAdder) -> None:
    """Declare `--overwrite`."""
    parser.add_argument(
        "--overwrite", action="store_true", help="overwrite files that were changed by hand"
    )


def add_owners_option(parser: OptionAdder) -> None:
    """Declare `--accept-owners`."""
    parser.add_argument(
        "--accept-owners",
        action="append",
        default=[],
        metavar="NAME",
        help="let other owners, or none, have released this prompt than the locked release",
    )


@contextmanager
def open_session(
    args: Namespace,
    console: Console,
    *,
    workspace: Workspace | None = None,
    registry: str | None = None,
    exclusive: bool = True,
    kind: KindAt | None = None,
    say: Callable[[str], None] | None = None,
    outside: str = "",
) -> Iterator[Session]:
    """Yield the project around the working directory, or another one.

    Unless `exclusive` is false, nobody else changes it meanwhile. `outside` says what to do about
    installed prompts instead, if there is no project.

    `registry` is the usual one instead of that of the settings. `args` may have what
    `add_registry_option` declares. With `kind`, registries are asked as this machine keeps them.

    Raises:
        UnavailableError: `NO_PROJECT`; `LOCKED`.
        UsageError: `CONFIG_INVALID`.
    """
    from psreg.client.project.session import Session
    from psreg.client.project.workspace import Workspace
    from psreg.client.registry_choice import load_settings

    workspace = workspace or Workspace.find(Path.cwd(), *filter(None, [outside]))
    settings = load_settings(workspace.root)
    with ExitStack() as stack:
        if exclusive:
            stack.enter_context(workspace.exclusive())
        session = Session(
            workspace,
            settings,
            stack,
            option=registry,
            stale_until=getattr(args, "accept_stale_until", None) or "",
            say=say or partial(_tell, console),
            kind=kind,
        )
        yield session
        for each in session.opener.online:
            note_expiring(each, console)


@contextmanager
def open_library(
    args: Namespace,
    console: Console,
    *,
    kind: KindAt | None = None,
    say: Callable[[str], None] | None = None,
) -> Iterator[InstalledSession]:
    """Yield the library as a project; with `kind`, registries as this machine keeps them.

    Raises:
        UsageError: `CONFIG_INVALID`.
    """
    from psreg.client.project.installed import InstalledSession
    from psreg.client.project.workspace import Workspace
    from psreg.client.registry_choice import load_settings

    with ExitStack() as stack:
        session = InstalledSession(
            Workspace(Path.cwd()),
            load_settings(Path.cwd()),
            stack,
            option=args.registry,
            stale_until=args.accept_stale_until or "",
            say=say or partial(_tell, console),
            kind=kind,
        )
        yield session
        for each in session.opener.online:
            note_expiring(each, console)


def ask_project(
    args: Namespace,
    console: Console,
    opened: Callable[..., AbstractContextManager[AnySession]],
    ask: Callable[[AnySession], T],
) -> T:
    """Return what `ask`, which changes nothing, returns of what `opened` opens.

    That is `open_session` or `open_library`, which get `kind` and `say`. With `--offline`,
    registries are asked as this machine keeps them. One that cannot be reached is asked for the
    state that was verified last, until that expires; a line says of which day.

    Raises:
        PsregError: as `opened` and `ask`.
    """
    from psreg.client.selection.opened import asked

    say = once(partial(_tell, console))

    def begin(kind: KindAt | None) -> AbstractContextManager[AnySession]:
        return opened(kind=kind, say=say)

    return asked(begin, ask, lambda session: session.opener, say, kept_kind(args))


def _tell(console: Console, text: str) -> None:
    console.warn(f"psreg: {text}")


def changes(before: Lock, after: Lock) -> list[dict[str, Any]]:
    """Return what changed in a lock: the name, and version and registry before and after."""
    from psreg.client.project.lockfile import moved

    old, new = before.versions, after.versions
    rows = [
        {
            "name": name,
            "before": old.get(name),
            "after": new.get(name),
            "registry": moved(before.prompts.get(name), after.prompts.get(name)),
        }
        for name in sorted({*old, *new})
    ]
    return [row for row in rows if row["before"] != row["after"] or row["registry"]]


def report(
    console: Console,
    session: Session,
    changed: list[dict[str, Any]],
    prepared: Prepared | None,
    exports: ProjectExports | None = None,
) -> None:
    """Tell what changed in the lock, and in the folders if something was `prepared` for them."""
    warnings = prepared.warnings if prepared else ()
    for warning in warnings:
        console.warn(f"psreg: warning: {warning}")
    files = [] if prepared is None else files_of(prepared)
    exported = [] if exports is None else [*_exported(exports)]
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "root": str(session.workspace.root),
                "changed": changed,
                "files": files,
                "exports": exported,
                "warnings": [*warnings],
            }
        )
        return
    if console.quiet:
        return
    for each in changed:
        console.line(_change(each))
    done = [each for each in (*files, *exported) if each["status"] != "unchanged"]
    for each in done:
        console.line(f"{each['status']} {each['path']}")
    if not changed and not done:
        console.line("nothing changed")


def _exported(exports: ProjectExports) -> Iterator[dict[str, Any]]:
    for each in exports.files:
        yield {
            "name": each.prompt,
            "version": each.version,
            "target": each.target,
            "status": "unchanged" if each.data is None else "written",
            "path": str(each.path),
        }


def _change(each: dict[str, Any]) -> str:
    name, before, after = each["name"], each["before"], each["after"]
    if before is None:
        return f"locked {name} {after}"
    if after is None:
        return f"no longer locked {name} {before}"
    if (registry := each["registry"]) is not None:
        of = " of the registry "
        return (
            f"locked {name} {after}{of}{registry['after']} (was {before}{of}{registry['before']})"
        )
    return f"locked {name} {after} (was {before})"


def show_changes(found: Iterable[Change], console: Console) -> None:
    """Tell what changes, before it does."""
    from psreg.client.project.lockfile import moved
    from psreg.compatibility.diff_report import diff_text

    if console.machine or console.quiet:
        return
    for change in found:
        before, after = change.before, change.after
        old, new = before.version if before else None, after.version if after else None
        console.line(f"{change.name} {old or '(new)'} -> {new or '(no longer needed)'}")
        if registry := moved(before, after):
            console.line(f"  of the registry {registry['after']} (was {registry['before']})")
        if before and after and before.owners != after.owners:
            console.line(f"  signed with {', '.join(after.owners) or 'no key'}")
        for version, text in change.notes:
            console.line(f"  {version}: {text}")
        for line in diff_text(change.diff).splitlines() if change.diff else ():
            console.line(f"  {line}" if line else "")


def not_in_project(
    file: str, name: str, known: Collection[str], required: Collection[str] = ()
) -> UnavailableError:
    """Return the error for a name that a file of the project does not have.

    `required` are names that the project has all the same.
    """
    near = nearest(name, known)
    hint = f"Did you mean `{near}`?" if near else "`psreg tree` shows what there is."
    if name in required:
        hint = f"`psreg why {name}` shows what requires it."
    return UnavailableError("NOT_IN_PROJECT", f"{file} does not have `{name}`", hint)


def files_of(prepared: Prepared) -> list[dict[str, Any]]:
    """Return what was done to each file in the folder of prompts."""
    folder, plan = prepared.folder.folder, prepared.plan
    rows = [
        {
            "name": each.release.name,
            "version": each.release.version,
            "status": "written" if each.release.filename in plan.write else "unchanged",
            "path": str(folder / each.release.filename),
            "sha256": each.row.sha256,
        }
        for each in prepared.releases
    ]
    gone = [(name, "removed") for name in plan.remove] + [(name, "kept") for name in plan.left]
    return rows + [
        {
            "name": file.partition(".")[0],
            "version": None,
            "status": status,
            "path": str(folder / file),
            "sha256": None,
        }
        for file, status in gone
    ]
