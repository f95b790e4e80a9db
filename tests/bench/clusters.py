"""What more processes save: the check of a tree with one, with two, and with two Dask workers.

What counts is processor time: that of the busiest process, or half of all, if that is more. With
two processors for itself, a command takes so long.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import generate
from measure import Cost, Metric, cost, side_by_side

sys.path.append(str(Path(__file__).parents[1]))

from support.cluster import cpu_seconds, scheduler, worker

NUMBER = 3_000
RUNS = 3
CHECK = [sys.executable, "-m", "psreg", "check", "pbes"]
PROCESSORS = 2


def metrics() -> Iterator[Metric]:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        root, dask = Path(name, "registry"), Path(name)
        generate.registry(root, NUMBER, "REG011")
        address, *processes = stack.enter_context(scheduler(dask))
        processes += [stack.enter_context(worker(address)) for _ in range(PROCESSORS)]

        def alone() -> Cost:
            return cost(["taskset", "--cpu-list", "0", *CHECK], cwd=str(root))

        def together() -> Cost:
            took = cost(CHECK, cwd=str(root))
            return replace(took, cpu=took.cpu / PROCESSORS)

        def shared() -> Cost:
            before = [cpu_seconds(process) for process in processes]
            took = cost([*CHECK, "--cluster", address], cwd=str(root))
            after = [cpu_seconds(process) for process in processes]
            each = [took.cpu, *(b - a for a, b in zip(before, after, strict=True))]
            return replace(took, cpu=max(*each, sum(each) / PROCESSORS))

        one, two, workers = side_by_side(RUNS, alone, together, shared)
    what = f"check a tree of {NUMBER:,} entries, CPU s per processor"
    yield Metric(f"{what}: two processes vs one", two.cpu, 0.6, one.cpu)
    yield Metric(f"{what}: two Dask workers vs one process", workers.cpu, 0.75, one.cpu)
