"""`psreg bump`: begin the next version of an entry."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from psreg.adapters.files import find_checkout, read_tree
from psreg.adapters.new_folder import add_folder
from psreg.cli import gaps
from psreg.cli.console import Console, add_output_options
from psreg.errors import UsageError
from psreg.service.bump import Part, bump

EXAMPLE = "psreg bump quiz_master minor"
SCHEMA = "psreg.bump/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="NAME", help="an entry of this checkout")
    parser.add_argument(
        "part",
        choices=[part.value for part in Part],
        help="patch: the wording; minor: something was added; major: saves or fields changed",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the next version folder and say what is left to write (DESIGN §2)."""
    root = find_checkout(Path.cwd())
    if root is None:
        raise UsageError("NO_CHECKOUT", "no folder at or above this one holds pbes/")
    result = bump(read_tree(root), args.name, Part(args.part))
    release = result.release
    add_folder(root, release.folder, result.files)
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "class": release.entry_class,
                "name": release.name,
                "version": release.version,
                "previous": result.previous,
                "files": sorted(map(str, result.files)),
                "gaps": gaps.documents(result.gaps),
            }
        )
    else:
        gaps.say(console, release, sorted(result.files), result.gaps)
    return 0
