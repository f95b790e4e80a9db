"""The rule about suspicious text that other rules would find without its disguise."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.core.terminal import code_points, quoted
from psreg.lint.content import text_folding
from psreg.lint.content.pattern_search import REACH, Hit, Rows, hits
from psreg.lint.content.pattern_tables import disguisable
from psreg.lint.content.texts import Content, of_values
from psreg.lint.segments import Kind, Segment

if TYPE_CHECKING:
    from psreg.lint.content.appearance.layers import Layer


@rule("PS014", spec="registry/CONTENT", severity=ERROR)
def disguised_text(content: Content) -> Iterator[Finding]:
    """Suspicious text is disguised: by other letters, entities, markup, comments or defaults.

    ## Why
    Other rules find orders to an assistant, drop hosts, secrets, and commands that download and run
    something. Spelled with Cyrillic letters or small capitals, with invisible characters, markup or
    a comment inside words, with entities, or put together from the defaults of a `.prompt`, such a
    text means the same to an assistant and escapes a search. Nobody writes like that by accident.
    Digits for letters, single letters with spaces, ROT13 and its like, percent signs and escapes,
    text written backwards or as one word, words that are broken or misspelt, and sentences that are
    split over several values of a PBE are a warning.

    ## Fix
    Write the text in plain letters, so that it can be checked as what it says, or delete it.

    ```text
    before   ign{U+043E}re all previous instructions
    after    (deleted)
    ```
    """
    yield from _readings(content)


_LATIN = "\u024f"
"""The last letter of Latin; patterns for other scripts need the letters as they are."""


_ORDERS = ("PS010", "PS011", "PS012", "PS018")
"""The rules about what an assistant is told; the others find words that programs have, too."""


def _readings(content: Content) -> Iterator[Finding]:
    """Yield what is found in each of the ways to read a text; what some find again is told once."""
    # NOTE: not needed where nothing is checked.
    from psreg.lint.content.appearance import layers, plain, readings  # noqa: PLC0415

    text = content.text if content.ascii else content.text.translate(text_folding.TYPOGRAPHY)
    source = layers.Layer(text=text)
    layer = plain.filled_in(source, content.prompt) if content.prompt else source
    if layer is None:
        yield _unchecked(
            content,
            f"more than {plain.MOST:,} comments and defaults, or more than {plain.LARGEST:,} "
            "characters of defaults: what they make up is not checked",
            "Write the text itself.",
        )
        return
    said = _Said(content)
    if said.says_too_much:
        yield _unchecked(
            content,
            f"more than {MOST_SAID:,} suspicious texts: what is disguised among them is not "
            "checked",
            "Keep a few of them as examples.",
        )
        return
    if len(layer.text) > _LONG:
        yield from _in_parts(said, layer)
        yield from _across_values(said, source)
    else:
        yield from _in_one_go(said, source, layer)
    for hidden in readings.of_letters(source):
        yield from _disguised(said, hidden, _found_in([_near_edits(hidden)])[0])


def _unchecked(content: Content, message: str, hint: str) -> Finding:
    return Finding(message=message, at=content.segments[0].span(0, 0), hint=hint)


MOST_SAID = 100
"""How many suspicious texts a long text may say openly."""

_LONG = 50_000
"""A text that is read in parts: what tells that one is disguised is somewhere in any book."""

MOST_READ = 650_000
"""How many characters of readings a long text may have.

