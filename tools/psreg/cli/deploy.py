"""`psreg deploy URL`: put the site of a registry into a bucket or a folder."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.site import add_base_url_option, add_registry_option, built_site, checked_base_url
from psreg.core.errors import UsageError
from psreg.system import clock
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.registry.deploy.deploy import Deployment
    from psreg.registry.deploy.ports import Bucket

EXAMPLE = "psreg deploy s3://prompts.example.org --base-url https://prompts.example.org/"
EXTRA = "deploy"
_MOST_DAYS = 3650


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "url", metavar="URL", help="where to: s3://, gs://, az:// or file://, with a folder or not"
    )
    parser.add_argument(
        "--site", metavar="DIR", help="deploy this site (default: build it from the checkout here)"
    )
    add_base_url_option(parser)
    add_registry_option(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be done, and change nothing"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="list what is there, and write everything again that is not as it should be",
    )
    parser.add_argument(
        "--prune", action="store_true", help="remove what the site has not had for --keep days"
    )
    parser.add_argument(
        "--keep", type=_days, default=30, metavar="DAYS", help="how long --prune keeps it (30)"
    )
    parser.add_argument(
        "--no-gzip", action="store_true", help="store pages as they are; the host compresses them"
    )
    add_output_options(parser)


def _days(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len("3650") else -1
    if not 0 <= number <= _MOST_DAYS:
        raise ArgumentTypeError(f"`{text}` is not a number of days up to {_MOST_DAYS}")
    return number


def run(args: Namespace, console: Console) -> int:
    """Deploy, and print what was done."""
    from psreg.registry.deploy.bucket import open_bucket

    bucket = open_bucket(args.url)
    if args.site:
        if args.base_url or args.registry_dir:
            told = "`--site` names a site; `--base-url` and `--registry-dir` are for building one"
            raise UsageError("USAGE", told, "Use one or the other.")
        done = _deployed(args, bucket, Path(args.site), console)
    else:
        with tempfile.TemporaryDirectory(prefix="psreg-deploy-") as folder:
            out = Path(folder, "site")
            with console.working("building the site"):
                _build(args, out)
            done = _deployed(args, bucket, out, console)
    _say(args, bucket, done, console)
    return 0


def _build(args: Namespace, out: Path) -> None:
    from psreg.catalogue.site_source import SiteSource

    source = SiteSource.find(args.registry_dir)
    built_site(source, out, checked_base_url(args.base_url or source.policy().site_url))


def _deployed(args: Namespace, bucket: Bucket, site: Path, console: Console) -> Deployment:
    from psreg.registry.deploy.deploy import deploy
    from psreg.registry.deploy.deployable import Deployable
    from psreg.registry.deploy.site_files import SiteFiles

    now = clock.now()
    source = Deployable(SiteFiles(site), now, pack=bucket.packs and not args.no_gzip)
    with console.working(f"comparing with {bucket.url}") as say:
        return deploy(
            source,
            bucket,
            now,
            keep=timedelta(days=args.keep) if args.prune else None,
            full=args.full,
            dry_run=args.dry_run,
            progress=lambda done, of: say(f"wrote {done:,} of {of:,} objects"),
        )


def _say(args: Namespace, bucket: Bucket, done: Deployment, console: Console) -> None:
    if done.why:
        console.warn(f"note: everything in {bucket.url} was listed: {done.why}")
    if done.written and not bucket.conditional:
        console.warn(
            f"warning: {bucket.url} cannot compare before it writes; never deploy to it from two "
            "places at once"
        )
    if console.machine:
        console.json(_document(args, bucket, done))
    elif not console.quiet:
        _tell(args, bucket, done, console)


def _tell(args: Namespace, bucket: Bucket, done: Deployment, console: Console) -> None:
    if args.dry_run:
        for path in done.written:
            console.line(f"write {path}")
        for path in done.removed:
            console.line(f"remove {path}")
    verb = "would write" if args.dry_run else "wrote"
    parts = [f"{verb} {_objects(len(done.written))}"]
    parts += [f"{done.length:,} bytes"] if not args.dry_run else []
    parts += [f"{done.unchanged:,} unchanged"]
    parts += [f"{len(done.removed):,} removed"] if done.removed else []
    parts += [f"{done.kept:,} no longer in the site"] if done.kept else []
    parts += [f"{done.foreign:,} not from psreg"] if done.foreign else []
    console.line(f"{bucket.url}: {', '.join(parts)}")
    console.line(f"state {done.version} is in force" if not args.dry_run else "nothing was changed")


def _objects(number: int) -> str:
    return "1 object" if number == 1 else f"{number:,} objects"


def _document(args: Namespace, bucket: Bucket, done: Deployment) -> dict[str, object]:
    return {
        "schema": "psreg.deploy/1",
        "url": bucket.url,
        "dry_run": args.dry_run,
        "version": done.version,
        "written": list(done.written),
        "bytes": done.length,
        "unchanged": done.unchanged,
        "removed": list(done.removed),
        "kept": done.kept,
        "foreign": done.foreign,
        "conditional": bucket.conditional,
        "listed": done.why,
    }
