"""One exchange of PB2S as its rules judge it: message, reply, proof, and what came before.

Whatever an endpoint sends makes a `Reply`: what is not there, or of a wrong type, is for rules to
say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from psreg.core.diagnostics import Span
from psreg.protocols.pb2s.proof import ProofFault, is_whole, proof_faults
from psreg.protocols.pb2s.sections import CLARIFY, Answer, Section, answer_of

TEXT = "/text"
"""Where the message to judge stands in its record."""

PROOF = "/pb2s_proof"


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps what is computed once
class Reply:
    """One exchange; places of findings count inside its text.

    `record` holds all members of the exchange, `missing` the names of those it lacks. `traced`
    says that there is a trace log, `trace` is its record of this exchange, None if it has none.
    `refs` tells in which exchange of the run a reference stood first, `seed` is the first seed
    that an exchange before this one told. `documented` says that the temperature is documented
    elsewhere (READINGS PB2S-A13).
    """

    index: int
    message: Any
    written: Any
    proof: Any
    missing: frozenset[str] = frozenset()
    record: Mapping[str, Any] = field(default_factory=dict)
    traced: bool = False
    trace: Any = None
    refs: Mapping[str, int] = field(default_factory=dict)
    seed: Any = None
    documented: bool = False

    @property
    def pointer(self) -> str:
        """Where the text stands in the record."""
        return TEXT

    def span(self, _pointer: str, /) -> Span:
        """Return the beginning of the text: what a pointer names lies outside of it."""
        return Span(0, 0)

    key_span = span

    @cached_property
    def text(self) -> str:
        """The text of the answer, "" if there is none."""
        return self.written if isinstance(self.written, str) else ""

    @cached_property
    def answer(self) -> Answer:
        """The text, taken apart."""
        return answer_of(self.text)

    @cached_property
    def faults(self) -> tuple[ProofFault, ...]:
        """What the schema has against the proof."""
        return proof_faults(self.proof)

    def first(self, name: str) -> Section | None:
        """Return the first section of that name."""
        return next(iter(self.answer.named(name)), None)

    def fault(self, key: str) -> ProofFault | None:
        """Return what is wrong with a member of the proof, None if nothing is."""
        return next((fault for fault in self.faults if fault.key == key), None)

    @property
    def decision(self) -> str | None:
        """The decision, if it is one that there is."""
        sound = isinstance(self.proof, dict) and not self.fault("decision")
        return str(self.proof["decision"]) if sound else None

    @property
    def clarifies(self) -> bool:
        """Whether the decision is to ask."""
        return self.decision == CLARIFY

    @property
    def cycles(self) -> int | None:
        """How often the loop ran, if the proof says so in a sound way."""
        sound = isinstance(self.proof, dict) and not self.fault("cycles")
        return int(self.proof["cycles"]) if sound else None

    @property
    def audit_ref(self) -> str | None:
        """The reference of the run, if the proof has a sound one."""
        sound = isinstance(self.proof, dict) and not self.fault("audit_ref")
        return str(self.proof["audit_ref"]) if sound else None

    def sampling(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield what the exchange tells of `key`, such as `temperature`, with its pointer.

        It may stand in the reply, its proof or its trace record, or in `sampler` of any of them.
        """
        for pointer, place in (("", self.record), (PROOF, self.proof), ("/trace", self.trace)):
            inner = place.get("sampler") if isinstance(place, Mapping) else None
            for at, values in ((pointer, place), (f"{pointer}/sampler", inner)):
                if isinstance(values, Mapping) and key in values:
                    yield f"{at}/{key}", values[key]

    @property
    def temperatures(self) -> Iterator[tuple[str, float]]:
        """Yield the temperatures that the exchange tells, with their pointers."""
        for pointer, value in self.sampling("temperature"):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield pointer, value

    @property
    def seeds(self) -> Iterator[tuple[str, Any]]:
        """Yield the seeds that the exchange tells, with their pointers."""
        return ((at, value) for at, value in self.sampling("seed") if is_whole(value))

    @property
    def waived(self) -> bool:
        """Whether the exchange, or who runs the check, says that the temperature is documented."""
        told = [value for _, value in self.sampling("waiver")]
        return self.documented or any(value is True or _substance(value) for value in told)


def _substance(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else isinstance(value, dict) and value)
