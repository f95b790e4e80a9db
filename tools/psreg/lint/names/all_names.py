"""All names of a registry, and the queries of the rules about names.

A name is the name of an entry, or an alias that is a valid name. Each entry.toml is read once, and
identical files are parsed once. Names are grouped by what they have in common, so that the rules
never compare every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import islice

from psreg.core.classes import CLASSES
from psreg.core.identity import is_name
from psreg.formats import entry as entry_file
from psreg.formats.entry import EntryFile
from psreg.formats.json.pointer import join
from psreg.formats.tree import Entry, Tree
from psreg.lint.names.similarity import (
    FAR,
    Owners,
    bare,
    folds,
    neighbours,
    shared,
    skeletons,
    within_two,
)


def similar_candidates(texts: Iterable[str], names: Iterable[str]) -> set[str]:
    """Return those of `names` that are similar to one of `texts`, or equal to one with an affix."""
    # NOTE: names are usually sorted already, and keep their order: this saves most sorting below.
    wanted, known = set(texts), dict.fromkeys(names)
    found = {other for text in wanted for other in _affixed(text)} & known.keys()
    found.update(_of_the_same_words(wanted, known))
    several = [name for name in known if "\n" not in name]
    for group in (several, *([name] for name in known if "\n" in name)):
        found.update(_looking_alike(wanted, group))
        found.update(_in_keystrokes(wanted, group))
    return found


def _of_the_same_words(texts: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    keys = {words(text) for text in texts}
    longest = {max(key, key=len) for key in keys}
    for word in longest:
        # NOTE: a name of the same words contains the longest; most names do not.
        yield from (name for name in names if word in name and words(name) in keys)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order, singular, without affixes and the like."""
    found = text.split("_")
    little = affixes(), _words("joining")
    telling = [word for word in found if not any(word in each for each in little)] or found
    return tuple(sorted(map(_singular, telling)))


def _singular(word: str) -> str:
    """Return a word without its plural ending and a final `e`; `y` and `ie` become `i`."""
    if len(word) < _PLURAL:
        return word
    for ending, rest in (("zzes", "z"), ("ss", "ss"), ("s", ""), ("y", "i")):
        if word.endswith(ending):
            word = word.removesuffix(ending) + rest
            break
    return word.rstrip("e")


_PLURAL = 4
"""Letters of the shortest word that can be a plural."""


def _affixed(text: str) -> Iterator[str]:
    """Yield `text` without its affix, and `text` with each affix."""
    for affix, _, base in (text.partition("_"), text.rpartition("_")[::-1]):
        if affix in affixes():
            yield base
    for affix in affixes():
        yield f"{affix}_{text}"
        yield f"{text}_{affix}"


