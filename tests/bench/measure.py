"""Measuring whole processes: wall time, CPU time, memory; medians of interleaved runs."""

import json
import statistics
import subprocess
import sys
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


_RUN = """
import json, resource, subprocess, sys, time
began, null = time.perf_counter(), subprocess.DEVNULL
code = subprocess.call(sys.argv[1:], stdin=null, stdout=null)
wall, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
# A process that is started counts the memory of the one that started it: let that be a small one.


def cost(
    command: Sequence[str], *, env: dict[str, str] | None = None, cwd: str | None = None
) -> Cost:
    """Run `command` to its end, which must be exit code 0, and return what it took."""
    program = (sys.executable, "-I", "-S", "-c", _RUN, *command)
    done = subprocess.run(program, check=True, env=env, cwd=cwd, capture_output=True, text=True)
    code, *took = json.loads(done.stdout)
    if code:
        sys.exit(f"bench: {' '.join(command)} ended with {code}:\n{done.stderr}")
    return Cost(*took)


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
