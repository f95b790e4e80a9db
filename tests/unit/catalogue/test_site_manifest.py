"""The manifest of a site survives writing and reading; anything else is none."""

from dataclasses import replace

import pytest

from psreg.catalogue.pages.listing import Row
from psreg.catalogue.site_manifest import Manifest, Shown, read_manifest, rows_of

ROW = Row(
    name="apple_pie",
    entry_class="prompt",
    version="1.0.0",
    summary="Bakes.",
    date="2026-11-21T05:00:00Z",
    tags=("a", "b"),
    newest="1.0.0",
    released="2026-11-21T05:00:00Z",
    last="2026-11-21T05:00:00Z",
)
ENTRIES = {
    "r-01": {"pear_pie": Shown(sha256="d", row=replace(ROW, name="pear_pie"))},
    "r-00": {"apple_pie": Shown(sha256="b", row=ROW), "empty": Shown(sha256="c", row=None)},
}
MANIFEST = Manifest(
    fingerprint="a",
    frames={"index.html": "<p>"},
    pages=("install/", ""),
    files=3,
    roles={"root": "e", "r-00": "f", "r-01": "0"},
    entries=ENTRIES,
    registry=frozenset({"metadata/1.root.json", "metadata/timestamp.json"}),
)


def test_it_is_read_as_it_was_written() -> None:
    assert read_manifest(MANIFEST.to_bytes()) == MANIFEST


def test_the_order_in_which_it_was_made_does_not_matter() -> None:
    other = replace(MANIFEST, entries=dict(reversed(ENTRIES.items())))
    assert other.to_bytes() == MANIFEST.to_bytes()


def test_rows_are_sorted_by_name() -> None:
    assert [row.name for row in rows_of(ENTRIES)] == ["apple_pie", "pear_pie"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Written by psreg site build, which replaces the whole folder.\n",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"schema": 1}',
        b'{"schema": "psreg.site-build/1"}',
        MANIFEST.to_bytes().replace(b"site-build/1", b"site-build/2"),
        MANIFEST.to_bytes().replace(b'"prompt",', b""),
        MANIFEST.to_bytes().replace(b'["a","b"]', b"0"),
        MANIFEST.to_bytes()[:-20],
    ],
)
def test_anything_else_is_none(data: bytes) -> None:
    assert read_manifest(data) is None
