"""The score of a release on its page."""

from __future__ import annotations

from psreg.catalogue.pages.frame import address
from psreg.catalogue.pages.html import link, section, text
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.lint.score.score import POINTS, Part, Score, read_score
from psreg.registry.published import Release

_PAGE = "score/"


def score_link(release: Release) -> str:
    """Return the points as a link to the section about the score; "" if there is no score."""
    found = read_score(release.record.score)
    return f'<a href="#score">{found.total} of 100</a>' if found else ""


def score_section(release: Release) -> str:
    """Return the section about the score of a release; "" if there is no score."""
    found = read_score(release.record.score)
    return section("score", "Score", _score(found)) if found else ""


def _score(score: Score) -> str:
    rows = "".join(map(_row, score.parts))
    return (
        f'<p class="ps-score__lead"><strong>{score.total}</strong> of 100 points, from '
        f"{link(address(_PAGE), 'a public table')}: how well this version is documented and "
        f'tested, not how many people use it.</p><ul class="ps-score">{rows}</ul>{_how(score)}'
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
    lead = "<p>A released version never changes; each of these counts in the next version.</p>"
    return f"<details><summary>How to raise it</summary>{lead}<ul>{items}</ul></details>"
