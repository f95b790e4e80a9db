"""A client of a registry that published 50,000 names: a search, and a day of further publishes.

`python searching.py` writes the table of relevance into the documentation.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import synthetic
from measure import Metric, cost
from releasing import PSREG

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import relevance

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


def relevant() -> Iterator[Metric]:
    ranks = relevance.ranks()
    missed = sum(not 0 < rank <= relevance.FIRST for _, rank, _ in ranks)
    yield Metric(
        f"% of {len(ranks)} queries without a hit at rank 1 to 3", 100 * missed / len(ranks), 10
    )
    yield Metric("queries that find nothing", sum(not names for *_, names in ranks), 0)


if __name__ == "__main__":
    start, end = relevance.MARKS
    before, rest = relevance.PAGE.read_text(encoding="utf-8").split(start)
    after = rest.split(end)[1]
    text = f"{before}{start}\n{relevance.table()}\n{end}{after}"
    relevance.PAGE.write_text(text, encoding="utf-8")
