"""Large segments of the catalogue in the layers in which the site's search reads them.

A browser reads small segments whole. Of a large one it reads names, tags and facets first; when
somebody searches, it reads the blocks of words that the query needs, and the summaries of what it
shows. All of it follows from the segment alone. `assets/psreg/search/layers.js` reads it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from psreg.registry.catalog_head import Head, SegmentRef, segment_data
from psreg.registry.catalog_segments import Segment, read_segment
from psreg.registry.search.words import words_of
from psreg.registry.trust.roles import SEGMENT_FOLDER

MOST_WHOLE = 128
"""The most rows of a segment that is read whole."""

ROWS = 256
"""The number of rows whose summaries are in one file."""

_BLOCK = 50_000
"""The most characters of a block of words, but for one with a single word: 20 kB with gzip."""

_DIGITS = [chr(n) for n in range(ord("#"), ord("~")) if chr(n) != "\\"]
"""The digits of numbers in columns: what JSON need not escape, but for blanks and `!`."""

_SENTENCES = ("summary", "use_case")
_TEXTS = (*_SENTENCES, "words")
"""The columns of a block's lists of rows; `words` are in no order, so that they have no pairs."""

Files = Iterator[tuple[str, bytes]]


def layers_folder(segment: SegmentRef) -> str | None:
    """Return the folder of the layers of a segment below the site's root; None if it is small."""
    return _folder(segment.target.sha256) if segment.count > MOST_WHOLE else None


def _folder(sha256: str) -> str:
    return f"search/{sha256[:16]}/"


def dropped_layers(served: Iterable[str], head: Head) -> Iterator[str]:
    """Yield the folders of the segments that a site `served`, and that are live no more."""
    for path in {*served} - {segment.path for segment in head.segments}:
        folder, _, name = path.rpartition("/")
        if folder == SEGMENT_FOLDER:
            yield _folder(name)


def search_files(
    head: Head, read: Callable[[str], bytes | None], served: Container[str] = ()
) -> Files:
    """Yield path and bytes of the layers of all large segments but those of which are `served`.

    Raises:
        TrustError: as `segment_data`.
    """
    for segment in head.segments:
        folder = layers_folder(segment)
        if folder and segment.path not in served:
            for name, data in layer_files(read_segment(segment_data(segment, read))):
                yield folder + name, data


def layer_files(segment: Segment, block: int = _BLOCK) -> Files:
    """Yield name and bytes of the files of a segment's layers.

    `names.json` has the columns that a search needs first, and the first word, and the first pair
    of neighbours, of each block. `w0.json` and `p0.json` are blocks: for each word or pair the rows
    in which it is, a list for each column, as differences. `r0.json` has the versions and summaries
    of the first `ROWS` rows. Rows with the same tags are next to each other, because they are often
    found together.
    """
    columns = {key: [*column] for key, column in segment.columns.items()}
    order = _order(columns["name"], columns["tags"])
    columns = {key: [column[at] for at in order] for key, column in columns.items()}
    words = [*_blocks(_places(columns, _TEXTS), len(_TEXTS), block)]
    pairs = [*_blocks(_places(columns, _SENTENCES, _pairs), len(_SENTENCES), block)]
    yield (
        "names.json",
        _json(
            {
                "name": _several([*map(_name_parts, columns["name"])]),
                "date": _column(columns["date"]),
                "class": _column(columns["class"]),
                "license": _column(columns["license"]),
                "tested": "".join(_DIGITS[min(len(each), 2)] for each in columns["platform"]),
                "protocol": _several(columns["protocol"]),
                "tags": _several(columns["tags"]),
                "deprecated": [n for n, why in enumerate(columns["deprecated"]) if why is not None],
                "gone": [*segment.gone],
                "rows": ROWS,
                "words": [first for first, _ in words],
                "pairs": [first for first, _ in pairs],
            }
        ),
    )
    yield from ((f"w{number}.json", data) for number, (_, data) in enumerate(words))
    yield from ((f"p{number}.json", data) for number, (_, data) in enumerate(pairs))
    for number, start in enumerate(range(0, len(order), ROWS)):
        part = {key: columns[key][start : start + ROWS] for key in ("version", "summary")}
        yield f"r{number}.json", _json(part)


def _order(names: Sequence[str], tags: Sequence[Sequence[str]]) -> list[int]:
    """Return the rows by tags, the most frequent first, and names."""
    number = Counter(tag for each in tags for tag in each)

    def key(at: int) -> tuple[list[tuple[int, str]], str]:
        return sorted((-number[tag], tag) for tag in tags[at]), names[at]

    return sorted(range(len(names)), key=key)


def _pairs(words: Sequence[str]) -> Iterable[str]:
    return map("{} {}".format, words, words[1:])


def _places(
    columns: Mapping[str, Sequence[str]],
    keys: Sequence[str],
    parts: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> dict[str, list[tuple[int, int]]]:
    """Return the columns and rows in which each part of a text is, ascending."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, key in enumerate(keys):
        for at, text in enumerate(columns.get(key, ())):
            place = (number, at)
            for part in {*parts(words_of(text))}:
                places = found.get(part)
                if places is None:
                    found[part] = [place]
                else:
                    places.append(place)
    return found


def _blocks(
    places: Mapping[str, list[tuple[int, int]]], columns: int, most: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the first part and the JSON of each block, in the order of texts in JavaScript."""
    first, block, size = "", list[str](), 0
    for part in sorted(places, key=_utf16):
        # NOTE: a million pairs make up half of a large segment; parts have no letter to escape.
        member = f'"{part}":{_lists(places[part], columns)}'
        if block and size + len(member) > most:
            yield first, _object(block)
            block, size = [], 0
        if not block:
            first = part
        block.append(member)
        size += len(member)
    if block:
        yield first, _object(block)


def _utf16(part: str) -> bytes:
    return part.encode("utf-16-be")


def _object(members: Iterable[str]) -> bytes:
    return f"{{{','.join(members)}}}".encode()


def _lists(places: Sequence[tuple[int, int]], columns: int) -> str:
    """Return the rows in each column as JSON: the first one, then differences."""
    lists: list[list[str]] = [[] for _ in range(columns)]
    before = [0] * columns
    for column, at in places:
        lists[column].append(str(at - before[column]))
        before[column] = at
    joined = (f"[{','.join(each)}]" for each in lists)
    return f"[{','.join(joined)}]"


def _name_parts(name: str) -> list[str]:
    """Return the words of a name with the `_` after each: their order is that of names."""
    *words, last = name.split("_")
    return [*(f"{word}_" for word in words), last]


def _column(cells: Sequence[str]) -> dict[str, Any]:
    """Return a column of one value in a row: all values in their order, and numbers of them."""
    values = sorted(set(cells))
    digits = _digits(values)
    return {"values": values, "rows": "".join(digits[cell] for cell in cells)}


def _several(cells: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return a column of several values in a row: after the numbers of each row stands a `!`."""
    values = sorted({value for cell in cells for value in cell})
    digits = _digits(values)
    rows = ("".join(digits[value] for value in cell) for cell in cells)
    return {"values": values, "rows": "".join(f"{row}!" for row in rows)}


def _digits(values: Sequence[str]) -> dict[str, str]:
    """Return the number of each value in as many digits as the greatest one needs.

    A browser reads a text of digits ten times as fast as lists of numbers.
    """
    width = 1
    while len(values) > len(_DIGITS) ** width:
        width += 1
    numbers = map("".join, product(_DIGITS, repeat=width))
    return dict(zip(values, numbers, strict=False))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
