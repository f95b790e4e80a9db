"""The prompts that psreg sends to an endpoint: an explanation, history, a technical description."""

from __future__ import annotations

from importlib.resources import files


def own_prompts_json() -> str:
    """Return psreg's own prompts as the JSON list that `--prompts` takes.

    `conformance.py` contains a copy.
    """
    path = files("psreg.protocols") / "pb2s" / "prompts.json"
    return path.read_text(encoding="utf-8")
