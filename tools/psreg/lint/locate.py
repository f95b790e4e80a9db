"""Makes diagnostics of findings: adds position, severity and fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import TypeVar

from psreg.core.diagnostics import Diagnostic, Edit, Finding, Fix, LineIndex, Mode, Span
from psreg.core.rule import Rule
from psreg.formats.schema import MAX_VIOLATIONS
from psreg.formats.tree import Document, Documents

T = TypeVar("T")


def judge_at(rules: Iterable[Rule[T]], subject: T, documents: Documents) -> Iterator[Diagnostic]:
    """Yield the diagnostics of rules whose findings name the file they are in."""
    indexes: dict[str, LineIndex] = {}
    for rule in rules:
        for finding in rule.check(subject):
            document = documents[PurePosixPath(finding.path)]
            index = indexes.get(finding.path) or LineIndex(document.text)
            indexes[finding.path] = index
            yield locate(rule, finding, document, index, path=finding.path, mode=Mode.STRICT)


def judge(
    rules: Iterable[Rule[T]], subject: T, document: Document, path: str, mode: Mode
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of `rules` about `subject`, whose text is that of `document`.

    At most `MAX_VIOLATIONS` are yielded per rule: a file of 1 MiB could have a million.
    """
    index: LineIndex | None = None
    for rule in rules:
        for finding in islice(rule.check(subject), MAX_VIOLATIONS):
            # NOTE: a document without findings needs no line index and no spans.
            index = index or LineIndex(document.text)
            yield locate(rule, finding, document, index, path=path, mode=mode)


def locate(
    rule: Rule[T], finding: Finding, document: Document, index: LineIndex, *, path: str, mode: Mode
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
        hint=finding.hint,
        url=rule.page,
        path=path,
        pointer=pointer,
        start=start,
        end=index.position(span.end),
        fingerprint=_fingerprint(rule.code, path, pointer, excerpt[near : near + 2 * _NEAR]),
        excerpt=excerpt,
        fix=_fix(finding, index, path) if finding.fix else None,
    )


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
