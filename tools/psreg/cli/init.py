"""`psreg init`: create a registry, with pipelines and issue forms."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import distribution
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath
from typing import Any

import psreg
from psreg import __version__
from psreg.authoring.init import (
    CONSTRAINTS,
    FORGES,
    LABELS,
    REQUEST_FORM,
    RegistryPlan,
    new_registry,
    requirement_at,
    requirement_of,
    requirement_of_wheel,
)
from psreg.authoring.new_folders import make_registry
from psreg.cli.site import checked_base_url
from psreg.core.errors import PsregError, UsageError
from psreg.git.branch import Clone
from psreg.http.address import normal_location
from psreg.system.console import Console, add_output_options
from psreg.system.files import read_named

EXAMPLE = "psreg init prompts --name 'Prompts of our team' --forge github"
SCHEMA = "psreg.init/1"

PIN = "registry/psreg.txt"
_LARGEST_WHEEL = 1 << 26
_HOW_TO_INSTALL = (
    "Push psreg's repository to a place that they can reach, and write"
    " `psreg @ git+https://HOST/PATH@COMMIT` into {}; or pass that as `--psreg`, or a wheel of"
    " psreg, which the registry then keeps."
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
        help="what the pipelines install, for pip, or a wheel that the registry keeps (default: "
        "where this psreg is from)",
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
    requirement, obstacle, wheel = _requirement(args.psreg)
    plan = RegistryPlan(
        name=_name(args.name or folder.absolute().name),
        url=checked_base_url(args.url or ""),
        forges=FORGES if args.forge == "both" else (args.forge,),
        requirement=requirement,
        private=args.private,
        wheel=wheel,
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


_Source = tuple[str, str, tuple[str, bytes] | None]
"""What the pipelines install, why they cannot or "", and the wheel if it is one."""


def _requirement(given: str | None) -> _Source:
    """Return what the pipelines install, as given or as this psreg was installed."""
    if given is None:
        source = distribution("psreg").read_text("direct_url.json")
        if requirement := requirement_of(__version__, source):
            return requirement, "", None
        return _of_this_machine(json.loads(source or "{}"))
    if not given.strip() or not given.isprintable():
        message = f"{given!r} is not a requirement"
        raise UsageError("USAGE", message, f"Write `psreg=={__version__}`, or `psreg @ URL`.")
    if given.endswith(".whl") and "://" not in given:
        return _of_wheel(Path(given), read_named(Path(given), _LARGEST_WHEEL))
    return given.strip(), "", None


def _of_wheel(file: Path, data: bytes) -> _Source:
    requirement = requirement_of_wheel(file.name, data)
    if not requirement:
        raise UsageError("USAGE", f"{file} is not a wheel of psreg")
    return requirement, "", (file.name, data)


def _of_this_machine(origin: Mapping[str, Any]) -> _Source:
    """Return what pipelines install in place of a folder or file (PEP 610)."""
    place = Path(normal_location(origin["url"]))
    archive = origin.get("archive_info")
    if archive is None:
        return *_of_folder(place, origin), None
    data = read_named(place, _LARGEST_WHEEL) if place.is_file() else b""
    digest = sha256(data).hexdigest()
    if data and archive.get("hashes", {}).get("sha256", digest) == digest:  # uv records none
        return _of_wheel(place, data)
    gone = f"it is installed from {place}, which is gone or has changed"
    return f"psreg=={__version__}", gone, None


def _of_folder(place: Path, origin: Mapping[str, Any]) -> tuple[str, str]:
    """Return what pipelines install in place of a folder, and why they cannot or ""."""
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
    package = resources("psreg")
    forms, needed = package / "forms", package / CONSTRAINTS
    if not needed.is_file():
        checkout = Path(psreg.__file__).parents[2]
        forms, needed = checkout / ".github", checkout / ".ci" / CONSTRAINTS
    issues = forms / "ISSUE_TEMPLATE"
    found = {f"{issues.name}/{form.name}": form.read_bytes() for form in issues.iterdir()}
    request = (forms / REQUEST_FORM).read_bytes()
    return {**found, REQUEST_FORM: request, CONSTRAINTS: needed.read_bytes()}
