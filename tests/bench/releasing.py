"""`psreg publish` by difference in a Git checkout: of nothing, of one release, of a new entry."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import generate
from measure import Cost, Metric, cost

NUMBER = 5_000
RUNS = 5
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
        self.publish()

    def commit(self) -> None:
        for words in (("add", "--all"), ("commit", "--quiet", "-m", "Change")):
            subprocess.run([*GIT, *words], cwd=self.root, check=True)

    def publish(self) -> Cost:
        """Publish, and return what it took, git included; commit the result."""
        took = cost([PSREG, "publish", "--quiet"], env=self.env, cwd=str(self.root))
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
        for what, (limit, step) in steps.items():
            took = []
            for n in range(RUNS):
                step(n)
                took.append(checkout.publish())
            where = f"publish of {what} among {NUMBER:,}"
            yield Metric(f"{where}, CPU s", statistics.median(t.cpu for t in took), limit)
            yield Metric(f"{where}, MB", max(t.megabytes for t in took), 120)
