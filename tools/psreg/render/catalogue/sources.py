"""Markdown pages that are computed: classes, rules, and the shells of entry pages.

mkdocs renders them together with the hand-written ones; paths are relative to the docs folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from psreg.render.catalogue.classes import CLASS_TEXTS, RESERVED
from psreg.rule import Rule

SHELLS: Mapping[int, str] = {2: "shell/2.md", 3: "shell/3/3.md"}
"""Source of the shell for pages that lie so many folders below the root."""

FAMILIES: Mapping[str, str] = {
    "JSON": "JSON syntax",
    "TOML": "TOML syntax",
    "PBE": "Prompt-Based Executables",
    "PROMPT": "Prompt templates",
    "REG": "Submissions",
    "PS": "Prompt content",
}


def all_sources(rules: Sequence[Rule[Any]]) -> dict[str, str]:
    """Return every computed page, by path below docs/."""
    return {**shell_sources(), **class_sources(), **rule_sources(rules)}


def shell_sources() -> dict[str, str]:
    """Return the shells: pages with nothing but marks."""
    title = "<!--psreg:topic-->"
    front = _front({"template": "shell.html", "title": title, "search": {"exclude": True}})
    return dict.fromkeys(SHELLS.values(), f"{front}<!--psreg:body-->\n")


def class_sources() -> dict[str, str]:
    """Return the page of each class folder."""
    return {
        f"{entry.slug}/index.md": _front(
            {"title": entry.title, "description": entry.line, "hide": ["navigation", "toc"]}
        )
        + f"# {entry.title}\n\n"
        + (
            f'!!! warning ""\n    {RESERVED[0].upper()}{RESERVED[1:]}.\n\n'
            if entry.reserved
            else ""
        )
        + f"{entry.about}\n{{ .ps-lead }}\n\n<!--psreg:entries-->\n"
        for entry in CLASS_TEXTS
    }


def rule_sources(rules: Sequence[Rule[Any]]) -> dict[str, str]:
    """Return a page per rule, and the list of all."""
    front = _front({"title": "Rules", "description": "Every rule psreg checks prompts against."})
    lines = [f"{front}# Rules\n", _RULES_LEAD]
    family = ""
    for rule in sorted(rules, key=_rank):
        if rule.family != family:
            family = rule.family
            lines.append(f"\n## {FAMILIES.get(family, family)}\n")
            lines.append("| Code | Level | What is wrong |\n|---|---|---|")
        link = f"[{rule.code}]({rule.code}.md)"
        lines.append(f"| {link} | {rule.severity} | {_cell(rule.summary)} |")
    pages = {f"rules/{rule.code}.md": _rule(rule) for rule in rules}
    return pages | {"rules/index.md": "\n".join(lines) + "\n"}


_RULES_LEAD = """\
Every rule `psreg check` and the review know, with the reason for it and the way to mend what it
finds. `psreg explain CODE` prints the same text.
"""


def _rank(rule: Rule[Any]) -> tuple[int, str]:
    known = list(FAMILIES)
    return known.index(rule.family) if rule.family in known else len(known), rule.code


def _rule(rule: Rule[Any]) -> str:
    level = f"**{rule.severity}**"
    if rule.read is not rule.severity:
        level += f" (only {rule.read} when reading with `--read`)"
    citations = ", ".join(f"`{citation}`" for citation in rule.spec.split())
    front = _front({"title": f"{rule.code} {rule.slug}", "description": rule.summary})
    return (
        f"{front}# {rule.code} <small>{rule.slug}</small>\n\n{rule.summary}\n\n"
        f"Level: {level} · Specification: {citations} · [All rules](index.md)\n\n{rule.body}\n"
    )


def _front(values: Mapping[str, Any]) -> str:
    # NOTE: JSON is YAML, and quotes whatever needs quoting.
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    return f"---\n{lines}---\n\n"


def _cell(value: str) -> str:
    return value.replace("|", "\\|").replace("\n", " ")
