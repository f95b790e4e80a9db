"""The layers of large segments: what is in which file, and which files a site has."""

import json

from psreg.registry.catalog_head import Head, SegmentRef
from psreg.registry.catalog_segments import read_segment, write_segment
from psreg.registry.search.layers import (
    MOST_WHOLE,
    dropped_layers,
    layer_files,
    layers_folder,
    search_files,
)
from psreg.registry.trust.roles import Target
from support.search_cases import rows_of


def made(number, **changes):
    entries = [
        {
            "name": f"entry_{n}",
            "class": "prompt",
            "summary": "Asks about a river.",
            "use_case": f"Rivers 𝒳 of ﬁeld {n}.",
            "tags": ["rare", "water"] if n == 1 else ["water"],
            "words": "bank bridge",
            "deprecated": "old" if n == 2 else None,
            **changes,
        }
        for n in range(number)
    ]
    return rows_of(entries)


def layers(rows, gone=(), **options):
    segment = read_segment(write_segment(rows, gone))
    return {name: json.loads(data) for name, data in layer_files(segment, **options)}


def rows_in(places, column):
    """Return the numbers of rows that a list of differences tells."""
    found, at = [], 0
    for difference in places[column]:
        at += difference
        found.append(at)
    return found


DIGITS = [chr(n) for n in range(ord("#"), ord("~")) if chr(n) != "\\"]


def column(coded, width=1):
    """Return the numbers of a column of one value in a row."""
    places = range(0, len(coded["rows"]), width)
    numbers = (coded["rows"][place : place + width] for place in places)
    return [coded["values"][number(digits)] for digits in numbers]


def number(digits):
    """Return what digits stand for."""
    value = 0
    for digit in digits:
        value = value * len(DIGITS) + DIGITS.index(digit)
    return value


def lists(coded):
    """Return the lists of a column of several values in a row."""
    assert coded["rows"].endswith("!")
    return [column({**coded, "rows": row}) for row in coded["rows"][:-1].split("!")]


def test_the_first_layer_has_what_a_search_needs_first():
    names = layers(made(3), ["removed"])["names.json"]
    # By tags, the most frequent first.
    assert lists(names["name"]) == [["entry_", "0"], ["entry_", "2"], ["entry_", "1"]]
    assert lists(names["tags"]) == [["water"], ["water"], ["rare", "water"]]
    assert lists(names["protocol"]) == [[], [], []]
    assert column(names["class"]) == ["prompt"] * 3
    assert names["deprecated"] == [1]
    assert [number(digit) for digit in names["tested"]] == [0, 0, 0]
    assert names["gone"] == ["removed"]


def test_numbers_have_as_many_digits_as_the_greatest_one_needs():
    rows = {f"entry_{n}": row | {"date": f"{n:04}"} for n, row in enumerate(made(91).values())}
    dates = layers(dict([*rows.items()][:90]))["names.json"]["date"]
    assert sorted(column(dates)) == [f"{n:04}" for n in range(90)]
    dates = layers(rows)["names.json"]["date"]
    assert sorted(column(dates, width=2)) == [f"{n:04}" for n in range(91)]
    assert not {*'"\\!'} & {*dates["rows"]}


def test_blocks_tell_rows_and_columns():
    found = layers(made(3))
    assert rows_in(found["w0.json"]["river"], 0) == [0, 1, 2]
    assert found["w0.json"]["river"][1:] == [[], []]
    assert rows_in(found["w0.json"]["bridge"], 2) == [0, 1, 2]
    assert rows_in(found["w0.json"]["2"], 1) == [1]
    assert rows_in(found["p0.json"]["a river"], 0) == [0, 1, 2]
    assert "bank bridge" not in found["p0.json"]
    assert found["r0.json"] == {"version": ["1.0.0"] * 3, "summary": ["Asks about a river."] * 3}


def test_blocks_are_small_and_in_the_order_of_javascript():
    found = layers(made(3), block=60)
    words = [word for n in range(len(found["names.json"]["words"])) for word in found[f"w{n}.json"]]
    assert words == sorted(words, key=lambda word: word.encode("utf-16-be"))
    assert len(found["names.json"]["words"]) > 3
    firsts = [next(iter(found[f"w{n}.json"])) for n in range(len(found["names.json"]["words"]))]
    assert found["names.json"]["words"] == firsts
    assert [len(found[f"w{n}.json"]) for n in range(len(firsts))] != [1] * len(firsts)
    assert layers(made(3), block=1)["names.json"]["words"] == words  # a word is never cut


def test_rows_without_texts_have_no_blocks():
    found = layers(made(2, summary="", use_case="", words=""))
    assert sorted(found) == ["names.json", "r0.json"]


def reference(rows, files):
    data = write_segment(rows)
    made_up = SegmentRef(target=Target.of(data), count=len(rows))
    files[made_up.path] = data
    return made_up


def test_only_large_segments_have_layers_and_old_ones_go():
    files = {}
    large, small = (reference(made(n), files) for n in (MOST_WHOLE + 1, MOST_WHOLE))
    head = Head(segments=(large, small))
    assert layers_folder(small) is None
    folder = layers_folder(large)
    written = dict(search_files(head, files.get))
    assert written
    assert all(path.startswith(folder) for path in written)
    assert dict(search_files(head, files.get, {large.path})) == {}
    served = {large.path, "targets/catalog/x.json"}
    assert [*dropped_layers(served, head)] == []
    assert [*dropped_layers(served, Head(segments=(small,)))] == [folder]
