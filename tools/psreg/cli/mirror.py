"""`psreg mirror DIR`: copy a registry, verified, as static files that others install from.

All or nothing is published: a mirror shows its new state when all files of it are there.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.registry_option import add_registry_option, open_selected
from psreg.client.resolve import parse_request
from psreg.core.errors import TrustError, UsageError
from psreg.core.version import ANY
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.mirror.folder import MirrorFolder
    from psreg.client.open_registry import OpenRegistry

EXAMPLE = "psreg mirror /srv/prompts --only quiz_master"
SCHEMA = "psreg.mirror/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dir", metavar="DIR", type=Path, help="where to write it")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only this prompt and what it requires; repeat for more (default: everything)",
    )
    add_registry_option(parser, "copy this registry")
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Write what is new; exit 3 if something is not what was signed."""
    requests = [parse_request(text) for text in args.only]
    if any(request.range is not ANY for request in requests):
        raise UsageError("USAGE", "`--only` takes a NAME: a mirror has all versions of it")

    from psreg.client.mirror.copied import copied, verified_state
    from psreg.client.mirror.folder import MirrorFolder
    from psreg.client.trust_store import log_keys
    from psreg.registry.trust.roles import TIMESTAMP

    with open_selected(args, console) as registry:
        current = registry.versions[TIMESTAMP]  # fresh, and not older than this machine has seen
        folder = MirrorFolder(args.dir.absolute(), registry.root_sha256, registry.source)
        with folder.writing():
            state = verified_state(folder, registry.root_sha256)
            _check_newer(state.documents[TIMESTAMP].version, current, folder.timestamp())
            keys = log_keys(state.root.data)
            for path, data in copied(state, folder, keys, [each.name for each in requests]):
                folder.write(path, data)
            folder.finish()
    for path in folder.left:
        console.warn(f"psreg: warning: {path} is not needed any more, was changed, and is kept")
    _report(args.dir, folder, registry, console)
    return 0


def _check_newer(version: int, current: int, before: bytes | None) -> None:
    """Check that the state is not older than what this machine or the mirror has.

    Raises:
        TrustError: `TRUST_ROLLBACK`.
    """
    had = json.loads(before)["signed"]["version"] if before else 0
    if version < max(current, had):
        raise TrustError(
            "TRUST_ROLLBACK",
            f"the registry shows timestamp {version}, after {max(current, had)}",
            "Run it again; if that does not help, tell the maintainers of the registry.",
        )


def _report(place: Path, folder: MirrorFolder, registry: OpenRegistry, console: Console) -> None:
    described = registry.describe()
    if console.machine:
        counts = {"written": folder.written, "unchanged": folder.unchanged}
        more = {"deleted": folder.deleted, "root_sha256": registry.root_sha256, "kept": folder.left}
        console.json({"schema": SCHEMA, "registry": described, "dir": str(place), **counts, **more})
    elif not console.quiet:
        console.line(
            f"mirrored {described['url']}: {folder.written:,} files written, "
            f"{folder.unchanged:,} unchanged, {folder.deleted:,} deleted"
        )
        console.line(f"  next: psreg install NAME --registry {place}")
