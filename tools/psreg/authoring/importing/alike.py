"""Which prompts of a registry, or imported before, a text is nearly a copy of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psreg.formats.tree import Tree
from psreg.lint.entries.tree_rules import MOST_ALIKE, NEARLY
from psreg.lint.likeness import START, hashes, likeness, prompt_text, sketch


class Alike:
    """Names by the sketches of their texts; those of a registry are read when one is asked for."""

    def __init__(self, tree: Tree) -> None:
        self._unread: Iterable[tuple[str, str]] = (
            (entry.name, sketch(prompt_text(newest)))
            for entry in tree.entries
            for newest in [*entry.submissions()][-1:]
        )
        self._sketches: dict[str, str] = {}
        self._by_hash: dict[str, list[str]] = {}

    def add(self, name: str, text: str) -> str:
        """Add a text; tell of which one before it is nearly a copy, and how much; "" if of none."""
        for known, its_sketch in self._unread:
            self._add(known, its_sketch)
        new = sketch(text)
        names = {each for value in hashes(new[:START]) for each in self._by_hash.get(value, ())}
        shares = {each: likeness(new, self._sketches[each], NEARLY) for each in names}
        self._add(name, new)
        return _most(shares)

    def _add(self, name: str, its_sketch: str) -> None:
        self._sketches[name] = its_sketch
        for value in hashes(its_sketch[:START]):
            names = self._by_hash.setdefault(value, [])
            # NOTE: a sentence that most prompts have gives them a hash in common.
            if len(names) < MOST_ALIKE:
                names.append(name)


def _most(shares: Mapping[str, float]) -> str:
    found = min(((-share, name) for name, share in shares.items()), default=(0, ""))
    return f"{-found[0]:.0%} the text of `{found[1]}`" if -found[0] >= NEARLY else ""
