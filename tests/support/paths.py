"""The folders of this repository, and of what may be beside it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tools"
PBES = ROOT / "pbes"
TESTS = ROOT / "tests"
CORPUS = TESTS / "corpus"
GOLDEN = TESTS / "golden"
VECTORS = TESTS / "vectors"

SHARED = ROOT.parent / "shared"
"""The specifications and real files of their authors: beside some checkouts, and not ours to copy."""


def beside(place: str) -> Path:
    """Return a file or folder of `SHARED`; skip the test where it is not there."""
    path = SHARED / place
    if not path.exists():
        pytest.skip(f"{place} of the specifications' authors is not beside this checkout")
    return path


def needs(place: str) -> pytest.MarkDecorator:
    """Mark a test that reads `place` of `SHARED`."""
    reason = f"{place} of the specifications' authors is not beside this checkout"
    return pytest.mark.skipif(not (SHARED / place).exists(), reason=reason)


def policy_without_picks() -> str:
    """Return the policy of this repository for a registry that has few of its entries."""
    return re.sub(r"(?ms)^picks = \[.*?\]\n", "", (ROOT / "registry/policy.toml").read_text())
