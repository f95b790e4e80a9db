"""What psreg asks an endpoint: a concept, a piece of history, a technical matter."""

from __future__ import annotations

from importlib.resources import files


def own_prompts_json() -> str:
    """Return psreg's own prompts as the JSON list that `--prompts` takes.

    `conformance.py` carries it along.
    """
    path = files("psreg.protocols") / "pb2s" / "prompts.json"
    return path.read_text(encoding="utf-8")
