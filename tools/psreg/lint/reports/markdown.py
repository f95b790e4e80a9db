"""A report as Markdown for a comment: counts, findings, and a folded list of waived findings.

Text from files is neutralized: it cannot format, link, mention, open HTML or leave its cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from psreg.core.diagnostics import Diagnostic, Report
from psreg.core.terminal import one_line
from psreg.lint.reports.text import summary

MARKER = "<!-- psreg report -->"
"""First line of the comment, by which a bot finds its own comment."""

ROWS = 100
"""The most findings listed; a comment on GitHub holds 65,536 characters."""

BUDGET = 60_000
"""The most characters of all rows together."""

HEAD = "| | Rule | Location | {} |\n| --- | --- | --- | --- |\n"
"""The first lines of a table of findings; `{}` is the title of its last column."""

_LONGEST, _LONGEST_WORD = 400, 80


def markdown_text(report: Report) -> str:
    """Return `report` as GitHub Flavoured Markdown, at most 65,536 characters."""
    parts = [f"{MARKER}\n**psreg** {summary(report)}\n"]
    standing = report.standing()
    waived = [d for d in report.diagnostics if d.waived is not None]
    rows, left = _fitting(standing, report, BUDGET)
    parts += _table(rows, left, "Finding")
    rows, left = _fitting(waived, report, BUDGET - sum(map(len, parts)))
    if waived:
        table = "".join(_table(rows, left, "Finding, and why it was waived"))
        parts.append(f"\n<details><summary>{len(waived)} waived</summary>\n{table}\n</details>\n")
    return "".join(parts)


def _fitting(found: Iterable[Diagnostic], report: Report, budget: int) -> tuple[list[str], int]:
    """Return the rows that fit, worst first, and the number of the others."""
    rows: list[str] = []
    ordered = worst_first(found)
    for d in ordered[:ROWS]:
        row = finding_row(d, report)
        budget -= len(row)
        if budget < 0:
            break
        rows.append(row)
    return rows, len(ordered) - len(rows)


def _table(rows: list[str], left: int, title: str) -> Iterator[str]:
    if rows:
        yield "\n" + HEAD.format(title) + "".join(rows)
    if left:
        yield f"\n…and {left} more.\n"


def worst_first(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings with errors first, otherwise in their order."""
    return sorted(found, key=lambda d: d.severity.rank)


def finding_row(d: Diagnostic, report: Report) -> str:
    """Return the row of a finding in a table that begins with `HEAD`."""
    url = report.address(d.url)
    rule = f"[{d.code}]({url})" if url else neutral(d.code)
    location = code(d.path, f":{d.start.line}:{d.start.column}")
    said = neutral(d.message)
    said += f"<br>{neutral(d.hint)}" if d.hint else ""
    said += f"<br>Waived: {neutral(d.waived)}" if d.waived is not None else ""
    return f"| {d.severity} | {rule} | {location} | {said} |\n"


def neutral(text: str) -> str:
    """Return `text` as cropped Markdown without any effect; text in backticks is set as code."""
    line = re.sub(rf"(\S{{{_LONGEST_WORD}}})\S+", r"\1…", one_line(text)).strip()
    parts = _cropped(line).split("`")
    if len(parts) % 2 == 0:  # an open backtick is only a character
        parts[-2:] = ["`".join(parts[-2:])]
    shown = [f"<code>{_escaped(p)}</code>" if n % 2 else _escaped(p) for n, p in enumerate(parts)]
    return "".join(shown)


def _cropped(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def code(text: str, more: str = "") -> str:
    """Return `text`, cropped, and then `more`, set as code on one line."""
    return f"<code>{_escaped(_cropped(one_line(text)) + more)}</code>"


def _escaped(text: str) -> str:
    """Replace whatever Markdown, HTML or a forge might act on with a character reference."""
    return re.sub(r"[^\w\s,;'…“”‘’–—·×≥≤-]|_|(?<=\bGH)-|^-", _reference, text)


def _reference(match: re.Match[str]) -> str:
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if match[0] == "." and not (re.match(r"\w", behind) or before.isdecimal()):
        return "."  # the end of a sentence; within a word it could be an address, or begin a list
    # A forge looks for @name and #1 after the references are resolved: break them up.
    return f"&#{ord(match[0])};" + ("&#8203;" if match[0] in "@#!-" else "")
