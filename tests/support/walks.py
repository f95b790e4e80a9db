"""Long walks: a test that visits many places visits some of them, unless all are asked for."""

import os
import random
from collections.abc import Sequence

SEED = "PSREG_TEST_SEED"
WHOLE = "PSREG_TEST_WHOLE"


def whole() -> bool:
    """Tell whether walks are taken whole (`tests/run.py --all`)."""
    return bool(os.environ[WHOLE])


def sampled(walk: Sequence, most: int) -> list:
    """Return the places of `walk`, in order: all of them, or `most` that the seed chose."""
    if whole() or len(walk) <= most:
        return list(walk)
    chosen = random.Random(os.environ[SEED]).sample(range(len(walk)), most)
    return [walk[place] for place in sorted(chosen)]
