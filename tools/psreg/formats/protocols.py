"""The conversation protocols a prompt may declare, and the version of each that psreg knows."""

from __future__ import annotations

from collections.abc import Mapping

PROTOCOLS: Mapping[str, str] = {"vpp": "1.4", "plsp": "0.5", "pb2s": "0.2"}
"""The version by the name that release.toml uses."""
