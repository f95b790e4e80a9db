"""The formats in which a report can be printed. Text for a terminal has its own options."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from psreg.core.diagnostics import Report
from psreg.core.rule import RuleTable
from psreg.lint.reports.text import report_text


class Renderer(NamedTuple):
    """A format of a report: its name after `--format`, and the function that renders it.

    The function also receives a function that loads the table of rules, for formats that list them.
    """

    name: str
    render: Callable[[Report, Callable[[], RuleTable]], str]


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _json_report(report: Report, _: object) -> str:
    from psreg.lint.reports.json import report_document  # noqa: PLC0415 - one of seven is needed

    return _json(report_document(report))


def _sarif(report: Report, rules: Callable[[], RuleTable]) -> str:
    from psreg.lint.reports.sarif import sarif_document  # noqa: PLC0415 - as above

    return _json(sarif_document(report, rules()))


def _github(report: Report, _: object) -> str:
    from psreg.lint.reports.ci_services import github_text  # noqa: PLC0415 - as above

    return github_text(report)


def _gitlab(report: Report, _: object) -> str:
    from psreg.lint.reports.ci_services import gitlab_document  # noqa: PLC0415 - as above

    return _json(gitlab_document(report))


def _rdjson(report: Report, _: object) -> str:
    from psreg.lint.reports.ci_services import rdjson_document  # noqa: PLC0415 - as above

    return _json(rdjson_document(report))


def _markdown(report: Report, _: object) -> str:
    from psreg.lint.reports.markdown import markdown_text  # noqa: PLC0415 - as above

    return markdown_text(report)


RENDERERS = (
    Renderer("text", lambda report, _: report_text(report)),
    Renderer("json", _json_report),
    Renderer("sarif", _sarif),
    Renderer("github", _github),
    Renderer("gitlab", _gitlab),
    Renderer("rdjson", _rdjson),
    Renderer("markdown", _markdown),
)

FORMATS = tuple(renderer.name for renderer in RENDERERS)
"""The choices of `--format`."""


def rendered(report: Report, form: str, rules: Callable[[], RuleTable]) -> str:
    """Return `report` in the format `form`, one of `FORMATS`; some formats list all `rules`."""
    (render,) = (renderer.render for renderer in RENDERERS if renderer.name == form)
    return render(report, rules)
