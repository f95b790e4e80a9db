"""What people sign with their SSH keys: in-toto statements in DSSE envelopes.

A statement is computed from what the registry says, never read from an envelope: what was signed
must be exactly that. Each signature is one that `ssh-keygen -Y sign` makes.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.core.strict_base64 import strict_decode
from psreg.formats.json.canonical import canonical
from psreg.registry.trust.dsse import encoded
from psreg.registry.trust.roles import Target
from psreg.registry.trust.ssh_signature import SshSignature

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"

MOST_SIGNATURES = 64


def subjects(files: Mapping[str, Target]) -> list[dict[str, Any]]:
    """Return the files that a statement is about, by path, as its `subject`."""
    return [
        {"name": path, "digest": {"sha256": file.sha256}, "annotations": {"length": file.length}}
        for path, file in sorted(files.items())
    ]


class InTotoStatement(ABC):
    """A statement; `namespace` keeps its signatures apart from those for something else."""

    namespace: ClassVar[str]
    signers: ClassVar[str] = "owners"

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is about, in words that complete "… is not signed"."""

    @property
    @abstractmethod
    def members(self) -> Mapping[str, Any]:
        """The statement as JSON data."""

    @cached_property
    def payload(self) -> bytes:
        """The statement as canonical JSON (in-toto Statement v1).

        Raises:
            TrustError: TRUST_STATEMENT: what it is about has no canonical form.
        """
        try:
            return canonical(self.members)
        except ValueError as error:
            raise refused(f"nobody can have signed {self.title}: {error}") from error

    @property
    def digest(self) -> str:
        """The SHA-256 of the payload, in hex."""
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def message(self) -> bytes:
        """What is signed: type and payload (DSSE's pre-authentication encoding)."""
        return encoded(PAYLOAD_TYPE, self.payload)

    def envelope(self, signatures: Iterable[SshSignature]) -> dict[str, Any]:
        """Return the DSSE envelope with some signatures, as JSON data."""
        return {
            "payloadType": PAYLOAD_TYPE,
            "payload": b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": each.key.fingerprint, "sig": b64encode(each.blob).decode()}
                for each in signatures
            ],
        }

    def check(
        self, envelope: Any, owners: Mapping[SshKey, Hashable], threshold: int
    ) -> tuple[SshSignature, ...]:
        """Check that so many owners signed exactly this statement; return a signature of each.

        `owners` says who has a key. Signatures of other keys do not count, nor do further ones of
        the same owner.

        Raises:
            TrustError: TRUST_STATEMENT.
        """
        if envelope is None:
            raise refused(f"{self.title} is not signed by its {self.signers}")
        members = envelope if isinstance(envelope, dict) else {}
        payload = self.payload
        written = b64encode(payload).decode()
        if (members.get("payloadType"), members.get("payload")) != (PAYLOAD_TYPE, written):
            raise refused(f"the {self.signers} of {self.title} signed something else")
        message, found = encoded(PAYLOAD_TYPE, payload), dict[Hashable, SshSignature]()
        wrong: list[str] = []
        for blob in blobs_in(members):
            try:
                signature = SshSignature.read(blob)
                owner = owners[signature.check(message, self.namespace, owners)]
                found.setdefault(owner, signature)
            except TrustError as error:
                wrong.append(error.message)
        if len(found) < threshold:
            raise refused(
                f"{self.title} has {len(found)} of the {threshold} signatures "
                f"of its {self.signers} that it needs",
                *wrong,
            )
        return tuple(found.values())


def fault_in(
    armoured: bytes, namespace: str, lines: Iterable[str], listed: str = "entry.toml"
) -> str:
    """Return why a file cannot be a signature in a namespace by one of some keys; "" if it can.

    `lines` are the public keys, as in `~/.ssh/id_ed25519.pub`, which the file `listed` lists. What
    is signed is not looked at.
    """
    try:
        signature = SshSignature.parse(armoured)
    except TrustError as error:
        return error.message
    if signature.namespace != namespace:
        return f"it was made for {signature.namespace!r}, not for {namespace!r}"
    if signature.reserved:
        return "it contains more than a signature"
    if signature.key not in map(_key, lines):
        return f"its key, {signature.key.fingerprint}, is not listed in {listed}"
    return ""


def _key(line: str) -> SshKey | None:
    try:
        return SshKey.parse(line)
    except ValueError:
        return None  # which a rule of the check reports


def blobs_in(envelope: Any) -> list[bytes]:
    """Return the signatures in an envelope, as bytes. Raises TrustError TRUST_STATEMENT."""
    value = envelope.get("signatures") if isinstance(envelope, dict) else None
    items = value if isinstance(value, list) else []
    texts = [each["sig"] for each in items if isinstance(each, dict) and _has_text(each)]
    if len(items) > MOST_SIGNATURES or len(texts) < len(items):
        raise refused("an envelope of signatures is malformed")
    try:
        return [*map(strict_decode, texts)]
    except ValueError as error:
        raise refused("an envelope of signatures is malformed") from error


def _has_text(signature: Mapping[str, Any]) -> bool:
    return isinstance(signature.get("sig"), str)


def refused(message: str, *details: str) -> TrustError:
    """Return the error for something that its owners did not sign."""
    hint = "Tell the maintainers of the registry; do not install it."
    return TrustError("TRUST_STATEMENT", message, hint, details)