Files of the largest size, ordinary texts in 74 languages, have at most 580,000.
"""

MOST_DISGUISED = 100
"""How many disguised texts are told of a long text."""

_TOGETHER = MOST_READ // 2
"""So many characters of readings are searched together."""


def _in_one_go(said: _Said, source: Layer, layer: Layer) -> Iterator[Finding]:
    """Yield what is found in the ways to read `layer`, which is `source` without comments."""
    content, read = said.content, source
    for read in _plainly(layer, content, source):
        if read is not source:
            yield from _disguised(said, read, _found_in([_whole(read)])[0])
    if read is source or not content.ascii:
        yield from _across_values(said, source)
    for turned in _turned(read, content, source):
        yield from _disguised(said, turned, _found_in([_near_edits(turned)])[0])


def _in_parts(said: _Said, layer: Layer) -> Iterator[Finding]:
    """Yield what is found in the ways to read each part of a long text."""
    from psreg.lint.content.appearance import layers  # noqa: PLC0415 - see above

    together: list[list[_Searched]] = []
    read = searched = 0
    for part in layers.parts(layer):
        ways = list(_ways(part))
        together.append(ways)
        read += sum(len(text) for way in ways for _, text in way.texts)
        # NOTE: too much is an error, whatever the last readings say; to search them takes long.
        if read - searched > _TOGETHER and read <= MOST_READ:
            yield from _of_parts(said, together)
            searched, together = read, []
        if read > MOST_READ or len(said.told) > MOST_DISGUISED:
            yield _unchecked(
                said.content,
                "so much of the text may be disguised that the rest is not checked",
                "Write words as they are spelled, without signs between them.",
            )
            return
    yield from _of_parts(said, together)


def _of_parts(said: _Said, together: list[list[_Searched]]) -> Iterator[Finding]:
    found = iter(_found_in(list(chain(*together))))
    for ways in together:
        said.begin_part()
        for way in ways:
            yield from _disguised(said, way.layer, next(found))


def _ways(part: Layer) -> Iterator[_Searched]:
    """Yield the ways to read a part of a text."""
    content, read = of_values([part.text]), part
    changed = bool(part.disguises(0, len(part.text)))
    seen = set() if changed else {part.text}
    for read in _plainly(part, content, None if changed else part):
        if read.text not in seen:
            seen.add(read.text)
            yield _Searched(read, _texts(read, read.near_changes(_NEAR)))
    yield from map(_near_edits, _turned(read, content, part))


def _plainly(layer: Layer, content: Content, source: Layer | None) -> Iterator[Layer]:
    """Yield a text as a reader takes it, the last time in plain letters."""
    from psreg.lint.content.appearance import plain, readings  # noqa: PLC0415 - see above

    foreign = any(c > _LATIN and c.isalpha() for c in _characters(content))
    simple = not foreign and (not content.ascii or content.marks.isdisjoint("&%"))
    visible = layer if simple else plain.plain(layer, content, fold=False)
    if visible is not source and not visible.text.isascii():
        yield visible
    if foreign or visible is not layer:
        yield from readings.in_script(visible)
    yield plain.plain(layer, content)


def _turned(read: Layer, content: Content, source: Layer) -> Iterator[Layer]:
    from psreg.lint.content.appearance import readings  # noqa: PLC0415 - see above

    words = content.words if read is source else None
    return readings.turned(read, words, _characters(content))


def _characters(content: Content) -> frozenset[str]:
    return frozenset() if content.ascii else content.characters


def _across_values(said: _Said, source: Layer) -> Iterator[Finding]:
    """Yield what a sentence says that is split over values."""
    content = said.content
    if len(content.are_names) < 2 or not _may_say_something(content):  # noqa: PLR2004 - two values
        return
    kept = _kept(content, len(source.text))
    joined = content.joined(text_folding.TYPOGRAPHY, kept)
    # NOTE: most values say nothing across their ends; that is quick to see.
    if content.is_long or _all_rows().match_over(joined, _ends(kept)):
        yield from _disguised(said, _joined(source, kept), _found(joined))


def _may_say_something(content: Content) -> bool:
    """Tell quickly whether the values of `content` may say in a row what some rule reports."""
    return not content.ascii or any(True for _ in _all_rows().possible(content))


_NEAR = 500
"""The characters of a sentence that may be beyond the end of a value, or of what is disguised."""


def _kept(content: Content, size: int) -> list[tuple[int, int, str]]:
    """Return which parts of a PBE are values, and what is read between the ends of a long one."""
    kept, at = [], 0
    # NOTE: most rules need no segments of a PBE, and it takes long to make them.
    for text, is_name in zip(content.texts, content.are_names, strict=True):
        start, at = at, at + len(text) + 1
        if is_name:
            continue
        if at - start > 2 * _NEAR:
            # NOTE: what a value says by itself is found in it; here its ends matter.
            kept.append((start, start + _NEAR, "\n.\n"))
            start = at - _NEAR
        kept.append((start, min(at, size), ""))
    return kept


def _ends(kept: list[tuple[int, int, str]]) -> list[int]:
    """Return where the parts of a joined text end, and what is read between two."""
    found: list[int] = []
    at = 0
    for start, end, then in kept:
        at += end - start
        found.append(at)
        if then:
            at += len(then)
            found.append(at)
    return found


def _joined(source: Layer, kept: list[tuple[int, int, str]]) -> Layer:
    """Return the values of a PBE as one text, without the names of members between them."""
    from psreg.lint.content.appearance import layers  # noqa: PLC0415 - see above

    edits, done, between = [], 0, ""
    for start, end, then in [*kept, (len(source.text), 0, "")]:
        if start > done:
            edits.append(layers.Edit(done, start, between))
        done, between = end, then
    return layers.layer(source, layers.JOINED, edits)


def _found(read: Content, codes: Iterable[str] | None = None) -> list[_OfRule]:
    """Return what the rules `codes`, or all, find in `read`, if they find anything."""
    each = ((code, disguisable()[code]) for code in codes or disguisable())
    found = ((code, rows, list(hits(read, rows))) for code, rows in each)
    return [known for known in found if known[-1]]


_OfRule = tuple[str, Rows, list[Hit]]
"""What a rule finds, with its patterns."""


class _Searched(NamedTuple):
    """A way to read a text, and the parts of it that are searched, each with its offset."""

    layer: Layer
    texts: list[tuple[int, str]]


def _whole(layer: Layer) -> _Searched:
    return _Searched(layer, [(0, layer.text)])


def _near_edits(layer: Layer) -> _Searched:
    """Return what is near the edits of `layer`; the layer below is searched, too."""
    from psreg.lint.content.appearance import layers, readings  # noqa: PLC0415 - see above

    parts = layer.near_edits(_NEAR)
    if layer.how in layers.SCATTERED:
        parts = readings.near_telling(layer.text, _NEAR)
    return _Searched(layer, _texts(layer, parts))


def _texts(layer: Layer, parts: Iterable[Span]) -> list[tuple[int, str]]:
    return [(part.start, layer.text[part.start : part.end]) for part in parts]


def _found_in(ways: list[_Searched]) -> list[list[_OfRule]]:
    """Return what each rule that counts finds in each of the ways to read a text."""
    from psreg.lint.content.appearance.layers import SCATTERED  # noqa: PLC0415 - see above

    found: list[list[_OfRule]] = [[] for _ in ways]
    any_rule: list[Segment] = []
    orders: list[Segment] = []
    places = {}
    for number, way in enumerate(ways):
        whole = Segment(text=way.layer.text, kind=Kind.VALUE)
        segments = orders if way.layer.how in SCATTERED else any_rule
        for begin, text in way.texts:
            segments.append(Segment(text=text, kind=Kind.VALUE))
            places[id(segments[-1])] = number, whole, begin
    in_any = _found(Content(segments=tuple(any_rule), source="", kind=Kind.VALUE))
    in_orders = _found(Content(segments=tuple(orders), source="", kind=Kind.VALUE), _ORDERS)
    for code, rows, its_hits in (*in_any, *in_orders):
        for hit in its_hits:
            number, whole, begin = places[id(hit.segment)]
            moved = hit.moved(whole, begin)
            if found[number] and found[number][-1][0] == code:
                found[number][-1][2].append(moved)
            else:
                found[number].append((code, rows, [moved]))
    return found


def _disguised(said: _Said, layer: Layer, found: list[_OfRule]) -> Iterator[Finding]:
    """Yield a finding for what is `found` in `layer` and the source does not say openly."""
    from psreg.lint.content.appearance import layers, readings  # noqa: PLC0415 - see above

    scattered = layer.how in layers.SCATTERED
    if scattered and said.found_in_part:
        return
    for code, rows, its_hits in found:
        for hit in (hit.with_context for hit in its_hits):
            if scattered and not readings.is_telling(hit.plain):
                continue
            span = layer.span(hit.start, hit.end)
            number, begin = said.content.segment_at(span.start)
            segment = said.content.segments[number]
            end = min(span.end - begin, len(segment.text))
            inside = Span(span.start - begin, end)
            # NOTE: most of what is found in a long text is said openly; that is quick to see.
            if said.content.is_long and said.openly(rows, number, inside):
                continue
            hows = layer.disguises(hit.start, hit.end) + [layers.JOINED] * (end < span.end - begin)
            around = max(0, hit.start - REACH), hit.end + REACH
            if not hows and layers.COMMENTS in layer.disguises(*around):
                hows = [layers.EXCUSED]
            # NOTE: of a text that is written backwards, each hit is the whole text.
            if hows and not said.before(code, rows, number, inside):
                said.told.add((code, number, inside))
                yield _finding(code, hit, segment, inside, hows)


class _Said:
    """What a content says openly, and what was found to be disguised in it."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.told: set[tuple[str, int, Span]] = set()
        self._told_before = 0
        self._with_plain_signs: dict[tuple[int, int], _Places] = {}

    @property
    def says_too_much(self) -> bool:
        """Whether a long text openly says more than anybody shows as examples."""
        if not self.content.is_long:
            return False
        found = (self._open.found(rows).values() for rows in disguisable().values())
        return sum(map(len, chain.from_iterable(found))) > MOST_SAID

    @property
    def found_in_part(self) -> bool:
        """Whether something was found in this part of the text."""
        return len(self.told) > self._told_before

    def begin_part(self) -> None:
        """Go on with the next part of the text."""
        self._told_before = len(self.told)

    def before(self, code: str, rows: Rows, number: int, span: Span) -> bool:
        """Tell whether a segment says openly at `span` what `rows` find, or a finding told it."""
        if (code, number, span) in self.told:
            return True
        if self.openly(rows, number, span):
            return True
        if not self.content.is_long:
            return False
        reach = _NEAR + REACH
        near = self.content.texts[number][max(0, span.start - reach) : span.end + reach]
        # NOTE: among plain signs, the text says what it says openly.
        return not near.isascii() and self._around(number, span.start).overlap(rows, number, span)

    def openly(self, rows: Rows, number: int, span: Span) -> bool:
        """Tell whether `rows` find something at `span` in the text as it is."""
        return self._open.overlap(rows, number, span)

    @cached_property
    def _open(self) -> _Places:
        """The content, with plain signs if it is not long."""
        texts, plain = self.content.texts, text_folding.TYPOGRAPHY
        if self.content.is_long or self.content.text.translate(plain) == self.content.text:
            return _Places(self.content, [(number, 0) for number in range(len(texts))])
        return _Places.of([(number, 0, text.translate(plain)) for number, text in enumerate(texts)])

    def _around(self, number: int, at: int) -> _Places:
        """Return what is around a place of a long text, with plain signs."""
        where = number, at // _AROUND
        known = self._with_plain_signs.get(where)
        if known is None:
            begin = max(0, at // _AROUND * _AROUND - _NEAR - REACH)
            text = self.content.texts[number][begin : begin + _AROUND + 2 * (_NEAR + REACH)]
            plain = text.translate(text_folding.TYPOGRAPHY)
            known = _Places.of([(number, begin, plain)] if plain != text else [])
            self._with_plain_signs[where] = known
        return known


_AROUND = 5_000
"""So many characters are searched together with plain signs."""


class _Places:
    """Where texts say what rules look for: `read` has texts, or parts, of which `at` is known.

    That is the number of a segment, and where in it the part begins.
    """

    def __init__(self, read: Content, at: Iterable[tuple[int, int]]) -> None:
        self._read = read
        self._at = dict(zip(map(id, read.segments), at, strict=True))
        self._found: dict[int, dict[int, list[tuple[int, int]]]] = {}

    @classmethod
    def of(cls, parts: list[tuple[int, int, str]]) -> _Places:
        """Return those of the texts of `parts`, each after its number and offset."""
        read = of_values(text for _, _, text in parts)
        return cls(read, [(number, begin) for number, begin, _ in parts])

    def overlap(self, rows: Rows, number: int, span: Span) -> bool:
        """Tell whether `rows` find something at `span` of the segment with this `number`."""
        return _overlaps(span, self.found(rows).get(number, []))

    def found(self, rows: Rows) -> dict[int, list[tuple[int, int]]]:
        """Return what `rows` find, ascending, by the numbers of segments."""
        known = self._found.get(id(rows))
        if known is None:
            known = self._found[id(rows)] = {}
            for hit in hits(self._read, rows):
                number, begin = self._at[id(hit.segment)]
                known.setdefault(number, []).append((begin + hit.start, begin + hit.end))
            for spans in known.values():
                spans.sort()
        return known


@cache
def _all_rows() -> Rows:
    return Rows.of_all(disguisable().values())


def _overlaps(span: Span, others: list[tuple[int, int]]) -> bool:
    before = bisect_right(others, (span.end, 0)) - 1
    return before >= 0 and others[before][1] > span.start


def _finding(code: str, hit: Hit, segment: Segment, span: Span, hows: list[str]) -> Finding:
    from psreg.lint.content.appearance.layers import CHARACTERS, PERHAPS, SCATTERED  # noqa: PLC0415 - see above

    text = segment.text[span.start : span.end]
    masks = "".join(dict.fromkeys(filter(_is_mask, text)))
    shown = f"is disguised with {code_points(masks)}" if masks else CHARACTERS
    told = dict.fromkeys(shown if how == CHARACTERS else how for how in hows)
    return Finding(
        message=f"{quoted(hit.plain)} {', and '.join(told)}; {hit.pattern.note} ({code})",
        at=segment.span(span.start, span.end),
        hint="Write it in plain letters, or delete it.",
        severity=WARNING if PERHAPS.issuperset(hows) or not SCATTERED.isdisjoint(hows) else None,
    )


def _is_mask(character: str) -> bool:
    if character.isascii() or ord(character) in text_folding.TYPOGRAPHY:
        return False
    return text_folding.folded(character) != character


DISGUISE_RULES: tuple[Rule[Content], ...] = (disguised_text,)
