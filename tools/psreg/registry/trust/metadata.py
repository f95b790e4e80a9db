"""Reads, verifies and signs the metadata of The Update Framework, with `tuf.api`.

A `Document` exists only after its signatures were verified against the role that delegates to
it, and its bytes passed `strict_value`. Expiry is not checked here; a document has its expiry date.
A change is a new version of a document: nothing is edited in place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from psreg.registry.trust import plain_signers  # noqa: F401 - comes before `tuf`

# isort: split
from securesystemslib.signer import CryptoSigner, Key, Signature, Signer
from tuf.api.exceptions import LengthOrHashMismatchError, UnsignedMetadataError
from tuf.api.metadata import (
    DelegatedRole,
    Delegations,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    SuccinctRoles,
    TargetFile,
    Targets,
    Timestamp,
)
from tuf.api.serialization import DeserializationError

from psreg.core.errors import TrustError
from psreg.registry.trust.roles import (
    BIN_BITS,
    BINDING,
    KEY_OF,
    LIFETIME,
    LOG,
    MODES,
    OWNERS,
    PATHS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    Bins,
    RootInfo,
    Target,
    check_binding,
    check_keys,
    is_bound,
    is_due,
    is_registry_id,
)
from psreg.registry.trust.signing_keys import key_from_pem
from psreg.registry.trust.strict_json import strict_value

BINS_EXPIRE = {RELEASES: "bins_expire", OWNERS: "owners_bins_expire"}
"""The members of a snapshot that say how long none of the bins below a role expires."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"
_TYPES = {ROOT: Root, SNAPSHOT: Snapshot, TIMESTAMP: Timestamp}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A verified metadata file: its role, its exact bytes, and what python-tuf parsed."""

    role: str
    data: bytes
    signed: Any

    @property
    def version(self) -> int:
        """Its version, from 1."""
        return int(self.signed.version)

    @property
    def expires(self) -> datetime:
        """When its signatures expire, UTC."""
        at: datetime = self.signed.expires
        return at

    @property
    def bound(self) -> bool:
        """Whether it names its registry and role."""
        return is_bound(self.signed.unrecognized_fields)

    def bins_expire(self, above: str) -> datetime | None:
        """Of a snapshot: no bin below `above` expires earlier; None if it does not say so."""
        said = self.signed.unrecognized_fields.get(BINDING, {}).get(BINS_EXPIRE[above])
        return datetime.strptime(said, _TIME).replace(tzinfo=UTC) if said else None

    @property
    def registry_id(self) -> str | None:
        """The id of its registry, if it names one."""
        found: str | None = self.signed.unrecognized_fields.get(BINDING, {}).get("id")
        return found


def root_info(data: bytes) -> RootInfo:
    """Return what the root in `data` says, after checking that it is signed by its own keys.

    Raises:
        TrustError: TRUST_METADATA or TRUST_SIGNATURE.
    """
    return info_of(verified_root(data, before=None))


def info_of(root: Document) -> RootInfo:
    """Return what a verified root says about its registry."""
    psreg = root.signed.unrecognized_fields[BINDING]
    return RootInfo(
        id=psreg["id"],
        mode=psreg["mode"],
        sha256=hashlib.sha256(root.data).hexdigest(),
        version=root.version,
        log=tuple(psreg.get(LOG, ())),
    )


def verified_root(data: bytes, before: Document | None) -> Document:
    """Return the root in `data`, signed by itself and by the root before it (TUF 5.3).

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE, or TRUST_MIXED if the version is not
            the next one, the registry's id differs, or a key of the log is dropped.
    """
    metadata = _parse(data, ROOT)
    root = Document(role=ROOT, data=data, signed=metadata.signed)
    _check_identity(root)
    for signer in (root, before or root):
        _check_signatures(metadata, ROOT, signer)
    if before is not None and root.version != before.version + 1:
        raise TrustError("TRUST_MIXED", f"root {before.version} is followed by root {root.version}")
    if before is not None and info_of(root).id != info_of(before).id:
        raise TrustError("TRUST_MIXED", "a root names another registry than the root before it")
    if before is not None and not {*info_of(before).log} <= {*info_of(root).log}:
        # Records keep checkpoints that were signed with former keys.
        raise TrustError("TRUST_MIXED", "a root drops a key of the log that the one before it has")
    return root


def verified(
    data: bytes, role: str, delegator: Document, entry: MetaFile | None, *, bound: bool = False
) -> Document:
    """Return the metadata of `role` in `data`, as `delegator` and the snapshot require.

    `entry` is what the listing file says about it (None for timestamp.json); `bound` is whether
    that file names its role, so that this one must, too.

    Raises:
        TrustError: TRUST_METADATA, TRUST_SIGNATURE, TRUST_DIGEST (length or digest listed),
            TRUST_MIXED (another version than listed), TRUST_ROLE (of another role or registry).
    """
    metadata = _parse(data, role)
    _check_signatures(metadata, role, delegator)
    fields = metadata.signed.unrecognized_fields
    check_binding(fields, role, delegator.registry_id, required=bound)
    if entry is not None:
        try:
            entry.verify_length_and_hashes(data)
        except LengthOrHashMismatchError as error:
            raise TrustError("TRUST_DIGEST", f"{role} is not the file listed: {error}") from error
        if metadata.signed.version != entry.version:
            raise TrustError(
                "TRUST_MIXED",
                f"{role} is version {metadata.signed.version}, but {entry.version} is listed",
            )
    return Document(role=role, data=data, signed=metadata.signed)


def listed(document: Document) -> Mapping[str, MetaFile]:
    """Return the entries that a timestamp or snapshot lists, by role."""
    if document.role == TIMESTAMP:
        return {SNAPSHOT: document.signed.snapshot_meta}
    return {name.removesuffix(".json"): entry for name, entry in document.signed.meta.items()}


def _parse(data: bytes, role: str) -> Metadata[Any]:
    value = strict_value(data)
    check_keys(value.get("signed") if isinstance(value, dict) else None)
    try:
        metadata: Metadata[Any] = Metadata.from_bytes(data)
    except DeserializationError as error:
        raise TrustError(
            "TRUST_METADATA", f"{role} is not valid metadata: {error.__cause__}"
        ) from error
    if not isinstance(metadata.signed, _TYPES.get(role, Targets)):
        raise TrustError("TRUST_METADATA", f"{role} is a {metadata.signed.type} file")
    return metadata


def _check_signatures(metadata: Metadata[Any], role: str, delegator: Document) -> None:
    try:
        delegator.signed.verify_delegate(role, metadata.signed_bytes, metadata.signatures)
    except (UnsignedMetadataError, ValueError) as error:
        raise TrustError("TRUST_SIGNATURE", f"{role} is not signed as required: {error}") from error


def _check_identity(root: Document) -> None:
    psreg = root.signed.unrecognized_fields.get(BINDING)
    fields = psreg if isinstance(psreg, dict) else {}
    named = isinstance(fields.get("id"), str) and is_registry_id(fields["id"])
    if not named or fields.get("mode") not in MODES:
        raise TrustError("TRUST_METADATA", "the root does not name its registry")
    log = fields.get(LOG, [])
    if not isinstance(log, list) or not all(isinstance(key, str) for key in log):
        raise TrustError("TRUST_METADATA", "the root does not list the keys of its log")
    check_binding(root.signed.unrecognized_fields, ROOT, fields["id"], required=False)
    if root.signed.consistent_snapshot is not True:
        raise TrustError("TRUST_METADATA", "the root does not declare consistent snapshots")


Signers = Mapping[str, Signer]
"""Signers by the id of their key."""


def signers_of(pems: Iterable[bytes]) -> Signers:
    """Return the signers of private keys. Raises TrustError KEY_UNREADABLE."""
    found = [CryptoSigner(key_from_pem(pem)) for pem in pems]
    return {signer.public_key.keyid: signer for signer in found}


def is_signed(
    payload: bytes, role: str, delegator: Document, signatures: Mapping[str, str]
) -> bool:
    """Tell whether enough keys of `role` signed something that is not metadata.

    `signatures` are hexadecimal, by the id of the key; others than those of `delegator` do not
    count.
    """
    return not missing_signatures(payload, role, delegator, signatures)


def signatures_of(
    payload: bytes, role: str, delegator: Document, signers: Signers
) -> dict[str, str]:
    """Return the signatures of something that is not metadata, with the keys of `role` at hand.

    They are hexadecimal, by the id of the key.
    """
    keys = delegator.signed.get_delegated_role(role).keyids
    return {keyid: signers[keyid].sign(payload).signature for keyid in keys if keyid in signers}


def missing_signatures(
    payload: bytes, role: str, delegator: Document, signatures: Mapping[str, str]
) -> int:
    """Return how many signatures `is_signed` still needs."""
    found = {keyid: Signature(keyid, each) for keyid, each in signatures.items()}
    result = delegator.signed.get_verification_result(role, payload, found)
    return max(0, int(result.threshold) - len(result.signed))


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataSigner:
    """Signs documents at the time `now`, with the keys found in the folder `source`.

    `lifetimes` are those of the roles that do not last `LIFETIME`. The documents name the registry
    `registry_id` and their role; None leaves them as they were, in a registry whose other documents
    do not yet name theirs. A method that signs returns the verified new document, of which `before`
    is the previous version, and raises TrustError KEY_MISSING if there are too few keys.
    """

    keys: Signers
    source: str
    now: datetime
    registry_id: str | None
    lifetimes: Mapping[str, timedelta]
    former: Document | None = None
    """The root in force while another one follows it. Until clients have that one, it says who
    signs `snapshot` and `timestamp`, so they are also signed as it requires, if its keys are here.
    """

    def with_key(self, pem: bytes) -> MetadataSigner:
        """Return the same with one more private key. Raises TrustError KEY_UNREADABLE."""
        return replace(self, keys={**self.keys, **signers_of([pem])})

    def is_due(self, document: Document) -> bool:
        """Return whether `document` should be signed again."""
        return is_due(document.expires, self.now, self.lifetime(document.role))

    def may_have_due_bins(self, snapshot: Document, above: str) -> bool:
        """Return whether one of the bins below the role `above` may have to be signed again."""
        expires = snapshot.bins_expire(above)
        return expires is None or is_due(expires, self.now, self.lifetime(above))

    def can_sign(self, delegator: Document, role: str) -> bool:
        """Return whether there are enough keys to sign `role`."""
        return self._missing_key(role, delegator.signed) is None

    def require(self, delegator: Document, role: str) -> None:
        """Raise TrustError KEY_MISSING if there are too few keys to sign `role`."""
        self._keys_of(role, delegator.signed)

    def first_root(
        self, registry_id: str, keys: Mapping[str, bytes], log: Sequence[str] = ()
    ) -> Document:
        """Return the root of a new development registry with one key for each role.

        `keys` maps the key names in `roles.KEY_OF` to their private keys; `log` are the public keys
        of its log, as `RootInfo` has them.
        """
        public = {name: public_of(pem) for name, pem in keys.items()}
        named: dict[str, Any] = {"id": registry_id, "role": ROOT, "mode": MODES[0]}
        named |= {LOG: [*log]} if log else {}
        root = Root(
            expires=self.now + self.lifetime(ROOT),
            consistent_snapshot=True,
            unrecognized_fields={BINDING: named},
        )
        for role in root.roles:
            root.add_key(public[KEY_OF[role]], role)
        return verified_root(self._sign(root, ROOT, root), before=None)

    def first_targets(self, root: Document) -> Document:
        """Return the top-level targets role: the keys of `snapshot` also sign `releases`."""
        keys, role = _online(root)
        releases = _delegated(RELEASES, role.keyids, role.threshold)
        delegations = Delegations(keys, roles={RELEASES: releases})
        return self._issue(Targets(delegations=delegations), TARGETS, root)

    def targets_with_owners(self, root: Document, before: Document, pem: bytes) -> Document:
        """Return the top-level targets role, which now delegates to `owners` with this key."""
        signed, key = self._successor(before), public_of(pem)
        signed.delegations.keys[key.keyid] = key
        signed.delegations.roles[OWNERS] = _delegated(OWNERS, [key.keyid], 1)
        return self._issue(signed, TARGETS, root)

    def first_owners(self, bins: Bins, targets: Document) -> Document:
        """Return the role `owners`, which delegates to the `bins` with its own keys."""
        return self._issue(
            Targets(delegations=delegation_to(bins, targets.signed)), OWNERS, targets
        )

    def first_releases(
        self, listed: Mapping[str, Target], bins: Bins, targets: Document
    ) -> Document:
        """Return the role `releases`, which lists `listed` and delegates to the `bins`."""
        signed = Targets(delegations=delegation_to(bins, targets.signed))
        signed.targets = target_files(listed)
        return self._issue(signed, RELEASES, targets)

    def next_above(
        self, listed: Mapping[str, Target], bins: Bins, targets: Document, before: Document
    ) -> Document:
        """Return `releases` or `owners` with these `bins`, which have the keys of the role."""
        signed = self._successor(before)
        signed.delegations = delegation_to(bins, targets.signed)
        signed.targets = target_files(listed)
        return self._issue(signed, before.role, targets)

    def next_bin(
        self, name: str, targets: Mapping[str, Target], above: Document, before: Document | None
    ) -> Document:
        """Return bin `name` listing exactly `targets`; `above` delegates to it."""
        signed = self._successor(before) if before else Targets()
        signed.targets = target_files(targets)
        return self._issue(signed, name, above)

    def next_snapshot(
        self,
        changed: Iterable[Document],
        root: Document,
        before: Document | None,
        bins_expire: Mapping[str, datetime] = MappingProxyType({}),
    ) -> Document:
        """Return the snapshot in which the `changed` roles have their new versions.

        `bins_expire` is when the first of the bins below a role expires, or a time before that.
        """
        signed = self._successor(before) if before else Snapshot()
        for document in changed:
            signed.meta[f"{document.role}.json"] = MetaFile(document.version)
        for above, at in bins_expire.items():
            if self.registry_id is not None:
                fields = signed.unrecognized_fields.setdefault(BINDING, {})
                fields[BINS_EXPIRE[above]] = at.strftime(_TIME)
        return self._issue(signed, SNAPSHOT, root)

    def next_timestamp(
        self, snapshot: Document, root: Document, before: Document | None
    ) -> Document:
        """Return the timestamp that makes `snapshot` current."""
        signed = self._successor(before) if before else Timestamp()
        signed.snapshot_meta = MetaFile(snapshot.version)
        return self._issue(signed, TIMESTAMP, root)

    def renewed(self, before: Document, delegator: Document) -> Document:
        """Return the next version with nothing else changed; a root delegates to itself."""
        return self._issue(self._successor(before), before.role, delegator)

    def _successor(self, before: Document) -> Any:
        signed = Metadata[Any].from_bytes(before.data).signed
        signed.version += 1
        return signed

    def lifetime(self, role: str) -> timedelta:
        """Return how long a signature of a role lasts; of a bin, as of the role above it."""
        bins = Bins.with_role(role)
        return self.lifetimes.get(bins.above if bins else role, LIFETIME)

    def _issue(self, signed: Any, role: str, delegator: Document) -> Document:
        signed.expires = self.now + self.lifetime(role)
        if self.registry_id is not None:
            fields = signed.unrecognized_fields.get(BINDING, {})
            binding = {**fields, "id": self.registry_id, "role": role}
            signed.unrecognized_fields[BINDING] = binding
        data = self._sign(signed, role, delegator.signed)
        return verified(data, role, delegator, entry=None)

    def _sign(self, signed: Any, role: str, delegator: Any) -> bytes:
        metadata = Metadata(signed)
        signers = self._keys_of(role, delegator)
        if self.former and role in (SNAPSHOT, TIMESTAMP):
            before = self._at_hand(role, self.former.signed)
            signers = list({each.public_key.keyid: each for each in (*signers, *before)}.values())
        payload = metadata.signed_bytes
        for signer in signers:
            metadata.signatures[signer.public_key.keyid] = signer.sign(payload)
        return metadata.to_bytes()

    def _at_hand(self, role: str, delegator: Any) -> list[Signer]:
        """Return those of the keys that sign `role` which are here."""
        needed = delegator.get_delegated_role(role)
        return [self.keys[keyid] for keyid in needed.keyids if keyid in self.keys]

    def _keys_of(self, role: str, delegator: Any) -> list[Signer]:
        missing = self._missing_key(role, delegator)
        if missing is not None:
            raise TrustError(
                "KEY_MISSING",
                f"the key {missing} that signs {role!r} is not in {self.source}",
                "Copy the registry's keys there, or publish where they are; nothing was changed.",
            )
        return self._at_hand(role, delegator)

    def _missing_key(self, role: str, delegator: Any) -> str | None:
        """Return the id of a key that is missing to sign `role`, or None if there are enough."""
        needed = delegator.get_delegated_role(role)
        absent: list[str] = [keyid for keyid in needed.keyids if keyid not in self.keys]
        return absent[0] if len(needed.keyids) - len(absent) < needed.threshold else None


def delegates_to(targets: Document, role: str) -> bool:
    """Return whether the top-level targets role delegates to `role`."""
    delegations = targets.signed.delegations
    return delegations is not None and role in (delegations.roles or {})


def bins_below(above: Document) -> Bins | None:
    """Return the bins to which `releases` or `owners` delegates, or None if it does not."""
    delegations = above.signed.delegations
    below = delegations.succinct_roles if delegations else None
    if below is None or below.bit_length not in BIN_BITS:
        return None
    bins = Bins(bits=below.bit_length, above=above.role)
    return bins if bins.prefix == below.name_prefix else None


def target_files(targets: Mapping[str, Target]) -> dict[str, TargetFile]:
    """Return targets as a role lists them."""
    return {
        path: TargetFile(target.length, {"sha256": target.sha256}, path)
        for path, target in sorted(targets.items())
    }


def delegation_to(bins: Bins, targets: Any) -> Delegations:
    """Return how the role above `bins` delegates to them: with the keys that sign it.

    The signed part `targets` says which these are.
    """
    role = targets.delegations.roles[bins.above]
    below = SuccinctRoles(role.keyids, role.threshold, bins.bits, bins.prefix)
    keys = {keyid: targets.delegations.keys[keyid] for keyid in role.keyids}
    return Delegations(keys, succinct_roles=below)


def has_keys_below(above: Document, targets: Document) -> bool:
    """Return whether the bins below a role are signed by the keys that `targets` says for it."""
    below, role = above.signed.delegations.succinct_roles, targets.signed.delegations.roles
    wanted = role[above.role]
    return (below.threshold, set(below.keyids)) == (wanted.threshold, set(wanted.keyids))


def accepts(delegator: Any, document: Document) -> bool:
    """Return whether a document is signed as the signed part `delegator` requires."""
    metadata = _parse(document.data, document.role)
    result = delegator.get_verification_result(
        document.role, metadata.signed_bytes, metadata.signatures
    )
    return bool(result.verified)


def _delegated(role: str, keyids: list[str], threshold: int) -> DelegatedRole:
    return DelegatedRole(role, keyids, threshold, terminating=True, paths=[*PATHS[role]])


def public_of(pem: bytes) -> Key:
    """Return the public key of a private one. Raises TrustError KEY_UNREADABLE."""
    return CryptoSigner(key_from_pem(pem)).public_key


def _online(root: Document) -> tuple[dict[str, Key], Any]:
    """Return the keys that sign snapshots, and the role with the threshold."""
    role = root.signed.get_delegated_role(SNAPSHOT)
    return {keyid: root.signed.get_key(keyid) for keyid in role.keyids}, role
