"""`psreg cache dir|clean|verify`: the cache, which can always be fetched again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from psreg.core.errors import TrustError
from psreg.system.atomic import cannot_write, delete
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg cache verify"
SCHEMA = "psreg.cache/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action",
        choices=("dir", "clean", "verify"),
        help="print its folder; delete all of it; check every file, and delete what is damaged",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Do what the action says; `verify` exits with 3 if a file was damaged."""
    from psreg.client.project.cache import user_cache

    cache = user_cache()
    checked = [*cache.files()]
    damaged = [*cache.damaged()] if args.action == "verify" else []
    if args.action == "clean":
        cache.clean()
    for path in damaged:
        try:
            delete(path)
        except OSError as error:
            raise cannot_write(path, error) from error
    if args.action != "dir":
        cache.tidy()
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "dir": str(cache.folder),
                "files": len(checked),
                "deleted": [str(path) for path in (checked if args.action == "clean" else damaged)],
            }
        )
    elif args.action == "dir":
        console.line(str(cache.folder))
    elif not console.quiet:
        _tell(args.action, len(checked), [str(path) for path in damaged], console)
    return TrustError.exit_code if damaged else 0


def _tell(action: str, files: int, damaged: list[str], console: Console) -> None:
    if action == "clean":
        console.line(f"deleted {files:,} files")
        return
    for path in damaged:
        console.line(f"damaged, and deleted: {path}")
    console.line(f"checked {files:,} files: {len(damaged)} damaged")
