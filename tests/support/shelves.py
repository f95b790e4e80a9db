"""A registry in memory whose signatures count as checked, and what a project needs of a cache."""

from __future__ import annotations

from types import SimpleNamespace

from psreg.client.project.verified import VerifiedRelease
from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.records import read_record
from simulator import Simulator
from support.simulated_log import encode

ID, OTHER = "0" * 32, "1" * 32


class Shelf:
    """Implements `client.project.registries.ProjectRegistry`; `asked` are the records it gave."""

    def __init__(self, registry_id=ID, location="https://prompts.example.org"):
        self.id, self.location = registry_id, location
        self.signer = Simulator(registry_id=registry_id)
        self.claims, self.refused, self.asked = {}, set(), []
        self.expected = {}
        self.reachable = True

    def release(self, name, version="1.0.0", data=b"", requires=None, **row):
        details = {"requires": requires} if requires else {}
        row.setdefault("entry_class", "prompt")
        details |= row.pop("release", {})
        content = data or f"[CONTENT]\n{name} {version}\n".encode()
        self.signer.release(name, version, content, release=details, **row)
        return self

    def expect(self, requests, lacks):
        """Remember what may be fetched ahead of each record."""
        self.expected = {each.name: [*lacks(each, b"")] for each in requests}

    def record(self, name):
        self._check()
        self.asked.append(name)
        record = self.signer.records.get(name)
        return encode(record) if record else None

    def check_release(self, record, row):
        if f"{record.name} {row.version}" in self.refused:
            raise TrustError("TRUST_LOG", "the log does not have it")

    def claim(self, record):
        return self.claims.get(record.name)

    def is_claimed(self, name):
        return name in self.claims

    def with_void_keys(self, record):
        return record

    def names(self):
        return [*self.signer.records]

    def artifact(self, path, _size):
        self._check()
        return self.signer.artifacts[path]

    def _check(self):
        if not self.reachable:
            raise UnavailableError("NETWORK", "it cannot be reached")

    def verified(self, name, version="1.0.0", **facts):
        """Return a release as this registry signed it."""
        record = read_record(encode(self.signer.records[name]), name)
        return VerifiedRelease.of(record, record.release(version), self.id, **facts)


class MemoryCache:
    """Implements `client.project.syncing.Kept`; `damaged` are keys that raise."""

    def __init__(self):
        self.artifacts, self.releases, self.damaged = {}, {}, set()

    def has(self, sha256):
        return sha256 in self.artifacts

    def artifact(self, sha256):
        self._check(sha256)
        return self.artifacts.get(sha256)

    def release(self, registry, name, version):
        self._check((registry, name, version))
        return self.releases.get((registry, name, version))

    def keep(self, releases):
        for verified, data in releases:
            if data is not None:
                self.artifacts[verified.row.sha256] = data
            key = (verified.registry, verified.release.name, verified.release.version)
            self.releases[key] = verified

    def _check(self, key):
        if key in self.damaged:
            raise TrustError("CACHE_DAMAGED", "it is damaged")


def opener(**shelves):
    """Return an opener: `usual` is the registry without a name; `opened` are the names asked for."""
    opened = []

    def opens(spelled):
        opened.append(spelled)
        return shelves[spelled or "usual"]

    return SimpleNamespace(opens=opens, opened=opened)
