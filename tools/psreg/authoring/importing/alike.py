"""Which prompts of a registry, or imported before, a text is nearly a copy of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from psreg.formats.tree import Tree
from psreg.lint.entries.tree_rules import MOST_ALIKE, NEARLY
from psreg.lint.likeness import START, hashes, likeness, prompt_text, sketch


class Cluster(NamedTuple):
    """Entries whose texts are nearly copies of each other, the best candidate first; `why` it is.

    The best is one that the registry has already, then the longest text, then what was found first.
    """

    names: Sequence[str]
    why: str


class _Rank(NamedTuple):
    """What the candidates of a cluster are sorted by."""

    is_new: bool
    shortness: int
    place: int


class Alike:
    """Names by the sketches of their texts; those of a registry are read when one is asked for."""

    def __init__(self, tree: Tree) -> None:
        self._unread: Iterable[tuple[str, str]] = (
            (entry.name, prompt_text(newest))
            for entry in tree.entries
            for newest in [*entry.submissions()][-1:]
        )
        self._there = tree.names
        self._ranks: dict[str, _Rank] = {}
        self._clusters: dict[str, list[str]] = {}
        self._sketches: dict[str, str] = {}
        self._by_hash: dict[str, list[str]] = {}

    def add(self, name: str, text: str) -> str:
        """Add a text; tell of which one before it is nearly a copy, and how much; "" if of none."""
        for known, its_text in self._unread:
            self._add(known, its_text, sketch(its_text))
        new = sketch(text)
        names = {each for value in hashes(new[:START]) for each in self._by_hash.get(value, ())}
        shares = {each: likeness(new, self._sketches[each], NEARLY) for each in names}
        self._add(name, text, new)
        for other, share in shares.items():
            if share >= NEARLY:
                self._join(name, other)
        return _most(shares)

    def _join(self, one: str, other: str) -> None:
        """Make one cluster of two; each name has the list of its own."""
        joining, cluster = sorted((self._clusters[one], self._clusters[other]), key=len)
        if cluster is not joining:
            cluster += joining
            self._clusters |= dict.fromkeys(joining, cluster)

    def clusters(self) -> Sequence[Cluster]:
        """Return the clusters of what was added, by their best candidates."""
        several = {id(each): each for each in self._clusters.values() if len(each) > 1}
        return sorted(map(self._ordered, several.values()))

    def _ordered(self, names: Sequence[str]) -> Cluster:
        order = sorted(names, key=self._ranks.__getitem__)
        first, second = (self._ranks[name] for name in order[:2])
        if not first.is_new and second.is_new:
            return Cluster(order, "the registry has it")
        is_longest = first.shortness < second.shortness
        return Cluster(order, "it is the longest" if is_longest else "it comes first")

    def _add(self, name: str, text: str, its_sketch: str) -> None:
        self._sketches[name] = its_sketch
        self._ranks[name] = _Rank(name not in self._there, -len(text), len(self._ranks))
        self._clusters[name] = [name]
        for value in hashes(its_sketch[:START]):
            names = self._by_hash.setdefault(value, [])
            # NOTE: a sentence that most prompts have gives them a hash in common.
            if len(names) < MOST_ALIKE:
                names.append(name)


def _most(shares: Mapping[str, float]) -> str:
    found = min(((-share, name) for name, share in shares.items()), default=(0, ""))
    return f"{-found[0]:.0%} the text of `{found[1]}`" if -found[0] >= NEARLY else ""
