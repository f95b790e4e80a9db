"""The options `--cluster` and `--cluster-source`: other machines that share the work."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from psreg.core.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from psreg.git.work_tree import WorkTree
    from psreg.lint.cluster_shares import Source
    from psreg.system.console import Console, OptionAdder
    from psreg.system.processes import Workers


def add_cluster_option(parser: OptionAdder) -> None:
    """Declare `--cluster`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="share the work with a Dask cluster, tcp://127.0.0.1:8786 or tls://HOST:8786; needs "
        "the extra `psreg[cluster]`",
    )


def add_source_option(parser: OptionAdder) -> None:
    """Declare `--cluster-source`."""
    parser.add_argument(
        "--cluster-source",
        metavar="URL",
        help="let the workers fetch the commit, whose files these are, from this remote of Git",
    )


def check_source_option(args: Namespace) -> None:
    """Check that there is a cluster for `--cluster-source`.

    Raises:
        UsageError: there is no cluster.
    """
    if args.cluster_source and not args.cluster:
        raise UsageError(
            "USAGE", "`--cluster-source` needs `--cluster`", "Add `--cluster ADDRESS`."
        )


def source_of(
    args: Namespace, work_tree: Callable[[], WorkTree | None], console: Console
) -> Source | None:
    """Return from where workers can read the files of a checkout; None to send them."""
    if not args.cluster_source:
        return None
    from psreg.git.remote_commit import remote_commit

    place = work_tree()
    found = remote_commit(place, args.cluster_source) if place else None
    if found is None:
        console.warn("note: these files are not those of a commit; the workers are sent them")
    return found


def executor_of(address: str | None) -> AbstractContextManager[Workers]:
    """Return the cluster at `address` as a context, or that of no executor; see `cluster`."""
    if not address:
        return nullcontext()
    from psreg.system.cluster import cluster

    return cluster(address)
