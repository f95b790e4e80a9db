"""Every form in which a report can be printed; text for a terminal has options of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from psreg.core.diagnostics import Report
from psreg.core.rule_table import RuleTable
from psreg.lint.reports.ci_services import github_text, gitlab_document, rdjson_document
from psreg.lint.reports.json import report_document
from psreg.lint.reports.markdown import markdown_text
from psreg.lint.reports.sarif import sarif_document
from psreg.lint.reports.text import report_text


class Renderer(NamedTuple):
    """One form of a report: its name after `--format`, and the pure function that writes it.

    It is given what loads the table of rules, for the forms that list them.
    """

    name: str
    render: Callable[[Report, Callable[[], RuleTable]], str]


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


RENDERERS = (
    Renderer("text", lambda report, _: report_text(report)),
    Renderer("json", lambda report, _: _json(report_document(report))),
    Renderer("sarif", lambda report, rules: _json(sarif_document(report, rules()))),
    Renderer("github", lambda report, _: github_text(report)),
    Renderer("gitlab", lambda report, _: _json(gitlab_document(report))),
    Renderer("rdjson", lambda report, _: _json(rdjson_document(report))),
    Renderer("markdown", lambda report, _: markdown_text(report)),
)

FORMATS = tuple(renderer.name for renderer in RENDERERS)
"""The choices of `--format`."""


def rendered(report: Report, form: str, rules: Callable[[], RuleTable]) -> str:
    """Return `report` in the form that is named, one of `FORMATS`; some list all `rules`."""
    (render,) = (renderer.render for renderer in RENDERERS if renderer.name == form)
    return render(report, rules)
