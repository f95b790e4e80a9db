"""Measuring whole processes: wall time, CPU time, memory; medians of interleaved runs."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What one process took: seconds of wall and CPU (children included), peak MB of one process."""

    wall: float
    cpu: float
    megabytes: float


@dataclass(frozen=True)
class Metric:
    """One published number. `limit` is the highest `ratio` (or `ours`, without a peer) allowed."""

    metric: str
    ours: float
    limit: float
    peer: float | str | None = None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.peer if isinstance(self.peer, float) else None

    @property
    def ok(self) -> bool:
        value = self.ratio if isinstance(self.peer, float) else self.ours
        return not isinstance(self.peer, str) and value <= self.limit

    def as_json(self) -> str:
        ratio = None if self.ratio is None else round(self.ratio, 3)
        row = {"metric": self.metric, "ours": round(self.ours, 5), "peer": self.peer}
        return json.dumps({**row, "ratio": ratio, "limit": self.limit, "ok": self.ok})


def cost(
    command: Sequence[str], *, env: dict[str, str] | None = None, cwd: str | None = None
) -> Cost:
    """Run `command` to its end, which must be exit code 0, and return what it took."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}:\n{errors}")
    wall = time.perf_counter() - began
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def side_by_side(runs: int, *candidates: Callable[[], Cost]) -> list[Cost]:
    """Return the medians of each candidate, run alternately in one go after a run to warm up."""
    costs = [[] for _ in candidates]
    for candidate in candidates:
        candidate()
    for _ in range(runs):
        for samples, candidate in zip(costs, candidates, strict=True):
            samples.append(candidate())
    return [_median(samples) for samples in costs]


def _median(costs: Sequence[Cost]) -> Cost:
    walls, cpus, megabytes = zip(*((c.wall, c.cpu, c.megabytes) for c in costs), strict=True)
    return Cost(*map(statistics.median, (walls, cpus, megabytes)))
