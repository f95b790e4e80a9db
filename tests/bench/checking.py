"""What checking 10,000 valid artifacts of 5 KB costs, as loose files and as a registry's tree."""

import sys
import tempfile
from pathlib import Path

import generate
from measure import Metric, cost

NUMBER = 10_000
CPU_MS_EACH = 1.5
MEGABYTES = 300
UNTESTED = "REG011"


def metrics():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate.loose(folder / "loose", NUMBER)
        took = cost([sys.executable, "-m", "psreg", "check", str(folder / "loose")])
        yield Metric("check 10,000 artifacts, CPU ms each", took.cpu * 1000 / NUMBER, CPU_MS_EACH)
        yield Metric("check 10,000 artifacts, peak MB of a process", took.megabytes, MEGABYTES)
        yield Metric(
            "check 10,000 artifacts, wall over CPU (two cores: below 0.75)",
            took.wall,
            0.75,
            took.cpu,
        )
        generate.registry(folder / "tree", NUMBER, UNTESTED)
        tree = cost([sys.executable, "-m", "psreg", "check", "pbes"], cwd=str(folder / "tree"))
        yield Metric(
            "check a tree of 10,000 entries, CPU ms per entry", tree.cpu * 1000 / NUMBER, 4
        )
        yield Metric(
            "check a tree of 10,000 entries, peak MB of a process", tree.megabytes, MEGABYTES
        )
