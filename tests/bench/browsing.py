"""The search of a site in Chromium, against a plain scan of rows: to set it up, and queries.

The scan looks for one text in names and tags, counts the values of facets, and ranks nothing. On a
slow machine, which took 120 ms to set up the scan and 10.6 ms to scan, the search took 41 ms and 2.6
to 4.8 ms; it may take 50 ms and 5 ms. What counts is the processor time of the thread, in the best of several new pages.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

import searching
from measure import Metric
from psreg.registry.catalog_segments import Row, read_segment, write_segment
from psreg.registry.search.layers import layer_files
from psreg.registry.search.thesaurus import synonyms

NUMBER = 50_000
MOST = 1
PAGES, ROUNDS = 5, 20
COMMON = "common", "frequent"
"""Tags that half of all rows have."""

QUERIES = (
    ("", {}),
    ("c", {}),
    ("common", {}),
    ("common frequent", {}),
    ("common", {"tag": "frequent", "sort": "newest"}),
    ("commonfrequent", {}),
    ("commno", {}),
)
"""All rows, their beginnings, common tags, with a selection, and what nothing has."""

ADDRESS = "http://127.0.0.1:1/"
ASSETS = Path(__file__).parents[2] / "site/overrides/assets"
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

PREPARE = """async () => {
  const from = (name) => import(`/assets/psreg/search/${name}.js`);
  const text = (path) => fetch(path).then((answer) => answer.text());
  const [{ catalogueOf, find }, { Layers }] = await Promise.all(["catalogue", "layers"].map(from));
  const [names, synonyms] = await Promise.all(["names.json", "synonyms.txt"].map(text));
  const rows = await text("rows.json");
  window.setUp = () => {
    window.all = catalogueOf([new Layers(JSON.parse(names), null, "/")], synonyms);
    find(all, "", {}, 30);
  };
  window.ask = ([query, chosen, rounds]) => {
    for (let round = 0; round < rounds; round += 1) find(all, query, chosen, 30);
  };
  window.setUpScan = () => {
    window.rows = JSON.parse(rows);
    for (const row of window.rows) row.text = [row.name, ...row.tags].join(" ").toLowerCase();
    scan(["", 1]);
  };
  window.scan = ([query, rounds]) => {
    for (let round = 0; round < rounds; round += 1) {
      const counts = {};
      const found = window.rows.filter(({ text }) => text.includes(query));
      for (const { facets } of found) for (const each of facets) counts[each] = (counts[each] ?? 0) + 1;
    }
  };
}"""


def metrics() -> Iterator[Metric]:
    rows = dict(_rows())
    files = dict(layer_files(read_segment(write_segment(rows))))
    files |= {"synonyms.txt": synonyms(), "rows.json": json.dumps([*map(_scanned, rows.values())])}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        pages = [_measured(browser, files) for _ in range(PAGES)]
        browser.close()
    scan_setup, scan_query, setup, *queries = map(min, zip(*pages, strict=True))
    yield Metric(
        f"set up the search of {NUMBER:,} entries, CPU ms, vs a scan", setup, MOST, scan_setup
    )
    for (query, chosen), took in zip(QUERIES, queries, strict=True):
        asked = " ".join((query, *chosen.values()))
        what = f"query {asked!r} among {NUMBER:,} entries, CPU ms, vs a scan"
        yield Metric(what, took, MOST, scan_query)


def _rows() -> Iterator[tuple[str, Row]]:
    """Yield rows without texts: a query that fetches nothing finds names and tags."""
    pick = random.Random(NUMBER)
    for name, row in searching.worst(NUMBER):
        tags = {*row["tags"], *(tag for tag in COMMON if pick.random() < 1 / 2)}
        yield name, {**row, "tags": sorted(tags), "summary": "", "use_case": "", "words": ""}


def _scanned(row: Row) -> dict[str, object]:
    facets = row["class"], row["license"], *row["tags"], *row["protocol"]
    return {"name": row["name"], "tags": row["tags"], "facets": facets}


def _measured(browser, files: dict[str, bytes | str]) -> list[float]:
    """Return the milliseconds of a scan, its set-up first, and of the search, in a new page."""
    page = browser.new_page()
    page.route("**/*", lambda route: _answer(route, files))
    page.goto(ADDRESS)
    clock = page.context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})

    def took(script: str, argument: object = None) -> float:
        before = _busy(clock)
        page.evaluate(script, argument)
        return (_busy(clock) - before) * 1000

    page.evaluate(PREPARE)
    found = [
        took("() => setUpScan()"),
        took("(asked) => scan(asked)", [COMMON[0], ROUNDS]) / ROUNDS,
    ]
    found.append(took("() => setUp()"))
    for query, chosen in QUERIES:
        found.append(took("(asked) => ask(asked)", [query, chosen, ROUNDS]) / ROUNDS)
    page.close()
    return found


def _answer(route, files: dict[str, bytes | str]) -> None:
    path = route.request.url.removeprefix(ADDRESS)
    if path in files:
        route.fulfill(body=files[path])
    elif path.startswith("assets/"):
        script = ASSETS / path.removeprefix("assets/")
        route.fulfill(body=script.read_bytes(), content_type="text/javascript")
    else:
        route.fulfill(body="<title>Search</title>", content_type="text/html")


def _busy(clock) -> float:
    """Return the processor seconds of the page's thread so far."""
    found = clock.send("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in found if each["name"] == "TaskDuration")
