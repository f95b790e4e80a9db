"""`psreg init`: create a registry, with pipelines and issue forms."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from typing import Any

import psreg
from psreg import __version__
from psreg.authoring.init import (
    CONSTRAINTS,
    FORGES,
    LABELS,
    RegistryPlan,
    new_registry,
    requirement_at,
    requirement_of,
)
from psreg.authoring.new_folders import make_registry
from psreg.cli.site import checked_base_url
from psreg.core.errors import PsregError, UsageError
from psreg.git.branch import Clone
from psreg.http.address import normal_location
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg init prompts --name 'Prompts of our team' --forge github"
SCHEMA = "psreg.init/1"

PIN = "registry/psreg.txt"
_HOW_TO_INSTALL = (
    "Push psreg's repository to a place that they can reach, and write"
    " `psreg @ git+https://HOST/PATH@COMMIT` into {}; or pass that as `--psreg`."
)


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", metavar="DIR", help="the folder, created if it does not exist")
    parser.add_argument("--name", metavar="TEXT", help="display name (default: the folder's name)")
    parser.add_argument("--url", metavar="URL", help="the URL of its future site")
    parser.add_argument(
        "--forge",
        choices=(*FORGES, "both"),
        default="both",
        help="the forge to write pipelines and forms for (both)",
    )
    parser.add_argument(
        "--private",
        action="store_true",
        help="for your own people: accept proprietary licences, and runs on one platform",
    )
    parser.add_argument(
        "--psreg",
        metavar="REQUIREMENT",
        help="what the pipelines install, for pip (default: where this psreg is from)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write into a folder that is not empty; existing files are not changed",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write the registry and print the next steps."""
    folder = Path(args.folder)
    requirement, obstacle = _requirement(args.psreg)
    plan = RegistryPlan(
        name=_name(args.name or folder.absolute().name),
        url=checked_base_url(args.url or ""),
        forges=FORGES if args.forge == "both" else (args.forge,),
        requirement=requirement,
        private=args.private,
    )
    files = new_registry(plan, packaged_files())
    kept = make_registry(folder, files, force=args.force)
    written = [path for path in files if path not in kept]
    if console.machine:
        console.json(
            {
                "schema": SCHEMA,
                "folder": args.folder,
                "name": plan.name,
                "url": plan.url,
                "forges": list(plan.forges),
                "requirement": requirement,
                "installable": not obstacle,
                "written": list(map(str, written)),
                "kept": list(map(str, kept)),
            }
        )
    elif not console.quiet:
        for line in _lines(folder, plan, written, kept):
            console.line(line)
    if obstacle:
        console.warn(f"psreg: warning: {obstacle}, so the pipelines cannot install this psreg")
        console.warn(f"psreg: {_HOW_TO_INSTALL.format(folder / PIN)}")
    return 0


def _name(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise UsageError("USAGE", f"{name!r} is not a valid name", "Pass another with `--name`.")
    return name.strip()


def _requirement(given: str | None) -> tuple[str, str]:
    """Return what the pipelines install, and why they cannot."""
    if given is None:
        source = distribution("psreg").read_text("direct_url.json")
        requirement = requirement_of(__version__, source)
        return (requirement, "") if requirement else _of_folder(json.loads(source or "{}"))
    if not given.strip() or not given.isprintable():
        message = f"{given!r} is not a requirement"
        raise UsageError("USAGE", message, f"Write `psreg=={__version__}`, or `psreg @ URL`.")
    return given.strip(), ""


def _of_folder(origin: Mapping[str, Any]) -> tuple[str, str]:
    """Return what pipelines install in place of a folder or file (PEP 610), and why they cannot."""
    place = Path(normal_location(origin["url"]))
    installed = origin.get("vcs_info", {}).get("commit_id", "")
    version = f"psreg=={__version__}"
    try:
        clone = Clone(place)
        remote, commit = clone.published(installed or "HEAD")
        changed = set() if installed else clone.touched(commit, "tools/psreg")
    except PsregError:
        return version, f"it is installed from {place}, which is not the top folder of a Git clone"
    if changed:
        return version, f"it is installed from {place}, where {min(changed)} is not committed"
    if not remote:
        return version, f"it is installed from {place}, and no remote has its commit {commit[:12]}"
    if requirement := requirement_at(remote, commit):
        return requirement, ""
    return version, f"it is installed from {place}, whose remote only this machine can reach"


def _lines(
    folder: Path,
    plan: RegistryPlan,
    written: Sequence[PurePosixPath],
    kept: Sequence[PurePosixPath],
) -> Iterator[str]:
    yield f"created the registry {plan.name} in {folder}: {len(written)} files"
    yield from (f"  {path}" for path in written)
    if kept:
        yield "already there, not changed:"
        yield from (f"  {path}" for path in kept)
    yield "next:"
    yield f"  cd {folder}"
    if not (folder / ".git").exists():
        yield "  git init --initial-branch main"
    yield "  psreg new prompt NAME --guided      # the first entry"
    yield "  psreg publish                       # creates the keys and signs; keep the keys safe"
    yield "  psreg serve                         # view the site"
    yield "  git add . && git commit -m 'Create the registry'"
    if not plan.url:
        yield "  then write the URL of its site into registry/policy.toml"
    yield f"  the pipelines install {plan.requirement}, as {PIN} says"
    if "github" in plan.forges:
        labels = f"{', '.join(LABELS[:-1])} and {LABELS[-1]}"
        yield f"  then create the labels {labels} on GitHub:"
        yield "  the forms set them, and GitHub ignores labels that do not exist"
    yield 'see the guide "Run a registry" for the settings of the forge'


def packaged_files() -> Mapping[str, bytes]:
    """Return psreg's own issue forms and pull request template, and what it needs.

    They are part of the package; in a source checkout they are in its `.github` and `.ci` folders.
    The paths of forms are those below `.github`.
    """
    package = Path(psreg.__file__).parent
    folder = next(at for at in (package / "forms", package.parents[1] / ".github") if at.is_dir())
    paths = (*(folder / "ISSUE_TEMPLATE").glob("*.yml"), folder / "PULL_REQUEST_TEMPLATE.md")
    needed = (package / CONSTRAINTS, package.parents[1] / ".ci" / CONSTRAINTS)
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return {**found, CONSTRAINTS: next(at for at in needed if at.is_file()).read_bytes()}
