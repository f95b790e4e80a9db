"""A signed registry of any number of names without a tree: records are computed when they are read.

`python synthetic.py publish FOLDER NUMBER NAME` adds one more name, as `psreg publish` does it
without Git.
"""

import hashlib
import json
import random
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import generate
from psreg.core.diagnostics import Report
from psreg.formats.json.canonical import canonical
from psreg.lint.likeness import SIZE, START
from psreg.registry.baseline import Ports, read_baseline
from psreg.registry.catalog_head import MOST_ROWS, Head, RowChange, next_head
from psreg.registry.catalog_segments import row_of
from psreg.registry.journal import PublishJournal
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.publish import Change, publish
from psreg.registry.records import read_record
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.roles import (
    KEYS,
    LIFETIMES,
    RELEASES,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Bins,
    Target,
    catalog_target,
    metadata_path,
    package_target,
    target_path,
)

DATE = "2026-01-01T00:00:00Z"
ID = "b" * 32


def name(n: int) -> str:
    return f"made_{n}"


def sketch(n: int) -> str:
    """Return a sketch of the size and the look of those of texts with 640 sequences of words."""
    pick = random.Random(n)
    numbers = sorted(pick.randrange(2**30 // 10) for _ in range(SIZE))
    digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
    return "".join(digits[n >> shift & 63] for n in numbers for shift in (24, 18, 12, 6, 0))


def own_words(n: int) -> str:
    """Return as many words as a row has at most, some of them much more frequent than others."""
    pick = random.Random(n)
    return " ".join(sorted({word(int(20_000 * pick.random() ** 2)) for _ in range(40)}))


def word(n: int) -> str:
    """Return the made-up word number `n`, of 7 letters."""
    return "".join(chr(ord("a") + (n * 104_729 + 7) // 26**place % 26) for place in range(7))


def record(n: int) -> bytes:
    """Return the record of name number `n`, of the size that entries of `generate` have."""
    digest = hashlib.sha256(str(n).encode()).hexdigest()
    folder = f"pbes/interactive_engine/{name(n)}/1.0.0"
    files = {f"{name(n)}.pbe.txt": 5_000, "release.toml": 240, "README.md": 100}
    words = generate.WORDS
    row = {
        "v": 1, "version": "1.0.0", "path": f"{folder}/{name(n)}.pbe.txt",
        "media_type": "application/json", "sha256": digest, "size": 5_000, "date": DATE,
        "files": [{"path": f"{folder}/{f}", "sha256": digest, "size": s} for f, s in files.items()],
        "release": {
            "summary": f"A made entry number {n} about {words[n % len(words)]} for measuring.",
            "license": "MIT", "tags": [words[(n * 7) % len(words)], "bench"], "languages": ["en"],
            "use_case": "Measuring how fast things are.", "capabilities": [],
        },
        "waived": [{"code": "REG011", "reason": "Synthetic entries are not run.", "by": "policy"}],
        "yanked": None, "statement": None, "psreg": "0.2.0", "sketch": sketch(n),
        "words": own_words(n),
    }  # fmt: skip
    return canonical({
        "schema": "psreg.package/1", "name": name(n), "class": "interactive_engine", "serial": 1,
        "owners": [], "threshold": 1, "aliases": [], "deprecated": None, "folder": digest,
        "releases": [row],
    })  # fmt: skip


class Store(RegistryFolder):
    """The files of a registry in a folder, but for the records of its first `number` names."""

    def __init__(self, root: Path, number: int) -> None:
        super().__init__(root)
        self.number = number

    def read(self, path: str) -> bytes | None:
        found = super().read(path)
        if found is None and path.startswith("targets/pkg/"):
            digest, which, _ = PurePosixPath(path).name.split(".")
            n = which.removeprefix("made_")
            if which != n and int(n) < self.number:
                data = record(int(n))
                found = data if hashlib.sha256(data).hexdigest() == digest else None
        return found


def ports(folder: Path, number: int) -> Ports:
    registry = folder / "registry"
    store, keys = Store(registry, number), KeyStore(folder / "keys")
    return Ports(store=store, keys=keys, journal=PublishJournal(folder / "state", registry))


def _rows(numbers: range) -> dict[str, RowChange]:
    """Return new rows; they are those of the records, which are not parsed one by one."""
    first = row_of(read_record(record(numbers[0]), name(numbers[0])))
    words = generate.WORDS

    def row(n: int) -> dict[str, object]:
        return {
            **first,
            "name": name(n),
            "summary": f"A made entry number {n} about {words[n % len(words)]} for measuring.",
            "sha256": hashlib.sha256(str(n).encode()).hexdigest(),
            "sketch": sketch(n)[:START],
            "words": own_words(n),
            "tags": sorted({words[(n * 7) % len(words)], "bench"}),
        }

    last = numbers[-1]
    if row(last) != row_of(read_record(record(last), name(last))):
        raise AssertionError("a row is not that of its record")
    return {name(n): RowChange(was=None, now=row(n)) for n in numbers}


def _sizes(number: int) -> list[int]:
    """Return how many rows the segments of a registry have that grew name by name."""
    kept: list[int] = []
    for _ in range(number):
        new = 1
        while kept and kept[-1] < 2 * new and kept[-1] + new <= MOST_ROWS:
            new += kept.pop()
        kept.append(new)
    return kept


def _catalogue(store: Store, number: int, *, at_once: bool) -> Head:
    """Write the segments, and return the head."""
    head, at = Head(version=1, inputs={}, latest=DATE), 0
    for size in [number] if at_once else _sizes(number):
        head, new = next_head(head, _rows(range(at, at + size)), _never)
        for segment, data in zip(head.segments[-len(new) :], new, strict=True):
            store.write(segment.path, data)
        at += size
    return head


def _never(segment: object) -> None:
    raise AssertionError(f"{segment} is merged")


def build(folder: Path, number: int, *, at_once: bool = False) -> str:
    """Sign a registry of `number` names below `folder`; return the digest of its root.

    It has the segments of one that grew name by name, or that one publish made `at_once`.
    """
    its, now = ports(folder, number), datetime.now(UTC).replace(microsecond=0)
    store, pems = its.store, {key: its.keys.create(ID, key) for key in KEYS}
    signer = MetadataSigner(
        keys=signers_of(pems.values()), source="", now=now, registry_id=ID, lifetimes=LIFETIMES
    )
    head = _catalogue(store, number, at_once=at_once).to_bytes()
    store.write(target_path(catalog_target("head"), Target.of(head).sha256), head)
    root, bins = signer.first_root(ID, pems), Bins.for_names(number)
    targets = signer.first_targets(root)
    releases = signer.first_releases({catalog_target("head"): Target.of(head)}, bins, targets)
    share: dict[str, list[int]] = {role: [] for role in bins.roles}
    for n in range(number):
        share[bins.of(package_target(name(n)))].append(n)
    listed = [targets, releases]
    for role, numbers in share.items():
        found = {package_target(name(n)): Target.of(record(n)) for n in numbers}
        document = signer.next_bin(role, found, releases, None)
        store.write(metadata_path(role, 1), document.data)
        listed.append(SimpleNamespace(role=role, version=1, expires=document.expires))
    first = {"releases": min(each.expires for each in listed)}
    snapshot = signer.next_snapshot(listed, root, None, first)
    for each in (root, targets, releases, snapshot):
        store.write(metadata_path(each.role, 1), each.data)
    store.write(TIMESTAMP_PATH, signer.next_timestamp(snapshot, root, None).data)
    its.journal.finish(ID)
    return hashlib.sha256(root.data).hexdigest()


def add(folder: Path, number: int, which: str) -> None:
    """Publish one entry more."""
    its, now = ports(folder, number), datetime.now(UTC).replace(microsecond=0)
    scratch = folder / "scratch" / which
    generate.entry(scratch, which, 7)
    tree = {
        PurePosixPath(file.relative_to(scratch).as_posix()): file.read_bytes()
        for file in scratch.rglob("*")
        if file.is_file()
    }
    baseline = read_baseline(its)
    change = Change(names={which}, baseline=baseline)
    publish(tree, Report(checked=len(tree)), now, its, change=change)


def layout(folder: Path, number: int) -> dict[str, int]:
    """Return what a registry consists of: how many of each, and bytes in force."""
    its = ports(folder, number)
    baseline = read_baseline(its)
    state, head = baseline.state, baseline.head
    bins = Counter(len(state.documents[role].data) for role in state.bins.roles)
    return {
        "bins": len(state.bins.roles),
        "bin": max(bins),
        "snapshot": len(state.documents[SNAPSHOT].data),
        "releases": len(state.documents[RELEASES].data),
        "targets": len(state.documents[TARGETS].data),
        "timestamp": len(state.documents[TIMESTAMP].data),
        "head": state.targets[catalog_target("head")].length,
        "segments": len(head.segments),
        "catalogue": sum(each.target.length for each in head.segments),
    }


@contextmanager
def serving(read):
    """Serve what `read` returns for a path on loopback; yields the address and the bytes sent."""
    sent = Counter()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            data = read(self.path.lstrip("/"))
            head = f"HTTP/1.1 {404 if data is None else 200} X\r\nContent-Length: {len(data or b'')}\r\n"
            whole = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + (data or b"")
            sent.update(bytes=len(whole), requests=1)
            self.wfile.write(whole)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    _, what, place, count, *more = sys.argv
    if what == "build":
        print(build(Path(place), int(count)))
    elif what == "publish":
        add(Path(place), int(count), *more)
    else:
        print(json.dumps(layout(Path(place), int(count))))
