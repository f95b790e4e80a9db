"""A client of a registry that published 50,000 names: a search, and a day of further publishes."""

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import synthetic
from measure import Metric, cost
from releasing import PSREG

NAMES = 50_000
RUNS = 5
BATCH = 50


def metrics() -> Iterator[Metric]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        root = synthetic.build(folder, NAMES, at_once=True)
        store = synthetic.Store(folder / "registry", NAMES)
        env = {**os.environ, "PSREG_HOME": str(folder / "home")}
        with synthetic.serving(lambda path: store.read(path.removeprefix("registry/"))) as (
            url,
            sent,
        ):
            command = [PSREG, "search", "mistake", "--registry", url]
            cost([PSREG, "registry", "add", url, "--root-sha256", root], env=env)
            cost(command, env=env)
            warm = statistics.median(cost(command, env=env).cpu for _ in range(RUNS))
            yield Metric(f"search over {NAMES:,} entries, warm, CPU s", warm, 0.3)
            for n in range(BATCH):
                synthetic.add(folder, NAMES, f"later_made_{n}")
            sent.clear()
            cost(command, env=env)
            what = f"kB that a client fetches after {BATCH} new releases among {NAMES:,}"
            yield Metric(what, sent["bytes"] / 1_000, 40)
