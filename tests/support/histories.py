"""Random histories of a registry, each step of which can be published."""

from __future__ import annotations

import random
from pathlib import PurePosixPath

from support.registry_trees import POLICY, entry, tree

Tree = dict[PurePosixPath, bytes]

WORDS = ["apple", "garden", "night", "river", "silver", "winter", "market", "planet", "coffee"]
NAMES = [f"{one}_{other}" for one in WORDS for other in WORDS if one != other]


KINDS = ("new", "new", "version", "version", "yank", "alias", "policy")


class History:
    """The steps of one seed: new entries and versions, yanks, aliases, changed policies."""

    def __init__(self, seed: int, kinds: tuple[str, ...] = KINDS) -> None:
        self.random = random.Random(seed)
        self.kinds = kinds
        self.versions: dict[str, list[str]] = {}
        self.toml: dict[str, dict[str, str]] = {}
        self.reason = "Nothing here is ever run."

    def step(self) -> Tree:
        """Change one thing, and return the tree."""
        free = [name for name in NAMES if name not in self.versions]
        kind = self.random.choice([kind for kind in self.kinds if free or kind != "new"])
        name = self.random.choice(sorted(self.versions) or free)
        if kind == "new" or not self.versions:
            name = self.random.choice(free)
            self.versions[name], self.toml[name] = ["1.0.0"], {"owners": "owners = []\n"}
        elif kind == "version":
            self.versions[name].append(f"1.{len(self.versions[name])}.0")
        elif kind == "yank":
            yank = f'[yanked]\n"{self.random.choice(self.versions[name])}" = "It was bad."\n'
            self.toml[name]["yanked"] = self.random.choice(["", yank])
        elif kind == "alias":
            self.toml[name]["owners"] = (
                f'owners = []\naliases = ["{name}_{self.random.randint(100, 999)}x"]\n'
            )
        elif kind == "policy":
            self.reason = f"Nothing here was run, decided at {self.random.random()}."
        files = [
            entry(name, *self.versions[name], toml="".join(self.toml[name].values()))
            for name in self.versions
        ]
        return tree(*files, policy=POLICY.replace("Nothing here is ever run.", self.reason))
