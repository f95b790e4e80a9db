"""`psreg site build`: build the catalogue as a static site for any host."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.cluster_option import add_cluster_option, executor_of
from psreg.core.errors import UsageError
from psreg.core.identity import PBES
from psreg.system import clock
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.catalogue.build import BuiltSite
    from psreg.catalogue.drafts import DraftCheck
    from psreg.catalogue.site_source import SiteSource
    from psreg.core.rule import RuleTable
    from psreg.system.processes import Workers

EXAMPLE = "psreg site build --out _site --base-url https://example.org/prompts/"
EXTRA = "site"

_BASE_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)*/?")


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("action", choices=("build",), help="what to do")
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder to write; replaces a site there"
    )
    add_base_url_option(parser)
    parser.add_argument(
        "--full", action="store_true", help="build every file again, not only what differs"
    )
    add_draft_option(parser)
    add_registry_option(parser)
    add_cluster_option(parser)
    add_output_options(parser)


def add_base_url_option(parser: ArgumentParser) -> None:
    """Declare `--base-url`."""
    parser.add_argument("--base-url", metavar="URL", help="public address of the site")


def add_draft_option(parser: ArgumentParser) -> None:
    """Declare `--draft`."""
    parser.add_argument(
        "--draft", action="store_true", help="also show what is not published yet, as drafts"
    )


def add_registry_option(parser: ArgumentParser) -> None:
    """Declare `--registry-dir`."""
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="folder with the published metadata (registry)"
    )


def run(args: Namespace, console: Console) -> int:
    """Build the site and print where it is."""
    from psreg.catalogue.site_source import SiteSource

    source = SiteSource.find(args.registry_dir)
    url = checked_base_url(args.base_url or source.policy().site_url)
    with console.working(f"building {args.out}"), executor_of(args.cluster) as workers:
        built = built_site(
            source, Path(args.out), url, full=args.full, draft=args.draft, workers=workers
        )
    if console.machine:
        console.json(
            {
                "schema": "psreg.site/1",
                "out": args.out,
                "base_url": url,
                "registry_id": built.site.registry_id or None,
                "root_sha256": built.site.root_sha256 or None,
                "entries": built.entries,
                **({"drafts": built.drafts} if args.draft else {}),
                "files": built.files,
                "changed": built.changed,
            }
        )
    elif not console.quiet:
        console.line(_done(built, args.out))
        if built.site.registry_id:
            console.line(f"clients: {built.site.add_command}")
    return 0


def _done(built: BuiltSite, out: str) -> str:
    if built.changed is None:
        return f"built {out}: {built.entry_count}, {built.files} files"
    changed = "1 file" if built.changed == 1 else f"{built.changed} files"
    return f"updated {out}: {built.entry_count}, {changed} changed"


def built_site(
    source: SiteSource,
    out: Path,
    base_url: str,
    *,
    full: bool = False,
    draft: bool = False,
    workers: Workers = None,
) -> BuiltSite:
    """Build the site with its downloads; see `build_site`."""
    from psreg.catalogue.build import FixedParts, build_site

    fixed = FixedParts(rules=_all_rules, scripts=_scripts)
    check = _draft_check(source) if draft else None
    return build_site(source, out, base_url, fixed, full=full, executor=workers, draft_check=check)


def _draft_check(source: SiteSource) -> DraftCheck:
    from psreg.catalogue.drafts import DraftCheck
    from psreg.cli.rules import registry_rules
    from psreg.git.work_tree import WorkTree

    work_tree = WorkTree(source.checkout, PBES)
    return DraftCheck(rules=registry_rules, now=clock.now(), work_tree=work_tree)


def _all_rules() -> RuleTable:
    from psreg.cli.rules import all_rules

    return all_rules()


def _scripts() -> dict[str, bytes]:
    from psreg.conversations.standalone_script import conformance_script

    return {"conformance.py": conformance_script()}


def checked_base_url(url: str) -> str:
    """Return `url` with a final slash; "" stays "".

    Raises:
        UsageError: `url` is not the http(s) address of a folder.
    """
    if not url:
        return ""
    if not _BASE_URL.fullmatch(url):
        raise UsageError(
            "USAGE",
            f"`{url}` is not the address of a site",
            "Write an address such as `https://example.org/prompts/`.",
        )
    return url.rstrip("/") + "/"
