"""`psreg yank NAME@VERSION`: withdraw a release from those that ranges choose."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.authoring.bump import entry_called
from psreg.authoring.yank import not_yanked, yanked
from psreg.cli.maintained_registry import named_release
from psreg.formats.tree import Tree
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system.atomic import write_file
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg yank --reason 'the second question has no answer' quiz_master@1.0.1"
SCHEMA = "psreg.yank/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("release", metavar="NAME@VERSION", help="the release")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--reason", metavar="TEXT", help="one line that everybody can read")
    what.add_argument("--undo", action="store_true", help="let ranges choose it again")
    parser.add_argument(
        "--checkout", default=".", metavar="DIR", help="checkout of the registry (.)"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Edit entry.toml, and say what comes next."""
    name, version = named_release(args.release)
    root = required_checkout(args.checkout)
    entry = entry_called(Tree(read_tree(root)), name)
    data = not_yanked(entry, version) if args.undo else yanked(entry, version, args.reason)
    write_file(root / entry.path, data)
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "name": name,
                "version": version,
                "path": str(entry.path),
                "reason": args.reason,
            }
        )
    elif not console.quiet:
        console.line(f"{entry.path}: {name} {version} is {'not ' if args.undo else ''}yanked")
        if _is_claimed(root, name):
            console.line(f"  next: psreg sign --yank {name}@{version}")
        console.line(f"  next: psreg submit {name}")
    return 0


def _is_claimed(root: Path, name: str) -> bool:
    """Tell whether the registry in a checkout says that a name is claimed."""
    from psreg.core.errors import PsregError
    from psreg.registry.store_folder import RegistryFolder
    from psreg.registry.trust.reading import open_registry

    try:
        state = open_registry(RegistryFolder(root / "registry").read)
    except PsregError:
        return False
    return state is not None and name in state.owners
