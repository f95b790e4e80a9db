"""The schema of a proof, which psreg publishes as in the specification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psreg.formats.schema import document


def proof_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of `pb2s_proof`, read-only. `conformance.py` contains a copy."""
    return document("pb2s_proof")
