"""What tests of publishing share: small trees, real ports, a client, and a process that dies."""

from __future__ import annotations

import atexit
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path, PurePosixPath
from shutil import copytree, rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.parse import unquote

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.signer import CryptoSigner
from tuf.api.exceptions import DownloadHTTPError
from tuf.ngclient import FetcherInterface, Updater

from psreg.core.diagnostics import Report
from psreg.formats.json.canonical import canonical
from psreg.registry.baseline import Intent, Ports
from psreg.registry.journal import PublishJournal
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.publish import PublishResult, publish, resign
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import Document, MetadataSigner, Signers, signers_of
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import LIFETIMES, Bins, Target
from psreg.registry.trust.signing_keys import key_from_pem, key_to_pem

NOW = datetime.now(UTC).replace(microsecond=0)
"""python-tuf's client looks at the real clock, so the tests' clock starts there."""

CLEAN = Report(checked=1)

Tree = dict[PurePosixPath, bytes]


def entry(name: str, *versions: str, entry_class: str = "prompt", yanked: str = "") -> Tree:
    """Return the files of an entry, as plain as the index understands them."""
    folder = PurePosixPath("pbes", entry_class, name)
    suffix = ".prompt" if entry_class == "prompt" else ".pbe.txt"
    tree = {folder / "entry.toml": f"threshold = 1\n{yanked}".encode()}
    for version in versions:
        tree[folder / version / (name + suffix)] = f"{name} {version}\n".encode()
        tree[folder / version / "release.toml"] = b'summary = "A plain entry."\n'
    return tree


FIRST = entry("alpha", "1.0.0") | entry("beta", "0.1.0", entry_class="interactive_engine")
SECOND = FIRST | entry("alpha", "1.0.0", "1.1.0") | entry("gamma", "2.0.0")


