"""The head of the catalogue: how segments grow and merge."""

import itertools
import json
from datetime import UTC, datetime, timedelta
from importlib.resources import files as resources
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from psreg.core.errors import TrustError, UnavailableError
from psreg.formats.json.canonical import canonical
from psreg.registry.catalog_head import (
    Head,
    RowChange,
    next_head,
    read_head,
    segment_data,
)
from psreg.registry.catalog_segments import folded_rows, read_segment

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
DAY = timedelta(days=1)


def row(name, version="1.0.0", entry_class="prompt"):
    return {
        "name": name,
        "class": entry_class,
        **dict.fromkeys(("summary", "use_case", "date", "sha256", "sketch", "words"), ""),
        "version": version,
        "license": "MIT",
        **dict.fromkeys(("tags", "language", "platform", "protocol", "aliases", "owners"), ()),
        "deprecated": None,
    }


class Catalogue:
    """A catalogue that grows, and all segments that it ever had by path."""

    def __init__(self, most=100):
        self.most = most
        self.head = Head()
        self.files = {}
        self.rows = {}
        self.read = []

    def change(self, rows):
        """Set the rows of some names, None for no row."""
        changes = {
            name: RowChange(was=self.rows.get(name), now=now)
            for name, now in rows.items()
            if now != self.rows.get(name)
        }
        self.rows = {n: r for n, r in (self.rows | rows).items() if r is not None}
        self.read = []
        if changes:
            self.head, new = next_head(self.head, changes, self.segment, self.most)
            for segment, data in zip(self.head.segments[-len(new) :], new, strict=True):
                self.files[segment.path] = data

    def segment(self, ref):
        self.read.append(ref)
        return read_segment(segment_data(ref, self.files.get))

    @property
    def folded(self):
        return folded_rows(map(self.segment, self.head.segments))


NAMES = st.sampled_from("abcdefghij")
ROWS = st.dictionaries(
    NAMES,
    st.sampled_from(["1.0.0", "1.1.0", None]),
    max_size=4,
).map(
    lambda found: {n: v and row(n, v, "prompt" if v == "1.0.0" else "x") for n, v in found.items()}
)


@given(st.lists(ROWS, max_size=12))
def test_law_growing_gives_the_rows_and_counts_of_the_whole(steps):
    catalogue = Catalogue()
    for step in steps:
        catalogue.change(step)
        assert catalogue.folded == dict(sorted(catalogue.rows.items()))
        assert catalogue.head.count == len(catalogue.rows)
        classes = [each["class"] for each in catalogue.rows.values()]
        assert catalogue.head.facets.get("class", {}) == {c: classes.count(c) for c in classes}
        sizes = [segment.count for segment in catalogue.head.segments]
        assert all(older >= 2 * newer for older, newer in itertools.pairwise(sizes))


@given(st.lists(ROWS, max_size=30), st.integers(1, 4))
def test_law_full_segments_are_not_merged_and_stale_rows_are_bounded(steps, most):
    catalogue = Catalogue(most)
    for step in steps:
        catalogue.change(step)
        assert catalogue.folded == dict(sorted(catalogue.rows.items()))
        assert catalogue.head.count == len(catalogue.rows)
        segments = [catalogue.segment(each) for each in catalogue.head.segments]
        assert all(len(each.names) <= most for each in segments)
        listed = sum(each.count for each in catalogue.head.segments)
        assert listed - len(catalogue.rows) <= max(len(catalogue.rows), most)


def test_a_first_publish_of_very_many_names_writes_several_segments():
    catalogue = Catalogue(most=100)
    catalogue.change({f"n{at}": row(f"n{at}") for at in range(250)})
    assert [segment.count for segment in catalogue.head.segments] == [100, 100, 50]
    assert len(catalogue.folded) == 250


def test_few_segments_are_live_and_each_row_is_rarely_written_again():
    catalogue = Catalogue(most=10_000)
    catalogue.change({f"n{at}": row(f"n{at}") for at in range(1_000)})
    merged = 0
    for at in range(200):
        catalogue.change({f"n{at}": row(f"n{at}", "1.1.0")})
        merged += sum(segment.count for segment in catalogue.read)
        assert len(catalogue.head.segments) <= log2(1_000) + 1
        assert catalogue.head.segments[0].count == 1_000  # the large one stays as it is
    assert merged <= 200 * log2(200)
    assert catalogue.head.facets["license"] == {"MIT": 1_000}


def test_names_that_are_gone_leave_no_trace_in_the_only_segment():
    catalogue = Catalogue()
    catalogue.change({"a": row("a")})
    catalogue.change({"a": None})
    (segment,) = catalogue.head.segments
    assert json.loads(catalogue.files[segment.path])["gone"] == []
    assert catalogue.head.count == 0
    assert catalogue.head.facets["class"] == {}


def test_a_head_is_canonical_and_valid_and_comes_back():
    catalogue = Catalogue()
    catalogue.change({name: row(name) for name in "abcdefgh"})
    catalogue.change({"z": row("z")})
    head = catalogue.head
    data = head.to_bytes()
    assert canonical(json.loads(data)) == data
    assert read_head(data) == head
    path = resources("psreg.formats") / "schemas" / "head.schema.json"
    Draft202012Validator(json.loads(path.read_bytes())).validate(
        json.loads(data) | {"version": head.version + 1}
    )


def head_value():
    catalogue = Catalogue()
    catalogue.change({"a": row("a")})
    return json.loads(catalogue.head.to_bytes())


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "psreg.segment/1"},
        {"schema": 1},
        {"version": "1"},
        {"count": None},
        {"facets": {"class": {"prompt": "1"}}},
        {"facets": {"class": []}},
        {"facets": []},
        {"segments": [{}]},
        {"segments": [{"sha256": "A" * 64, "length": 1, "count": 1}]},
        {"segments": [{"sha256": "a" * 64, "length": True, "count": 1}]},
    ],
    ids=str,
)
def test_a_malformed_head_is_refused(change):
    with pytest.raises(TrustError) as caught:
        read_head(canonical(head_value() | change))
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize("data", [b"[]", b"{}", b"1", b"\xff"])
def test_what_is_not_a_head_is_refused(data):
    with pytest.raises(TrustError):
        read_head(data)


@pytest.mark.parametrize(
    ("needs", "hint"),
    [("0.9.0", "psreg 0.9.0 or newer"), (None, "newer psreg"), ("x\ny", "newer psreg")],
)
def test_a_later_layout_asks_for_a_newer_psreg(needs, hint):
    with pytest.raises(UnavailableError) as caught:
        read_head(canonical(head_value() | {"schema": "psreg.head/2", "needs": needs}))
    assert caught.value.code == "NEWER_FORMAT"
    assert hint in caught.value.hint


def test_a_segment_is_the_one_that_was_signed():
    catalogue = Catalogue()
    catalogue.change({"a": row("a")})
    (segment,) = catalogue.head.segments
    with pytest.raises(TrustError) as caught:
        segment_data(segment, {}.get)
    assert caught.value.code == "TRUST_MIXED"
    with pytest.raises(TrustError) as caught:
        segment_data(segment, {segment.path: b"{}"}.get)
    assert caught.value.code == "TRUST_DIGEST"
