"""Making signed documents the current state of a registry: keys first, the timestamp last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from types import MappingProxyType

from psreg.registry.baseline import (
    Baseline,
    Intent,
    Ports,
    remove_leftovers,
)
from psreg.registry.log.checkpoint import ORIGIN, NoteKey
from psreg.registry.trust.metadata import Document, MetadataSigner, Signers, info_of, signers_of
from psreg.registry.trust.roles import (
    KEYS,
    LOG,
    PUBLISHING,
    ROOT,
    TIMESTAMP,
    TIMESTAMP_PATH,
    key_number,
    metadata_path,
)
from psreg.registry.trust.signing_keys import public_key


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedEvent:
    """What several people have signed, and the paths of drafts that may go once it is current."""

    documents: Sequence[Document] = ()
    paths: Sequence[str] = ()

    @property
    def root(self) -> Document | None:
        """The root among them."""
        return next((each for each in self.documents if each.role == ROOT), None)


NO_EVENT = SignedEvent()


_NOTHING: Mapping[str, bytes] = MappingProxyType({})


def ready_to_sign(
    baseline: Baseline,
    now: datetime,
    lifetimes: Mapping[str, timedelta],
    ports: Ports,
    event: SignedEvent = NO_EVENT,
) -> tuple[Document, MetadataSigner, Mapping[str, bytes]]:
    """Return the root, its signer, and the keys at hand; creates a registry if there is none.

    The keys must be those of the root that `event` makes current, if it has one.

    The order is: write the journal, create the keys, then sign. The next run finds the journal and
    the keys of an interrupted first publish.
    """
    if baseline.root is not None:
        registry_id = info_of(baseline.root).id
        pems = ports.keys.load(registry_id)
        signer = MetadataSigner(
            keys={**signers_of(pems.values()), **_services(registry_id, ports)},
            source=ports.keys.folder(registry_id),
            now=now,
            registry_id=registry_id,
            lifetimes=lifetimes,
        )
        signer.require(event.root or baseline.root, TIMESTAMP)
        return baseline.root, signer, pems
    registry_id = baseline.intent.registry_id if baseline.intent else ports.keys.new_id()
    if baseline.intent is None:
        ports.journal.begin(Intent(registry_id=registry_id))
    made = ports.keys.load(registry_id)
    pems = {name: made.get(name) or ports.keys.create(registry_id, name) for name in KEYS}
    signer = MetadataSigner(
        keys=signers_of(pems.values()),
        source=ports.keys.folder(registry_id),
        now=now,
        registry_id=registry_id,
        lifetimes=lifetimes,
    )
    log = NoteKey(name=f"{ORIGIN}/{registry_id}", public=public_key(pems[LOG]))
    return signer.first_root(registry_id, pems, [str(log)]), signer, pems


def _services(registry_id: str, ports: Ports) -> Signers:
    """Return what signs with the keys of psreg that a service has, by the id of the key.

    Those of people are left out: publishing must not ask anyone for a PIN.
    """
    found = ports.keys.services(registry_id).items()
    return {each.public_key.keyid: each for name, each in found if _publishes(name)}


def _publishes(name: str) -> bool:
    return any(key_number(name, each) for each in PUBLISHING)


def make_current(
    baseline: Baseline,
    registry_id: str,
    files: Mapping[str, bytes],
    documents: Sequence[Document],
    ports: Ports,
    *,
    copies: Mapping[str, bytes] = _NOTHING,
) -> int:
    """Write the roots with which `documents` begin, `files`, and the others in their order.

    `copies` tell others what is current; they come after the timestamp. Identical files are not
    written again. Returns the number of files written.
    """
    remove_leftovers(baseline, ports)
    roots = [*takewhile(lambda document: document.role == ROOT, documents)]
    fresh = {path: data for path, data in files.items() if ports.store.read(path) != data}
    if documents:
        ports.journal.begin(
            Intent(registry_id=registry_id, after=baseline.version, targets=tuple(fresh))
        )
    for root in roots:
        ports.store.write(metadata_path(ROOT, root.version), root.data)
        ports.store.sync()  # so that metadata always has its root
    for path, data in fresh.items():
        ports.store.write(path, data)
    for document in documents[len(roots) :]:
        if document.role == TIMESTAMP:
            ports.store.sync()  # so that nothing current is ever missing
            ports.store.write(TIMESTAMP_PATH, document.data)
            ports.store.sync()
        else:
            ports.store.write(metadata_path(document.role, document.version), document.data)
    ports.store.sync()
    after = {path: data for path, data in copies.items() if ports.store.read(path) != data}
    for path, data in after.items():
        ports.store.write(path, data)
    if documents or baseline.intent:
        ports.journal.finish(registry_id)
    return len(fresh) + len(documents) + len(after)
