"""The engine: which rules speak of a file, and how a tree is divided among processes."""

import pytest

from psreg.lint.engine import check_file, check_tree
from support.registry_trees import entry, tree


def test_a_file_of_no_format_is_refused():
    with pytest.raises(ValueError, match=r"notes is neither a PBE nor a \.prompt file"):
        list(check_file(b"Some words.\n", path="notes"))


def test_shares_are_together_the_whole():
    files = tree(*(entry(f"name_{letter}", toml="") for letter in "abcde"), policy="x = 1\n")
    whole = sorted(map(repr, check_tree(files)))
    shares = [d for n in range(3) for d in check_tree(files, share=n, shares=3)]
    assert whole
    assert sorted(map(repr, shares)) == whole
