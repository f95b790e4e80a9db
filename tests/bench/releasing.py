"""`psreg publish` by difference in a Git checkout: of nothing, of a release, of an entry.

Of a commit, as pipelines do it, and of the work tree, of which Git looks at every file.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, islice, product
from pathlib import Path

import generate
from measure import Cost, Metric, cost

NUMBER = 5_000
PUBLISHES = 200
RUNS = 5
WAYS = {"a commit": ("--rev", "HEAD"), "the work tree": ()}
PSREG = str(Path(sys.executable).parent / "psreg")
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")


class Checkout:
    """A published registry in Git."""

    def __init__(self, folder: Path, number: int) -> None:
        self.root = folder / "checkout"
        self.env = {**os.environ, "PSREG_HOME": str(folder / "home")}
        generate.registry(self.root, number, "REG011")
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)
        self.commit()
        self.first = self.publish()

    def commit(self) -> None:
        for words in (("add", "--all"), ("commit", "--quiet", "-m", "Change")):
            subprocess.run([*GIT, *words], cwd=self.root, check=True)

    def publish(self, *words: str) -> Cost:
        """Publish, and return what it took, git included; commit the result."""
        took = cost([PSREG, "publish", "--quiet", *words], env=self.env, cwd=str(self.root))
        self.commit_if_changed()
        return took

    def commit_if_changed(self) -> None:
        said = ["git", "status", "--porcelain"]
        if subprocess.run(said, cwd=self.root, check=True, capture_output=True).stdout:
            self.commit()

    def release(self, n: int) -> None:
        """Add a version to entry number `n`."""
        generate.version(self.root, f"made_{n}", n, "1.1.0")
        self.commit()

    def packed(self) -> int:
        """Return how many bytes the repository has once it is packed."""
        subprocess.run([*GIT, "gc", "--quiet", "--prune=now"], cwd=self.root, check=True)
        return size(self.root / ".git/objects")

    def scan(self) -> float:
        """Return the CPU seconds in which Git looks for changes."""
        scans = (("ls-files", "--others", "pbes"), ("diff-files", "--name-only", "pbes"))
        return sum(cost([*GIT, *words], cwd=str(self.root)).cpu for words in scans)

    def enter(self, n: int) -> None:
        """Add an entry."""
        generate.entry(self.root, f"newly_made_{n}", n)
        self.commit()


def metrics() -> Iterator[Metric]:
    with tempfile.TemporaryDirectory() as folder:
        checkout = Checkout(Path(folder), NUMBER)
        steps: dict[str, tuple[float, Callable[[int], None]]] = {
            "nothing": (0.3, lambda _: None),
            "one release": (0.6, checkout.release),
            "one entry": (0.6, checkout.enter),
        }
        made = count()
        for (what, (limit, step)), (way, words) in product(steps.items(), WAYS.items()):
            took = []
            for n in islice(made, RUNS):
                step(n)
                took.append(checkout.publish(*words))
            where = f"publish of {what} among {NUMBER:,}, from {way}"
            cpu = statistics.median(t.cpu for t in took)
            if not words:
                git = checkout.scan()
                where += f" (besides the {git:.2f} CPU s in which Git looks at all files)"
                cpu -= git
            yield Metric(f"{where}, CPU s", cpu, limit)
            yield Metric(f"{where}, MB", max(t.megabytes for t in took), 120)
        yield _growth(checkout)


def _growth(checkout: Checkout) -> Metric:
    """Return how many bytes a publish of one release adds, on average of many."""
    before, packed = size(checkout.root / "registry"), checkout.packed()
    for n in range(PUBLISHES):
        checkout.release(NUMBER // 2 + n)
        checkout.publish()
    each = (size(checkout.root / "registry") - before) / PUBLISHES / 1_000
    in_git = (checkout.packed() - packed) / PUBLISHES / 1_000
    told = f"{PUBLISHES} publishes among {NUMBER:,}, packed repository +{in_git:.1f} kB each"
    return Metric(f"kB that a publish adds to registry/ ({told})", each, 60)


def large() -> Iterator[Metric]:
    """Compare a publish of one release among ten times as many entries; it takes ten minutes."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = (NUMBER, 10 * NUMBER)
        checkouts = [Checkout(Path(folder, str(number)), number) for number in numbers]
        took: list[list[Cost]] = []
        for n in range(RUNS):
            for checkout in checkouts:
                checkout.release(n)
            # Side by side, because the speed of a machine changes.
            took.append([checkout.publish("--rev", "HEAD") for checkout in checkouts])
        few, many = zip(*took, strict=True)
        for number, each in zip(numbers, (few, many), strict=True):
            megabytes = max(one.megabytes for one in each)
            yield Metric(f"publish of one release among {number:,}, MB", megabytes, 120)
        ratios = [(more.cpu / less.cpu, more.cpu, less.cpu) for less, more in took]
        _, ours, peer = statistics.median_low(ratios)
        what = f"publish of one release among {numbers[1]:,}, from a commit, CPU s, vs {NUMBER:,}"
        yield Metric(what, ours, 1.5, peer)


def size(folder: Path) -> int:
    """Return how many bytes the files below a folder have."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
