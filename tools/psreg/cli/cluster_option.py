"""The options `--cluster` and `--cluster-source`: other machines that share the work."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from psreg.core.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from psreg.lint.cluster_shares import Source
    from psreg.system.console import Console, OptionAdder
    from psreg.system.processes import Workers


def add_cluster_option(parser: OptionAdder) -> None:
    """Declare `--cluster`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="share the work with a Dask cluster: tcp://127.0.0.1:8786 or tls://HOST:8786",
    )


def add_source_option(parser: OptionAdder) -> None:
    """Declare `--cluster-source`."""
    parser.add_argument(
        "--cluster-source",
        metavar="URL",
        help="let the workers fetch the commit that is checked out from this remote of Git",
    )


def source_of(args: Namespace, root: Path | None, console: Console) -> Source | None:
    """Return from where workers can read the files of a checkout; None to send them.

    Raises:
        UsageError: there is no cluster.
    """
    if not args.cluster_source:
        return None
    if not args.cluster:
        raise UsageError(
            "USAGE", "`--cluster-source` needs `--cluster`", "Add `--cluster ADDRESS`."
        )
    from psreg.git.remote_commit import remote_commit

    found = remote_commit(root, args.cluster_source) if root else None
    if found is None:
        console.warn("note: these files are not those of a commit; the workers are sent them")
    return found


def executor_of(address: str | None) -> AbstractContextManager[Workers]:
    """Return the cluster at `address` as a context, or that of no executor; see `cluster`."""
    if not address:
        return nullcontext()
    from psreg.system.cluster import cluster

    return cluster(address)
