"""Put an endpoint through a protocol's conformance run.

A protocol takes part by one row of `CONFORMANCES`. An endpoint conforms if no finding is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from psreg.conversations import conform_pb2s, conform_plsp, conform_vpp
from psreg.conversations.probe import Probe, Prompt, Run
from psreg.conversations.standalone import conformance_script
from psreg.core.diagnostics import LineIndex, Report
from psreg.core.errors import UsageError
from psreg.formats.json import json_document

MOST = 100
"""Prompts of one run; each costs the endpoint an answer, and whoever pays for it money."""


class Conformance(NamedTuple):
    """How one protocol is put to the test.

    `script` returns the content of a program that does the same with Python alone, None where
    there is no such program.
    """

    name: str
    version: str
    probes: Callable[[Run], Iterator[Probe]]
    script: Callable[[], bytes] | None = None


CONFORMANCES: tuple[Conformance, ...] = (
    Conformance("pb2s", "0.2", conform_pb2s.probes, conformance_script),
    Conformance("vpp", "1.4", conform_vpp.probes),
    Conformance("plsp", "0.5", conform_plsp.probes),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformReport:
    """What a run found out about the endpoint at `endpoint`, probe by probe."""

    protocol: str
    version: str
    endpoint: str
    probes: tuple[Probe, ...]

    @property
    def report(self) -> Report:
        """All findings; their paths are the ids of the probes."""
        found = chain.from_iterable(probe.diagnostics for probe in self.probes)
        return Report.of(len(self.probes), found)

    @property
    def passed(self) -> bool:
        """Whether the endpoint conforms."""
        return not self.report.failed()


def conform(conformance: Conformance, run: Run, endpoint: str) -> ConformReport:
    """Return the report of a run against what is at `endpoint`.

    Raises:
        EndpointError: it gave no answer that can be judged.
    """
    return ConformReport(
        protocol=conformance.name,
        version=conformance.version,
        endpoint=endpoint,
        probes=tuple(conformance.probes(run)),
    )


def prompts_of(data: bytes, path: str) -> tuple[Prompt, ...]:
    """Return the prompts of a JSON list of texts or `{"id", "message"}` (READINGS PB2S-A15).

    A text is called by its number, from 1.

    Raises:
        UsageError: BAD_PROMPTS; it is no such list, or has none or more than `MOST` items.
    """
    tree = json_document.parse(data)
    places = LineIndex(tree.text)

    def refuse(pointer: str, message: str, offset: int | None = None) -> UsageError:
        start = places.position(tree.span(pointer).start if offset is None else offset)
        hint = 'it is a list such as ["Explain inertia.", {"id": "rome", "message": "…"}]'
        return UsageError("BAD_PROMPTS", f"{path}:{start.line}:{start.column}: {message}", hint)

    for issue in tree.issues:
        raise refuse("", issue.message, issue.span.start)
    if not isinstance(tree.value, list) or not 0 < len(tree.value) <= MOST:
        raise refuse("", f"this is no list of 1 to {MOST} prompts")
    found: list[Prompt] = []
    for index, item in enumerate(tree.value):
        prompt = _prompt(item, str(index + 1))
        if prompt is None:
            raise refuse(f"/{index}", "this is neither a text nor an object with id and message")
        if prompt.id in {other.id for other in found}:
            raise refuse(f"/{index}", f"two prompts are called {prompt.id!r}")
        found.append(prompt)
    return tuple(found)


def _prompt(item: Any, number: str) -> Prompt | None:
    if isinstance(item, str):
        item = {"id": number, "message": item}
    if not isinstance(item, dict):
        return None
    name, message = item.get("id"), item.get("message")
    if not (
        isinstance(name, str) and isinstance(message, str) and name.strip() and message.strip()
    ):
        return None
    return Prompt(id=name, message=message)
