"""Folders of Git are taken apart strictly, and compared as if both were taken apart."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.errors import FindingsError
from psreg.git.objects import Folder

WIDTH = 20

names = st.text(alphabet="ab.-0\u00e9\n", min_size=1, max_size=4).filter(
    lambda name: name not in (".", "..")
)
modes = st.sampled_from(["100644", "100755", "40000", "120000", "160000"])
ids = st.integers(0, 3).map(lambda n: bytes([n]) * WIDTH)
folders = st.dictionaries(names, st.tuples(modes, ids), max_size=12)


def stored(rows):
    def key(row):
        return row[0].encode() + (b"/" if row[1] == "40000" else b"")

    ordered = sorted(((name, *row) for name, row in rows.items()), key=key)
    return joined((mode, name.encode(), oid) for name, mode, oid in ordered)


def joined(rows):
    return b"".join(b"%s %s\0%s" % (mode.encode(), name, oid) for mode, name, oid in rows)


@given(folders)
def test_a_folder_says_what_stands_under_each_name(rows):
    folder = Folder(stored(rows), WIDTH)
    for name, (mode, oid) in rows.items():
        row = folder.get(name)
        assert (row.mode, row.id) == (int(mode, 8), oid.hex())
        assert row.is_folder == stat.S_ISDIR(row.mode) == (mode == "40000")
        assert row.is_file == mode.startswith("100")
    assert folder.get("absent") is None
    assert sorted(folder.names()) == sorted(rows)


@given(folders, folders)
def test_the_difference_of_two_folders(one, other):
    found = {name: pair for name, *pair in Folder(stored(one), WIDTH).differing(stored(other))}
    before, after = Folder(stored(one), WIDTH), Folder(stored(other), WIDTH)
    differ = {name for name in {*one, *other} if one.get(name) != other.get(name)}
    assert found == {name: [before.get(name), after.get(name)] for name in differ}


rows = st.lists(
    st.tuples(modes, st.sampled_from([b"a", b"a.b", b"a-", b"b", b"..", b".Git", b"c/d"]), ids)
)


@given(rows, rows, st.binary(max_size=3))
def test_what_is_refused_when_read_is_refused_when_compared(base, head, junk):
    data = joined(head) + junk
    good = _accepts(lambda: Folder(joined(base), WIDTH))
    if good:
        compared = _accepts(lambda: list(Folder(joined(base), WIDTH).differing(data)))
        assert compared == _accepts(lambda: Folder(data, WIDTH))


def _accepts(read):
    try:
        read()
    except FindingsError:
        return False
    return True


def test_a_name_that_comes_back_as_a_folder_behind_another_one():
    a, b = bytes([1]) * WIDTH, bytes([2]) * WIDTH
    base = [("100644", b"a", a), ("100644", b"a.b", a), ("100644", b"z", a)]
    twice = [("100644", b"a", a), ("100644", b"a.b", a), ("40000", b"a", b), ("100644", b"z", a)]
    with pytest.raises(FindingsError, match="twice"):
        Folder(joined(twice), WIDTH)
    with pytest.raises(FindingsError, match="twice"):
        list(Folder(joined(base), WIDTH).differing(joined(twice)))


def test_ids_of_32_bytes():
    data = joined([("100644", b"a", bytes(32))])
    assert Folder(data, 32).get("a").id == "0" * 64
    with pytest.raises(FindingsError, match="damaged"):
        Folder(data, WIDTH)
