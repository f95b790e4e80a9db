"""`psreg init`: make a registry, with its pipelines and forms."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from psreg import __version__
from psreg.authoring.forms import own_forms
from psreg.authoring.init import FORGES, LABELS, Foundation, new_registry
from psreg.authoring.registry_folder import make_registry
from psreg.cli.site import checked_base_url
from psreg.core.errors import UsageError
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg init prompts --name 'Prompts of our team' --forge github"
SCHEMA = "psreg.init/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="DIR", help="where; made if it is not there")
    parser.add_argument("--name", metavar="TEXT", help="its name for people (that of the folder)")
    parser.add_argument("--url", metavar="URL", help="the address its site will have")
    parser.add_argument(
        "--forge",
        choices=(*FORGES, "both"),
        default="both",
        help="whose pipelines and forms to write (both)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="also into a folder that is not empty: what is there stays, what is missing is added",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the registry and say what to do next."""
    place = Path(args.folder)
    foundation = Foundation(
        name=_name(args.name or place.absolute().name),
        url=checked_base_url(args.url or ""),
        forges=FORGES if args.forge == "both" else (args.forge,),
        version=__version__,
    )
    files = new_registry(foundation, own_forms())
    kept = make_registry(place, files, among=args.force)
    written = [path for path in files if path not in kept]
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "folder": args.folder,
                "name": foundation.name,
                "url": foundation.url,
                "forges": list(foundation.forges),
                "written": list(map(str, written)),
                "kept": list(map(str, kept)),
            }
        )
    elif not console.quiet:
        for line in _lines(place, foundation, written, kept):
            console.line(line)
    return 0


def _name(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise UsageError("USAGE", f"{name!r} is no name for a registry", "give one with --name")
    return name.strip()


def _lines(
    place: Path,
    foundation: Foundation,
    written: Sequence[PurePosixPath],
    kept: Sequence[PurePosixPath],
) -> Iterator[str]:
    yield f"made the registry {foundation.name} in {place}: {len(written)} files"
    yield from (f"  {path}" for path in written)
    if kept:
        yield "there before, and left as they are:"
        yield from (f"  {path}" for path in kept)
    yield "next:"
    yield f"  cd {place}"
    if not (place / ".git").exists():
        yield "  git init --initial-branch main"
    yield "  psreg new prompt NAME --guided      # the first entry"
    yield "  psreg publish                       # makes the keys and signs; keep the keys safe"
    yield "  psreg serve                         # look at it"
    yield "  git add . && git commit -m 'Found the registry'"
    if not foundation.url:
        yield "  then write the address of its site into registry/policy.toml"
    if "github" in foundation.forges:
        labels = f"{', '.join(LABELS[:-1])} and {LABELS[-1]}"
        yield f"  then make the labels {labels} on GitHub:"
        yield "  the forms set them, and GitHub adds none that is not there"
    yield 'the guide "Run a registry" tells which settings the forge needs'
