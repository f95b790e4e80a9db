"""The table of all rules as SARIF states it, in every log alike (SARIF 2.1.0 §3.49)."""

from __future__ import annotations

import re
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING
from psreg.core.rule import Rule
from psreg.core.rule_table import RuleTable

LEVEL = {ERROR: "error", WARNING: "warning", INFO: "note"}
"""SARIF's word for a severity (§3.27.10)."""

_GITHUB_SEVERITY = {ERROR: "error", WARNING: "warning", INFO: "recommendation"}
_LONGEST = 1000
"""Characters of a description; GitHub cuts after 1024."""

_TAGS = 10
"""Tags of a rule that GitHub shows."""

_SECURITY = frozenset({"PS"})
"""Families that look for what a prompt may do to its user."""


def descriptors(rules: RuleTable, site: str) -> list[dict[str, Any]]:
    """Return the reporting descriptors of all rules, by code.

    `site` is the address the rules' pages lie below; without one there is no `helpUri`, which has
    to be absolute.
    """
    return [_descriptor(rule, site) for rule in sorted(rules, key=lambda rule: rule.code)]


def _descriptor(rule: Rule[Any], site: str) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.slug.split("-")),
        "shortDescription": {"text": cropped(rule.summary)},
        "fullDescription": {"text": cropped(f"{rule.summary} {_why(rule)}".strip())},
        "help": {"text": rule.doc, "markdown": rule.doc},
        **({"helpUri": site + rule.page} if site else {}),
        "defaultConfiguration": {"level": LEVEL[rule.severity]},
        "properties": {
            "tags": _tags(rule),
            "problem.severity": _GITHUB_SEVERITY[rule.severity],
        },
    }


def cropped(text: str) -> str:
    """Return `text` no longer than a description may be."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _why(rule: Rule[Any]) -> str:
    """Return what the rule's page says below `## Why`, as running text."""
    found = re.search(r"^## Why\n(.*?)(?=^## |\Z)", rule.body, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _tags(rule: Rule[Any]) -> list[str]:
    kind = ["security"] if rule.family in _SECURITY else []
    return [rule.family, *kind, *rule.spec.split()][:_TAGS]
