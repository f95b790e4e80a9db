"""The option `--cluster`: other processes or machines that share the work of a command."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psreg.system.console import OptionAdder
    from psreg.system.processes import Workers


def add_cluster_option(parser: OptionAdder) -> None:
    """Declare `--cluster`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="share the work with a Dask cluster: tcp://127.0.0.1:8786 or tls://HOST:8786",
    )


def executor_of(address: str | None) -> AbstractContextManager[Workers]:
    """Return the cluster at `address` as a context, or that of no executor; see `cluster`."""
    if not address:
        return nullcontext()
    from psreg.system.cluster import cluster

    return cluster(address)
