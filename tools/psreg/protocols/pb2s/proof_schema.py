"""The schema of a proof, which psreg publishes as it stands in the specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psreg.formats.schema import document


def proof_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of `pb2s_proof`, to read only. `conformance.py` carries it along."""
    return document("pb2s_proof")
