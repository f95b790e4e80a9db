"""A report for people: each finding with its source line and a caret, like rustc and ruff."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import ERROR, INFO, WARNING, Diagnostic, Report, Severity
from psreg.core.terminal import one_line, width

_WINDOW = 100
"""Columns of a source line shown around a finding; a minified file is one long line."""

_PAINT = {ERROR: "\x1b[1;31m", WARNING: "\x1b[1;33m", INFO: "\x1b[1;36m"}
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def report_text(report: Report) -> str:
    """Return `report` in full, as plain text."""
    return "".join(f"{line}\n" for line in report_lines(report))


def report_lines(
    report: Report, *, color: bool = False, infos: bool = True, fixed: str = "fixed"
) -> Iterator[str]:
    """Yield the lines of `report`; with `infos` False, informational findings are only counted.

    `fixed` is the word for findings that were fixed, or would be.
    """
    for d in report.fixed:
        title = one_line(d.fix.title if d.fix else d.message)
        yield f"{fixed} {one_line(d.path)}:{d.start.line}:{d.start.column} {d.code}: {title}"
    if report.fixed:
        yield ""
    for diagnostic in report.diagnostics:
        if diagnostic.waived is None and (infos or diagnostic.severity is not INFO):
            yield from _diagnostic(diagnostic, color=color)
            yield ""
    yield from withdrawal_lines(report)
    yield summary(report)


def withdrawal_lines(report: Report) -> Iterator[str]:
    """Yield the releases that a newer content rule objects to, which cannot be fixed any more."""
    dangerous = report.dangerous_releases()
    if dangerous:
        yield "yank or revoke these releases if the findings are right:"
    for release, codes in dangerous.items():
        yield f"  {one_line(release.name)} {one_line(release.version)}: {', '.join(codes)}"
    if dangerous:
        yield ""


def summary(report: Report) -> str:
    """Return the last line, for instance `checked 3 files: 1 error ([*] 1 fixable by --fix)`."""
    parts = [counted(report.count(s), s) for s in (ERROR, WARNING, INFO) if report.count(s)]
    waived = sum(1 + d.more for d in report.diagnostics if d.waived is not None)
    parts += [f"{waived} waived"] if waived else []
    files = "1 file" if report.checked == 1 else f"{report.checked} files"
    fixable = sum(1 + d.more for d in report.standing() if d.fix)
    offer = f" ([*] {fixable} fixable by --fix)" if fixable else ""
    return f"checked {files}: {', '.join(parts) or 'no findings'}{offer}"


def counted(number: int, severity: Severity) -> str:
    """Return the number of findings of a severity, for instance `2 notes`."""
    noun = "note" if severity is INFO else str(severity)
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _diagnostic(d: Diagnostic, *, color: bool) -> Iterator[str]:
    paint = (lambda text, code: f"{code}{text}{_RESET}") if color else (lambda text, _code: text)
    head = paint(f"{d.severity}[{d.code}]", _PAINT[d.severity])
    mark = "[*] " if d.fix else ""
    yield f"{head} {mark}{paint(d.slug, _BOLD)}: {one_line(d.message)}"
    gutter = " " * len(str(d.start.line))
    yield f"{gutter}{paint('-->', _DIM)} {one_line(d.path)}:{d.start.line}:{d.start.column}"
    if d.excerpt:
        source, caret = cropped(d)
        yield paint(f"{gutter} |", _DIM)
        yield f"{paint(f'{d.start.line} |', _DIM)} {source}"
        yield f"{paint(f'{gutter} |', _DIM)} {paint(caret, _PAINT[d.severity])}"
    for other in d.related:
        location = f"{one_line(other.path)}:{other.start.line}:{other.start.column}"
        yield f"{gutter} = note: {one_line(other.message)} ({location})"
    if d.hint:
        yield f"{gutter} = help: {one_line(d.hint)}"
    yield f"{gutter} = more: psreg explain {d.code}"


def cropped(d: Diagnostic) -> tuple[str, str]:
    """Return the source line as one line, cropped around the finding, and the carets below it."""
    start = d.start.column - 1
    end = d.end.column - 1 if d.end.line == d.start.line else len(d.excerpt)
    left = max(0, start - _WINDOW // 3) if len(d.excerpt) > _WINDOW else 0
    window = d.excerpt[left : left + _WINDOW]
    end = max(start + 1, min(end, left + len(window)))
    before = "…" if left else ""
    after = "…" if left + len(window) < len(d.excerpt) else ""
    pad = " " * width(before + one_line(d.excerpt[left:start]))
    carets = "^" * max(1, width(one_line(d.excerpt[start:end])))
    return f"{before}{one_line(window)}{after}", pad + carets
