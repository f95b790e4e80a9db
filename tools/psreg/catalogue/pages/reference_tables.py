"""Tables computed for hand-written pages: error codes, the score, version steps, platforms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from psreg.catalogue.pages.html import section, table, text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.compatibility.floor_row import Row
from psreg.compatibility.version_floor import Group
from psreg.core.error_codes import ErrorCode, Subject
from psreg.formats.platforms import PLATFORMS
from psreg.lint.score import PARTS, POINTS, QUESTIONS

_ERROR_HEADS = ("Code", "Exit", "What it means and what to do")


def error_table(subjects: Sequence[Subject]) -> str:
    """Return a table of codes for each subject, for the page `errors/`."""
    return "".join(
        section(
            _slug(subject.title), subject.title, table(_ERROR_HEADS, map(_error_row, subject.codes))
        )
        for subject in subjects
    )


def error_texts(subjects: Sequence[Subject]) -> Iterator[tuple[str, str]]:
    """Yield address and HTML of what the search finds for each code."""
    for subject in subjects:
        for row in subject.codes:
            paragraphs = f"<p>{inline_html(row.meaning)}</p><p>{inline_html(row.remedy)}</p>"
            yield row.page, f"<article><h1>{text(row.code)}</h1>{paragraphs}</article>"


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z]+", title.lower()))


def _error_row(row: ErrorCode) -> tuple[str, str, str]:
    code = text(row.code)
    ends = "–" if row.exit_code is None else str(row.exit_code)
    anchor = f'<a id="{code}" href="#{code}"><code>{code}</code></a>'
    return anchor, ends, f"{inline_html(row.meaning)}<br>{inline_html(row.remedy)}"


def formula_table() -> str:
    """Return the table of all questions, for the page `score/`."""
    return "".join(
        section(
            key, f"{title}: {_max_points(key)} points", table(_SCORE_HEADS, _question_rows(key))
        )
        for key, title in PARTS.items()
    )


_SCORE_HEADS = ("Question", "Format", "Points")


def _question_rows(key: str) -> Iterator[tuple[str, str, str]]:
    for question in QUESTIONS:
        if question.part == key:
            yield inline_html(question.asks), text(question.only) or "both", str(POINTS)


def _max_points(key: str) -> int:
    """Return the points of a part; each format has the same number of questions."""
    asked = [question for question in QUESTIONS if question.part == key]
    return POINTS * sum(question.only in ("", "PBE") for question in asked)


_FLOOR_HEADS = ("Step", "What changed", "Why")


def floor_table(groups: Sequence[Group]) -> str:
    """Return a table of rows for each group, for the page `semver/`."""
    return "".join(
        section(_slug(group.title), group.title, table(_FLOOR_HEADS, map(_floor_row, group.rows)))
        for group in groups
    )


def _floor_row(row: Row[Any]) -> tuple[str, str, str]:
    name = text(row.id)
    step = f"<strong>{row.step}</strong>" + ("<br>please read" if row.behaviour else "")
    anchor = f'<a id="{name}" href="#{name}"><code>{name}</code></a>'
    return step, f"{inline_html(row.summary)}<br>{anchor}", inline_html(row.reason)


def platform_options(extra: Sequence[str]) -> str:
    """Return the options of a field for a platform; `extra` are the ids that the policy adds."""
    names = {**PLATFORMS, **{id_: id_ for id_ in extra if id_ not in PLATFORMS}}
    return "".join(f'<option value="{text(i)}">{text(name)}</option>' for i, name in names.items())
