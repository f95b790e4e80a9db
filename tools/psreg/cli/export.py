"""`psreg export FILE|NAME[@RANGE]… --target TARGET`: write prompts as other programs load them."""

from __future__ import annotations

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from psreg.cli.named_prompt import METAVAR, FoundPrompt, add_source_options, find_prompt
from psreg.client.exports.targets import NAMES, TARGETS, Target, target_of
from psreg.core.classes import RESERVED_CLASSES
from psreg.core.errors import UsageError
from psreg.core.identity import is_name, normal_name
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.exports.exported import Exported

EXAMPLE = "psreg export bug_report_triage --target claude-command"
_NOT_RELEASED = "0.0.0"
_MOST = 16 * 1024 * 1024


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar=METAVAR,
        help="installed prompts, files, or others (default: all that are installed)",
    )
    parser.add_argument("--target", choices=NAMES, help="what to write")
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument(
        "--to", metavar="DIR", help="write here (default: where programs look, below this folder)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="fill in a variable; others stay variables where the target has them",
    )
    parser.add_argument(
        "--force", action="store_true", help="overwrite files that were changed or are not psreg's"
    )
    add_source_options(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the files; exit 1 if one would lose changes, or cannot have the text literally."""
    if args.list:
        return _list(console)
    if args.target is None:
        raise UsageError("USAGE", "no target given", "Add `--target`; `--list` shows all of them.")
    target = target_of(args.target)
    folder = Path(args.to if args.to is not None else target.folder)
    rows = []
    for prompt in [_exported(what, args, console) for what in args.what or _installed(console)]:
        for path, written in _write(prompt, target, folder, force=args.force):
            row = {"name": prompt.name, "version": prompt.version, "path": str(path)}
            rows.append({**row, "written": written})
            if not (console.machine or console.quiet):
                console.line(f"wrote {path}" if written else f"{path} is up to date")
    if console.machine:
        console.json({"schema": "psreg.export/1", "target": target.name, "files": rows})
    return 0


def _list(console: Console) -> int:
    rows = [
        {"name": each.name, "summary": each.summary, "folder": each.folder, "loader": each.loader}
        for each in TARGETS
    ]
    if console.machine:
        console.json({"schema": "psreg.export/1", "targets": rows})
    else:
        console.table((row["name"], row["summary"], row["folder"]) for row in rows)
    return 0


def _installed(console: Console) -> list[str]:
    """Return the installed prompts that something executes, and tell of the others."""
    from psreg.client.library import user_library

    found = []
    for release in (receipt.release for receipt in user_library().receipts()):
        if release.entry_class in RESERVED_CLASSES:
            told = f"nothing executes a {release.entry_class} today"
            console.warn(f"psreg: warning: `{release.name}` is left out: {told}")
        else:
            found.append(release.name)
    return found


def _exported(what: str, args: Namespace, console: Console) -> Exported:
    from psreg.client.exports.exported import exported
    from psreg.client.render import values_of_assignments

    found = find_prompt(what, args, console)
    return exported(
        found.data,
        found.path,
        name=found.name or _name_of_file(found),
        version=found.version or _NOT_RELEASED,
        sha256=hashlib.sha256(found.data).hexdigest(),
        values=values_of_assignments(args.set),
    )


def _name_of_file(found: FoundPrompt) -> str:
    """Return the name of a prompt that is a file: that of the file, without suffixes."""
    name = normal_name(PurePosixPath(Path(found.path).name).name.partition(".")[0])
    if not is_name(name):
        raise UsageError("BAD_NAME", f"the name of {found.path} is not a name for a prompt")
    return name


def _write(
    prompt: Exported, target: Target, folder: Path, *, force: bool
) -> list[tuple[Path, bool]]:
    """Write the files of a prompt; return their paths, and whether each was written."""
    from psreg.client.exports.placing import LIST, paths_of, place
    from psreg.system.atomic import (
        AN_HOUR,
        cannot_write,
        clear_unfinished,
        exclusive_folder,
        write_file,
    )
    from psreg.system.files import read_own

    paths = paths_of(prompt, target)
    try:
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    with exclusive_folder(folder):
        places = {path: _real(folder, path) for path in paths}
        _spare_locked(places.values())
        there = {path: read_own(at, _MOST) for path, at in places.items() if at.exists()}
        placed = place(prompt, target, there, force=force)
        for path, data in placed.files.items():
            clear_unfinished(places[path].parent, age=AN_HOUR)
            write_file(places[path], data)
    written = [(folder / path, True) for path in placed.files if path != LIST]
    return [*written, *((folder / path, False) for path in placed.unchanged)]


def _spare_locked(places: Iterable[Path]) -> None:
    """Refuse to write in the place of what the lock of a project has."""
    from psreg.client.project.folder import PromptFolder

    for place in places:
        if place.name in PromptFolder(place.parent, PurePosixPath()).written():
            hint = "Name another folder with `--to`."
            raise UsageError("USAGE", f"{place} is a locked prompt of a project", hint)


def _real(folder: Path, path: PurePosixPath) -> Path:
    """Return where to write a file: a link, such as AGENTS.md, is followed within the folder."""
    from psreg.system.files import real_path

    place = real_path(folder / path)
    if not place.is_relative_to(real_path(folder)):
        message = f"{folder / path} leads out of the folder"
        raise UsageError("LINK", message, "Name its folder with `--to`.")
    return place
