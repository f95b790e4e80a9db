"""The verified targets of a registry: by what was verified before, else by python-tuf.

If the registry shows the very bytes of the timestamp that was verified last, and no newer root,
its state is the one that was verified: nothing of it is verified twice, and python-tuf is not even
imported. Whatever else it shows is python-tuf's to judge, as is all of which nothing is remembered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Protocol

from psreg.client.metadata_cache import MAX_METADATA, clock_warning
from psreg.client.metadata_cache import TEMPORARY as UNFINISHED
from psreg.client.verified.ahead import MAX_ROOT, MAX_TIMESTAMP, Ahead, next_root
from psreg.client.verified.ahead import TIMESTAMP as TIMESTAMP_FILE
from psreg.client.verified.facts import (
    Acceptance,
    Facts,
    Listing,
    cached,
    collected,
    digests,
    read_facts,
    state_key,
    write_facts,
)
from psreg.client.verified.target_files import PARTS, TargetFiles
from psreg.core.errors import TrustError, UnavailableError
from psreg.http.prefetching import PrefetchingSource
from psreg.http.registry_source import NotServedError, Source, TooLongError
from psreg.registry.trust.roles import ROOT, TIMESTAMP, Target
from psreg.system.atomic import TEMPORARY
from psreg.system.clock import exact_time
from psreg.system.files import read_own

Judge = Callable[[bytes | None, bytes | None], None]
"""Gets the bytes verified before and the new ones, None where there are none; raises to refuse."""


class Verifier(Protocol):
    """What verifies the state that a registry shows: a `TufClient`."""

    stale_until: str

    @property
    def verified(self) -> Mapping[str, str]:
        """The SHA-256 of the verified files of root, timestamp, snapshot and targets."""

    def target(
        self, path: str, limit: int, judge: Judge | None = None, *, keep: bool = True
    ) -> bytes | None:
        """Return the verified bytes of a target; None if no role lists the path."""

    def lists(self, path: str) -> bool:
        """Return whether a role lists a target path."""

    def versions(self) -> Mapping[str, int]:
        """Return the current version of each top-level role."""

    def newest_root(self) -> bytes:
        """Return the current root."""

    def former_roots(self) -> Iterator[bytes]:
        """Yield the roots from the pinned one on."""


class VerifiedTargets(TargetFiles):
    """The targets of a registry that has an id and a pinned root, with its state in `folder`.

    `verifier` returns what verifies them. `key_folder` is that of the settings in which the user
    pinned the registry; without it nothing is remembered.
    """

    def __init__(
        self,
        source: Source,
        folder: Path,
        notify: Callable[[str], None],
        *,
        registry: tuple[str, str],
        verifier: Callable[[Source], Verifier],
        key_folder: Path | None = None,
    ) -> None:
        if not isinstance(source, PrefetchingSource):
            source = PrefetchingSource(source)
        super().__init__(source, folder, notify)
        self._shown = source
        self.ahead = Ahead(source, folder)
        self._id, self._pin = registry
        self._new_verifier = verifier
        self._built: Verifier | None = None
        self._key_folder = key_folder
        self._listed: dict[str, Target | None] = {}
        self._accepted: dict[str, Acceptance] = {}
        self.stale_until = ""
        """The day until which expired metadata is accepted; "" for never. All else is checked."""

    @property
    def was_read(self) -> bool:
        """Whether the registry was asked for its state."""
        return self._built is not None or "_known" in self.__dict__

    @property
    def _verifier(self) -> Verifier:
        if self._built is None:
            self.ahead.begin()
            self._built = self._new_verifier(self._shown)
        self._built.stale_until = self.stale_until
        return self._built

    @cached_property
    def _known(self) -> tuple[Facts, bytes] | None:
        """What was verified of the state that the registry shows, and its root; None if nothing.

        Raises:
            UnavailableError: the registry cannot be read.
        """
        key = state_key(self._key_folder) if self._key_folder is not None else None
        facts = read_facts(self._folder, key) if key is not None else None
        if facts is None or self.stale_until:
            return None
        files = cached(self._metadata, facts.files)
        of_this = (facts.registry, facts.pin, facts.files) == (self._id, self._pin, digests(files))
        if not (of_this and self._is_tidy() and self._shows(facts, files[TIMESTAMP])):
            return None
        if warning := clock_warning(self._metadata):
            self._say(warning)
        return facts, files[ROOT]

    def _is_tidy(self) -> bool:
        """Return whether nothing that is stored has to be set aside, or was left unfinished.

        Raises:
            UnavailableError: the state folder cannot be used.
        """
        with self._locked():
            targets = (self._folder / part for part in (".", *PARTS))
            metadata = (self._metadata, self._metadata / "root_history")
            return all(map(_is_whole, targets)) and all(
                _is_whole(folder, MAX_METADATA) for folder in metadata
            )

    def _shows(self, facts: Facts, timestamp: bytes) -> bool:
        """Return whether the registry shows the state that was verified, which is in force."""
        self.ahead.begin(facts.versions[ROOT], timestamp)
        try:
            self._shown.peek(next_root(facts.versions[ROOT]), MAX_ROOT)
        except NotServedError:
            pass
        except TooLongError:
            return False
        else:
            return False
        try:
            shown = self._shown.peek(TIMESTAMP_FILE, MAX_TIMESTAMP)
        except (NotServedError, TooLongError):
            return False
        return shown == timestamp and _in_force(facts.expires)

    def target(
        self, path: str, limit: int, judge: Judge | None = None, *, keep: bool = True
    ) -> bytes | None:
        """Return the verified bytes of a target; None if no role lists the path.

        A stored copy is used if it is still the one listed. Otherwise `judge` gets that copy and
        the new bytes, which are then stored, if they are to be kept.

        Raises:
            TrustError, UnavailableError: as `TufClient.target`.
        """
        if (listing := self._listing(path)) is not None:
            stored = self._unchecked(path, limit)
            if listing.target is None and stored is None:
                if judge is not None:
                    judge(None, None)
                return None
            if stored is not None and Target.of(stored) == listing.target:
                return stored
        data = self._verifier.target(path, limit, judge, keep=keep)
        self._listed[path] = None if data is None else Target.of(data)
        return data

    def _listing(self, path: str) -> Listing | None:
        """Return what is remembered of a target path and in force, None if nothing is."""
        listing = self._known[0].listings.get(path) if self._known else None
        return listing if listing is not None and _in_force(listing.expires) else None

    def _unchecked(self, path: str, limit: int) -> bytes | None:
        with suppress(UnavailableError):
            return read_own(self._folder / path, limit)
        return None

    def lists(self, path: str) -> bool:
        """Return whether a role lists the target `path`; for a `Judge`, which runs locked."""
        if (listing := self._listing(path)) is not None:
            return listing.target is not None
        return self._verifier.lists(path)

    def versions(self) -> Mapping[str, int]:
        """Return the current version of each top-level role."""
        return self._known[0].versions if self._known else self._verifier.versions()

    def newest_root(self) -> bytes:
        """Return the current root, the last of the chain that starts at the pinned one."""
        return self._known[1] if self._known else self._verifier.newest_root()

    def former_roots(self) -> Iterator[bytes]:
        """Yield the roots from the pinned one on, the current one included."""
        return self._verifier.former_roots()

    def accepted(self, name: str, digest: Callable[[], str]) -> Acceptance | None:
        """Return that a release passed all checks; `digest` returns that of what they depend on."""
        found = self._known[0].accepted.get(name) if self._known else None
        return found if found and found.digest == digest() else None

    def accept(self, name: str, digest: str, *, claimed: bool) -> None:
        """Remember that a release passed all checks."""
        self._accepted[name] = Acceptance(digest=digest, claimed=claimed)

    def remember(self) -> None:
        """Keep what was verified, for the next time. What cannot be kept is verified again."""
        if self._key_folder is None or self._built is None or self.stale_until:
            return
        key = state_key(self._key_folder, make=True)
        if key is None:
            return
        verified = self._built.verified
        if not verified:
            return  # what was shown was refused
        with suppress(UnavailableError, TrustError), self._locked():
            facts = collected(self._metadata, self._id, self._pin, self._listed, self._accepted)
            if facts and {role: facts.files[role] for role in verified} == verified:
                write_facts(self._folder, facts.with_more(read_facts(self._folder, key)), key)


def _in_force(expires: str) -> bool:
    return f"{exact_time():%Y-%m-%dT%H:%M:%SZ}" < expires


def _is_whole(folder: Path, largest: int | None = None) -> bool:
    """Return whether a folder has but folders and whole files, of at most `largest` bytes."""
    if not os.path.lexists(folder):
        return True
    if folder.is_symlink() or not folder.is_dir():
        return False
    with os.scandir(folder) as entries:
        return all(_is_usable(each, largest) for each in entries)


def _is_usable(entry: os.DirEntry[str], largest: int | None) -> bool:
    if entry.name.startswith((TEMPORARY, UNFINISHED)):
        return False
    if entry.is_dir(follow_symlinks=False):
        return not entry.name.endswith(".json")
    linked = entry.name == f"{ROOT}.json"  # python-tuf links the newest one
    if not entry.is_file(follow_symlinks=linked):
        return False
    return largest is None or entry.stat(follow_symlinks=linked).st_size <= largest
