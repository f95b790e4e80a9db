"""The texts of a file that content rules check, each with its positions in the source.

A PBE has one segment for each text value and each member name, escapes decoded. A `.prompt`, a
README and a TOML file are one segment each, including comments, because a reader sees all of it.
Expensive facts (positions, code spans, sets of characters) are computed when a rule needs them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from psreg.core.dataclass import dataclass
from psreg.formats.json.json_document import JsonTree
from psreg.lint.content.search_marks import (
    Blocks,
    flattened,
    marks_of_any,
    marks_of_text,
    narrowed,
    places_to_search,
    spaced,
    words_of,
)
from psreg.lint.segments import Kind, Segment, of_document, of_escaped

if TYPE_CHECKING:
    from psreg.formats.dotprompt import Prompt
    from psreg.formats.pbe import Pbe
    from psreg.formats.toml_document import TomlTree


_BASE64 = bytes(
    ord("a" if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "+/_-=") else " ")
    for code in range(0x100)
)
"""An `a` for each character of base64, a blank for others."""


_FEW = 1_000
FEWEST_WORDS = 3

_LONG = 50_000
"""From how many characters on it pays to know where each word of a text is."""


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached_property
class Content:
    """The texts of one file, which content rules check.

    `source` is the text of the file. `capabilities` is what release.toml declares; None for a file
    that does not belong to a release. `prompt` is the parsed `.prompt` and `tree` the parsed PBE if
    the file is one.
    """

    segments: tuple[Segment, ...]
    source: str
    kind: Kind
    capabilities: tuple[str, ...] | None = None
    prompt: Prompt | None = None
    tree: JsonTree | None = None

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the segments."""
        return [segment.text for segment in self.segments]

    @property
    def values(self) -> list[str]:
        """The texts that are not names of members, which only a PBE has."""
        return self.texts

    @property
    def are_names(self) -> list[bool]:
        """Of each of the `texts` whether it is the name of a member."""
        return [segment.kind is Kind.KEY for segment in self.segments]

    @cached_property
    def ascii(self) -> bool:
        """Whether all segments are ASCII; then the rules about Unicode have nothing to check."""
        return self.source.isascii() and ("\\" not in self.source or self.text.isascii())

    @cached_property
    def text(self) -> str:
        """All segments, joined by line breaks."""
        return "\n".join(self.texts)

    @cached_property
    def lower(self) -> str:
        """`text` in lower case, for quick searches."""
        return self.text.lower()

    @cached_property
    def flat(self) -> str:
        """`lower` as patterns read it, with a blank for each white space; as long as `text`."""
        return flattened(self.text, self.lower)

    @cached_property
    def phrases(self) -> str:
        """`flat` with one blank for several and at both ends, to look up phrases."""
        return narrowed(self.flat)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in `flat`, words being letters and digits."""
        if self.is_long:
            return self.blocks.words
        return words_of(self.spaced, ascii_only=self.text.isascii())

    @cached_property
    def is_long(self) -> bool:
        """Whether it pays to know where each word is."""
        return len(self.flat) > _LONG

    @cached_property
    def mixed(self) -> list[str]:
        """The words that have both letters and digits."""
        return [word for word in self.words if not (word.isalpha() or word.isdigit())]

    @cached_property
    def spaced(self) -> str:
        """`flat` with a blank for each sign."""
        return spaced(self.flat)

    @cached_property
    def marks(self) -> frozenset[str]:
        """What selects patterns: every sign and word, and the first letters of each word.

        "" is a mark of every text, and `_NOT_ASCII` of one that is not ASCII.
        """
        return marks_of_text(self.words, self.flat)

    @cached_property
    def vocabulary(self) -> str:
        """All words, each with a blank after it, in one text that is shorter than `flat`."""
        return f"{' '.join(self.words)} "

    def contains(self, needle: str) -> bool:
        """Tell whether `needle`, in lower case, is in `flat`; with a line break, in `lower`."""
        return self.contains_any((needle,))

    def contains_any(self, needles: tuple[str, ...]) -> bool:
        """Tell whether the text `contains` one of `needles`."""
        known = self.marks
        for needle, marks, where in places_to_search(needles):
            if marks <= known and needle in getattr(self, where):
                return True
        return False

    def has_run(self, size: int) -> bool:
        """Tell whether so many letters, digits and signs of base64 may follow one another."""
        return b"a" * size in self._runs

    @cached_property
    def _runs(self) -> bytes:
        return self.text.encode("ascii", "replace").translate(_BASE64)

    def places(self, word: str) -> list[int]:
        """Return the offsets of `word` in `flat`; several patterns ask for the same word.

        A blank after letters and digits is where a word ends, whatever comes then.
        """
        found = self._places.get(word)
        if found is None:
            found = self._places[word] = self._found(word, [(0, len(self.flat))])
        return found

    def places_in(self, blocks: int, word: str) -> list[int]:
        """Return the offsets of `word` in a long text, of which other `blocks` may be left out."""
        if blocks.bit_count() > _FEW:  # these take longer to find one by one
            return self.places(word)
        return self._found(word, self.blocks.parts(blocks))

    def _found(self, word: str, parts: Iterable[tuple[int, int]]) -> list[int]:
        """Return the offsets of `word` that are in one of `parts`."""
        # NOTE: the last word of a text ends, too.
        ends = word[:-1].isalnum() and word[-1] == " "
        find, more = (self._ended if ends else self.flat).find, len(word) - 1
        found: list[int] = []
        for begin, end in parts:
            at = find(word, begin, end + more)
            while at >= 0:
                found.append(at)
                at = find(word, at + 1, end + more)
        return found

    @cached_property
    def _ended(self) -> str:
        return f"{self.spaced} "

    @cached_property
    def blocks(self) -> Blocks:
        """Where the marks of a long text are."""
        return Blocks(self.flat, self.spaced, ascii_only=self.text.isascii())

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        return {}

    @cached_property
    def begun(self) -> dict[int, list[Any]]:
        """The spellings of a row that may match, by the row; several rules ask for the same one."""
        return {}

    @cached_property
    def hits(self) -> dict[int, list[Any]]:
        """What was found in a long text, by the rows that were looked for."""
        return {}

    def joined(self, signs: dict[int, int], kept: list[tuple[int, int, str]]) -> Content:
        """Return parts of `text`, each with what follows it, as one segment without positions.

        `signs` are the plain ones to read for others, one character for one.
        """
        whole, text = self, self.text if self.ascii else self.text.translate(signs)
        if text != self.text:
            whole = _as_one(text, self)
            phrases = self.phrases.translate(signs)
            vars(whole).update(words=self.words, marks=self.marks, phrases=phrases)
        one = _as_one("".join([text[start:end] + then for start, end, then in kept]), self)
        if self.is_long:  # most words of the whole are not in these parts, which are often few
            return one
        return _Joined(
            segments=one.segments, source=one.source, kind=one.kind, whole=whole, kept=kept
        )

    def segment_at(self, offset: int) -> tuple[int, int]:
        """Return which segment contains `text[offset]`, and where in `text` it begins."""
        index = bisect_right(self.offsets, offset) - 1
        return index, self.offsets[index]

    def find_among(
        self, pattern: re.Pattern[str], words: Iterable[str], fewest: int = FEWEST_WORDS
    ) -> Iterator[tuple[Segment, re.Match[str]]]:
        """Yield every match of `pattern`, which is a row of different `words`, as `find` does.

        A block of a long text has so many of them at least if such a row goes through it.
        """
        if not self.is_long or len(self.segments) > 1:
            yield from self.find(pattern)
            return
        (segment,) = self.segments
        for begin, end in self.blocks.parts(self.blocks.dense(words, fewest)):
            for match in pattern.finditer(segment.text, begin, end):
                yield segment, match

    @cached_property
    def offsets(self) -> list[int]:
        """Where in `text` each segment begins."""
        return list(accumulate([len(text) + 1 for text in self.texts], initial=0))[:-1]

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters that occur."""
        return frozenset(self.text)

    def find(
        self, pattern: re.Pattern[str], *needles: str
    ) -> Iterator[tuple[Segment, re.Match[str]]]:
        r"""Yield every match of `pattern` with its segment.

        If `needles` are given, every match contains one of them (lower case), and a file without
        any of them is not searched. Of all anchors, the pattern may use only `\b` and, with
        MULTILINE, `^` and `$`: first all segments are searched together, and one by one only if
        there is a match.
        """
        if needles and marks_of_any(needles).isdisjoint(self.marks):
            return
        if needles and not self.contains_any(needles):
            return
        if len(self.texts) > 1 and pattern.search(self.text) is None:
            return
        for segment in self.segments:
            for match in pattern.finditer(segment.text):
                yield segment, match


