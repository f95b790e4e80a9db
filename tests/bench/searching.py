"""A client of a registry that published 50,000 names: a search, and a day of further publishes.

`python searching.py` writes the table of relevance into the documentation.
"""

import gzip
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import synthetic
from measure import Metric, cost
from psreg.registry.catalog_segments import Row, read_segment, row_of, write_segment
from psreg.registry.records import read_record
from psreg.registry.search.layers import layer_files
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


MANY = 5_000
MATERIAL = 9_400.0
"""kB, with gzip, of the search index that mkdocs-material builds for `MANY` entries."""

FILES = 4
"""The most files that one query fetches in a browser."""


def layers() -> Iterator[Metric]:
    """What a browser fetches of a large segment: before the first results, and for a query."""
    for number in (MANY, NAMES):
        segment = read_segment(write_segment(dict(worst(number))))
        sizes = {name: len(gzip.compress(data)) for name, data in layer_files(segment)}
        first = sizes.pop("names.json") / 1_000
        most = sum(sorted(sizes.values())[-FILES:]) / 1_000
        if number == MANY:
            what = f"kB gzip before the first results among {number:,}, vs Material's index"
            yield Metric(what, first, 1 / 50, MATERIAL)
        yield Metric(f"kB gzip that a query fetches among {number:,}, at most", most, 100)


def worst(number: int) -> Iterator[tuple[str, Row]]:
    """Yield rows of random words, which compress worse than those of people."""
    pick = random.Random(number)

    def words(least: int, most: int, known: int) -> list[str]:
        each = range(pick.randint(least, most))
        return [synthetic.word(int(known * pick.random() ** 2)) for _ in each]

    record, found = read_record(synthetic.record(0), synthetic.name(0)), set[str]()
    while len(found) < number:
        name = "_".join(words(2, 3, 4_000))
        if name not in found:
            found.add(name)
            yield (
                name,
                {
                    **row_of(record),
                    "name": name,
                    "summary": " ".join(words(10, 16, 9_000)),
                    "use_case": " ".join(words(10, 20, 9_000)),
                    "tags": sorted({*words(2, 6, 1_500)}),
                    "words": " ".join(sorted({*words(40, 40, 20_000)})),
                    "date": f"2026-{pick.randint(1, 12):02}-{pick.randint(1, 28):02}T12:00:00Z",
                },
            )


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
