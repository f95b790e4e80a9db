"""Proofs prove what the definitions of RFC 6962 say, and nothing else."""

import pytest

from psreg.core.errors import TrustError
from psreg.registry.log.merkle import (
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    tree_root,
)
from support.merkle_trees import root_of

ENTRIES = [
    *("", "00", "10", "2021", "3031", "40414243", "5051525354555657"),
    "606162636465666768696a6b6c6d6e6f",
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The roots of the first entries, from none to all (Certificate Transparency's test data)."""

LEAVES = [leaf_hash(f"entry {number}".encode()) for number in range(70)]


def subtrees(leaves):
    return lambda level, index: root_of(leaves[index << level : index + 1 << level])


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_the_roots_of_certificate_transparency(size):
    leaves = [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES]
    assert tree_root(size, subtrees(leaves)).hex() == ROOTS[size]


def test_every_leaf_of_every_tree_has_a_proof():
    for size in range(1, len(LEAVES) + 1):
        read, root = subtrees(LEAVES), root_of(LEAVES[:size])
        assert tree_root(size, read) == root
        for index in range(size):
            proof = inclusion_proof(index, size, read)
            assert len(proof) <= (size - 1).bit_length()
            check_inclusion(LEAVES[index], index, size, proof, root)


def test_every_tree_continues_every_smaller_one():
    read = subtrees(LEAVES)
    roots = [tree_root(size, read) for size in range(len(LEAVES) + 1)]
    for size in range(1, len(LEAVES) + 1):
        for old in range(1, size + 1):
            proof = consistency_proof(old, size, read)
            check_consistency(old, roots[old], size, roots[size], proof)


def refused(check, *arguments):
    with pytest.raises(TrustError) as error:
        check(*arguments)
    assert error.value.code == "TRUST_LOG"


def changed(proof):
    """Yield other proofs: shorter, longer, in another order, with another bit."""
    yield [*proof, LEAVES[0]]
    yield [LEAVES[0], *proof]
    if proof:
        yield proof[1:]
        yield proof[:-1]
        yield [*proof[:-1], bytes([proof[-1][0] ^ 1]) + proof[-1][1:]]
    if len(proof) > 1 and proof[0] != proof[1]:
        yield [proof[1], proof[0], *proof[2:]]


@pytest.mark.parametrize("size", [*range(1, 12), 64, 70])
def test_no_other_proof_of_inclusion_is_accepted(size):
    read = subtrees(LEAVES)
    root = tree_root(size, read)
    for index in range(size):
        proof = inclusion_proof(index, size, read)
        for other in changed(proof):
            refused(check_inclusion, LEAVES[index], index, size, other, root)
        refused(check_inclusion, LEAVES[(index + 1) % 70], index, size, proof, root)
        refused(check_inclusion, LEAVES[index], index, size, proof, leaf_hash(b"another"))
        for at in (index - 1, index + 1, -1, size):
            refused(check_inclusion, LEAVES[index], at, size, proof, root)


@pytest.mark.parametrize("size", [*range(1, 12), 64, 70])
def test_no_other_proof_of_consistency_is_accepted(size):
    read = subtrees(LEAVES)
    after = tree_root(size, read)
    for old in range(1, size + 1):
        before, proof = tree_root(old, read), consistency_proof(old, size, read)
        for other in changed(proof):
            refused(check_consistency, old, before, size, after, other)
        refused(check_consistency, old, leaf_hash(b"another"), size, after, proof)
        refused(check_consistency, old, before, size, leaf_hash(b"another"), proof)
        for small, large in ((0, size), (-1, size), (size + 1, size)):
            refused(check_consistency, small, before, large, after, proof)


def test_a_log_that_was_written_again_is_not_a_continuation():
    other = [*LEAVES[:20], leaf_hash(b"another entry"), *LEAVES[21:]]
    root, after = root_of(LEAVES[:30]), root_of(other)
    proof = consistency_proof(30, 70, subtrees(other))
    refused(check_consistency, 30, root, 70, after, proof)
    refused(check_consistency, 70, root_of(LEAVES), 70, after, [])
