"""A report as a SARIF 2.1.0 log, within the limits of GitHub's code scanning.

Every log contains the whole table of rules. If there are more findings than GitHub shows, the worst
come first. If there are more than it accepts, the worst are kept, and a notification says how many
were left out.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any
from urllib.parse import quote

from psreg import __version__
from psreg.core.diagnostics import ERROR, INFO, WARNING, Diagnostic, Edit, Fix, Position, Report
from psreg.core.rule import Rule, RuleTable
from psreg.core.terminal import plain
from psreg.lint.reports.ci_services import distinguished
from psreg.lint.reports.json import with_short_fixes

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

SHOWN, TAKEN = 5_000, 25_000
"""The most results of one run that GitHub shows, and that it accepts."""

LOCATIONS = 100
"""The most locations of one result that GitHub shows."""

PACKED = 9_500_000
"""The most compressed bytes of all results; GitHub accepts 10 MB for the whole log."""

LEVEL = {ERROR: "error", WARNING: "warning", INFO: "note"}
"""SARIF's word for a severity (§3.27.10)."""

_GITHUB_SEVERITY = {ERROR: "error", WARNING: "warning", INFO: "recommendation"}
_LONGEST = 1000
"""The most characters of a description; GitHub crops it after 1024."""

_TAGS = 10
"""The most tags of a rule that GitHub shows."""

_SECURITY = frozenset({"PS"})
"""Families of rules that protect users from prompts."""

_BASE = "SRCROOT"


def sarif_document(
    report: Report,
    rules: RuleTable,
    *,
    taken: int = TAKEN,
    shown: int = SHOWN,
    packed: int = PACKED,
) -> dict[str, Any]:
    """Return `report` as a SARIF log of one run; the default limits are GitHub's."""
    driver = _driver(report, rules)
    index = {rule["id"]: number for number, rule in enumerate(driver["rules"])}
    found = list(distinguished(report))
    if len(found) > shown:
        found.sort(key=lambda each: (each[0].waived is not None, each[0].severity.rank))
    short = with_short_fixes(d for d, _ in found[:taken])
    results = [_result(d, identity, index) for d, (_, identity) in zip(short, found, strict=False)]
    results = results[: _fitting(results, packed)]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _BASE: {"description": {"text": "The folder that paths are relative to."}}
        },
        "invocations": [_invocation(len(found), len(results), shown)],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver(report: Report, rules: RuleTable) -> dict[str, Any]:
    site = {"informationUri": report.site} if report.site else {}
    return {
        "name": "psreg",
        "version": __version__,
        "semanticVersion": __version__,
        **site,
        "rules": _descriptors(rules, report.site),
    }


def _fitting(results: list[dict[str, Any]], packed: int) -> int:
    """Return how many of `results`, from the first, fit into `packed` compressed bytes."""
    compressor, size = zlib.compressobj(level=1), 0
    for number, result in enumerate(results):
        text = json.dumps(result)  # the longest spelling
        size += len(compressor.compress(text.encode()))
        if size > packed:
            return number
    return len(results)


def _invocation(found: int, kept: int, shown: int) -> dict[str, Any]:
    said = []
    if kept < found:
        said.append(
            _note("warning", f"Left out {found - kept} of {found} findings, the least severe.")
        )
    if kept > shown:
        said.append(_note("note", f"{kept} findings; GitHub shows the first {shown}."))
    more = {"toolExecutionNotifications": said} if said else {}
    return {"executionSuccessful": True, **more}


def _note(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _result(d: Diagnostic, identity: str, index: Mapping[str, int]) -> dict[str, Any]:
    related = [
        {
            "id": number,
            "message": _message(other.message),
            **_location(other.path, other.start, other.end),
        }
        for number, other in enumerate(d.related[: LOCATIONS - 1], 1)
    ]
    return {
        "ruleId": d.code,
        **({"ruleIndex": index[d.code]} if d.code in index else {}),
        "level": LEVEL[d.severity],
        "message": _message(f"{d.message}\n{d.hint}" if d.hint else d.message),
        "locations": [_location(d.path, d.start, d.end) | _member(d.pointer)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"psreg/v1": identity},
        **({"suppressions": [_suppression(d)]} if d.waived is not None else {}),
        **({"occurrenceCount": 1 + d.more} if d.more else {}),
        **({"fixes": [_fix(d.fix)]} if d.fix and d.fix.edits else {}),
    }


def _message(text: str) -> dict[str, str]:
    # NOTE: `[words](address)` would become a link (SARIF §3.11.6) chosen by the author of the file.
    return {"text": plain(text).replace("](", "] (")}


def _suppression(d: Diagnostic) -> dict[str, str]:
    kind = "inSource" if d.waived_by == "release" else "external"
    # Without a `status` it is accepted (SARIF §3.35.3); older schemas call that member `state`.
    return {"kind": kind, "justification": plain(d.waived or "")}


def _member(pointer: str) -> dict[str, Any]:
    return {"logicalLocations": [{"fullyQualifiedName": pointer}]} if pointer else {}


def _location(path: str, start: Position, end: Position) -> dict[str, Any]:
    return {
        "physicalLocation": {"artifactLocation": _artifact(path), "region": _region(start, end)}
    }


def _artifact(path: str) -> dict[str, str]:
    # Names that are not UTF-8 keep their bytes; a file outside the folder has no base.
    uri = quote(path, errors="surrogateescape")
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": _BASE}


def _region(start: Position, end: Position) -> dict[str, int]:
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {"description": _message(fix.title), "artifactChanges": list(_changes(fix.edits))}


def _changes(edits: Iterable[Edit]) -> Iterator[dict[str, Any]]:
    for path, group in groupby(sorted(edits, key=lambda e: e.path), key=lambda e: e.path):
        replacements = [
            {
                "deletedRegion": _region(edit.start, edit.end),
                "insertedContent": {"text": edit.replacement},
            }
            for edit in group
        ]
        yield {"artifactLocation": _artifact(path), "replacements": replacements}


def _descriptors(rules: RuleTable, site: str) -> list[dict[str, Any]]:
    """Return the reporting descriptors of all rules, by code.

    `site` is the base address of the rules' pages; without one there is no `helpUri`, which must be
    absolute.
    """
    return [_descriptor(rule, site) for rule in sorted(rules, key=lambda rule: rule.code)]


def _descriptor(rule: Rule[Any], site: str) -> dict[str, Any]:
    described = cropped(f"{rule.summary} {_why(rule)}".strip())
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.slug.split("-")),
        "shortDescription": {"text": cropped(rule.summary)},
        "fullDescription": {"text": described},
        "help": {"text": described, "markdown": rule.doc},
        **({"helpUri": site + rule.page} if site else {}),
        "defaultConfiguration": {"level": LEVEL[rule.severity]},
        "properties": {
            "tags": _tags(rule),
            "problem.severity": _GITHUB_SEVERITY[rule.severity],
        },
    }


def cropped(text: str) -> str:
    """Return `text`, cropped to the length allowed for a description."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _why(rule: Rule[Any]) -> str:
    """Return the text below `## Why` on the rule's page, on one line."""
    found = re.search(r"^## Why\n(.*?)(?=^## |\Z)", rule.body, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _tags(rule: Rule[Any]) -> list[str]:
    kind = ["security"] if rule.family in _SECURITY else []
    return [rule.family, *kind, *rule.spec.split()][:_TAGS]
