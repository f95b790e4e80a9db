"""What a client pays for the proofs of a release: its owners' signature and its place in the log."""

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from timeit import repeat

from measure import Metric
from psreg.registry.log.checkpoint import Checkpoint, NoteKey, verified
from psreg.registry.log.entry import LogEntry
from psreg.registry.log.growth import grow_log, tiles_of
from psreg.registry.log.merkle import check_inclusion, leaf_hash
from psreg.registry.owners.statement import NAMESPACE, Statement
from psreg.registry.trust.roles import Target
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