class QuickDir(RegistryFolder):
    """A registry folder that does not wait for the disk, and in which a write can end halfway."""

    def write(self, path: str, data: bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    def sync(self) -> None: ...

    def tear(self, path: str, data: bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.with_name(".psreg-torn").write_bytes(data[: len(data) // 2])


def ports(home: Path, registry: Path) -> Ports:
    """Return ports to real folders: keys and notes below `home`."""
    return Ports(
        store=QuickDir(registry),
        keys=KeyStore(home / "keys"),
        journal=PublishJournal(home / "state", registry),
    )


def release(
    home: Path, registry: Path, tree: Tree, now: datetime = NOW, **options: Any
) -> PublishResult:
    """Publish `tree` into the folder `registry`."""
    return publish(tree, CLEAN, now, ports(home, registry), **options)


@cache
def _once(make: Callable[[Path, Path], PublishResult]) -> tuple[Path, str]:
    """Publish once for all tests of this process; return where, and the registry's id."""
    place = Path(mkdtemp(prefix="psreg-tests-"))
    atexit.register(rmtree, place)
    published = make(place / "home", place / "registry")
    return place, published.registry_id


def copied(make: Callable[[Path, Path], PublishResult], home: Path, registry: Path) -> None:
    """Leave what `make(home, registry)` does, copied from where that was done once."""
    place, registry_id = _once(make)
    copytree(place / "home/keys", home / "keys")
    copytree(place / "registry", registry)
    PublishJournal(home / "state", registry).finish(registry_id)


def _first(home: Path, registry: Path) -> PublishResult:
    return release(home, registry, FIRST)


def founded(home: Path, registry: Path) -> None:
    """Leave what `release(home, registry, FIRST)` does."""
    copied(_first, home, registry)


def logless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found registries as psreg did before it had a log: their root names none."""
    founding = MetadataSigner.first_root
    monkeypatch.setattr(
        MetadataSigner, "first_root", lambda self, name, keys, _log: founding(self, name, keys)
    )


def renewed(home: Path, registry: Path, after: timedelta) -> PublishResult:
    """Renew signatures `after` NOW."""
    return resign(NOW + after, ports(home, registry))


def state_of(registry: Path) -> RegistryState:
    """Return the verified state of the registry in a folder."""
    state = read_registry(QuickDir(registry).read)
    assert state is not None
    return state


def signer_of(
    home: Path, registry: Path, lifetimes: Mapping[str, timedelta] = LIFETIMES
) -> MetadataSigner:
    """Return what signs as anyone with the keys can."""
    registry_id = state_of(registry).registry_id
    pems = ports(home, registry).keys.load(registry_id)
    return MetadataSigner(
        keys=signers_of(pems.values()),
        source="",
        now=NOW,
        registry_id=registry_id,
        lifetimes=lifetimes,
    )


def write(registry: Path, documents: Iterable[Document]) -> None:
    """Write signed documents, as anyone with the keys can."""
    for document in documents:
        prefix = "" if document.role == "timestamp" else f"{document.version}."
        (registry / f"metadata/{prefix}{document.role}.json").write_bytes(document.data)


def change_record(
    home: Path, registry: Path, change: Callable[[Any], object], part: str = "releases"
) -> None:
    """Sign another record of `alpha`, as anyone with the online key can."""
    state, store = state_of(registry), ports(home, registry).store
    record = json.loads(state.packages["alpha"])
    change(record[part])
    data = canonical(record)
    targets = {"pkg/alpha.json": Target.of(data)}
    store.write(f"targets/pkg/{targets['pkg/alpha.json'].sha256}.alpha.json", data)
    write(registry, issue(state, targets, signer_of(home, registry), len(state.packages)))


def former_bins(home: Path, registry: Path) -> None:
    """Sign a registry again as psreg before 0.2 did: 256 bins, one of which lists the catalogue."""
    state, signer, bins = state_of(registry), signer_of(home, registry), Bins(bits=8)
    targets = state.documents["targets"]
    shares: dict[str, dict[str, Target]] = {role: {} for role in bins.roles}
    for path, target in state.targets.items():
        shares[bins.of(path)][path] = target
    releases = signer.first_releases({}, bins, targets)
    below = [signer.next_bin(role, share, releases, None) for role, share in shares.items()]
    first = min(each.expires for each in below)
    snapshot = signer.next_snapshot(
        [*below, releases, targets], state.root, None, {"releases": first}
    )
    for role in state.bins.roles:
        (registry / f"metadata/1.{role}.json").unlink()
    write(registry, [*below, releases, snapshot, signer.next_timestamp(snapshot, state.root, None)])


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below `folder` with its bytes."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def kept(content: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files, as `files` returns them, that no publish changes before their time.

    The copy of the checkpoint may be torn: it comes after the timestamp.
    """
    current = {"metadata/timestamp.json", "log/checkpoint", "log/.psreg-torn"}
    return {path: data for path, data in content.items() if path not in current}


def unlogged(record: bytes | str) -> dict[str, Any]:
    """Return a record as JSON data, without what the log of one registry says about releases."""
    value: dict[str, Any] = json.loads(record)
    for release in value["releases"]:
        release.pop("log", None)
    return value


def put(folder: Path, content: Mapping[str, bytes]) -> None:
    """Make `folder` hold exactly `content`, as `files` returns it."""
    for path in files(folder):
        if path not in content:
            (folder / path).unlink()
    there = files(folder)
    for path, data in content.items():
        if there.get(path) != data:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)


class _Files(FetcherInterface):
    """Fetches what a function reads, with the answers of a web server."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read

    def _fetch(self, url: str) -> Iterator[bytes]:
        data = self._read(unquote(url.removeprefix("registry:/")))
        if data is None:
            raise DownloadHTTPError("not found", 404)
        yield data


def client_reads(registry: Path, cache: Path, name: str) -> bytes | None:
    """Return the record of `name` that a stock python-tuf client accepts; None if it has none."""
    return client_reads_with(RegistryFolder(registry).read, cache, name)


def client_reads_with(read: Callable[[str], bytes | None], cache: Path, name: str) -> bytes | None:
    """Return the same for a registry of which `read` returns the files."""
    for folder in (cache / "metadata", cache / "targets"):
        folder.mkdir(parents=True, exist_ok=True)
    updater = Updater(
        str(cache / "metadata"),
        "registry:/metadata/",
        str(cache / "targets"),
        "registry:/targets/",
        _Files(read),
        bootstrap=read("metadata/1.root.json"),
    )
    info = updater.get_targetinfo(f"pkg/{name}.json")
    return Path(updater.download_target(info)).read_bytes() if info else None


class MemoryStore:
    """A registry in a dictionary, for tests that publish very often."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def names(self, folder: str) -> list[str]:
        inside = (PurePosixPath(path) for path in self.files if path.startswith(f"{folder}/"))
        return [path.name for path in inside if not path.name.startswith(".psreg-")]

    def write(self, path: str, data: bytes) -> None:
        self.files[path] = data

    def tear(self, path: str, data: bytes) -> None:
        self.files[f"{PurePosixPath(path).parent}/.psreg-torn"] = data[: len(data) // 2]

    def remove(self, path: str) -> None:
        del self.files[path]

    def sweep(self, folder: str) -> None:
        self.files.pop(f"{folder}/.psreg-torn", None)

    def sync(self) -> None: ...


class FixedKeys:
    """Keys that are the same for everybody, kept nowhere but here."""

    def __init__(self) -> None:
        self.made: dict[str, bytes] = {}
        self.enlisted: dict[str, bytes] = {}

    def new_id(self) -> str:
        return "f" * 32

    def load(self, _registry_id: str) -> Mapping[str, bytes]:
        return dict(self.made)

    def create(self, _registry_id: str, name: str) -> bytes:
        seed = Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32))
        self.made[name] = key_to_pem(seed)
        return self.made[name]

    def enlist(self, _registry_id: str, name: str, data: bytes) -> None:
        self.enlisted[name] = data

    def services(self, _registry_id: str) -> Signers:
        """Return the keys that are enlisted; here, a service says its key as it is."""
        return {name: CryptoSigner(key_from_pem(pem)) for name, pem in self.enlisted.items()}

    def folder(self, registry_id: str) -> str:
        return f"keys/{registry_id}"


class MemoryJournal:
    """A note in memory."""

    def __init__(self) -> None:
        self.note: Intent | None = None
        self.held: str | None = None

    def pending(self) -> Intent | None:
        return self.note

    def begin(self, intent: Intent) -> None:
        self.note = intent

    def finish(self, registry_id: str) -> None:
        self.note = None
        self.held = registry_id

    def holds(self) -> str | None:
        return self.held


def memory_ports() -> Ports:
    """Return ports that touch no disk; two of them are alike."""
    return Ports(store=MemoryStore(), keys=FixedKeys(), journal=MemoryJournal())


class Died(Exception):  # noqa: N818
    """What a dying process does not do: say goodbye."""


def dying(begun: Callable[[], Ports], go_on: Callable[[Ports], object]) -> Iterator[Ports]:
    """Yield what each death leaves of `go_on`, at its first change, the next, and so on.

    The last ones are those of a process that lives. What has begun is in memory, and begins once.
    """
    first = begun()
    for last in count():
        real = deepcopy(first)
        try:
            go_on(Dying(real, last))  # type: ignore[arg-type]
        except Died:
            yield real
        else:
            yield real
            return


class Dying:
    """The three ports of a process that dies at its `last` change of the world, from 0.

    With `torn`, dying while writing a registry file leaves the half-written temporary file.
    """

    def __init__(self, real: Ports, last: int, *, torn: bool = False) -> None:
        self._real, self._left, self._torn = real, last, torn
        self.store = self.keys = self.journal = self
        self.history = real.history

    def _change(self) -> None:
        if self._left == 0:
            raise Died
        self._left -= 1

    # Store
    def read(self, path: str) -> bytes | None:
        return self._real.store.read(path)

    def names(self, folder: str) -> list[str]:
        return list(self._real.store.names(folder))

    def write(self, path: str, data: bytes) -> None:
        if self._left == 0 and self._torn:
            self._real.store.tear(path, data)
        self._change()
        self._real.store.write(path, data)

    def remove(self, path: str) -> None:
        self._change()
        self._real.store.remove(path)

    def sweep(self, folder: str) -> None:
        self._real.store.sweep(folder)

    def sync(self) -> None:
        self._change()
        self._real.store.sync()

    # Keys
    def new_id(self) -> str:
        return self._real.keys.new_id()

    def load(self, registry_id: str) -> Mapping[str, bytes]:
        return self._real.keys.load(registry_id)

    def create(self, registry_id: str, name: str) -> bytes:
        self._change()
        return self._real.keys.create(registry_id, name)

    def services(self, registry_id: str) -> Signers:
        return self._real.keys.services(registry_id)

    def folder(self, registry_id: str) -> str:
        return self._real.keys.folder(registry_id)

    # Journal
    def pending(self) -> object:
        return self._real.journal.pending()

    def begin(self, intent: object) -> None:
        self._change()
        self._real.journal.begin(intent)

    def finish(self, registry_id: str) -> None:
        self._change()
        self._real.journal.finish(registry_id)

    def holds(self) -> str | None:
        return self._real.journal.holds()
