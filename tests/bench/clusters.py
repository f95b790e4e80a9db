"""What more processes save: the check of a tree with one, with two, and with two Dask workers."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import generate
from measure import Metric, cost, side_by_side

sys.path.append(str(Path(__file__).parents[1]))

from support.cluster import cluster, until

NUMBER = 5_000
RUNS = 3
CHECK = [sys.executable, "-m", "psreg", "check", "pbes"]


def metrics() -> Iterator[Metric]:
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as dask:
        generate.registry(Path(name), NUMBER, "REG011")
        with cluster(Path(dask)) as (address, workers):
            until(lambda: all(worker.poll() is None for worker in workers))
            one, two, shared = side_by_side(
                RUNS,
                lambda: cost(["taskset", "--cpu-list", "0", *CHECK], cwd=name),
                lambda: cost(CHECK, cwd=name),
                lambda: cost([*CHECK, "--cluster", address], cwd=name),
            )
    what = f"check a tree of {NUMBER:,} entries, wall s"
    yield Metric(f"{what}: two processes vs one", two.wall, 0.6, one.wall)
    yield Metric(f"{what}: two Dask workers vs one process", shared.wall, 0.75, one.wall)
