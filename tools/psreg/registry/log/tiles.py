"""The files of a transparency log: tiles of hashes and bundles of entries (C2SP tlog-tiles).

A tile of level L has up to 256 hashes, each of a complete subtree of 256^L entries; a bundle has
the entries of a tile of level 0. A file that is not full has its width in its name, so that no file
ever changes: `tile/0/000` is full, `tile/0/001.p/7` has seven hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.registry.log.merkle import HASH_SIZE, Subtrees, leaf_hash, node_hash

HEIGHT = 8
WIDTH = 1 << HEIGHT

LONGEST_ENTRY = 0xFFFF
"""Bytes; two of them say how long an entry is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A tile of hashes, or with the level None a bundle of entries; `width` counts them."""

    level: int | None
    index: int
    width: int

    @property
    def path(self) -> str:
        """Its path in the log: `tile/<level>/<index>[.p/<width>]`."""
        digits = f"{self.index:03d}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        *before, last = (digits[at : at + 3] for at in range(0, len(digits), 3))
        folders = "".join(f"x{each}/" for each in before)
        level = "entries" if self.level is None else self.level
        part = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{level}/{folders}{last}{part}"


def tile_of(level: int | None, index: int, size: int) -> Tile:
    """Return tile `index` of a level, or bundle `index`, as it is in a log of `size` entries."""
    hashes = size >> HEIGHT * (level or 0)
    return Tile(level=level, index=index, width=min(WIDTH, hashes - index * WIDTH))


def tiles_after(before: int, size: int) -> Iterator[Tile]:
    """Yield the files of a log of `size` entries that it did not have with `before`, from below."""
    levels = -(-size.bit_length() // HEIGHT)
    for level in (None, *range(levels)):
        first, last = (each >> HEIGHT * (level or 0) for each in (before, size))
        if first < last:
            for index in range(first // WIDTH, (last - 1) // WIDTH + 1):
                yield tile_of(level, index, size)


def partial_tiles(size: int) -> list[Tile]:
    """Return the files of a log of `size` entries that are not full; a larger log has others."""
    return [tile for tile in tiles_after(0, size) if tile.width < WIDTH]


Files = Callable[[Tile], bytes]
"""Returns the bytes of a tile, as they are in the log."""


def subtrees_in(files: Files, size: int) -> Subtrees:
    """Return how the complete subtrees of a log of `size` entries are read from its tiles.

    The tiles are kept; each is asked for once. Raises what `files` raises, and TrustError TRUST_LOG
    if a tile has another size.
    """
    tiles: dict[Tile, bytes] = {}
    nodes: dict[tuple[int, int], bytes] = {}

    def stored(level: int, index: int) -> bytes:
        tile = tile_of(level, index // WIDTH, size)
        if tile not in tiles:
            tiles[tile] = _checked(tile, files(tile))
        first = index % WIDTH * HASH_SIZE
        return tiles[tile][first : first + HASH_SIZE]

    def read(level: int, index: int) -> bytes:
        if level % HEIGHT == 0:
            return stored(level // HEIGHT, index)
        # NOTE: the proofs of many entries go through the same nodes.
        if (level, index) not in nodes:
            nodes[level, index] = node_hash(*(read(level - 1, 2 * index + at) for at in (0, 1)))
        return nodes[level, index]

    return read


def _subtree(hashes: bytes) -> bytes:
    """Return the hash of the complete subtree above `hashes`."""
    while len(hashes) > HASH_SIZE:
        pairs = range(0, len(hashes), 2 * HASH_SIZE)
        hashes = b"".join(
            node_hash(hashes[at : at + HASH_SIZE], hashes[at + HASH_SIZE : at + 2 * HASH_SIZE])
            for at in pairs
        )
    return hashes


def _checked(tile: Tile, data: bytes) -> bytes:
    if len(data) != tile.width * HASH_SIZE:
        raise TrustError(
            "TRUST_LOG",
            f"{tile.path} has {len(data)} bytes, and not {tile.width} hashes",
            "Use another mirror.",
        )
    return data


def appended(files: Files, before: int, entries: Sequence[bytes]) -> Mapping[Tile, bytes]:
    """Return the new tiles and bundles of a log of `before` entries to which `entries` are added.

    Raises:
        ValueError: an entry is longer than `LONGEST_ENTRY`.
        TrustError: TRUST_LOG, a tile has another size; and what `files` raises.
    """
    new: dict[Tile, bytes] = {}
    for tile in tiles_after(before, before + len(entries)):
        known = max(0, (before >> HEIGHT * (tile.level or 0)) - tile.index * WIDTH)
        old = Tile(level=tile.level, index=tile.index, width=known)
        first = tile.index * WIDTH + known
        numbers = range(first, tile.index * WIDTH + tile.width)
        data = files(old) if known else b""
        if tile.level is None:
            new[tile] = data + b"".join(_framed(entries[number - before]) for number in numbers)
        elif tile.level == 0:
            new[tile] = data + b"".join(leaf_hash(entries[number - before]) for number in numbers)
        else:
            # A tile that is complete now, and was not, is below each new hash.
            below = (Tile(level=tile.level - 1, index=number, width=WIDTH) for number in numbers)
            new[tile] = data + b"".join(_subtree(new[each]) for each in below)
        if tile.level is not None:
            _checked(tile, new[tile])
    return new


def _framed(entry: bytes) -> bytes:
    if len(entry) > LONGEST_ENTRY:
        raise ValueError(f"an entry of a log has at most {LONGEST_ENTRY} bytes")
    return len(entry).to_bytes(2, "big") + entry


def is_below(tile: Tile, data: bytes, read: Subtrees) -> bool:
    """Return whether a tile is what the hashes above it say.

    `read` are the subtrees of the log; those on the way to its root must have been checked, as all
    hashes of a tile that is not full are. Raises TrustError TRUST_LOG if it has another size.
    """
    level, first = (tile.level or 0) * HEIGHT, tile.index * WIDTH
    if tile.level is None:
        hashes = b"".join(map(leaf_hash, entries_in(data, tile)))
    else:
        hashes = _checked(tile, data)
        if tile.width == WIDTH:
            return _subtree(data) == read(level + HEIGHT, tile.index)
    return hashes == b"".join(read(level, first + at) for at in range(tile.width))


def entries_in(bundle: bytes, tile: Tile) -> list[bytes]:
    """Return the entries of a bundle.

    Raises:
        TrustError: TRUST_LOG, it does not have as many entries as `tile` says.
    """
    entries, at = list[bytes](), 0
    while at < len(bundle):
        start = at + 2
        at = start + int.from_bytes(bundle[at:start], "big")
        entries.append(bundle[start:at])
    if at != len(bundle) or len(entries) != tile.width:
        raise TrustError(
            "TRUST_LOG", f"{tile.path} does not have {tile.width} entries", "Use another mirror."
        )
    return entries
