"""One exchange of PB2S with everything that its rules need: message, reply, proof, history.

Any response of an endpoint makes a `Reply`; the rules report members that are missing or have the
wrong type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from psreg.core.diagnostics import Span
from psreg.protocols.pb2s.flags import flags_of
from psreg.protocols.pb2s.proof import ProofFault, is_whole, proof_faults
from psreg.protocols.pb2s.sections import CLARIFY, Answer, Section, answer_of

TEXT = "/text"
"""The pointer to the answer in its record."""

PROOF = "/pb2s_proof"


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property keeps what is computed once
class Reply:
    """One exchange; positions of findings count inside its text.

    `record` holds all members of the exchange, `missing` the names of the missing ones. `traced`
    means that there is a trace log; `trace` is its record of this exchange, None if it has none.
    `refs` maps each reference to the first exchange of the run that has it; `seed` is the first
    seed that an earlier exchange reported. `documented` means that the temperature is documented
    elsewhere (PB2S-A13).
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
        """The pointer to the text in the record."""
        return TEXT

    def span(self, _pointer: str, /) -> Span:
        """Return the beginning of the text, because members of the record are not part of it."""
        return Span(0, 0)

    key_span = span

    @cached_property
    def text(self) -> str:
        """The text of the answer, "" if there is none."""
        return self.written if isinstance(self.written, str) else ""

    @cached_property
    def answer(self) -> Answer:
        """The text, split into sections."""
        return answer_of(self.text)

    @cached_property
    def faults(self) -> tuple[ProofFault, ...]:
        """The violations of the schema of the proof."""
        return proof_faults(self.proof)

    def first(self, name: str) -> Section | None:
        """Return the first section with that name, None if there is none."""
        return next(iter(self.answer.named(name)), None)

    @cached_property
    def flags(self) -> frozenset[str]:
        """The terms of `FLAG_TERMS` that REFLECT names."""
        section = self.first("REFLECT")
        found = flags_of(self.text, section.body) if section else ()
        return frozenset(flag.term for flag in found)

    def fault(self, key: str) -> ProofFault | None:
        """Return the fault of a member of the proof, None if it is valid."""
        return next((fault for fault in self.faults if fault.key == key), None)

    @property
    def decision(self) -> str | None:
        """The decision, None if it is not valid."""
        valid = isinstance(self.proof, dict) and not self.fault("decision")
        return str(self.proof["decision"]) if valid else None

    @property
    def clarifies(self) -> bool:
        """Whether the decision is CLARIFY."""
        return self.decision == CLARIFY

    @property
    def cycles(self) -> int | None:
        """How often the loop ran, None if the proof has no valid number."""
        valid = isinstance(self.proof, dict) and not self.fault("cycles")
        return int(self.proof["cycles"]) if valid else None

    @property
    def audit_ref(self) -> str | None:
        """The reference of the run, None if the proof has no valid one."""
        valid = isinstance(self.proof, dict) and not self.fault("audit_ref")
        return str(self.proof["audit_ref"]) if valid else None

    def sampling(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the reported values of `key`, such as `temperature`, with their pointers.

        They are in the reply, its proof or its trace record, or in `sampler` of one of them.
        """
        for pointer, place in (("", self.record), (PROOF, self.proof), ("/trace", self.trace)):
            inner = place.get("sampler") if isinstance(place, Mapping) else None
            for at, values in ((pointer, place), (f"{pointer}/sampler", inner)):
                if isinstance(values, Mapping) and key in values:
                    yield f"{at}/{key}", values[key]

    @property
    def temperatures(self) -> Iterator[tuple[str, float]]:
        """Yield the temperatures that the exchange reports, with their pointers."""
        for pointer, value in self.sampling("temperature"):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield pointer, value

    @property
    def seeds(self) -> Iterator[tuple[str, Any]]:
        """Yield the seeds that the exchange reports, with their pointers."""
        return ((at, value) for at, value in self.sampling("seed") if is_whole(value))

    @property
    def waived(self) -> bool:
        """Whether the exchange, or the caller, says that the temperature is documented."""
        waivers = [value for _, value in self.sampling("waiver")]
        return self.documented or any(value is True or _has_content(value) for value in waivers)


def _has_content(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else isinstance(value, dict) and value)
