"""The platforms on which prompts are run, and what only one of them has.

The table is the data file `platforms.toml`: identifiers that release.toml uses, names for people,
names of features. An assistant and the program around it count as one platform.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pkgutil import get_data
from typing import Any

_TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (get_data("psreg.formats", "data/platforms.toml") or b"").decode()
)

PLATFORMS: Mapping[str, str] = {key: row["name"] for key, row in _TABLE.items()}
"""What a person calls each platform."""

PAGES: Mapping[str, str] = {key: row["page"] for key, row in _TABLE.items() if "page" in row}
"""Where a person begins a conversation, for the platforms that are used in a browser."""

OTHER_WORDS: Mapping[str, str] = {
    word: key for key, row in _TABLE.items() for word in row.get("also", ())
}
"""The platform that each other word for one means."""

FEATURES: Mapping[str, str] = {
    feature: key for key, row in _TABLE.items() for feature in row.get("features", ())
}
"""The platform of each feature, by the feature's name."""
