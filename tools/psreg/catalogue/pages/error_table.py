"""The table of error codes as HTML: every row with its meaning and remedy, from the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from psreg.catalogue.pages.html import section, table, text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.core.error_codes import ErrorCode, Subject

_HEADS = ("Code", "Exit code", "What it means and what to do")


def error_table(subjects: Sequence[Subject]) -> str:
    """Return a table of codes for each subject, for the page `errors/`."""
    return "".join(
        section(_slug(subject.title), subject.title, table(_HEADS, map(_row, subject.codes)))
        for subject in subjects
    )


def error_search(subjects: Sequence[Subject]) -> Iterator[dict[str, Any]]:
    """Yield what the search of the documentation finds for each code."""
    for subject in subjects:
        for row in subject.codes:
            said = f"<p>{inline_html(row.meaning)}</p> <p>{inline_html(row.remedy)}</p>"
            yield {"location": row.page, "title": row.code, "text": said}


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z]+", title.lower()))


def _row(row: ErrorCode) -> tuple[str, str, str]:
    code = text(row.code)
    ends = "–" if row.exit_code is None else str(row.exit_code)
    anchor = f'<a id="{code}" href="#{code}"><code>{code}</code></a>'
    return anchor, ends, f"{inline_html(row.meaning)}<br>{inline_html(row.remedy)}"
