"""How long psreg takes to say its name and to be imported, against a bare interpreter."""

import sys
from pathlib import Path

from measure import Metric, cost, side_by_side

RUNS = 41
PSREG = str(Path(sys.executable).parent / "psreg")
MOST_OF_AN_IMPORT = 30.0
"""In milliseconds more than the interpreter itself takes."""


def metrics():
    nothing, version, overview, imported = side_by_side(
        RUNS,
        lambda: cost([sys.executable, "-c", "pass"]),
        lambda: cost([PSREG, "--version"]),
        lambda: cost([PSREG, "--help"]),
        lambda: cost([sys.executable, "-c", "import psreg"]),
    )
    yield Metric("psreg --version, wall s, vs python -c pass", version.wall, 2.5, nothing.wall)
    yield Metric("psreg --help, wall s, vs python -c pass", overview.wall, 2.5, nothing.wall)
    more = (imported.wall - nothing.wall) * 1000
    yield Metric("import psreg, wall ms more than python -c pass", more, MOST_OF_AN_IMPORT)
