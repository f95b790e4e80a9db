"""What checking costs: 10,000 valid artifacts of 5 KB, a tree of as many entries, one of them."""

import statistics
import sys
import tempfile
from pathlib import Path

import generate
from measure import Metric, cost

NUMBER = 10_000
CPU_MS_EACH = 1.5
CPU_MS_ENTRY = 4
"""An entry of a tree is an artifact, release.toml, README.md and entry.toml."""

MEGABYTES = 300
UNTESTED = "REG011"
PART = 0.03
PSREG = [sys.executable, "-m", "psreg", "check"]


def lint():
    """Every rule of a lone artifact, those about content among them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate.loose(folder, NUMBER)
        took = cost([*PSREG, str(folder)])
        yield Metric(
            "check 10,000 artifacts, lint included, CPU ms each",
            took.cpu * 1000 / NUMBER,
            CPU_MS_EACH,
        )
        yield Metric("check 10,000 artifacts, peak MB of a process", took.megabytes, MEGABYTES)
        yield Metric(
            "check 10,000 artifacts, wall over CPU (two cores: below 0.75)",
            took.wall,
            0.75,
            took.cpu,
        )


def tree():
    """Every rule there is, about a registry."""
    with tempfile.TemporaryDirectory() as name:
        generate.registry(Path(name), NUMBER, UNTESTED)
        took = cost([*PSREG, "pbes"], cwd=name)
        yield Metric(
            "check a tree of 10,000 entries, CPU ms per entry",
            took.cpu * 1000 / NUMBER,
            CPU_MS_ENTRY,
        )
        yield Metric(
            "check a tree of 10,000 entries, peak MB of a process", took.megabytes, MEGABYTES
        )


def one():
    """One version folder after a change of one file, against the whole tree it is in."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        generate.registry(root, NUMBER, UNTESTED)
        whole = cost([*PSREG, "pbes"], cwd=name)
        changed = root / "pbes/interactive_engine/made_4711/1.0.0"
        with (changed / "README.md").open("a") as readme:
            readme.write("\nChanged.\n")
        command = [*PSREG, str(changed.relative_to(root))]
        took = statistics.median(cost(command, cwd=name).cpu for _ in range(5))
        yield Metric(
            "check one changed file of 10,000 entries, CPU s, vs the tree", took, PART, whole.cpu
        )
