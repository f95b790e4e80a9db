"""The pages of the rules: a list, and a page for each.

Everything comes from the rules themselves. An example is a pair of cases of the corpus: what the
rule reports, and what it accepts. Of two folders only the files that differ are shown. Invisible
characters are written as `⟨U+200B⟩`, because many examples are hostile on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from psreg.catalogue.pages.frame import Page, crumbs
from psreg.catalogue.pages.html import count, section, table, tag, text
from psreg.catalogue.pages.markdown_html import inline_html, to_html
from psreg.catalogue.pages.spec_pages import citation_html
from psreg.core.rule import Rule
from psreg.formats.specs import specifications
from psreg.lint.extra_files import level_in_evidence

FAMILIES: Mapping[str, str] = {
    "JSON": "JSON syntax",
    "TOML": "TOML syntax",
    "PBE": "Prompt-Based Executables",
    "PROMPT": "Prompt templates",
    "REG": "Submissions",
    "PS": "Content of prompts",
    "NAME": "Names",
    "CHG": "Changes",
    "PROTO": "Recorded conversations",
    "VPP": "Viable Prompt Protocol (VPP)",
    "PLSP": "Prompt Loop State Protocol (PLSP)",
    "PB2S": "PB2S",
}
"""Families in the order of the list, with their titles; any other family comes last."""


def rule_list(rules: Sequence[Rule[Any]]) -> str:
    """Return a table of rules for each family, for the page `rules/`."""
    families: dict[str, list[Rule[Any]]] = {}
    for rule in sorted(rules, key=_rank):
        families.setdefault(rule.family, []).append(rule)
    return "".join(
        section(family.lower(), FAMILIES.get(family, family), table(_HEADS, map(_row, members)))
        for family, members in families.items()
    )


_HEADS = ("Code", "Level", "What is wrong")


def _row(rule: Rule[Any]) -> tuple[str, str, str]:
    code = f'<a href="{rule.code}/"><code>{rule.code}</code></a>'
    return code, _level(rule.severity), inline_html(rule.summary)


def rule_pages(
    rules: Sequence[Rule[Any]], examples: Mapping[str, Example] = MappingProxyType({})
) -> Iterator[Page]:
    """Yield the page of each rule, with its example if there is one."""
    for rule in rules:
        example = example_html(examples[rule.code]) if rule.code in examples else ""
        levels = _level(rule.severity)
        if rule.read is not rule.severity:
            levels += f" (in read mode, <code>--read</code>: {_level(rule.read)})"
        if in_evidence := level_in_evidence(rule):
            levels += f" (in evidence, which repeats what others wrote: {_level(in_evidence)})"
        citations = ", ".join(citation_html(each, specifications()) for each in rule.spec.split())
        yield Page(
            path=rule.page,
            title=f"{rule.code} {rule.slug}",
            description=rule.summary.replace("`", ""),
            body=f"{crumbs([('Rules', 'rules/'), (rule.code, '')])}"
            f'<article class="ps-prose"><h1>{rule.code} <small>{text(rule.slug)}</small></h1>'
            f'<p class="ps-lead">{inline_html(rule.summary)}</p>'
            f"<p>{levels} · Specification: {citations} · Since psreg {rule.since}</p>"
            f"{to_html(rule.body, lambda _: None, top=1)}{example}</article>",
        )


def _level(severity: str) -> str:
    return f'<span class="ps-state ps-state--{severity}">{severity}</span>'


def _rank(rule: Rule[Any]) -> tuple[int, str]:
    known = list(FAMILIES)
    return known.index(rule.family) if rule.family in known else len(known), rule.code


Files = Mapping[str, bytes]

Example = tuple[Files, Files]
"""The files, by name, of a case that the rule reports, and of one that it accepts."""

_FILES = 4
"""Maximum number of files shown of one example; the others are counted."""

_LETTERS = 2_000
"""Maximum number of characters shown of one file."""


def example_html(example: Example) -> str:
    """Return both cases as sections for the page of a rule."""
    bad, good = example
    caught = section("caught", "Reported", _files(bad, good))
    return caught + section("let-through", "Accepted", _files(good, bad))


def _files(files: Files, others: Files) -> str:
    shown = {name: data for name, data in files.items() if others.get(name) != data}
    rest = len(files) - min(len(shown), _FILES)
    parts = [_file(name, data) for name, data in list(shown.items())[:_FILES]]
    more = f"<p>And {count(rest, 'more file')}, as in any entry.</p>" if rest else ""
    return "".join(parts) + more


def _file(name: str, data: bytes) -> str:
    whole = data.decode("utf-8", "backslashreplace")
    part = "".join(map(_visible, whole[:_LETTERS])) + ("…" if len(whole) > _LETTERS else "")
    heading = tag("p", tag("code", text(name)))
    return f'{heading}<pre tabindex="0"><code>{text(part)}</code></pre>'


def _visible(letter: str) -> str:
    seen = letter.isprintable() or letter in "\n\t"
    return letter if seen else f"⟨U+{ord(letter):04X}⟩"
