"""Merkle trees, word by word as RFC 6962 defines them; slow, and to compare with."""

from psreg.registry.log.merkle import node_hash


def root_of(leaves):
    """Return the root of a tree of at least one leaf (RFC 6962 2.1)."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return node_hash(root_of(leaves[:k]), root_of(leaves[k:]))
