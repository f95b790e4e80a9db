"""How costs grow with the number of names: measures, and writes the table and picture of the study.

`python tests/bench/growth.py` measures all sizes afresh and writes them to site/docs/growth.md and
growth.svg. On two idle cores it takes about half an hour, most of it for a checkout of 100,000
entries, which needs 3 GB of memory and 5 GB below --scratch. What is in the file --numbers is not
measured again, so that an interrupted run can be continued.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import synthetic
from growth_page import page, picture
from measure import cost
from releasing import PSREG, WAYS, Checkout, size

DOCS = Path(__file__).parents[2] / "site/docs"
TREES, REGISTRIES = (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)
RUNS = 3
BATCH = 50
WORD = "mistake"

Numbers = dict[str, float]


def tree(folder: Path, names: int) -> Numbers:
    """Measure what reads a checkout: `psreg publish` in Git, and Git's own part of it."""
    checkout = Checkout(folder, names)
    first = checkout.first
    found = {"first publish, CPU s": first.cpu, "first publish, MB": first.megabytes}
    before = size(checkout.root / "registry")
    made = count()
    for way, words in WAYS.items():
        nothing = [checkout.publish(*words) for _ in range(RUNS)]
        released = []
        for n in islice(made, RUNS):
            checkout.release(n)
            released.append(checkout.publish(*words))
        found |= {
            f"publish of nothing from {way}, CPU s": statistics.median(t.cpu for t in nothing),
            f"publish of one release from {way}, CPU s": statistics.median(t.cpu for t in released),
            "publish of one release, MB": max(t.megabytes for t in released),
        }
    grown = size(checkout.root / "registry") - before
    return found | {
        "publish of one release, bytes": grown / next(made),
        "Git looks for changes, CPU s": checkout.scan(),
    }


def registry(folder: Path, names: int) -> Numbers:
    """Measure what reads only a registry: adding a name, and what clients fetch over HTTP."""
    made = _synthetic("build", folder, names)
    found: Numbers = json.loads(_synthetic("layout", folder, names))
    program = [sys.executable, synthetic.__file__, "publish", str(folder), str(names)]
    wrote, added = [], []
    for n in range(RUNS):
        before = size(folder / "registry")
        added.append(cost([*program, f"newly_made_{n}"]))
        wrote.append(size(folder / "registry") - before)
    found["add a name, CPU s"] = statistics.median(each.cpu for each in added)
    found["add a name, MB"] = max(each.megabytes for each in added)
    found["add a name, bytes"] = statistics.median(wrote)
    return found | _clients(folder, names, made.strip())


def _synthetic(what: str, folder: Path, names: int) -> str:
    """Do it in a process of its own, which gives its memory back."""
    command = [sys.executable, synthetic.__file__, what, str(folder), str(names)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _clients(folder: Path, names: int, root: str) -> Numbers:
    """Measure `psreg search` and `psreg info` against a server on loopback."""
    store, found = synthetic.Store(folder / "registry", names), Numbers()
    with synthetic.serving(lambda path: store.read(path.removeprefix("registry/"))) as (url, sent):

        def run(what: str, home: str, *words: str) -> None:
            env = {**os.environ, "PSREG_HOME": str(folder / home)}
            sent.clear()
            took = cost([PSREG, *words, "--registry", url], env=env)
            found[f"{what}, CPU s"] = took.cpu
            found[f"{what}, MB"] = took.megabytes
            found[f"{what}, bytes"] = sent["bytes"]
            found[f"{what}, requests"] = sent["requests"]

        for home in ("one", "other"):
            env = {**os.environ, "PSREG_HOME": str(folder / home)}
            cost([PSREG, "registry", "add", url, "--root-sha256", root], env=env)
        run("info, cold", "one", "info", synthetic.name(7))
        run("search, cold", "other", "search", WORD)
        run("search, warm", "other", "search", WORD)
        for n in range(BATCH):
            synthetic.add(folder, names, f"later_made_{n}")
        run(f"search after {BATCH} publishes", "other", "search", WORD)
    return found


def measured(
    numbers: Path, scratch: Path | None, sizes: dict[str, list[int]]
) -> dict[str, dict[str, Numbers]]:
    """Return all numbers by part and number of names; what is not in the file is measured."""
    found = json.loads(numbers.read_text()) if numbers.exists() else {}
    parts: dict[str, Callable[[Path, int], Numbers]] = {"registry": registry, "tree": tree}
    for part, names in sizes.items():
        for number in names:
            if str(number) not in found.setdefault(part, {}):
                folder = Path(tempfile.mkdtemp(prefix="psreg-growth-", dir=scratch))
                try:
                    found[part][str(number)] = parts[part](folder, number)
                finally:
                    shutil.rmtree(folder)
                numbers.write_text(json.dumps(found, indent=1))
                print(part, f"{number:,}", found[part][str(number)], flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scratch", type=Path, help="folder for what is measured, and removed")
    parser.add_argument("--numbers", type=Path, help="JSON file with what was measured before")
    parser.add_argument("--trees", type=int, nargs="*", default=TREES, metavar="N")
    parser.add_argument("--registries", type=int, nargs="*", default=REGISTRIES, metavar="N")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of growth.md and growth.svg")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        numbers = args.numbers or Path(folder, "numbers.json")
        sizes = {"registry": [*args.registries], "tree": [*args.trees]}
        found = measured(numbers, args.scratch, sizes)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    old = (args.out / "growth.md").read_text()
    (args.out / "growth.md").write_text(page(old, found, f"{datetime.now(UTC):%Y-%m-%d}", machine))
    (args.out / "growth.svg").write_text(picture(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
