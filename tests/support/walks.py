"""Long walks: a test that visits many places visits some of them, unless all are asked for."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import coverage


@dataclass(slots=True)
class _Walks:
    seed: int = 0
    whole: bool = False


_WALKS = _Walks()


class Sample(list):
    """What a seed chose: a test of these is another one in every run."""


def begin(*, seed: int, whole: bool) -> None:
    """Say, before any test, how the walks of this run are taken."""
    _WALKS.seed, _WALKS.whole = seed, whole


def sampled(walk: Sequence, most: int, kinds: Callable | None = None) -> Sample:
    """Return the places of `walk`, in order: `most` that the seed chose, or all of them.

    `kinds` names what a place is an example of: of each kind one stays, even if there are more
    kinds than `most`. A test that calls this is marked `unmeasured`: no line may count as covered
    in some runs only. One that is parametrized with a sample is not measured either.
    """
    assert coverage.Coverage.current() is None, "mark this test: @pytest.mark.unmeasured"
    if _WALKS.whole or len(walk) <= most:
        return Sample(walk)
    order = random.Random(_WALKS.seed).sample(range(len(walk)), len(walk))
    seen: set = set()
    chosen = [at for at in order if kinds and _adds(seen, kinds(walk[at]))]
    chosen += [at for at in order if at not in set(chosen)][: max(0, most - len(chosen))]
    return Sample(walk[place] for place in sorted(chosen))


def _adds(seen: set, kinds: Iterable) -> bool:
    """Tell whether one of the kinds has not been seen, and note all of them."""
    new = {*kinds} - seen
    seen |= new
    return bool(new)


def turn(walk: Sequence, at: int) -> list:
    """Return the place of `walk` whose turn it is for the test number `at`, or all of them."""
    return list(walk) if _WALKS.whole else [walk[(_WALKS.seed + at) % len(walk)]]
