"""The Merkle tree of a transparency log: its root, and proofs about it (RFC 6962, RFC 9162).

A tree of `size` leaves is read through a function that returns the hash of a complete subtree:
`read(level, index)` covers the leaves from `index << level` up to `(index + 1) << level`. Whatever
it returns, a proof made of it proves nothing but what the checks below find.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from psreg.core.errors import TrustError

HASH_SIZE = 32
"""Bytes of a hash (SHA-256)."""

EMPTY_ROOT = hashlib.sha256().digest()
"""The root of a tree without leaves (RFC 6962 2.1)."""

Subtrees = Callable[[int, int], bytes]
"""Returns the hash of the complete subtree of a level, from 0 for a leaf, with an index."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf (RFC 6962 2.1)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with two subtrees (RFC 6962 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_root(size: int, read: Subtrees) -> bytes:
    """Return the root of the tree of `size` leaves (RFC 6962 2.1)."""
    return _range_hash(0, size, read) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, read: Subtrees) -> list[bytes]:
    """Return the proof that leaf `index` is in the tree of `size` leaves (RFC 6962 2.1.1)."""
    first, last, proof = 0, size, list[bytes]()
    while last - first > 1:
        middle = first + _left_size(last - first)
        if index < middle:
            proof.append(_range_hash(middle, last, read))
            last = middle
        else:
            proof.append(_range_hash(first, middle, read))
            first = middle
    return proof[::-1]


def consistency_proof(old_size: int, size: int, read: Subtrees) -> list[bytes]:
    """Return the proof that the tree of `size` leaves begins with that of `old_size`.

    `old_size` is from 1 to `size` (RFC 6962 2.1.2).
    """
    first, last, proof = 0, size, list[bytes]()
    while last != old_size:
        middle = first + _left_size(last - first)
        if old_size <= middle:
            proof.append(_range_hash(middle, last, read))
            last = middle
        else:
            proof.append(_range_hash(first, middle, read))
            first = middle
    # The old root itself is not in the proof, because it is known where the proof is checked.
    return [*([_range_hash(first, last, read)] if first else []), *reversed(proof)]


def check_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that a leaf with the hash `leaf` is in the tree with this `root` (RFC 9162 2.1.3.2).

    Raises:
        TrustError: TRUST_LOG.
    """
    if not 0 <= index < size:
        raise _refused(f"entry {index} cannot be in a log of {size} entries")
    found = leaf
    for each, on_the_left in _upwards(index, size - 1, proof):
        found = node_hash(each, found) if on_the_left else node_hash(found, each)
    if found != root:
        raise _refused(f"entry {index} is not in the log as it is said to be")


def check_consistency(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that the log with `root` begins with the one with `old_root` (RFC 9162 2.1.4.2).

    Raises:
        TrustError: TRUST_LOG.
    """
    if not 0 < old_size <= size:
        raise _refused(f"a log of {size} entries does not continue one of {old_size}")
    if old_size == size:
        if proof or old_root != root:
            raise _refused(f"there are two different logs of {size} entries")
        return
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    # A complete old tree is a subtree of the new one, and so it is not in the proof.
    hashes = [*([] if node else [old_root]), *proof]
    old_found = found = hashes[0] if hashes else b""
    for each, on_the_left in _upwards(node, last, hashes[1:]):
        if on_the_left:
            old_found, found = node_hash(each, old_found), node_hash(each, found)
        else:
            found = node_hash(found, each)
    if old_found != old_root or found != root:
        raise _refused(f"the log of {size} entries is not a continuation of {old_size} of them")


def _upwards(node: int, last: int, proof: Sequence[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield the hashes of a proof from a node to the root, each with whether it is on the left.

    `last` is the number of the last node of the same level. Raises TrustError TRUST_LOG if there
    are too few hashes, or too many.
    """
    for each in proof:
        if not last:
            break
        on_the_left = bool(node & 1) or node == last
        while on_the_left and node and not node & 1:
            node, last = node >> 1, last >> 1
        yield each, on_the_left
        node, last = node >> 1, last >> 1
    else:
        if not last:
            return
    raise _refused("a proof does not have as many hashes as its log needs")


def _range_hash(first: int, last: int, read: Subtrees) -> bytes:
    """Return the hash of the leaves from `first` up to `last`, of a subtree of the log."""
    size = last - first
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return read(level, first >> level)
    middle = first + _left_size(size)
    return node_hash(_range_hash(first, middle, read), _range_hash(middle, last, read))


def _left_size(size: int) -> int:
    """Return how many of `size` leaves, of which there are several, are in the left subtree."""
    return 1 << (size - 1).bit_length() - 1


def _refused(message: str) -> TrustError:
    return TrustError(
        "TRUST_LOG", message, "Tell the maintainers of the registry; do not install from it."
    )
