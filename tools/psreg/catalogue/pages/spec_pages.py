"""The pages of the specifications: a list, a page for each, and the same as JSON.

Everything comes from the data in `formats/specs`; the rules say which ids they implement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psreg.catalogue.pages.frame import ROOT, Page, crumbs
from psreg.catalogue.pages.html import link, section, table, text
from psreg.catalogue.pages.json_api import json_file
from psreg.catalogue.pages.markdown_html import inline_html
from psreg.core.rule import Rule
from psreg.formats.specs import Clause, Reading, Specification, citing

SPECIFICATION_SCHEMA = "psreg.specification/1"
SEMANTICS = "semantics/"
"""The hand-written page about behaviour, by its path below the root."""

Codes = Mapping[str, tuple[str, ...]]


def citation_html(citation: str, specifications: Sequence[Specification]) -> str:
    """Return a citation such as `pbe-1.0/PBE-04` as HTML, a link if its specification is known."""
    shown = f"<code>{text(citation)}</code>"
    cited, _, identifier = citation.partition("/")
    found = (spec for spec in specifications if spec.cited == cited)
    return next((link(f"{ROOT}{spec.page}#{text(identifier)}", shown) for spec in found), shown)


def spec_list(specifications: Sequence[Specification], rules: Sequence[Rule[Any]]) -> str:
    """Return a table of the specifications, for the page `specs/`."""
    codes = citing(rules)
    return table(
        ("Specification", "What it is", "Rules", "Readings", "Checked by psreg"),
        (
            (
                f'<a href="{spec.name}/{spec.version}/">{text(spec.title)}</a>',
                inline_html(spec.about),
                str(len(spec.clauses)),
                str(len(spec.readings)),
                str(sum(bool(_codes(codes, spec, row)) for row in spec.rows)),
            )
            for spec in specifications
        ),
    )


def spec_pages(
    specifications: Sequence[Specification], rules: Sequence[Rule[Any]]
) -> Iterator[Page]:
    """Yield the page of each specification."""
    codes = citing(rules)
    for spec in specifications:
        yield Page(
            path=spec.page,
            title=spec.title,
            description=spec.about.replace("`", ""),
            body=f"{crumbs([('Specifications', 'specs/'), (spec.title, '')])}"
            f'<article class="ps-prose"><h1>{text(spec.title)}</h1>'
            f'<p class="ps-lead">{inline_html(spec.about)}</p>'
            "<p>Each rule in one sentence of our own, and how psreg interprets what the text "
            f'leaves open. For programs: <a href="{ROOT}{document_path(spec)}"><code>'
            f"{document_path(spec)}</code></a>.</p>"
            f"{section('rules', 'Rules', _clauses(spec, codes))}"
            f"{section('readings', 'Readings', _readings(spec, codes))}</article>",
        )


def decision_table(
    name: str, specifications: Sequence[Specification], rules: Sequence[Rule[Any]]
) -> str:
    """Return the table of readings of specification `name`; "" for an unknown one.

    Links lead two folders up to the root, as from `protocols/vpp/`.
    """
    codes = citing(rules)
    heads = ("What is unclear", "Our reading", "In psreg")
    return "".join(
        table(
            heads,
            (
                (inline_html(row.unclear), inline_html(row.ours), _shown(codes, spec, row))
                for row in spec.readings
            ),
        ).replace(ROOT, "../../")
        for spec in specifications
        if spec.name == name
    )


def document_path(spec: Specification) -> str:
    """Return where the specification is served as JSON, below the root of the site."""
    return f"api/v1/specs/{spec.name}/{spec.version}.json"


def spec_document(spec: Specification, rules: Sequence[Rule[Any]]) -> bytes:
    """Return the specification as JSON, with the content of its page."""
    codes = citing(rules)
    document = {
        "schema": SPECIFICATION_SCHEMA,
        "name": spec.name,
        "version": spec.version,
        "title": spec.title,
        "about": spec.about,
        "page": spec.page,
        "rules": [
            {"id": row.id, "level": row.level, "text": row.text, **_treatment(codes, spec, row)}
            for row in spec.clauses
        ],
        "readings": [
            {
                "id": row.id,
                "unclear": row.unclear,
                "reading": row.ours,
                "why": row.why,
                **_treatment(codes, spec, row),
            }
            for row in spec.readings
        ],
    }
    return json_file(document)


def _treatment(codes: Codes, spec: Specification, row: Clause | Reading) -> dict[str, Any]:
    return {
        "checked_by": list(_codes(codes, spec, row)),
        "semantics": f"{SEMANTICS}#{row.semantics}" if row.semantics else None,
        "not_checkable": row.not_checkable or None,
        "later": row.later or None,
    }


def _codes(codes: Codes, spec: Specification, row: Clause | Reading) -> tuple[str, ...]:
    return codes.get(f"{spec.cited}/{row.id}", ())


def _clauses(spec: Specification, codes: Codes) -> str:
    heads = ("Id", "Level", "Requirement", "In psreg")
    return table(
        heads,
        (
            (_anchor(row.id), text(row.level), inline_html(row.text), _shown(codes, spec, row))
            for row in spec.clauses
        ),
    )


def _readings(spec: Specification, codes: Codes) -> str:
    heads = ("Id", "What is unclear", "Our reading", "Why", "In psreg")
    return table(
        heads,
        (
            (
                _anchor(row.id),
                *map(inline_html, (row.unclear, row.ours, row.why)),
                _shown(codes, spec, row),
            )
            for row in spec.readings
        ),
    )


def _anchor(identifier: str) -> str:
    shown = text(identifier)
    return f'<a id="{shown}" href="#{shown}"><code>{shown}</code></a>'


def _shown(codes: Codes, spec: Specification, row: Clause | Reading) -> str:
    """Return how psreg treats an id: links to rules or semantics, or a reason."""
    parts = [
        link(f"{ROOT}rules/{code}/", f"<code>{code}</code>") for code in _codes(codes, spec, row)
    ]
    if row.semantics:
        parts.append(link(f"{ROOT}{SEMANTICS}#{row.semantics}", "what psreg does"))
    return " ".join(parts) or inline_html(_reason(row))


def _reason(row: Clause | Reading) -> str:
    return f"Not checkable: {row.not_checkable}" if row.not_checkable else row.later
