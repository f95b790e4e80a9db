"""How a log grows by the releases of a publish, and how one proves that it only grew."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, signed, verified
from psreg.registry.log.entry import LogEntry, LogRecord
from psreg.registry.log.merkle import (
    Subtrees,
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    tree_root,
)
from psreg.registry.log.tiles import (
    Files,
    Tile,
    appended,
    entries_in,
    is_below,
    partial_tiles,
    subtrees_in,
    tiles_after,
)

FOLDER = "log"
"""The folder of the log in a registry."""


def tile_path(tile: Tile) -> str:
    """Return the path of a tile in a registry."""
    return f"{FOLDER}/{tile.path}"


def tiles_of(read: Callable[[str], bytes | None]) -> Files:
    """Return how tiles are read in a registry. Raises TrustError TRUST_LOG where one is missing."""

    def read_tile(tile: Tile) -> bytes:
        data = read(tile_path(tile))
        if data is None:
            raise TrustError(
                "TRUST_LOG",
                f"{tile_path(tile)} is missing",
                "Restore the registry's files from Git or from a mirror.",
            )
        return data

    return read_tile


@dataclass(frozen=True, slots=True, kw_only=True)
class LogGrowth:
    """New files by path, the checkpoint after them, and what the record of each entry says."""

    files: dict[str, bytes]
    note: bytes
    records: tuple[LogRecord, ...]


def grow_log(
    before: Checkpoint, entries: Sequence[LogEntry], private_key: bytes, files: Files
) -> LogGrowth:
    """Return how the log at the checkpoint `before` grows by `entries`.

    `files` reads its tiles, and `private_key` is the PEM of the key with which it signs.

    Raises:
        TrustError: TRUST_LOG, the tiles are not those of the checkpoint; KEY_UNREADABLE.
    """
    check_tiles(before, files)
    stored = subtrees_in(files, before.size)
    for tile in partial_tiles(before.size):
        _verified(tile, files, stored)
    new = appended(files, before.size, [entry.data for entry in entries])
    size = before.size + len(entries)
    read = subtrees_in(lambda tile: new[tile] if tile in new else files(tile), size)
    after = Checkpoint(origin=before.origin, size=size, root=tree_root(size, read))
    note = signed(after, private_key)
    records = (
        LogRecord(
            index=index,
            owners=entry.owners or "",
            proof=tuple(inclusion_proof(index, size, read)),
            checkpoint=note.decode(),
            statement=entry.statement,
        )
        for index, entry in enumerate(entries, start=before.size)
    )
    return LogGrowth(
        files={tile_path(tile): data for tile, data in new.items()},
        note=note,
        records=tuple(records),
    )


def check_logged(entry: LogEntry, record: LogRecord, keys: Sequence[NoteKey]) -> Checkpoint:
    """Check that the log of one of `keys` has `entry` as `record` says; return the checkpoint.

    Raises:
        TrustError: TRUST_LOG.
    """
    checkpoint = verified(record.checkpoint.encode("utf-8", "surrogatepass"), *keys)
    leaf = leaf_hash(entry.data)
    check_inclusion(leaf, record.index, checkpoint.size, record.proof, checkpoint.root)
    return checkpoint


def check_tiles(checkpoint: Checkpoint, files: Files) -> None:
    """Check that tiles have the root of a checkpoint. Raises TrustError TRUST_LOG."""
    root = tree_root(checkpoint.size, subtrees_in(files, checkpoint.size))
    if root != checkpoint.root:
        raise _altered("the tiles are not those")


def log_files(
    checkpoint: Checkpoint, files: Files, known: Container[str] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the log at a checkpoint by path, verified, the `known` paths excepted.

    Raises:
        TrustError: TRUST_LOG, a file is not that of the checkpoint; and what `files` raises.
    """
    check_tiles(checkpoint, files)
    stored = subtrees_in(files, checkpoint.size)
    for tile in reversed([*tiles_after(0, checkpoint.size)]):  # what is above is verified first
        if (path := tile_path(tile)) not in known:
            yield path, _verified(tile, files, stored)


def _verified(tile: Tile, files: Files, stored: Subtrees) -> bytes:
    """Return the bytes of a tile, which the hashes `stored` above it are about."""
    data = files(tile)
    if not is_below(tile, data, stored):
        raise _altered(f"{tile_path(tile)} is not the file")
    return data


def logged_entries(checkpoint: Checkpoint, files: Files) -> list[bytes]:
    """Return the entries of the log at a checkpoint, after all of its files were verified.

    Raises:
        TrustError: TRUST_LOG, a file is not that of the checkpoint; and what `files` raises.
    """
    found = {path: data for path, data in log_files(checkpoint, files) if "/entries/" in path}
    bundles = (tile for tile in tiles_after(0, checkpoint.size) if tile.level is None)
    return [each for tile in bundles for each in entries_in(found[tile_path(tile)], tile)]


def log_paths(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the paths of the files of the log at a checkpoint."""
    return map(tile_path, tiles_after(0, checkpoint.size))


def _altered(what: str) -> TrustError:
    return TrustError(
        "TRUST_LOG",
        f"{what} that the checkpoint of the log is about",
        "Restore the registry's files from Git or from a mirror.",
    )


def check_continues(before: Checkpoint, after: Checkpoint, files: Files) -> None:
    """Check that the log at `after` begins with that at `before`; `files` reads its tiles.

    Raises:
        TrustError: TRUST_LOG; and what `files` raises.
    """
    if before.size == 0 and before.origin == after.origin:
        return
    if before.origin != after.origin:
        raise TrustError("TRUST_LOG", f"{after.origin} does not continue {before.origin}")
    proof: list[bytes] = []
    if before.size < after.size:
        proof = consistency_proof(before.size, after.size, subtrees_in(files, after.size))
    check_consistency(before.size, before.root, after.size, after.root, proof)
