"""`psreg serve`: build the catalogue and serve it on this machine; build it again on a change."""

from __future__ import annotations

import signal
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from psreg.cli.options import add_port_option
from psreg.cli.site import add_draft_option, add_registry_option, built_site
from psreg.system.console import Console, add_output_options
from psreg.system.extras import extra
from psreg.system.processes import run_psreg

if TYPE_CHECKING:
    from psreg.catalogue.build import BuiltSite

EXAMPLE = "psreg serve --port 8765"
EXTRA = "site"
PORT = 8765


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_port_option(parser, PORT, "port on 127.0.0.1")
    parser.add_argument("--out", metavar="DIR", help="keep the site in this folder")
    add_draft_option(parser)
    add_registry_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Build and serve, and return 0 when stopped by Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        if args.out:
            _serve(args, Path(args.out), console)
        else:
            with tempfile.TemporaryDirectory(prefix="psreg-serve-") as folder:
                _serve(args, Path(folder, "site"), console)
    except KeyboardInterrupt:
        console.note("stopped")
    return 0


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _serve(args: Namespace, out: Path, console: Console) -> None:
    from psreg.catalogue.server import SiteServer
    from psreg.catalogue.site_source import SiteSource

    with extra("site"):
        from psreg.system.watching import watched

    source = SiteSource.find(args.registry_dir)
    # Take the port first, so that a busy port is reported before the site is built.
    with SiteServer(out, args.port) as server:
        with console.working("building the site"):
            built = built_site(source, out, server.url, draft=args.draft)
        _say(built, console, draft=args.draft)
        where = (
            "--out",
            str(out),
            "--base-url",
            server.url,
            "--registry-dir",
            str(source.registry),
            *(("--draft",) if args.draft else ()),
        )
        folders = source.folders(draft=args.draft)
        with server.in_background(), watched(folders) as wait_for_change:
            while True:
                # NOTE: in another process, because this one has threads and must not be forked. It
                # says what is wrong; what is served is then still the site from before. The first
                # time, it finds what changed before the folders were watched.
                run_psreg("site", "build", "--quiet", *where)
                wait_for_change()


def _say(built: BuiltSite, console: Console, *, draft: bool) -> None:
    url = built.site.base_url
    if console.machine:
        console.json(
            {
                "schema": "psreg.serve/1",
                "url": url,
                "registry_id": built.site.registry_id or None,
                "root_sha256": built.site.root_sha256 or None,
                "entries": built.entries,
                **({"drafts": built.drafts} if draft else {}),
            }
        )
    elif not console.quiet:
        console.line(f"serving {built.entry_count} at {url} (press Ctrl-C to stop)")
        if built.site.registry_id:
            console.line(built.site.add_command)
    console.flush()
