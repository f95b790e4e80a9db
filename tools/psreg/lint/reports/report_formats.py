"""Every form in which a report can be printed; text for a terminal has options of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from psreg.core.diagnostics import Report
from psreg.lint.reports.github import github_text
from psreg.lint.reports.gitlab import gitlab_document
from psreg.lint.reports.json import report_document
from psreg.lint.reports.markdown import markdown_text
from psreg.lint.reports.rdjson import rdjson_document
from psreg.lint.reports.text import report_text


class Renderer(NamedTuple):
    """One form of a report: its name after `--format`, and the pure function that writes it."""

    name: str
    render: Callable[[Report], str]


def _as_json(document: Callable[[Report], Any]) -> Callable[[Report], str]:
    return lambda report: json.dumps(document(report), ensure_ascii=False, indent=2) + "\n"


def _sarif_document(report: Report) -> Any:
    from psreg.lint.reports.sarif import sarif_document  # noqa: PLC0415 - it lists every rule there is

    return sarif_document(report)


RENDERERS = (
    Renderer("text", report_text),
    Renderer("json", _as_json(report_document)),
    Renderer("sarif", _as_json(_sarif_document)),
    Renderer("github", github_text),
    Renderer("gitlab", _as_json(gitlab_document)),
    Renderer("rdjson", _as_json(rdjson_document)),
    Renderer("markdown", markdown_text),
)

FORMATS = tuple(renderer.name for renderer in RENDERERS)
"""The choices of `--format`."""


def rendered(report: Report, form: str) -> str:
    """Return `report` in the form that is named, one of `FORMATS`."""
    (render,) = (renderer.render for renderer in RENDERERS if renderer.name == form)
    return render(report)
