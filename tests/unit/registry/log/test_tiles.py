"""The files of a log are named as C2SP tlog-tiles says, and its tree can be read from them."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.errors import TrustError
from psreg.registry.log.merkle import leaf_hash, tree_root
from psreg.registry.log.tiles import (
    Tile,
    appended,
    entries_in,
    subtrees_in,
    tile_of,
    tiles_after,
)
from support.merkle_trees import root_of


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(level=0, index=0, width=256), "tile/0/000"),
        (Tile(level=0, index=273, width=112), "tile/0/273.p/112"),
        (Tile(level=1, index=1, width=17), "tile/1/001.p/17"),
        (Tile(level=2, index=0, width=1), "tile/2/000.p/1"),
        (Tile(level=0, index=1234067, width=256), "tile/0/x001/x234/067"),
        (Tile(level=0, index=1000, width=1), "tile/0/x001/000.p/1"),
        (Tile(level=None, index=3, width=256), "tile/entries/003"),
        (Tile(level=None, index=123456, width=9), "tile/entries/x123/456.p/9"),
    ],
)
def test_paths(tile, path):
    assert tile.path == path


def test_the_tiles_of_the_specification():
    """A log of 70,000 entries has these tiles at the end of each level."""
    tiles = [tile for tile in tiles_after(0, 70_000) if tile.level is not None]
    assert [tile.path for tile in tiles if tile.width < 256] == [
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
    ]
    assert sum(tile.width == 256 for tile in tiles) == 273 + 1


def grown(batches):
    """A log to which batches of entries were added, and all its files, old ones included."""
    entries = [f"entry {number}".encode() for number in range(sum(batches))]
    files, size = {}, 0
    for batch in batches:
        new = appended(files.__getitem__, size, entries[size : size + batch])
        assert not new.keys() & files.keys()
        assert [*new] == [*tiles_after(size, size + batch)]
        files |= new
        size += batch
    return entries, files


@given(
    st.lists(
        st.sampled_from([0, 1, 2, 3, 7, 100, 255, 256, 257, 300]) | st.integers(0, 300), max_size=5
    )
)
def test_a_log_grows_by_any_number_of_entries(batches):
    entries, files = grown(batches)
    for size in {*accumulate(batches)} - {0}:
        read = subtrees_in(files.__getitem__, size)
        leaves = [*map(leaf_hash, entries[:size])]
        assert tree_root(size, read) == root_of(leaves)
        bundles = [tile_of(None, index, size) for index in range(-(-size // 256))]
        assert [each for tile in bundles for each in entries_in(files[tile], tile)] == entries[
            :size
        ]


def test_how_a_log_grew_does_not_show():
    _, at_once = grown([700])
    _, one_by_one = grown([1] * 700)
    last = {*tiles_after(0, 700)}
    assert {tile: one_by_one[tile] for tile in last} == at_once


def test_more_than_two_levels():
    entries, files = grown([65_000, 600, 5_000])
    read = subtrees_in(files.__getitem__, 70_600)
    assert tree_root(70_600, read) == root_of([*map(leaf_hash, entries)])
    assert Tile(level=2, index=0, width=1) in files


def test_each_tile_is_read_once():
    _, files = grown([1000])
    asked = []

    def read_file(tile):
        asked.append(tile)
        return files[tile]

    read = subtrees_in(read_file, 1000)
    assert tree_root(1000, read) == tree_root(1000, read)
    assert len(asked) == len(set(asked)) == 2


def test_nothing_new_needs_no_files():
    assert appended({}.__getitem__, 700, []) == {}
    assert [*tiles_after(0, 0)] == []


@pytest.mark.parametrize(
    "change", [lambda data: data[:-1], lambda data: data + b"x", lambda _: b""]
)
def test_a_tile_of_another_size_is_refused(change):
    _, files = grown([300])
    damaged = {tile: change(data) for tile, data in files.items()}
    with pytest.raises(TrustError, match=r"tile/0/000 has .* bytes, and not 256 hashes"):
        subtrees_in(damaged.__getitem__, 300)(0, 0)
    with pytest.raises(TrustError, match=r"tile/0/001\.p/45 has") as error:
        appended(damaged.__getitem__, 300, [b"x"])
    assert error.value.code == "TRUST_LOG"


@pytest.mark.parametrize(
    "bundle", [b"", b"\x00", b"\x00\x01", b"\x00\x01a", b"\x00\x01a\x00\x01b\x00", b"\x00\x01a" * 3]
)
def test_a_bundle_with_other_entries_is_refused(bundle):
    tile = Tile(level=None, index=0, width=2)
    assert entries_in(b"\x00\x01a\x00\x00", tile) == [b"a", b""]
    with pytest.raises(TrustError, match=r"tile/entries/000\.p/2 does not have 2 entries") as error:
        entries_in(bundle, tile)
    assert error.value.code == "TRUST_LOG"


def test_the_longest_entry():
    tile = Tile(level=None, index=0, width=1)
    longest = b"x" * 0xFFFF
    assert entries_in(appended({}.__getitem__, 0, [longest])[tile], tile) == [longest]
    with pytest.raises(ValueError, match="65535 bytes"):
        appended({}.__getitem__, 0, [longest + b"x"])
