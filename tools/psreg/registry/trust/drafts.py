"""Metadata that waits for signatures: the holders of offline keys sign it one after the other.

A draft is the next version of a role above or of `owners`, with as many signatures as there are so
far. It is a file in the folder `signing` of the registry, so Git carries it from one holder to the
next. No client reads it, and it means nothing before enough keys have signed it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psreg.registry.trust import plain_signers  # noqa: F401 - comes before `tuf`

# isort: split
from securesystemslib.signer import Key, SSlibKey
from tuf.api.metadata import Metadata
from tuf.api.serialization import DeserializationError

from psreg.core.errors import TrustError
from psreg.registry.trust.metadata import (
    Document,
    MetadataSigner,
    Signers,
    target_files,
)
from psreg.registry.trust.roles import (
    BINDING,
    SIGNING_FOLDER,
    Target,
    check_binding,
    check_keys,
    role_and_version,
)
from psreg.registry.trust.signing_keys import loaded_public_key
from psreg.registry.trust.strict_json import strict_value

HOLDER = "x-psreg-holder"
"""The member of a key that says who has it; only people read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The next version of a role, with the signatures so far."""

    role: str
    version: int
    data: bytes

    @classmethod
    def of(cls, role: str, signed: Any) -> Draft:
        """Return a draft with this signed part, which nobody has signed yet."""
        return cls(role=role, version=signed.version, data=Metadata(signed).to_bytes())

    @property
    def signed(self) -> Any:
        """Its signed part as python-tuf has it; nobody may have signed it."""
        return _parsed(self.data, self.role).signed

    @property
    def signed_bytes(self) -> bytes:
        """What a signature of it is about."""
        data: bytes = _parsed(self.data, self.role).signed_bytes
        return data

    @property
    def path(self) -> str:
        """Its place in the registry."""
        return f"{SIGNING_FOLDER}/{self.version}.{self.role}.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Who has signed a draft as one set of keys requires, and who has not, by name or key id."""

    threshold: int
    signed: tuple[str, ...]
    unsigned: tuple[str, ...]

    @property
    def missing(self) -> int:
        """How many signatures are missing."""
        return max(0, self.threshold - len(self.signed))


def public_key_of(holder: str, public: bytes) -> Key:
    """Return the key that a person holds: 32 bytes of Ed25519, or a SubjectPublicKeyInfo as DER.

    Raises:
        ValueError: it is not a key that can sign metadata.
    """
    key = SSlibKey.from_crypto(loaded_public_key(public))
    key.unrecognized_fields[HOLDER] = holder
    return key


def read_draft(name: str, data: bytes, registry_id: str) -> Draft:
    """Return the draft in a file of the folder `signing`.

    Raises:
        TrustError: TRUST_METADATA, TRUST_ROLE: it is not a draft of this registry.
    """
    role, version = role_and_version(name) or ("", 0)
    signed = _parsed(data, role).signed
    check_binding(signed.unrecognized_fields, role, registry_id, required=True)
    if signed.version != version:
        raise TrustError("TRUST_METADATA", f"{SIGNING_FOLDER}/{name} is version {signed.version}")
    return Draft(role=role, version=version, data=data)


def progress(draft: Draft, delegator: Any) -> Progress:
    """Return who has signed a draft, of those who may as the signed part `delegator` says."""
    metadata = _parsed(draft.data, draft.role)
    result = delegator.get_verification_result(
        draft.role, metadata.signed_bytes, metadata.signatures
    )
    return Progress(
        threshold=result.threshold,
        signed=tuple(map(holder_of, result.signed.values())),
        unsigned=tuple(map(holder_of, result.unsigned.values())),
    )


def differences(draft: Draft, before: Document) -> tuple[str, ...]:
    """Return what a draft changes, one line for each member; version and expiry are left out."""
    old, new = (dict(flat(signed.to_dict())) for signed in (before.signed, draft.signed))
    lines = []
    for path in sorted({*old, *new}):
        if path in ("expires", "version") or old.get(path) == new.get(path):
            continue
        was, now = (json.dumps(side[path]) if path in side else "nothing" for side in (old, new))
        lines.append(f"{path}: {was} becomes {now}")
    return tuple(lines)


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in JSON data that contain no others, each with its place."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        place = f"{path}.{key}" if path else str(key)
        if isinstance(inner, dict | list) and inner:
            yield from flat(inner, place)
        else:
            yield place, inner


def unsigned(draft: Draft, signers: Signers, delegators: Iterable[Any]) -> set[str]:
    """Return the ids of the keys at hand that may sign a draft, and have not."""
    metadata = _parsed(draft.data, draft.role)
    payload, signatures = metadata.signed_bytes, metadata.signatures
    found = (each.get_verification_result(draft.role, payload, signatures) for each in delegators)
    return {keyid for result in found for keyid in result.unsigned if keyid in signers}


def with_signatures(draft: Draft, signers: Signers, delegators: Iterable[Any]) -> Draft:
    """Return a draft with the signatures of all keys at hand that may sign it."""
    metadata = _parsed(draft.data, draft.role)
    for keyid in sorted(unsigned(draft, signers, delegators)):
        metadata.signatures[keyid] = signers[keyid].sign(metadata.signed_bytes)
    return Draft(role=draft.role, version=draft.version, data=metadata.to_bytes())


def relisted(before: Document, targets: Mapping[str, Target], signer: MetadataSigner) -> Draft:
    """Return a draft of a bin that lists some more `targets`, or others at their paths."""
    signed = successor(before, signer)
    signed.targets |= target_files(targets)
    return Draft.of(before.role, signed)


def successor(before: Document, signer: MetadataSigner) -> Any:
    """Return the signed part of the next version of a document, with nothing else changed."""
    signed = Metadata[Any].from_bytes(before.data).signed
    signed.version += 1
    signed.expires = signer.now + signer.lifetime(before.role)
    fields = signed.unrecognized_fields.get(BINDING, {})
    binding = {**fields, "id": signer.registry_id, "role": before.role}
    signed.unrecognized_fields[BINDING] = binding
    return signed


def _parsed(data: bytes, role: str) -> Metadata[Any]:
    value = strict_value(data)
    check_keys(value.get("signed") if isinstance(value, dict) else None)
    try:
        return Metadata[Any].from_bytes(data)
    except DeserializationError as error:
        told = f"the draft of {role or 'a role'} is not valid metadata: {error.__cause__}"
        raise TrustError("TRUST_METADATA", told) from error


def holder_of(key: Key) -> str:
    """Return who has a key, as it says, or how its id begins."""
    named = key.unrecognized_fields.get(HOLDER)
    return named if isinstance(named, str) and named.isprintable() else key.keyid[:12]
