"""Conformance runs: test an endpoint against a protocol and report the result.

Each protocol is one row of `CONFORMANCES`. An endpoint conforms if no finding is an error. As JSON
the result is the report of a check (`psreg.report/1`) with additional members; a path in it is the
id of a probe.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from psreg.conversations import conform_pb2s, conform_plsp, conform_vpp
from psreg.conversations.conform_run import Probe, Prompt, Run
from psreg.conversations.standalone_script import conformance_script
from psreg.core.diagnostics import ERROR, INFO, LineIndex, Report
from psreg.core.errors import InterruptError, PsregError, UnavailableError, UsageError
from psreg.core.terminal import one_line
from psreg.formats.json import json_document
from psreg.formats.protocol_versions import latest_version
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import counted, report_lines

MAX_PROMPTS = 100
"""Maximum number of prompts in one run; every answer may cost money."""


class Conformance(NamedTuple):
    """The conformance run of one protocol.

    `script` returns the content of a stand-alone program that does the same, or is None.
    """

    name: str
    version: str
    probes: Callable[[Run], Iterator[Probe]]
    script: Callable[[], bytes] | None = None


CONFORMANCES: tuple[Conformance, ...] = (
    Conformance("pb2s", latest_version("pb2s"), conform_pb2s.probes, conformance_script),
    Conformance("vpp", latest_version("vpp"), conform_vpp.probes),
    Conformance("plsp", latest_version("plsp"), conform_plsp.probes),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformReport:
    """The result of a run against the endpoint at `endpoint`, probe by probe.

    `stopped` is the error that ended the run early, None if it is complete.
    """

    protocol: str
    version: str
    endpoint: str
    probes: tuple[Probe, ...]
    stopped: PsregError | None = None

    @property
    def report(self) -> Report:
        """All findings; their paths are the ids of the probes."""
        found = chain.from_iterable(probe.diagnostics for probe in self.probes)
        return Report.of(len(self.probes), found)

    @property
    def passed(self) -> bool:
        """Whether the endpoint conforms. An answer that was cut off is never approved."""
        cut = any(probe.cut for probe in self.probes)
        return not (self.stopped or cut or self.report.failed())

    @property
    def transcript(self) -> str:
        """The exchanges as JSON Lines."""
        records = chain.from_iterable(probe.records for probe in self.probes)
        return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def conform(conformance: Conformance, run: Run, endpoint: str) -> ConformReport:
    """Return the report of a run against the endpoint at `endpoint`.

    If a request fails or the user stops the run, the report has what was found until then.

    Raises:
        EndpointError: the endpoint gave no usable answer at all.
    """
    found: list[Probe] = []
    stopped: PsregError | None = None
    try:
        for probe in conformance.probes(run):
            found.append(probe)  # noqa: PERF402 - what was found before an error is kept
    except UnavailableError as error:
        stopped = error
    except KeyboardInterrupt:
        stopped = InterruptError("INTERRUPTED", "the run was interrupted")
    if stopped and not found:
        raise stopped
    return ConformReport(
        protocol=conformance.name,
        version=conformance.version,
        endpoint=endpoint,
        probes=tuple(found),
        stopped=stopped,
    )


def prompts_of(data: bytes, path: str) -> tuple[Prompt, ...]:
    """Return the prompts of a JSON list of texts or `{"id", "message"}` (PB2S-A15).

    The id of a text is its number, from 1.

    Raises:
        UsageError: BAD_PROMPTS; `data` is not a list of 1 to `MAX_PROMPTS` prompts.
    """
    tree = json_document.parse(data)
    lines = LineIndex(tree.text)

    def refuse(pointer: str, message: str, offset: int | None = None) -> UsageError:
        start = lines.position(tree.span(pointer).start if offset is None else offset)
        hint = 'Write a list such as `["Explain inertia.", {"id": "rome", "message": "…"}]`.'
        return UsageError("BAD_PROMPTS", f"{path}:{start.line}:{start.column}: {message}", hint)

    for issue in tree.issues:
        raise refuse("", issue.message, issue.span.start)
    if not isinstance(tree.value, list) or not 0 < len(tree.value) <= MAX_PROMPTS:
        raise refuse("", f"expected a list of 1 to {MAX_PROMPTS} prompts")
    found: list[Prompt] = []
    for index, item in enumerate(tree.value):
        prompt = _prompt(item, str(index + 1))
        if prompt is None:
            raise refuse(f"/{index}", "expected a text or an object with `id` and `message`")
        if prompt.id in {other.id for other in found}:
            raise refuse(f"/{index}", f"duplicate prompt id `{prompt.id}`")
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


def conform_document(run: ConformReport) -> dict[str, Any]:
    """Return `run` as the JSON object that `psreg conform --format json` prints."""
    return {
        **report_document(run.report),
        "protocol": run.protocol,
        "version": run.version,
        "endpoint": run.endpoint,
        "passed": run.passed,
        **({"error": _detail(run.stopped)} if run.stopped else {}),
        "probes": [
            {
                "id": probe.id,
                "prompt": probe.prompt,
                "answer": probe.answer,
                "findings": [
                    {"rule": d.code, "severity": str(d.severity), "evidence": d.excerpt}
                    for d in probe.diagnostics
                ],
                "notes": list(probe.notes),
                "finish": probe.finish,
                "pb2s_proof": probe.proof,
            }
            for probe in run.probes
        ],
    }


def _detail(error: PsregError) -> dict[str, str]:
    return {"code": error.code, "message": str(error), "hint": error.hint}


def conform_lines(run: ConformReport, *, color: bool = False, quiet: bool = False) -> Iterator[str]:
    """Yield the lines of `run`: each probe with its findings, then whether the endpoint conforms.

    `quiet` omits probes without errors and warnings, and everything if the endpoint conforms.
    """
    if quiet and run.passed:
        return
    for probe in run.probes:
        shown = [d for d in probe.diagnostics if not (quiet and d.severity is INFO)]
        if quiet and not (shown or probe.cut):
            continue
        yield f"{one_line(probe.id)}: {one_line(probe.prompt)}"
        report = Report.of(1, shown)
        cut = ["this answer was cut off", ""] if probe.cut else []
        lines = [*report_lines(report, color=color)][:-1] if shown else cut or ["ok", ""]
        lines = [*cut, *lines] if shown else lines
        yield from (f"  {line}".rstrip() for line in lines)
    notes = dict.fromkeys(note for probe in run.probes for note in probe.notes)
    for note in () if quiet else notes:
        yield f"note: {one_line(note)}"
    verdict = "conforms" if run.passed else f"does not conform: {_why_not(run)}"
    tried = "1 probe" if len(run.probes) == 1 else f"{len(run.probes)} probes"
    yield f"{run.protocol} {run.version}, {tried}: {one_line(run.endpoint)} {verdict}"


def _why_not(run: ConformReport) -> str:
    cut = sum(probe.cut for probe in run.probes)
    reasons = [counted(run.report.count(ERROR), ERROR)]
    reasons += [f"{cut} answer{'s' * (cut > 1)} cut off"] if cut else []
    return ", ".join([*reasons, *(["the run is not complete"] if run.stopped else [])])
