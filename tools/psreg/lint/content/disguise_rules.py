"""The rule about suspicious text that other rules would find without its disguise."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING

from psreg.core.diagnostics import ERROR, WARNING, Finding, Span
from psreg.core.rule import Rule, rule
from psreg.core.terminal import code_points, quoted
from psreg.lint.content import text_folding
from psreg.lint.content.pattern_search import REACH, Hit, Rows, hits
from psreg.lint.content.pattern_tables import disguisable, patterns
from psreg.lint.content.texts import Content, Kind, Segment

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
        yield Finding(
            message=f"more than {plain.MOST:,} comments and defaults, or more than "
            f"{plain.LARGEST:,} characters of defaults: what they make up is not checked",
            at=content.segments[0].span(0, 0),
            hint="Write the text itself.",
        )
        return
    said = _Said(content)
    characters = frozenset() if content.ascii else content.characters
    foreign = any(c > _LATIN and c.isalpha() for c in characters)
    simple = not foreign and (not content.ascii or content.marks.isdisjoint("&%"))
    visible = layer if simple else plain.plain(layer, content, fold=False)
    if visible is not source and not visible.text.isascii():
        yield from _disguised(said, visible, _found(_as_content(visible.text)))
    for other in readings.in_script(visible) if foreign or visible is not layer else ():
        yield from _disguised(said, other, _found(_as_content(other.text)))
    layer = plain.plain(layer, content)
    if layer is not source:
        yield from _disguised(said, layer, _found(_as_content(layer.text)))
    if (
        (layer is source or not content.ascii)
        and len(content.texts) > 1
        and _may_say_something(content)
    ):
        kept = _kept(content, len(text))
        # NOTE: few texts say anything across values; the others need no positions.
        if found := _found(content.joined(text_folding.TYPOGRAPHY, kept)):
            yield from _disguised(said, _joined(source, kept), found)
    words = content.words if layer is source else None
    for turned in chain(readings.turned(layer, words, characters), readings.of_letters(source)):
        yield from _disguised(said, turned, _found_near_edits(turned))


def _may_say_something(content: Content) -> bool:
    """Tell quickly whether the values of `content` may say in a row what some rule reports."""
    if not content.ascii:
        return True
    begun = [row for row, _ in _all_rows().possible(content)]
    if not begun:
        return False
    # NOTE: where the values are is not needed to see that they say nothing.
    text = "\n".join(map(_ends, content.values))
    return any(row.is_in(text) for row in begun)


_NEAR = 500
"""The characters of a sentence that may be beyond the end of a value, or of what is disguised."""


def _ends(value: str) -> str:
    """Return what `_kept` keeps of a value."""
    return value if len(value) < 2 * _NEAR else f"{value[:_NEAR]}\n.\n{value[1 - _NEAR :]}"


def _kept(content: Content, size: int) -> list[tuple[int, int, str]]:
    """Return which parts of a PBE are values, and what is read between the ends of a long one."""
    kept, at = [], 0
    for segment in content.segments:
        start, at = at, at + len(segment.text) + 1
        if segment.kind is Kind.KEY:
            continue
        if at - start > 2 * _NEAR:
            # NOTE: what a value says by itself is found in it; here its ends matter.
            kept.append((start, start + _NEAR, "\n.\n"))
            start = at - _NEAR
        kept.append((start, min(at, size), ""))
    return kept


def _joined(source: Layer, kept: list[tuple[int, int, str]]) -> Layer:
    """Return the values of a PBE as one text, without the names of members between them."""
    from psreg.lint.content.appearance import layers  # noqa: PLC0415 - see above

    edits, done, between = [], 0, ""
    for start, end, then in [*kept, (len(source.text), 0, "")]:
        if start > done:
            edits.append(layers.Edit(done, start, between))
        done, between = end, then
    return layers.layer(source, layers.JOINED, edits)


def _as_content(text: str) -> Content:
    segment = Segment(text=text, kind=Kind.VALUE)
    return Content(segments=(segment,), source=text, kind=Kind.VALUE)


def _found(read: Content) -> list[tuple[str, Rows, list[Hit]]]:
    """Return what each rule finds in `read`, with its patterns, if it finds anything."""
    each = ((code, rows, list(hits(read, rows))) for code, rows in _rows().items())
    return [found for found in each if found[-1]]


def _found_near_edits(layer: Layer) -> list[tuple[str, Rows, list[Hit]]]:
    """Return what each rule finds near the edits of `layer`; the layer below has been searched."""
    parts = list(layer.near_edits(_NEAR))
    segments = tuple(
        Segment(text=layer.text[part.start : part.end], kind=Kind.VALUE) for part in parts
    )
    read = Content(segments=segments, source=layer.text, kind=Kind.VALUE)
    begins = {id(segment): part.start for segment, part in zip(segments, parts, strict=True)}
    whole = Segment(text=layer.text, kind=Kind.VALUE)
    return [
        (code, rows, [hit.moved(whole, begins[id(hit.segment)]) for hit in its_hits])
        for code, rows, its_hits in _found(read)
    ]


def _disguised(
    said: _Said, layer: Layer, found: list[tuple[str, Rows, list[Hit]]]
) -> Iterator[Finding]:
    """Yield a finding for what is `found` in `layer` and the source does not say openly."""
    from psreg.lint.content.appearance import layers, readings  # noqa: PLC0415 - see above

    scattered = layer.how in layers.SCATTERED
    if scattered and said.told:
        return
    for code, rows, its_hits in found:
        for hit in (hit.with_context for hit in its_hits):
            if scattered and not (code in _ORDERS and readings.is_telling(hit.plain)):
                continue
            span = layer.span(hit.start, hit.end)
            number, begin = said.content.segment_at(span.start)
            segment = said.content.segments[number]
            end = min(span.end - begin, len(segment.text))
            inside = Span(span.start - begin, end)
            # NOTE: of a text that is written backwards, each hit is the whole text.
            if said.before(code, rows, number, inside):
                continue
            hows = layer.disguises(hit.start, hit.end) + [layers.JOINED] * (end < span.end - begin)
            around = max(0, hit.start - REACH), hit.end + REACH
            if not hows and layers.COMMENTS in layer.disguises(*around):
                hows = [layers.EXCUSED]
            if hows:
                said.told.add((code, number, inside))
                yield _finding(code, hit, segment, inside, hows)


class _Said:
    """What a content says openly, and what was found to be disguised in it."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.told: set[tuple[str, int, Span]] = set()
        self._openly: dict[int, dict[int, list[tuple[int, int]]]] = {}

    def before(self, code: str, rows: Rows, number: int, span: Span) -> bool:
        """Tell whether a segment says openly at `span` what `rows` find, or a finding told it."""
        if (code, number, span) in self.told:
            return True
        openly = self._openly.get(id(rows))
        if openly is None:
            openly = self._openly[id(rows)] = self._seen(rows)
        return _overlaps(span, openly.get(number, []))

    def _seen(self, rows: Rows) -> dict[int, list[tuple[int, int]]]:
        """Return where texts say openly what `rows` look for, by segment."""
        plain, numbers = self._plain
        seen: dict[int, list[tuple[int, int]]] = {}
        for hit in hits(plain, rows):
            seen.setdefault(numbers[id(hit.segment)], []).append((hit.start, hit.end))
        return {number: sorted(spans) for number, spans in seen.items()}

    @cached_property
    def _plain(self) -> tuple[Content, dict[int, int]]:
        """The content with plain signs, and the numbers of its segments."""
        segments = tuple(
            Segment(text=each.text.translate(text_folding.TYPOGRAPHY), kind=each.kind)
            for each in self.content.segments
        )
        numbers = {id(segment): number for number, segment in enumerate(segments)}
        return Content(segments=segments, source="", kind=Kind.VALUE), numbers


@cache
def _rows() -> dict[str, Rows]:
    """Return the patterns by rule."""
    return disguisable() | {"PS040": patterns("secrets", "PS040")}


@cache
def _all_rows() -> Rows:
    return Rows.of_all(_rows().values())


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