class _Values(Content):
    """The names and texts of a JSON document; most rules need none of their positions."""

    tree: JsonTree

    def __init__(self, tree: JsonTree, capabilities: tuple[str, ...] | None) -> None:
        facts = {"source": tree.text, "kind": Kind.VALUE, "capabilities": capabilities}
        vars(self).update(facts, tree=tree, prompt=None)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Each name and each text in source order."""
        return tuple(of_document(self.tree))

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the segments."""
        return self._strings[0]

    @property
    def values(self) -> list[str]:
        """The values alone."""
        return self._strings[2]

    @property
    def are_names(self) -> list[bool]:
        """Of each of the `texts` whether it is the name of a member."""
        return self._strings[3]

    @cached_property
    def phrases(self) -> str:
        """Values before names: here is also what a sentence says that is split over values."""
        _, names, values, _ = self._strings
        text = "\n".join([*values, *names])
        return narrowed(flattened(text, text.lower()))

    @cached_property
    def _strings(self) -> tuple[list[str], list[str], list[str], list[bool]]:
        """All texts in source order, the names, the values, and which texts are names."""
        found: tuple[list[str], list[str], list[str], list[bool]] = ([], [], [], [])
        texts, names, values, are_names = found

        def take(value: Any) -> None:
            # NOTE: recursion is bounded, the parser refuses deep nesting.
            if isinstance(value, str):
                texts.append(value)
                values.append(value)
                are_names.append(False)
            elif isinstance(value, dict):
                for name, item in value.items():
                    texts.append(name)
                    names.append(name)
                    are_names.append(True)
                    take(item)
            elif isinstance(value, list):
                for item in value:
                    take(item)

        take(self.tree.value)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class _Joined(Content):
    """Parts of another content, in which its words are looked up."""

    whole: Content
    kept: list[tuple[int, int, str]]

    def __post_init__(self) -> None:
        # NOTE: words that are not in these parts only make a search less quick.
        whole = self.whole
        shared = {"words": whole.words, "marks": whole.marks, "phrases": whole.phrases}
        vars(self).update(shared, begun=whole.begun)

    def contains_any(self, needles: tuple[str, ...]) -> bool:
        return self.whole.contains_any(needles)

    def places(self, word: str) -> list[int]:
        found = self._places.get(word)
        if found is None:
            found = self._places[word] = list(self._moved(word))
        return found

    def _moved(self, word: str) -> Iterator[int]:
        size = len(word.rstrip())
        for at in self.whole.places(word):
            index = bisect_right(self._starts, at) - 1
            if index >= 0 and at + size <= self.kept[index][1]:
                yield at - self._starts[index] + self._begin[index]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _, _ in self.kept]

    @cached_property
    def _begin(self) -> list[int]:
        sizes = (end - start + len(then) for start, end, then in self.kept)
        return list(accumulate(sizes, initial=0))


