"""Find the names that the rules about names might report together with some given names.

The result may contain more names than the rules report (owners and waivers are ignored), never
fewer. The time grows with the number of names, by about a microsecond each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from psreg.lint.names.all_names import LETTERS, affixes
from psreg.lint.names.similarity import bare, skeletons, within_two


def similar_candidates(texts: Iterable[str], names: Iterable[str]) -> set[str]:
    """Return those of `names` that are similar to one of `texts`, or equal to one with an affix."""
    # NOTE: names are usually sorted already, and keep their order: this saves most sorting below.
    wanted, known = set(texts), dict.fromkeys(names)
    found = {other for text in wanted for other in _affixed(text)} & known.keys()
    several = [name for name in known if "\n" not in name]
    for group in (several, *([name] for name in known if "\n" in name)):
        found.update(_looking_alike(wanted, group))
        found.update(_in_keystrokes(wanted, group))
    return found


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
