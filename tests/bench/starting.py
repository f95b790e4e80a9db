"""How long psreg takes to say its name, against an interpreter that does nothing."""

import sys
from pathlib import Path

from measure import Metric, cost, side_by_side

RUNS = 41
PSREG = str(Path(sys.executable).parent / "psreg")


def metrics():
    nothing, version, overview = side_by_side(
        RUNS,
        lambda: cost([sys.executable, "-c", "pass"]),
        lambda: cost([PSREG, "--version"]),
        lambda: cost([PSREG, "--help"]),
    )
    yield Metric("psreg --version, wall s, vs python -c pass", version.wall, 2.5, nothing.wall)
    yield Metric("psreg --help, wall s, vs python -c pass", overview.wall, 2.5, nothing.wall)
