"""Long walks: a test that visits many places visits some of them, unless all are asked for."""

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class _Walks:
    seed: int = 0
    whole: bool = False


_WALKS = _Walks()


def begin(*, seed: int, whole: bool) -> None:
    """Say, before any test, how the walks of this run are taken."""
    _WALKS.seed, _WALKS.whole = seed, whole


def sampled(walk: Sequence, most: int) -> list:
    """Return the places of `walk`, in order: `most` that the seed chose, or all of them."""
    if _WALKS.whole or len(walk) <= most:
        return list(walk)
    chosen = random.Random(_WALKS.seed).sample(range(len(walk)), most)
    return [walk[place] for place in sorted(chosen)]


def turn(walk: Sequence, at: int) -> list:
    """Return the place of `walk` whose turn it is for the test number `at`, or all of them."""
    return list(walk) if _WALKS.whole else [walk[(_WALKS.seed + at) % len(walk)]]