def of_pbe(pbe: Pbe, capabilities: tuple[str, ...] | None = None) -> Content:
    """Return the texts of a PBE; of duplicate names the last counts, as in the parsed value."""
    return of_json(pbe.tree, capabilities)


def of_json(tree: JsonTree, capabilities: tuple[str, ...] | None = None) -> Content:
    """Return the texts of the document of a PBE, whatever it is about."""
    return _Values(tree, capabilities)


def of_prompt(prompt: Prompt, capabilities: tuple[str, ...] | None = None) -> Content:
    """Return the text of a `.prompt`, including comments and metadata; made once."""
    known: dict[tuple[str, ...] | None, Content] = prompt.contents
    if capabilities not in known:
        known[capabilities] = Content(
            segments=(Segment(text=prompt.text, kind=Kind.PROMPT),),
            source=prompt.text,
            kind=Kind.PROMPT,
            capabilities=capabilities,
            prompt=prompt,
        )
    return known[capabilities]


def of_readme(text: str) -> Content:
    """Return the text of a README.md."""
    return Content(segments=(Segment(text=text, kind=Kind.README),), source=text, kind=Kind.README)


def of_values(texts: Iterable[str]) -> Content:
    """Return texts without a file: readings, or what is decoded."""
    segments = tuple(Segment(text=text, kind=Kind.VALUE) for text in texts)
    source = "\n".join(segment.text for segment in segments)
    return Content(segments=segments, source=source, kind=Kind.VALUE)


def of_toml(tree: TomlTree) -> Content:
    """Return the text of a TOML file, escapes decoded, including keys and comments."""
    from psreg.formats import toml_document  # noqa: PLC0415 - see `blocking`

    text = toml_document.decoded(tree.text)
    source = "" if text is tree.text else tree.text
    return Content(
        segments=(Segment(text=text, kind=Kind.TOML, source=source),),
        source=tree.text,
        kind=Kind.TOML,
    )


def of_records(text: str) -> Content:
    """Return the text of JSON or JSON Lines, escapes decoded, whether it can be parsed or not."""
    segment = of_escaped(text)
    return Content(segments=(segment,), source=text, kind=Kind.RECORDS)


def _as_one(text: str, like: Content) -> Content:
    segment = Segment(text=text, kind=Kind.VALUE)
    return Content(segments=(segment,), source=text, kind=like.kind)
