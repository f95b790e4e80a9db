"""A registry with drafts: they take the place of names in what is shown, never in what is served.

To the site by difference, drafts are one more bin. The digest of a bin that lists names of drafts
is mixed with these names, so that exactly the pages are written that a draft adds or takes away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from psreg.catalogue.served_registry import ServedRegistry
from psreg.registry.actions.chain import NOTHING
from psreg.registry.catalog_head import Head
from psreg.registry.trust.roles import Target
from psreg.registry.withdrawing.effects import Effects

if TYPE_CHECKING:
    from psreg.catalogue.drafts import Drafts

DRAFTS = "drafts"
"""The bin of the drafts; no metadata has this role."""


class PreviewedRegistry:
    """What is `signed`, None if nothing is, and drafts; the interface of `ServedRegistry`."""

    def __init__(self, signed: ServedRegistry | None, drafts: Drafts) -> None:
        self.drafts = drafts
        self._signed = signed

    @property
    def head(self) -> Head:
        """The head of the catalogue, without drafts."""
        return self._signed.head if self._signed else Head()

    @cached_property
    def _replaced(self) -> Mapping[str, frozenset[str]]:
        """The names of drafts by the bin that lists their signed records."""
        replaced: dict[str, set[str]] = {}
        for name, draft in self.drafts.by_name.items():
            if self._signed and draft.signed:
                replaced.setdefault(self._signed.bin_of(name), set()).add(name)
        return {role: frozenset(names) for role, names in replaced.items()}

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """See `ServedRegistry.roles`."""
        signed = self._signed.roles if self._signed else {}
        mixed = {
            role: hashlib.sha256("\n".join([digest, *sorted(self._replaced[role])]).encode())
            for role, digest in signed.items()
            if role in self._replaced
        }
        found = {role: digest.hexdigest() for role, digest in mixed.items()}
        return {**signed, **found, DRAFTS: self.drafts.digest}

    @property
    def effects(self) -> Effects:
        """See `ServedRegistry.effects`; drafts have none."""
        return self._signed.effects if self._signed else Effects((), None, NOTHING)

    @property
    def bins(self) -> Iterator[str]:
        """See `ServedRegistry.bins`."""
        if self._signed:
            yield from self._signed.bins
        yield DRAFTS

    def records(self, role: str) -> Mapping[str, Target]:
        """Return what a bin lists; the digest of a draft is of all that its pages show."""
        if role == DRAFTS:
            drafts = self.drafts.by_name.items()
            return {name: Target(length=0, sha256=draft.digest) for name, draft in drafts}
        listed = self._signed.records(role) if self._signed else {}
        hidden = self._replaced.get(role, frozenset())
        return {name: target for name, target in listed.items() if name not in hidden}

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files that `files` yields."""
        return frozenset(self._records) | (self._signed.paths if self._signed else frozenset())

    @cached_property
    def _records(self) -> Mapping[str, bytes]:
        """The signed records that drafts replace on pages; clients read them as before."""
        names = (name for names in self._replaced.values() for name in names)
        return dict(self._signed.record_file(name) for name in names) if self._signed else {}

    def files(
        self, known: Mapping[str, str], served: Container[str] = ()
    ) -> Iterator[tuple[str, bytes]]:
        """See `ServedRegistry.files`."""
        if self._signed:
            signed = self._signed.roles
            same = {role: signed[role] for role in signed if known.get(role) == self.roles[role]}
            yield from self._records.items()
            yield from self._signed.files(same, served)

    def last(self, served: Container[str]) -> tuple[str, ...]:
        """See `ServedRegistry.last`."""
        return self._signed.last(served) if self._signed else ()
