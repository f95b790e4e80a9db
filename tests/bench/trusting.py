"""What trust costs: a release's signature, its place in the log, and the metadata above it."""

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from timeit import repeat

import synthetic
from measure import Metric
from psreg.registry.baseline import Ports
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, verified
from psreg.registry.log.entry import LogEntry
from psreg.registry.log.growth import grow_log, tiles_of
from psreg.registry.log.merkle import check_inclusion, leaf_hash
from psreg.registry.owners.statement import NAMESPACE, Statement
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.reading import RegistryState, open_registry
from psreg.registry.trust.roles import (
    LIFETIMES,
    OWNERS,
    TIMESTAMP,
    TIMESTAMP_PATH,
    Bins,
    Target,
    catalog_target,
    metadata_path,
    owners_target,
    package_target,
)
from psreg.registry.trust.signing_keys import generate_key, public_key
from psreg.registry.trust.ssh_signature import SshSignature

ENTRIES = 20_000
FILES = 5
TIMES = 500


def metrics() -> Iterator[Metric]:
    statement, signature = _signed()
    envelope, keys = statement.envelope([signature]), {signature.key: 1}
    told = f"verify the SSH signature of a release of {FILES} files, ms"
    yield Metric(told, _ms(lambda: replace(statement).check(envelope, keys, 1)), 0.2)
    entries = [_entry(number) for number in range(ENTRIES)]
    private = generate_key()
    key = NoteKey(name="psreg/bench", public=public_key(private))
    empty = Checkpoint(origin=key.name, size=0, root=hashlib.sha256().digest())
    grown = grow_log(empty, entries, private, tiles_of({}.get))
    checkpoint, at = verified(grown.note, key), ENTRIES // 3
    proof, leaf = grown.records[at].proof, leaf_hash(entries[at].data)
    told = f"prove that an entry is in a log of {ENTRIES:,}, besides its signature, ms"
    once = _ms(lambda: check_inclusion(leaf, at, checkpoint.size, proof, checkpoint.root))
    yield Metric(told, once, 0.1)
    more = grow_log(checkpoint, [_entry(ENTRIES)], private, tiles_of(grown.files.get))
    written = sum(map(len, more.files.values())) / 1_000
    yield Metric(f"add an entry to a log of {ENTRIES:,}, kB", written, 40)
    yield from _signed_metadata()


def _signed_metadata() -> Iterator[Metric]:
    """The metadata of a registry in which every name is claimed, and one release more."""
    with tempfile.TemporaryDirectory() as folder:
        synthetic.build(Path(folder), ENTRIES, at_once=True)
        ports = synthetic.ports(Path(folder), ENTRIES)
        pems = ports.keys.load(synthetic.ID)
        signer = MetadataSigner(
            keys=signers_of(pems.values()),
            source="",
            now=datetime.now(UTC).replace(microsecond=0),
            registry_id=synthetic.ID,
            lifetimes=LIFETIMES,
        )
        names, key = [*map(synthetic.name, range(ENTRIES))], ports.keys.create(synthetic.ID, OWNERS)
        claims = {owners_target(each): Target.of(each.encode()) for each in names}
        signer = signer.with_key(key)
        for document in issue(_state(ports), claims, signer, ENTRIES, key):
            timestamp = document.role == TIMESTAMP
            path = TIMESTAMP_PATH if timestamp else metadata_path(document.role, document.version)
            ports.store.write(path, document.data)
        state = _state(ports)
        changes = {
            target: Target.of(b"") for target in (package_target("new"), catalog_target("head"))
        }
        once = _seconds(lambda: issue(_state(ports), changes, signer, ENTRIES))
        told = f"sign one release among {ENTRIES:,} claimed names, CPU ms"
        yield Metric(told, (once - _seconds(lambda: _state(ports))) * 1_000, 15)
        above = [role for role in state.documents if Bins.with_role(role) is None]
        read = [max(map(len, _documents(state, bins.roles))) for bins in state.bins_below.values()]
        cold = sum(map(len, _documents(state, above))) + sum(read)
        told = f"metadata that an installation reads first among {ENTRIES:,} claimed names, kB"
        yield Metric(told, cold / 1_000, 60)


def _documents(state: RegistryState, roles: Iterable[str]) -> Iterator[bytes]:
    return (state.documents[role].data for role in roles)


def _state(ports: Ports) -> RegistryState:
    state = open_registry(ports.store.read)
    if state is None:
        raise AssertionError("nothing was published")
    return state


def _entry(number: int) -> LogEntry:
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    return LogEntry(name=f"made_{number}", version="1.0.0", artifact=digest, owners=digest)


def _signed() -> tuple[Statement, SshSignature]:
    files = {f"pbes/prompt/made/1.0.0/{n}.md": Target.of(str(n).encode()) for n in range(FILES)}
    statement = Statement(
        name="made", version="1.0.0", registry_id="0" * 32, files=files, requires={}
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "key")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place], check=True)
        sign = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", place]
        done = subprocess.run(sign, input=statement.message, capture_output=True, check=True)
    return statement, SshSignature.parse(done.stdout)


def _ms(call: Callable[[], object]) -> float:
    return min(repeat(call, number=TIMES, repeat=5)) / TIMES * 1_000


def _seconds(call: Callable[[], object]) -> float:
    return min(repeat(call, timer=process_time, number=1, repeat=9))
