"""How alike two names are: to a reader's eye, and in keystrokes.

Names are ASCII (READINGS PBE-A2), so the look-alikes are few: digits for letters, `rn` for `m`,
`vv` for `w`. Pairs among many names are found by deletion neighbourhoods: two names at most two
edits apart share a text that each becomes by deleting at most two characters, so that no name is
compared with all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations

Owners = frozenset[object]
"""Who looks after a name; nobody in particular: the keepers of the registry."""

FAR = 3
"""What `distance` returns for any distance of more than two."""

_DIGITS = "01234579"
_READINGS = (str.maketrans(_DIGITS, "olzeastg"), str.maketrans(_DIGITS, "oizeastg"))
"""Letters that digits look like. In each reading every digit has a letter of its own, so that
`part_1` and `part_2` never fold together; 1 is read as `l` and as `i`."""


def bare(name: str) -> str:
    """Return the letters and digits of `name`, in lower case."""
    return name.lower().replace("_", "").replace("-", "")


def folds(name: str) -> frozenset[str]:
    """Return what `name` becomes without case, separators, and digits that look like letters.

    Two names are the same to a reader if they have one of these texts in common.
    """
    return frozenset(bare(name).translate(reading) for reading in _READINGS)


def skeletons(name: str) -> frozenset[str]:
    """Return what `name` looks like at a glance; names that look alike have one in common.

    As in Unicode's confusables (UTS 39, where `m` becomes `rn`) and crates.io's list (`vv`, `w`).
    """
    return frozenset(fold.replace("m", "rn").replace("w", "vv") for fold in folds(name))


def distance(one: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance of two texts if it is at most two, else `FAR`.

    Insertion, deletion, replacement and exchange of neighbours count one each.
    """
    if abs(len(one) - len(other)) >= FAR:
        return FAR
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return _distance(one[start : len(one) - end], other[start : len(other) - end])


def _distance(one: str, other: str) -> int:
    """Compute the distance row by row, giving up as soon as it is certain to be too large."""
    width = len(other) + 1
    rows = [list(range(width))]
    seen: dict[str, int] = {}  # the last row whose character this was
    for down, here in enumerate(one, start=1):
        row = [down] + [FAR] * len(other)
        match = 0  # the last column whose character is this row's
        for across in range(max(1, down - 2), min(width, down + 3)):
            there = other[across - 1]
            best = min(
                rows[down - 1][across] + 1,
                row[across - 1] + 1,
                rows[down - 1][across - 1] + (here != there),
            )
            above = seen.get(there, 0)
            if above and match:
                moved = (down - above - 1) + 1 + (across - match - 1)
                best = min(best, rows[above - 1][match - 1] + moved)
            if here == there:
                match = across
            row[across] = min(best, FAR)
        seen[here] = down
        if min(row) >= FAR:
            return FAR
        rows.append(row)
    return rows[-1][-1]


def neighbours(
    owners: Mapping[str, Owners], *, edits: int, enough: int
) -> dict[str, dict[str, int]]:
    """Return, for each text, others at most `edits` (1 or 2) away that no owner shares with it.

    `owners` gives the owners of each text. At most `enough` others are listed for a text: who is
    like so many needs no complete list. Time grows with the number of texts, not with its square.
    """
    found: dict[str, dict[str, int]] = {}
    if len(set(owners.values())) <= 1:
        return found  # one owner has all of them, as in a registry that is just beginning
    for bucket in _buckets(owners, edits):
        for one in bucket:
            near = found.setdefault(one, {})
            for other in bucket:
                if len(near) >= enough:
                    break
                if other not in near and not shared(owners[one], owners[other]):
                    apart = distance(one, other)
                    if apart <= edits:
                        near[other] = apart
    return found


def shared(one: Owners, other: Owners) -> bool:
    """Tell whether two sets of owners have one in common; no owners are the keepers."""
    return bool(one & other) or not (one or other)


def _buckets(texts: Iterable[str], edits: int) -> Iterator[list[str]]:
    """Yield the texts that share a deletion neighbour, the neighbours of one length at a time."""
    by_length: dict[int, list[str]] = {}
    for text in sorted(texts):
        by_length.setdefault(len(text), []).append(text)
    lengths = {long - deleted for long in by_length for deleted in range(edits + 1)}
    for length in sorted(length for length in lengths if length >= 0):
        first: dict[str, str] = {}
        more: dict[str, list[str]] = {}
        for text in chain(*(by_length.get(length + deleted, ()) for deleted in range(edits + 1))):
            for key in set(map("".join, combinations(text, length))):
                if first.setdefault(key, text) is not text:
                    more.setdefault(key, [first[key]]).append(text)
        yield from more.values()
