"""`psreg bump`: start the next version of an entry, or choose its number from the changes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from psreg.authoring.bump import Bump, bump, bump_from, renumber
from psreg.authoring.new_folders import add_folder, remove_folder
from psreg.authoring.todo import print_todo, todo_documents
from psreg.cli.rules import registry_rules
from psreg.compatibility.diff_report import diff_document, diff_text
from psreg.core.errors import UsageError
from psreg.core.version import Step
from psreg.formats import release
from psreg.registry.checkout import read_tree, required_checkout
from psreg.registry.store_folder import released_versions
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named

EXAMPLE = "psreg bump quiz_master auto --from quiz_master.pbe.txt"
SCHEMA = "psreg.bump/1"

_STEPS = (Step.PATCH, Step.MINOR, Step.MAJOR)
_AUTO = "auto"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME", help="an entry of this checkout")
    parser.add_argument(
        "part",
        choices=[*map(str, _STEPS), _AUTO],
        help="patch: reworded; minor: something added; major: something removed or incompatible; "
        "auto: the step that the changes require, see psreg diff",
    )
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="with auto: a changed copy of the artifact that becomes the next version; "
        "without it, auto renumbers the newest version folder if its number is too small",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the next version folder and print what is left to write."""
    if args.source is not None and args.part != _AUTO:
        raise UsageError(
            "USAGE", "`--from` requires auto", f"Run `psreg bump {args.name} auto --from …`."
        )
    root = required_checkout(".")
    result = _result(args, root)
    if result.files and not result.replaces and _is_unreleased(root, result):
        console.warn(
            f"psreg: warning: {result.release.name} {result.previous} is not released yet; "
            f"this starts {result.release.version} after it"
        )
    if result.files:
        add_folder(root, result.release.folder, result.files)
    if result.replaces:
        remove_folder(root, result.replaces)
    if console.machine:
        console.json(_document(result))
    else:
        _say(result, console)
    return 0


def _is_unreleased(root: Path, result: Bump) -> bool:
    """Tell whether the version that was copied is not released, as far as the registry says."""
    folder = result.release.entry_folder / result.previous
    released = released_versions(root / "registry", result.release.name)
    if released:
        return result.previous not in released
    # Without records, an untouched copy shows it: what changed is not filled in.
    file = root / folder / "release.toml"
    return not release.read(read_named(file)).value.get("changes", "-").strip()


def _result(args: Namespace, root: Path) -> Bump:
    tree, rules = read_tree(root), registry_rules()
    if args.part != _AUTO:
        return bump(tree, args.name, Step[args.part.upper()], rules)
    if args.source is None:
        return renumber(tree, args.name, rules, released_versions(root / "registry", args.name))
    return bump_from(tree, args.name, read_named(args.source), str(args.source), rules)


def _document(result: Bump) -> dict[str, Any]:
    release = result.release
    return {
        "schema": SCHEMA,
        "class": release.entry_class,
        "name": release.name,
        "version": release.version,
        "previous": result.previous,
        "files": sorted(map(str, result.files)),
        "gaps": todo_documents(result.todo),
        "replaces": str(result.replaces) if result.replaces else None,
        "diff": diff_document(result.diff) if result.diff else None,
    }


def _say(result: Bump, console: Console) -> None:
    release = result.release
    if result.diff:
        console.out(diff_text(result.diff))
        console.line("")
    if not result.files:
        console.line(f"{release.name} {release.version} is a valid version for these changes")
        console.line(f"to release a changed copy: psreg bump {release.name} auto --from FILE")
        return
    if result.replaces:
        console.line(f"moved {result.replaces} to {release.folder}")
    print_todo(console, release, sorted(result.files), result.todo)
