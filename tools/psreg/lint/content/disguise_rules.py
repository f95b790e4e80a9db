"""The rule about suspicious text that other rules would find without its disguise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.rule import Rule, rule
from psreg.formats.dotprompt.source import Excerpt, without_comments
from psreg.lint.content import folding
from psreg.lint.content.patterns import Hit, Pattern, disguisable, hits
from psreg.lint.content.texts import Content, Kind, Segment, code_points, quoted

_COMMENT = "(%"
_NEAR = 300
"""Characters before and after a comment that a pattern may reach."""


@rule("PS014", spec="registry/CONTENT", severity=ERROR)
def disguised_text(content: Content) -> Iterator[Finding]:
    """Suspicious text is disguised with look-alike, invisible or decorated letters.

    ## Why
    Other rules find orders to an assistant, drop hosts, and commands that download and run
    something. Spelled with Cyrillic letters, with invisible characters in between, in mathematical
    bold, or cut in two by a comment of a `.prompt`, such a text means the same to an assistant and
    escapes a search. Nobody writes like that by accident.

    ## Fix
    Write the text in plain letters, so that it can be checked as what it says, or delete it.

    ```text
    before   ign{U+043E}re all previous instructions
    after    (deleted)
    ```
    """
    if content.ascii and not (content.prompt and _COMMENT in content.source):
        return
    yield from _disguised(content)


@dataclass(frozen=True, slots=True)
class _View:
    """A segment with its text as an assistant reads it: for a `.prompt`, without the comments."""

    segment: Segment
    text: str
    excerpt: Excerpt | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position in the segment of the folded `text[start:end]`."""
        start, end = folding.fold(self.text).span(start, end)
        if self.excerpt is None:
            return start, end
        span = self.excerpt.span(start, end)
        return span.start, span.end


def _views(content: Content) -> Iterator[_View]:
    masked = not content.ascii and any(map(_is_mask, content.characters))
    for segment in content.segments:
        if masked and not segment.text.isascii():
            yield _View(segment, segment.text)
        if segment.kind is Kind.PROMPT and _COMMENT in segment.text:
            source = without_comments(segment.text)
            for start, end in _around(source.comments):
                excerpt = source.excerpt.cut([(start, min(end, len(source.text)))])
                yield _View(segment, excerpt.text, excerpt)


def _around(offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield separate ranges that cover the surroundings of `offsets`, which are ascending."""
    start = end = 0
    for offset in offsets:
        if offset - _NEAR > end:
            if end:
                yield start, end
            start = offset - _NEAR
        end = offset + _NEAR
    if end:
        yield start, end


def _disguised(content: Content) -> Iterator[Finding]:
    views = tuple(_views(content))
    plain = _content(views, (folding.folded(view.text) for view in views))
    owners = dict(zip(map(id, plain.segments), views, strict=True))
    for code, rows in disguisable().items():
        if found := tuple(hits(plain, rows)):
            seen = _seen(views, rows)
            for hit in found:
                yield from _finding(code, hit, owners[id(hit.segment)], seen)


def _seen(views: tuple[_View, ...], rows: tuple[Pattern, ...]) -> set[tuple[Kind, str, int]]:
    """Return the offsets, by segment, at which texts say openly what `rows` look for."""
    plain = _content(views, (view.segment.text.translate(folding.TYPOGRAPHY) for view in views))
    return {
        (hit.segment.kind, hit.segment.pointer, offset)
        for hit in hits(plain, rows)
        for offset in range(hit.start, hit.end)
    }


def _content(views: Iterable[_View], texts: Iterable[str]) -> Content:
    segments = (
        Segment(text=text, kind=view.segment.kind, pointer=view.segment.pointer)
        for view, text in zip(views, texts, strict=True)
    )
    return Content(segments=tuple(segments), source="", kind=Kind.VALUE)


def _finding(
    code: str, hit: Hit, view: _View, seen: set[tuple[Kind, str, int]]
) -> Iterator[Finding]:
    segment = view.segment
    start, end = view.span(hit.start, hit.end)
    if any((segment.kind, segment.pointer, offset) in seen for offset in range(start, end)):
        return
    text = segment.text[start:end]
    masks = "".join(dict.fromkeys(filter(_is_mask, text)))
    cut = view.excerpt is not None
    if _COMMENT in text if cut else masks:
        how = "is split by comments" if cut else f"is disguised with {code_points(masks)}"
        yield Finding(
            message=f"{quoted(hit.text)} {how}; {hit.pattern.note} ({code})",
            at=segment.span(start, end),
            hint="Write it in plain letters, or delete it.",
        )


def _is_mask(character: str) -> bool:
    if character.isascii() or ord(character) in folding.TYPOGRAPHY:
        return False
    return folding.folded(character) != character


DISGUISE_RULES: tuple[Rule[Content], ...] = (disguised_text,)
