"""Makes diagnostics of findings: adds position, severity and fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import TypeVar

from psreg.core.dataclass import replace
from psreg.core.diagnostics import (
    ERROR,
    Diagnostic,
    Document,
    Edit,
    Finding,
    Fix,
    LineIndex,
    Mode,
    Span,
    line_index,
)
from psreg.core.rule import Rule
from psreg.formats.waivers import waivable

T = TypeVar("T")

CONTENT = "PS"
"""The family of the content rules."""

MOST = 5_000
"""The most findings of one rule about one subject; more are an error, and it stops."""

ALIKE = 5
"""The most findings that are listed of those with the same message."""

LISTED = 100
"""The most findings of one rule and severity that are listed; the others are counted."""

LISTED_IN_ALL = 250
"""Findings listed about one subject; each further rule lists one of each severity."""

_LONGEST_POINTER = 500


def judge_at(
    rules: Iterable[Rule[T]], subject: T, documents: Mapping[PurePosixPath, Document]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of rules whose findings name the file they are in."""
    indexes: dict[str, LineIndex] = {}
    for rule, finding, more in _listed(rules, subject):
        document = documents[PurePosixPath(finding.path)]
        index = indexes.get(finding.path) or line_index(document.text)
        indexes[finding.path] = index
        path = finding.path
        yield locate(rule, finding, document, index, path=path, mode=Mode.STRICT, more=more)


def judge(
    rules: Iterable[Rule[T]],
    subject: T,
    document: Document,
    path: str,
    mode: Mode,
    *,
    room: int = LISTED_IN_ALL,
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of `rules` about `subject`, whose text is that of `document`.

    A file of 1 MiB could have a million findings. All are judged, up to `MOST` of each rule; those
    that say the same are listed `ALIKE` times, and the last one counts the rest.
    """
    index: LineIndex | None = None
    for rule, finding, more in _listed(rules, subject, room):
        # NOTE: a document without findings needs no line index and no spans.
        index = index or line_index(document.text)
        yield locate(rule, finding, document, index, path=path, mode=mode, more=more)


def _listed(
    rules: Iterable[Rule[T]], subject: T, room: int = LISTED_IN_ALL
) -> Iterator[tuple[Rule[T], Finding, int]]:
    """Yield the findings to list, each with the number of those that it stands for as well."""
    for rule in rules:
        # NOTE: almost every rule finds nothing.
        findings = rule.check(subject)
        if first := next(findings, None):
            found = [first, *islice(findings, MOST)]
            for finding, more in _of_rule(rule, found, max(1, min(room, LISTED))):
                room -= 1
                yield rule, finding, more


def _of_rule(rule: Rule[T], found: list[Finding], room: int) -> Iterator[tuple[Finding, int]]:
    if len(found) == 1:
        yield found[0], 0
        return
    if len(found) > MOST:
        last = found.pop()
        message = f"more than {MOST:,} findings; the rest of the text is not checked"
        yield replace(last, message=message, severity=ERROR, fix=()), 0
    kinds: dict[Hashable, list[Finding]] = {}
    for finding in found:
        severity = finding.severity or rule.severity
        kinds.setdefault((finding.path, severity, bool(finding.fix)), []).append(finding)
    for kind in kinds.values():
        yield from _folded(kind, room)


def _folded(found: list[Finding], room: int) -> Iterator[tuple[Finding, int]]:
    """Yield at most `room` of the findings, which are of one kind; equal ones stay together."""
    groups: dict[str, list[Finding]] = {}
    for finding in found:
        groups.setdefault(finding.message, []).append(finding)
    listed: list[list[Finding]] = []
    for group in groups.values():
        listed += [[finding] for finding in group[:ALIKE]]
        listed[-1] += group[ALIKE:]
    for others in listed[room:]:
        listed[room - 1] += others
    yield from ((_with_others(first, others), len(others)) for first, *others in listed[:room])


def _with_others(finding: Finding, others: list[Finding]) -> Finding:
    """Return `finding` with the number and the fixes of the `others`."""
    if not others:
        return finding
    fix = dict.fromkeys(change for each in (finding, *others) for change in each.fix)
    title = f"{finding.fix_title}, here and in {len(others):,} more places" * bool(fix)
    message = f"{finding.message}; and {len(others):,} more like it"
    return replace(finding, message=message, fix=tuple(fix), fix_title=title)


def locate(
    rule: Rule[T],
    finding: Finding,
    document: Document,
    index: LineIndex,
    *,
    path: str,
    mode: Mode,
    more: int = 0,
) -> Diagnostic:
    """Return the diagnostic of a finding: with position, severity in `mode` and fingerprint."""
    if isinstance(finding.at, Span):
        span, pointer = finding.at, ""
    else:
        pointer = finding.at
        span = document.key_span(pointer) if finding.key else document.span(pointer)
    start = index.position(span.start)
    strict = finding.severity or rule.severity
    reading = finding.read or finding.severity or rule.read
    excerpt = index.line(start.line)
    near = max(0, start.column - 1 - _NEAR)
    return Diagnostic(
        code=rule.code,
        slug=rule.slug,
        severity=reading if mode is Mode.READ else strict,
        message=finding.message,
        hint=_hint(rule.code, finding.hint) if strict is ERROR else finding.hint,
        url=rule.page,
        path=path,
        pointer=_short(pointer),
        start=start,
        end=index.position(span.end),
        fingerprint=_fingerprint(rule.code, path, pointer, excerpt[near : near + 2 * _NEAR]),
        excerpt=excerpt,
        fix=_fix(finding, index, path) if finding.fix else None,
        more=more,
        since=finding.since or rule.since,
    )


def _hint(code: str, hint: str) -> str:
    """Return the hint of an error, for content rules with who may waive it."""
    if not code.startswith(CONTENT) or "waive" in hint.lower():
        return hint
    if waivable(code):
        return f"{hint} If it must stay, waive {code} in release.toml with a reason."
    return f"{hint} Only the registry's maintainers can waive {code}."


def _short(pointer: str) -> str:
    """Return `pointer`, or if it is longer than a person reads, that of a value around it."""
    while len(pointer) > _LONGEST_POINTER:
        pointer = pointer.rpartition("/")[0]
    return pointer


def _fix(finding: Finding, index: LineIndex, path: str) -> Fix:
    edits = (
        Edit(
            path=path,
            start=index.position(change.span.start),
            end=index.position(change.span.end),
            replacement=change.replacement,
        )
        for change in sorted(finding.fix, key=lambda change: change.span)
    )
    return Fix(title=finding.fix_title, edits=tuple(edits))


_NEAR = 80
"""Characters before and after a finding that distinguish it from others of the same rule."""


def _fingerprint(code: str, path: str, pointer: str, near: str) -> str:
    """Identify a finding by what it is about, not by its line number."""
    text = f"{code}\0{path}\0{pointer}\0{near.strip()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
