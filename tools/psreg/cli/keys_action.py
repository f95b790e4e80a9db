"""What the actions of `psreg keys` share: their form, where they act, and who must sign drafts."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.registry.checkout import read_tree
from psreg.system.console import Console

if TYPE_CHECKING:
    from psreg.registry.baseline import Ports
    from psreg.registry.ceremony import Signing

SCHEMA = "psreg.keys/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The checkout of a registry, its files and its keys on this machine."""

    root: Path
    ports: Ports
    console: Console

    def lifetimes(self) -> Mapping[str, timedelta]:
        """Return how long the policy lets signatures last, by role."""
        from psreg.formats.tree import Tree

        return Tree(read_tree(self.root, parts=())).policy.lifetimes


Answer = tuple[dict[str, Any], "Sequence[str]"]
"""What an action prints: members of a JSON document, and lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action: its name, what it does, its own options, and the function that does it."""

    name: str
    does: str
    example: str
    configure: Callable[[ArgumentParser], None]
    act: Callable[[Namespace, Place], Answer]


def signing_answer(found: Sequence[Signing]) -> Answer:
    """Return what to print about drafts."""
    rows = [
        {
            "path": f"registry/{each.draft.path}",
            "role": each.draft.role,
            "version": each.draft.version,
            "expires": f"{each.draft.signed.expires:%Y-%m-%dT%H:%M:%SZ}",
            "document": json.loads(each.draft.data)["signed"],
            "keys": [
                {"threshold": one.threshold, "signed": [*one.signed], "unsigned": [*one.unsigned]}
                for one in each.progress
            ],
        }
        for each in found
    ]
    return {"signing": rows}, [*_signing_lines(found)]


def _signing_lines(found: Sequence[Signing]) -> Iterator[str]:
    """Yield who must sign what: drafts that the same people sign are on one line."""
    if not found:
        yield "nothing waits for signatures"
        return
    said: dict[str, list[str]] = {}
    for each in found:
        said.setdefault(each.lacking, []).append(each.draft.role)
    for who, roles in said.items():
        listed = ", ".join(roles[:_LISTED])
        more = f" and {len(roles) - _LISTED} more" if len(roles) > _LISTED else ""
        yield f"{listed}{more}: {f'missing {who}' if who else 'signed'}"
    if any(who for who in said):
        yield "  next: commit registry, and let them run `psreg keys sign`"
    else:
        yield "  next: psreg publish"


_LISTED = 3
"""Roles that a line lists before it counts the rest."""