def _looking_alike(texts: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    # NOTE: names with a fold in common have a skeleton in common. Skeletons are computed letter
    # by letter, so all names are processed as one text: this takes a tenth of the time.
    looks = {look for text in texts for look in skeletons(text)}
    for together in skeletons("\n".join(names)):
        yield from _those(names, _lines(together, names), looks)


def _in_keystrokes(texts: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    letters = _lines(bare("\n".join(names)), names)
    candidates = sorted(dict.fromkeys(letters))
    long = {text for text in map(bare, texts) if len(text) >= LETTERS}
    near = {other for text in long for other in within_two(text, candidates)}
    yield from _those(names, letters, {other for other in near if len(other) >= LETTERS})


def _those(names: Sequence[str], forms: Sequence[str], wanted: set[str]) -> Iterator[str]:
    """Yield the names whose form is in `wanted`."""
    if not wanted.isdisjoint(forms):
        for name, form in zip(names, forms, strict=True):
            if form in wanted:
                yield name


def _lines(together: str, names: Sequence[str]) -> list[str]:
    return together.split("\n") if len(names) > 1 else [together][: len(names)]


LETTERS = 5
"""Letters and digits of the shortest name that is compared by edit distance."""

ENOUGH = 10
"""The most similar names to look for; AutoMerge lists as many before it folds the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in the tree; `pointer` is "" for the name of an entry, else it points to the alias."""

    text: str
    entry: Entry
    owners: Owners
    pointer: str = ""

    @property
    def path(self) -> str:
        """The path of the entry.toml that has the name."""
        return str(self.entry.path)


def _each(_: Name) -> bool:
    return True


def _as_stated(_: Entry) -> Owners | None:
    return None


class Names:
    """The names of a tree, and which of them are alike; those for which `judged` says so count.

    `owners_of` returns the owners of an entry whose own statement is not to be believed, else None.
    """

    def __init__(
        self,
        tree: Tree,
        judged: Callable[[Name], bool] = _each,
        owners_of: Callable[[Entry], Owners | None] = _as_stated,
    ) -> None:
        self.tree = tree
        self.judged = judged
        self._owners_of = owners_of
        self._read: dict[bytes, tuple[Owners, dict[str, int]]] = {}

    @cached_property
    def all(self) -> tuple[Name, ...]:
        """Every entry's name, then its aliases, by class and name of the entry."""
        return tuple(name for entry in self.tree.entries for name in self._of(entry))

    def __iter__(self) -> Iterator[Name]:
        return filter(self.judged, self.all)

    def _of(self, entry: Entry) -> Iterator[Name]:
        data = self.tree.files.get(entry.path, b"")
        if data not in self._read:
            file = entry_file.read(data)
            owners = stated_owners(file)
            self._read[data] = owners, _aliases(file)
        stated, aliases = self._read[data]
        known = self._owners_of(entry)
        owners = stated if known is None else known
        yield Name(text=entry.name, entry=entry, owners=owners)
        for alias, at in aliases.items():
            if alias != entry.name:
                yield Name(text=alias, entry=entry, owners=owners, pointer=join(("aliases", at)))

    @cached_property
    def by_text(self) -> Mapping[str, list[Name]]:
        """The names by their text; each entry appears once per text."""
        found: dict[str, list[Name]] = {}
        for name in self.all:
            found.setdefault(name.text, []).append(name)
        return found

    @cached_property
    def owners(self) -> Mapping[str, frozenset[Owners]]:
        """The owners of the entries that have a name, by its text."""
        return {text: frozenset(n.owners for n in names) for text, names in self.by_text.items()}

    @cached_property
    def near(self) -> Mapping[str, Mapping[str, int]]:
        """For each name without separators, names of other owners one or two edits away."""
        owners = {
            text: frozenset[object]().union(*(who for name in names for who in self.owners[name]))
            for text, names in self.by_bare.items()
            if len(text) >= LETTERS
        }
        close = neighbours(owners, edits=1, enough=ENOUGH)
        wide = neighbours(owners, edits=2, enough=ENOUGH)
        return {text: wide.get(text, {}) | close.get(text, {}) for text in wide | close}

    @cached_property
    def by_bare(self) -> Mapping[str, list[str]]:
        """The different names, by their letters and digits."""
        found: dict[str, list[str]] = {}
        for text in self.by_text:
            found.setdefault(bare(text), []).append(text)
        return found

    def at_distance(self, name: Name, edits: int) -> list[str]:
        """Return at most `ENOUGH` names of other owners exactly `edits` (1 or 2) from `name`."""
        near = sorted(self.near.get(bare(name.text), {}).items())
        others = (o for text, apart in near if apart == edits < FAR for o in self.by_bare[text])
        return list(islice(self._foreign(name, others), ENOUGH))

    def extended(self, name: Name) -> list[str]:
        """Return the names of other owners from which `name` differs by an affix."""
        found: list[str] = []
        for joined in (name.text.partition("_"), name.text.rpartition("_")[::-1]):
            affix, _, base = joined
            if affix in affixes() and len(bare(base)) >= LETTERS:
                found += self._foreign(name, [base])
        return found

    def of_the_same_words(self, name: Name) -> list[str]:
        """Return the names of other owners with the same words, in any order and number.

        Names that are one affix or one keystroke apart are left out.
        """
        if self.extended(name):
            return []
        near = {name.text, *self.at_distance(name, 1), *_affixed(name.text)}
        found = (text for text in self.by_words.get(words(name.text), ()) if text not in near)
        return list(islice(self._foreign(name, found), ENOUGH))

    @cached_property
    def by_words(self) -> Mapping[tuple[str, ...], list[str]]:
        """The different names, by their words."""
        found: dict[tuple[str, ...], list[str]] = {}
        for text in self.by_text:
            if sum(map(len, key := words(text))) >= LETTERS:
                found.setdefault(key, []).append(text)
        return found

    def _foreign(self, name: Name, others: Iterable[str]) -> Iterator[str]:
        """Yield those of `others` that an entry has which shares no owner with `name`."""
        for text in others:
            if not all(shared(name.owners, who) for who in self.owners.get(text, ())):
                yield text

    @cached_property
    def reserved(self) -> Mapping[str, str]:
        """The reserved names of psreg and of the policy, by their fold."""
        texts = [text for _, text in self.tree.policy_in_force.reserved_names]
        return {fold: text for text in (*reserved(), *texts) for fold in folds(text)}

    @cached_property
    def retired(self) -> Mapping[str, str]:
        """The names that the policy lists as retired, by their fold."""
        retired = [text for _, text in self.tree.policy_in_force.retired_names]
        return {fold: text for text in retired for fold in folds(text)}


def stated_owners(file: EntryFile) -> Owners:
    """Return the owners that an entry.toml states."""
    return frozenset(f"{one.get('forge')}:{one.get('id')}" for one in file.owners)


def _aliases(file: EntryFile) -> dict[str, int]:
    """Return the first position of each alias. Aliases that are not valid names are skipped."""
    found: dict[str, int] = {}
    for at, alias in file.strings("aliases"):
        if is_name(alias):
            found.setdefault(alias, at)
    return found


def reserved() -> frozenset[str]:
    """Return the names that every registry reserves, those of the classes included."""
    return _words("reserved").union(CLASSES)


def affixes() -> frozenset[str]:
    """Return the words that make a name seem related to another."""
    return _words("affixes")


@cache
def _words(table: str) -> frozenset[str]:
    import tomllib  # noqa: PLC0415 - only the rules about names need it

    text = (files("psreg.lint.names") / "data/names.toml").read_text(encoding="utf-8")
    return frozenset(word for words in tomllib.loads(text)[table].values() for word in words)
