"""The score of a release on its page, and the table of all that is worth points."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.catalogue.pages.frame import address
from psreg.catalogue.pages.html import link, section, table, text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.lint.score.score import PARTS, POINTS, QUESTIONS, Part, Score, read_score
from psreg.registry.published import Release

_PAGE = "score/"


def fact(release: Release) -> str:
    """Return the points as a link to the section about them; "" where there are none."""
    found = read_score(release.record.score)
    return f'<a href="#score">{found.total} of 100</a>' if found else ""


def part(release: Release) -> str:
    """Return the section about the score of a release; "" where it has none."""
    found = read_score(release.record.score)
    return section("score", "Score", _score(found)) if found else ""


def _score(score: Score) -> str:
    rows = "".join(map(_row, score.parts))
    return (
        f'<p class="ps-score__lead"><strong>{score.total}</strong> of 100 points, by '
        f"{link(address(_PAGE), 'a public table')}: what this version shows for itself, and "
        f'nothing about how many use it.</p><ul class="ps-score">{rows}</ul>{_how(score)}'
    )


def _row(part: Part) -> str:
    filled = max(0, min(100, 100 * part.points // max(part.of, 1)))
    return (
        f"<li><span>{text(part.title)}</span>"
        f'<span class="ps-score__bar"><span style="width:{filled}%"></span></span>'
        f"<span>{part.points} of {part.of}</span></li>"
    )


def _how(score: Score) -> str:
    items = "".join(
        f"<li>{inline_html(step)} <small>{text(part.title)}, {POINTS} points</small></li>"
        for part in score.parts
        for step in part.steps
    )
    if not items:
        return ""
    lead = "<p>A released version stays as it is; each of these counts in the next one.</p>"
    return f"<details><summary>How to raise it</summary>{lead}<ul>{items}</ul></details>"


def formula_table() -> str:
    """Return the table of all questions, for the page `score/`."""
    return "".join(
        section(key, f"{title}: {_most(key)} points", table(_HEADS, _questions(key)))
        for key, title in PARTS.items()
    )


_HEADS = ("What is asked", "Of", "Points")


def _questions(key: str) -> Iterator[tuple[str, str, str]]:
    for question in QUESTIONS:
        if question.part == key:
            yield inline_html(question.asks), text(question.only) or "both", str(POINTS)


def _most(key: str) -> int:
    """Return what a part is worth: questions of one format stand beside those of the other."""
    asked = [question for question in QUESTIONS if question.part == key]
    return POINTS * sum(question.only in ("", "PBE") for question in asked)
