"""How similar two names are: how they look, and how many keystrokes separate them.

Names are ASCII (PBE-A2), so there are few look-alikes: digits for letters, `rn` for `m`, `vv` for
`w`. Similar pairs among many names are found by deletion neighbourhoods: two names at most two
edits apart share a text that each becomes by deleting at most two characters, so that not every
pair is compared.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations

Owners = frozenset[object]
"""The owners of a name; an empty set means the maintainers of the registry."""

FAR = 3
"""What `distance` returns for any distance of more than two."""

_DIGITS = "01234579"
_READINGS = (str.maketrans(_DIGITS, "olzeastg"), str.maketrans(_DIGITS, "oizeastg"))
"""Letters that digits look like. In each reading, every digit has its own letter, so that
`part_1` and `part_2` have no fold in common; 1 is read as `l` and as `i`."""


def bare(name: str) -> str:
    """Return the letters and digits of `name`, in lower case."""
    return name.lower().replace("_", "").replace("-", "")


def folds(name: str) -> frozenset[str]:
    """Return `name` without case and separators, and with letters for digits that look like them.

    Two names look the same to a reader if they have one of these texts in common.
    """
    return frozenset(bare(name).translate(reading) for reading in _READINGS)


def skeletons(name: str) -> frozenset[str]:
    """Return what `name` looks like at a glance; names that look alike have one skeleton in common.

    Like Unicode's confusables (UTS 39, where `m` becomes `rn`) and the list of crates.io (`vv`,
    `w`).
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
    """Compute the distance row by row; stop as soon as it is certain to be too large."""
    rows = [list(range(len(other) + 1))]
    for down in range(1, len(one) + 1):
        rows.append(_row(rows, one, other, down))
        if min(rows[-1]) >= FAR:
            return FAR
    return rows[-1][-1]


def _row(rows: list[list[int]], one: str, other: str, down: int) -> list[int]:
    """Return row `down` of the table of distances, given the rows above it."""
    width = len(other) + 1
    here = one[down - 1]
    row = [down] + [FAR] * len(other)
    match = 0  # the last column whose character is this row's
    for across in range(max(1, down - 2), min(width, down + 3)):
        there = other[across - 1]
        best = min(
            rows[down - 1][across] + 1,
            row[across - 1] + 1,
            rows[down - 1][across - 1] + (here != there),
        )
        above = one.rfind(there, 0, down - 1) + 1  # the last row whose character is this column's
        if above and match:
            moved = (down - above - 1) + 1 + (across - match - 1)
            best = min(best, rows[above - 1][match - 1] + moved)
        if here == there:
            match = across
        row[across] = min(best, FAR)
    return row


def within_two(text: str, others: Sequence[str]) -> Iterator[str]:
    """Yield those of `others`, which are sorted, that are at most two edits from `text`.

    A common beginning of several others is compared once. If a beginning is already too far from
    `text`, all others with this beginning are skipped.
    """
    rows = [list(range(len(text) + 1))]
    before, at = "", 0
    while at < len(others):
        other = others[at]
        kept = next((i for i, (a, b) in enumerate(zip(before, other, strict=False)) if a != b), -1)
        del rows[(kept if kept >= 0 else min(len(before), len(other))) + 1 :]
        at += 1
        far = False
        while len(rows) <= len(other) and not far:
            rows.append(_row(rows, other, text, len(rows)))
            far = min(rows[-1]) >= FAR
        before = other[: len(rows) - 1]
        if far:
            at = bisect_right(others, before + chr(sys.maxunicode), at)
        elif rows[-1][-1] < FAR:
            yield other


def neighbours(
    owners: Mapping[str, Owners], *, edits: int, enough: int
) -> dict[str, dict[str, int]]:
    """Return, for each text, others at most `edits` (1 or 2) away that share no owner with it.

    `owners` gives the owners of each text. At most `enough` others are listed for a text: with so
    many similar names, a complete list is not needed. The time grows with the number of texts, not
    with its square.
    """
    found: dict[str, dict[str, int]] = {}
    if len(set(owners.values())) <= 1:
        return found  # one owner has all of them, as in a new registry
    for bucket in _buckets(owners, edits):
        by_owners: dict[Owners, list[str]] = {}
        for text in bucket:
            by_owners.setdefault(owners[text], []).append(text)
        for one in bucket:
            near = found.setdefault(one, {})
            foreign = (them for who, them in by_owners.items() if not shared(owners[one], who))
            for other in chain.from_iterable(foreign):
                if len(near) >= enough:
                    break
                if other not in near and (apart := distance(one, other)) <= edits:
                    near[other] = apart
    return found


def shared(one: Owners, other: Owners) -> bool:
    """Tell whether two sets of owners have one in common; no owners means the maintainers."""
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
